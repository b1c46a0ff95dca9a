#!/usr/bin/env bash
# A pipeline of commands that know nothing of Rekindle, and one that does a
# little: examples/exec/run.sh BIN_DIR WORK_DIR [RUN_ID]
#
#   penguins.csv ──import──► Table ──awk──► Table ──count_species.py──► Metrics
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:?usage: run.sh BIN_DIR WORK_DIR [RUN_ID]}
work=${2:?usage: run.sh BIN_DIR WORK_DIR [RUN_ID]}
mkdir -p "$work"

export REKINDLE_DB=$work/metadata.db
export REKINDLE_PIPELINE=penguin-report
export REKINDLE_PIPELINE_ROOT=$work/pipelines/penguin-report
export REKINDLE_RUN_ID=${3:-$(date -u +%Y-%m-%dT%H:%M:%S.%6N)}

"$bin/rekindle" import --node ImportTable --type Table --uri "$here/../penguin/penguins.csv" \
  --custom-property licence=CC0

# A single command: what stands between the braces is filled in.
"$bin/rekindle" exec --node DropIncomplete \
  --input table=Table:run:ImportTable.result --output complete=Table --parameter missing=NA \
  -- awk -F, -v missing='{{parameters.missing}}' -v out='{{outputs.complete.uri}}/rows.csv' \
  '{ for (i = 1; i <= NF; i++) if ($i == missing) next; print > out }' '{{inputs.table.uri}}'

# A program that reads the step's file and answers with metrics.
"$bin/rekindle" exec --node CountSpecies --component penguin.CountSpecies --component-version 1 \
  --input table=Table:run:DropIncomplete.complete --output report=Metrics \
  -- python3 "$here/count_species.py"

report=$("$bin/rekindle" metadata latest Metrics -o json | python3 -c 'import json, sys; print(json.load(sys.stdin)["uri"])')
cat "$report/species.csv"

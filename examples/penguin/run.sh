#!/usr/bin/env bash
# Runs the penguin pipeline once: examples/penguin/run.sh BIN_DIR WORK_DIR [RUN_ID]
#
# The three commands share a run id, which makes them one run; each finds what
# the one before it published in the metadata store.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:?usage: run.sh BIN_DIR WORK_DIR [RUN_ID]}
work=${2:?usage: run.sh BIN_DIR WORK_DIR [RUN_ID]}
mkdir -p "$work"

export REKINDLE_DB=$work/metadata.db
export REKINDLE_PIPELINE=penguin
export REKINDLE_PIPELINE_ROOT=$work/pipelines/penguin
export REKINDLE_RUN_ID=${3:-$(date -u +%Y-%m-%dT%H:%M:%S.%6N)}

"$bin/rekindle" example-gen --input "$here/penguins.csv" --null-value NA
"$bin/rekindle" schema-gen --examples run:CsvExampleGen.examples
"$bin/rekindle" train --examples run:CsvExampleGen.examples --schema run:SchemaGen.schema \
  --label-key species --train-steps 100

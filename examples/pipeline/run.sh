#!/usr/bin/env bash
# A whole pipeline, twice: examples/pipeline/run.sh BIN_DIR WORK_DIR
#
# The first run trains a model from nothing, measures it and puts it where it is
# served from; the second starts from the blessed model, and its model must not
# be worse. Then a person who looked at the second model blesses it, too.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:?usage: run.sh BIN_DIR WORK_DIR}
work=${2:?usage: run.sh BIN_DIR WORK_DIR}
mkdir -p "$work"

export REKINDLE_DB=$work/metadata.db
export REKINDLE_PIPELINE=penguin
export REKINDLE_PIPELINE_ROOT=$work/pipelines/penguin

run_pipeline() {
  export REKINDLE_RUN_ID=$1
  "$bin/rekindle" example-gen --input "$here/../penguin/penguins.csv" --null-value NA
  "$bin/rekindle" statistics-gen --examples run:CsvExampleGen.examples
  "$bin/rekindle" schema-gen --statistics run:StatisticsGen.statistics
  "$bin/rekindle" train --examples run:CsvExampleGen.examples --schema run:SchemaGen.schema \
    --base-model latest-blessed --label-key species --train-steps 200
  "$bin/rekindle" evaluate --model run:Trainer.model --examples run:CsvExampleGen.examples --label-key species \
    --slice island --threshold 'accuracy>=0.9' --compare 'accuracy>=-0.02'
  "$bin/rekindle" push --model run:Trainer.model --blessing run:Evaluator.blessing --destination "$work/serving"
}

run_pipeline first
run_pipeline second
"$bin/rekindle" bless --model run:Trainer.model --by "$(id -un)" --reason 'looked at the confused species'
ls "$work/serving"

#!/usr/bin/env bash
# The models that ship with asr_punct: from written text to a model directory.
#
# Usage: egs/models/run.sh --corpus DIR [options]
#   --corpus DIR       folder of the texts that sources/MODEL.tsv name (.txt or .txt.xz)
#   --models LIST      models to make (default: "es-eu en")
#   --seed N           of all that is drawn (default: 1)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the one that is active
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data
#
# Started again, it goes on where it was stopped; a stage that --stage names is done anew. Training text and its
# summary: data/MODEL; logs: exp/log.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

stage=0
stop_stage=100
corpus=
models="es-eu en"
seed=1
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
caller=$PWD
cd "$root/egs/models"
# shellcheck source=recipes/utils/steps.sh
. "$root/recipes/utils/steps.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
for name in stage stop_stage seed; do
  [[ ${!name} =~ ^[0-9]+$ ]] || fail "--${name/_/-}: found '${!name}', expected a number"
done
if [ -n "$corpus" ]; then
  corpus=$(cd "$caller" && realpath -m -- "$corpus")
  [ -d "$corpus" ] || fail "--corpus: found no folder $corpus"
fi
if [ "$venv" != none ]; then
  venv=$(cd "$caller" && realpath -m -- "$venv")
fi
for model in $models; do
  [ -e "sources/$model.tsv" ] || fail "--models: found '$model', expected a table sources/$model.tsv"
done
# shellcheck source=egs/models/path.sh
. ./path.sh
mkdir -p exp
exec 9>exp/.lock
flock -w 10 9 || fail "another run is at work in $PWD"

if begin 0 exp "" && [ "$venv" != none ]; then
  printf 'run.sh: stage 0: set-up … '
  setup.sh --venv "$venv" --extras audio,train >exp/log/0.set-up.log
  echo "$SECONDS s"
fi

if begin 1 data "$corpus $seed"; then
  [ -n "$corpus" ] || fail "expected --corpus DIR, the folder of the texts"
  for model in $models; do
    step "text $model" "data/$model/summary.json" text.py --corpus "$corpus" --sources "sources/$model.tsv" \
      --seed "$seed" "data/$model"
    show "text $model"
  done
fi

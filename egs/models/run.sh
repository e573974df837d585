#!/usr/bin/env bash
# The models that ship with asr_punct: from written text to a model directory.
#
# Usage: egs/models/run.sh --corpus DIR [options]
#   --corpus DIR       folder of the texts that sources/MODEL.tsv name (.txt or .txt.xz)
#   --models LIST      models to make (default: "es-eu en")
#   --device D         cpu, cuda, … (default: chosen by asr-punct); a GPU gets larger batches and compiled models
#   --train-options L  more "key=value …" for both parts of the training
#   --seed N           of all that is drawn (default: 1)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the one that is active
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 train, 3 train on noisy words, 4 tune, 5 export,
#                      6 put the models into the package, 7 score and describe them there
#
# Started again, it goes on where it was stopped; a stage that --stage names is done anew. Training text and its
# summary: data/MODEL; models: exp/MODEL/clean and exp/MODEL/noisy; scores and measurements: exp/MODEL/facts; logs:
# exp/log. Stage 6 writes asr_punct/pretrained/MODEL, what runs, and egs/models/MODEL, the weights to train on.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

stage=0
stop_stage=100
corpus=
models="es-eu en"
device=
train_options=
seed=1
licence="CC BY-SA 4.0"
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
    step "casing $model" "data/$model/casing.txt" casing.py --corpus "$corpus" --sources "sources/$model.tsv" \
      "data/$model/casing.txt"
  done
fi

package=$root/asr_punct/pretrained
declare -A fillers=([en]="uh um er mm well") # where they are not those of small_noise.yaml

options=(training.seed="$seed")
[[ $device != cuda* ]] || options+=(training.batch_size=256 training.workers=8 training.compile=true)
read -ra more <<<"$train_options"
options+=(${more[@]+"${more[@]}"})

# train MODEL PART CONFIG [OPTION…]: a killed training goes on
train() {
  local model=$1 part=$2 config=$3
  shift 3
  step "train $model $part" "exp/$model/$part" asr-punct train --config "$config" --data "data/$model" \
    -o "exp/$model/$part" --resume ${device:+--device "$device"} "$@" "${options[@]}"
}

if begin 2 exp "$device $train_options $seed"; then
  for model in $models; do
    need 1 "data/$model/summary.json"
    train "$model" clean small "model.language=${model//-/+}"
  done
fi

if begin 3 exp "$device $train_options $seed"; then
  for model in $models; do
    need 2 "exp/$model/clean/config.json"
    train "$model" noisy small_noise --init "exp/$model/clean" \
      ${fillers[$model]:+"training.noise.fillers=${fillers[$model]}"}
  done
fi

if begin 4 exp ""; then
  for model in $models; do
    need 3 "exp/$model/noisy/config.json"
    mkdir -p "exp/$model/facts"
    cp "data/$model/casing.txt" "exp/$model/noisy/casing.txt"
    step "tune $model" "exp/$model/facts/calibration.json" tune.py --json "exp/$model/facts/calibration.json" \
      "exp/$model/noisy" "data/$model/dev.tsv"
    show "tune $model"
  done
fi

if begin 5 exp ""; then
  for model in $models; do
    need 4 "exp/$model/facts/calibration.json"
    step "export $model" "exp/$model/noisy/model.int8.onnx" asr-punct export --int8 "exp/$model/noisy"
    step "compare $model" "exp/$model/facts/int8.json" local/compare_graphs.py "exp/$model/noisy" \
      "data/$model/dev.tsv" "exp/$model/facts/int8.json"
    show "compare $model"
  done
fi

if begin 6 exp "$licence"; then
  for model in $models; do
    need 5 "exp/$model/noisy/model.int8.onnx"
    step "ship $model" "$package/$model/config.json" local/ship_model.py --licence "$licence" --trainable "$model" \
      "exp/$model/noisy" "$package/$model"
  done
fi

if begin 7 exp "$corpus"; then
  [ -n "$corpus" ] || fail "expected --corpus DIR, the folder of the texts"
  interview=$corpus/speech/interview/first_half.json
  for model in $models; do
    need 6 "$package/$model/config.json"
    step "score $model" "exp/$model/facts/scores.json" local/score_model.py --corpus "$corpus" "$package/$model" \
      "exp/$model/facts"
    show "score $model"
    cp "exp/$model/facts/scores.json" "$package/$model"
    if [[ $model == *en* ]] && [ -e "$interview" ]; then
      step "pauses $model" "exp/$model/facts/pauses.json" local/score_pauses.py "$package/$model" "$interview" \
        "exp/$model/facts/pauses.json"
      show "pauses $model"
    fi
    step "card $model" "$package/$model/README.md" local/model_card.py --sources "sources/$model.tsv" \
      --notes "cards/$model.md" --facts "exp/$model/facts" "$package/$model"
  done
fi

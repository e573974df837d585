#!/usr/bin/env bash
# Train a small recogniser of Spanish and Basque from scratch, with recipes/punctuate.sh as the last stage.
#
# Usage: egs/mintzai/local/append_to_asr.sh [options]
#   --scale X          share of the synthetic corpus to make, above 0, at most 1 (default: 1.0)
#   --epochs N         epochs of the recogniser's training (default: 5)
#   --train-options L  more "key=value …" for the training of the punctuation models
#   --nj N             jobs at the same time (default: 2)
#   --cmd COMMAND      program that starts the jobs of punctuate.sh (default: run_jobs.sh)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the active one
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 corpus, 2 manifests, 3 train, 4 decode, 5 punctuate, 6 results
#
# The corpus, its pauses and the three punctuation models are those of run.sh. NeMo trains one CTC recogniser of letters
# for both languages, which decodes the test sets; punctuate.sh runs on its output and on the words of the reference.
# Prints WER, F1 on reference words and F1 on recognised words for es, eu and es+eu. A second run skips what is done.
# Results: exp/asr/RESULTS.md and exp/asr/results.json.

# shellcheck disable=SC2031 # side_by_side sets OMP_NUM_THREADS for each of its calls
set -euo pipefail
command="egs/mintzai/local/append_to_asr.sh${*:+$(printf ' %q' "$@")}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

stage=0
stop_stage=100
scale=1.0
epochs=5
train_options=
nj=2
cmd=run_jobs.sh
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$root/recipes/utils/common.sh"
[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 6
check_numbers 1 nj epochs
use_venv
recipe=$root/egs/mintzai
local=$recipe/local
languages=(es eu es+eu)
mkdir -p "$recipe/exp/asr/exp"
cd "$recipe/exp/asr"
lock .

# The recipe of the punctuation models. It skips finished steps.
models=("$recipe/run.sh" --venv none --scale "$scale" --nj "$nj" --languages "${languages[*]}")

if begin 0 exp; then
  set_up audio,train,nemo
fi
if [ "$stop_stage" -gt 0 ]; then
  for package in asr_punct nemo; do
    python3 -c "import importlib.util, sys; sys.exit(not importlib.util.find_spec('$package'))" ||
      fail "found no package $package in $(command -v python3), expected it there (run stage 0)"
  done
fi

# manifest LANGUAGE/SET
manifest() {
  local name=${1/\//.} train=()
  [[ $1 != */train ]] || train=(--train)
  step "manifest $1" "data/$name.json" "$local/asr_data.py" ${train[@]+"${train[@]}"} --lang "${1%/*}" \
    "data/$name.json" "$recipe/data/$1"
}

# train recogniser|punctuation
train() {
  if [ "$1" = recogniser ]; then
    step "train recogniser" exp/asr.nemo "$local/asr_train.py" "$local/asr_ctc.yaml" data/train.json exp/asr.nemo \
      "trainer.max_epochs=$epochs"
  else
    step "train punctuation" "$recipe/exp/models/es+eu/model.onnx" "${models[@]}" --stop-stage 4 \
      --train-options "$train_options"
  fi
}

if begin 1 data; then
  "${models[@]}" --stop-stage 3
fi

if begin 2 data; then
  for language in es eu; do
    need 1 "$recipe/data/$language/"{train,test}/{wav.scp,text}
  done
  mkdir -p data
  side_by_side "$nj" manifest {es,eu}/{train,test}
fi

if begin 3 exp; then
  need 2 "data/"{es,eu}.train.json
  need 1 "$recipe/data/tsv/"{es,eu,es+eu}/train.tsv
  export OMP_NUM_THREADS=1 # models this small gain little from a second core
  cat data/{es,eu}.train.json >data/train.json
  side_by_side 2 train recogniser punctuation
fi

if begin 4 exp; then
  need 2 "data/"{es,eu}.test.json
  need 3 exp/asr.nemo
  step "decode" exp/eu.ctm "$local/asr_decode.py" exp/asr.nemo data/es.test.json exp/es.ctm \
    data/eu.test.json exp/eu.ctm
  step "decode es+eu" exp/es+eu.ctm cat exp/es.ctm exp/eu.ctm \> exp/es+eu.ctm
  mkdir -p data/es+eu
  for table in wav.scp text utt2doc ctm; do
    step "$table es+eu" "data/es+eu/$table" cat "$recipe/data/"{es,eu}"/test/$table" \> \
      "data/es+eu/$table"
  done
fi

if begin 5 exp; then
  for language in "${languages[@]}"; do
    need 3 "$recipe/exp/models/$language/model.onnx"
    need 4 "exp/$language.ctm"
  done
  for language in "${languages[@]}"; do
    data=$recipe/data/$language/test
    [ -d "$data" ] || data=data/es+eu
    options=(--nj "$nj" --cmd "$cmd" --model "$recipe/exp/models/$language" --use-audio true --lang "$language")
    step "punctuate $language, reference" "exp/$language/reference/scores.json" punctuate.sh "${options[@]}" \
      --times aligner "$data" "$data/ctm" "exp/$language/reference"
    step "punctuate $language, recognised" "exp/$language/recognised/scores.json" punctuate.sh "${options[@]}" \
      "$data" "exp/$language.ctm" "exp/$language/recognised"
  done
fi

if begin 6 exp; then
  for language in "${languages[@]}"; do
    need 5 "exp/$language/"{reference,recognised}/scores.json
  done
  step "results" RESULTS.md "$local/asr_results.py" --command "$command" RESULTS.md results.json "${languages[@]}"
  show results
fi
echo "append_to_asr.sh: done in $((SECONDS / 60)) min $((SECONDS % 60)) s; results in $PWD/RESULTS.md"

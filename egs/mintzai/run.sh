#!/usr/bin/env bash
# AutoPunct on mintzai-ST: from audio and transcriptions to punctuated and cased recogniser output.
#
# Usage: egs/mintzai/run.sh [options]
#   --corpus DIR       mintzai-ST v1.0. Without it the recipe makes a small synthetic corpus of the same layout
#                      (sentences of a generator, spoken by espeak-ng) and runs on that
#   --scale X          size of the synthetic corpus (default: 1.0)
#   --ctm-dir DIR      word times from DIR/LANG/SPLIT.ctm instead of aligning here
#   --ctm-source NAME  what made them: asr, aligner, ctc or whisper (default: asr)
#   --acoustic-model M  align with this CTC model (asr-punct align --method ctc) instead of without one
#   --languages LIST   models to train (default: "es eu es+eu"); the last one is exported
#   --config NAME      configuration (default: the paper's, autopunct_es with BETO, autopunct_eu with BERTeus,
#                      autopunct with IXAmBERT; autopunct_mini, from scratch, on the synthetic corpus)
#   --encoder NAME     another pretrained encoder, by name or folder; with --system also minilm and built (default: the
#                      configuration's; with --system BETO, BERTeus and IXAmBERT)
#   --system NAME      a row of recipes/systems/systems.tsv (brnn, pos_fusion …) in place of AutoPunct
#   --budget NAME      with --system: full (the papers' settings), pass, mini or smoke, as in budgets.tsv beside it
#                      (default: full; mini and --encoder built on the synthetic corpus)
#   --tagger NAME      of parts of speech, for pos_fusion, which needs --treebanks or flair here: own, a small one that
#                      reads the encoder's tokenizer (default); flair, for every encoder: pip install flair first, and
#                      name one for the languages, --train-options model.pos.name=flair/upos-multi; torch decodes then
#   --treebanks DIR    folder of *train*.conllu and *dev*.conllu to train --tagger own on, for pretrained encoders, not
#                      for built; of a treebank without a *train* file give another part that name
#   --ablation true    also train the 8 systems of the paper's Table 4
#   --train-options L  more "key=value …" for asr-punct train
#   --seed N           seed of the training (default: 1)
#   --device D         cpu, cuda, … (default: chosen by asr-punct)
#   --nj N             jobs at the same time (default: 2); cmd.sh says where they run
#   --venv DIR         environment to make and use (default: .venv at the top); none: the one that is active
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 align, 3 pauses, 4 train, 5 decode, 6 score,
#                      7 export and demonstration
#
# Started again, it goes on where it was stopped; a stage that --stage names is done anew. Results: exp/RESULTS.md and
# exp/scores.json, models in exp/models, a punctuated recording in exp/demo, logs in exp/log.
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
budget=
tagger=own
treebanks=
ablation=false
train_options=
seed=1
device=
nj=2
venv=$root/.venv
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
caller=$PWD
cd "$root/egs/mintzai"
# shellcheck source=recipes/utils/steps.sh
. "$root/recipes/utils/steps.sh"
# shellcheck source=recipes/utils/systems.sh
. "$root/recipes/utils/systems.sh"
# shellcheck source=egs/mintzai/local/options.sh
. local/options.sh
# shellcheck source=egs/mintzai/path.sh
. ./path.sh
# shellcheck source=egs/mintzai/cmd.sh
. ./cmd.sh
mkdir -p exp
lock exp

if begin 0 exp "" && [ "$venv" != none ]; then
  printf 'run.sh: stage 0: set-up … '
  setup.sh --venv "$venv" --extras audio,train >exp/log/0.set-up.log
  echo "$SECONDS s"
fi
need_programs

if begin 1 data "$source scale=$scale"; then
  if [ -z "$corpus" ]; then
    step "synthetic corpus" corpus local/make_mini_corpus.py corpus --nj "$nj" --scale "$scale"
  fi
  need "1 without --corpus" "$source"
  step prepare "data/${bases[-1]}/test/text" asr-punct prepare mintzai "$source" data
  show prepare
  echo "$source" >data/source
fi
need_same_source

if begin 2 data "$ctm_dir$acoustic_model"; then
  for set in "${sets[@]}"; do
    need 1 "data/$set/"{wav.scp,text}
    [ -z "$ctm_dir" ] || need "2 without --ctm-dir" "$ctm_dir/$set.ctm"
  done
  for set in "${sets[@]}"; do
    if [ -n "$ctm_dir" ]; then
      step "times $set" "data/$set/ctm" local/take_ctm.sh "$ctm_dir/$set.ctm" "data/$set"
    else
      step "align $set" "data/$set/ctm" align.sh --nj "$nj" --cmd "$align_cmd" --lang "${set%/*}" \
        ${acoustic_model:+--method ctc --acoustic-model "$acoustic_model"} \
        --log "exp/log/2.align_${set//\//_}.JOB.log" "data/$set"
    fi
  done
  if [ -d "$source/truth" ]; then
    step "compare times" exp/align.json local/compare_times.py "$source/truth" data -o exp/align.json
    show "compare times"
  fi
fi

if begin 3 data "$times"; then
  for set in "${sets[@]}"; do
    need 1 "data/$set/"{wav.scp,text}
    need 2 "data/$set/ctm"
  done
  for set in "${sets[@]}"; do
    mkdir -p "data/tsv/${set%/*}"
    step "pauses $set" "data/tsv/$set.tsv" asr-punct pauses "data/$set/ctm" --data-dir "data/$set" \
      --lang "${set%/*}" --times "$times" -o "data/tsv/$set.tsv"
  done
  for language in $languages; do
    if [[ $language == *+* ]]; then
      mkdir -p "data/tsv/$language"
      for split in train dev test; do
        parts=("${bases[@]/%//$split.tsv}")
        step "pauses $language/$split" "data/tsv/$language/$split.tsv" local/concatenate.sh \
          "data/tsv/$language/$split.tsv" "${parts[@]/#/data/tsv/}"
      done
    fi
  done
fi

chosen=${system:+ $system $budget${treebanks:+ $treebanks} $tagger}
if begin 4 exp "$config $encoder $seed $train_options$chosen"; then
  check_packages "$system"
  for language in $languages; do
    need 3 "data/tsv/$language/"{train,dev}.tsv
  done
  for language in $languages; do
    train "$language" "exp/models/$language"
  done
  for row in "${systems[@]}"; do
    for language in $languages; do
      # shellcheck disable=SC2046 # two settings
      train "$language" "exp/ablation/$row/$language" $(system_settings "$row")
    done
  done
  # The page of results names the command that made the models, not the one that scored them again.
  if [ ! -e exp/command ] || [ -n "$(find exp/.done -name '4.*.done' -newer exp/command)" ]; then
    echo "$command" >exp/command
  fi
fi

if begin 5 exp ""; then
  for model in "${models[@]}"; do
    need 4 "exp/$model/config.json"
    ! has_graph "$system" || need 4 "exp/$model/model.onnx"
    need 3 "data/tsv/${model##*/}/test.tsv"
  done
  for model in "${models[@]}"; do
    # shellcheck disable=SC2046 # several options
    runner=$decode_cmd step "decode ${model#models/}" "exp/decode/${model#models/}/test.tsv" local/decode.sh \
      ${device:+--device "$device"} ${system:+$(row_field "$system" decode)} "exp/$model" "data/tsv/${model##*/}/test.tsv" "exp/decode/${model#models/}"
  done
fi

if begin 6 exp "$languages $ablation"; then
  need 4 exp/command
  for language in $languages; do
    need 3 "data/tsv/$language/"{train,dev,test}.tsv
  done
  for model in "${models[@]}"; do
    need 4 "exp/$model/config.json"
    need 5 "exp/decode/${model#models/}/"{test.tsv,speed.json}
  done
  for model in "${models[@]}"; do
    decoded=exp/decode/${model#models/}
    step "score ${model#models/}" "$decoded/scores.json" asr-punct score "data/tsv/${model##*/}/test.tsv" \
      "$decoded/test.tsv" --json "$decoded/scores.json"
  done
  step report exp/RESULTS.md local/report.py --synthetic "$synthetic" --command "$(cat exp/command)" \
    --languages "$languages" --systems "${systems[*]}" --system "$system"
  show report
fi

if begin 7 exp "$languages"; then
  exported=exp/models/${languages##* }
  need 4 "$exported/config.json"
  need 1 "data/${bases[0]}/test/"{wav.scp,text}
  need 2 "data/${bases[0]}/test/ctm"
  if has_graph "$system"; then
    step export "$exported/model.int8.onnx" asr-punct export "$exported" --int8
  fi
  step demonstration exp/demo local/demonstrate.sh "$exported" "data/${bases[0]}/test" exp/demo
  show demonstration
fi
echo "run.sh: done in $((SECONDS / 60)) min $((SECONDS % 60)) s; results in $PWD/exp"

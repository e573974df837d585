# shellcheck shell=bash disable=SC2034,SC2154 # between run.sh and its steps
# Checks the options of run.sh, and names what follows from them. Sourced.

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
check_stages 7
check_numbers seed
check_counts nj
check_folders corpus ctm_dir
check_treebanks
if [ "$venv" != none ]; then
  venv=$(absolute "$venv")
fi
encoder=${encoder%/}
if [ -e "$caller/$encoder" ] && [ -n "$encoder" ]; then
  encoder=$(absolute "$encoder")
fi
if [ -f "$caller/$config" ]; then
  config=$(absolute "$config")
fi

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

source=${corpus:-corpus}
# Only the synthetic corpus knows its true times.
synthetic=false
if [ -z "$corpus" ] || [ -d "$corpus/truth" ]; then
  synthetic=true
fi
if [ -z "$config" ] && $synthetic; then
  config=autopunct_mini
  # Models this small gain little from a second thread, and lose much where another job has its core.
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
fi
has_pauses=true
[ -n "$system" ] || [ -z "$budget" ] || fail "found --budget without --system, expected both or none"
if [ -n "$system" ]; then
  $ablation && fail "found --system and --ablation, expected one of them"
  if $synthetic; then
    budget=${budget:-mini} encoder=${encoder:-built}
  fi
  budget=${budget:-full}
  check_budget
  [ -n "$(row_field "$system" config)" ] ||
    fail "--system: found '$system', expected a row of recipes/systems/systems.tsv"
  check_tagger "$system"
fi
if [ -e "$caller/$acoustic_model" ] && [ -n "$acoustic_model" ]; then
  acoustic_model=$(absolute "$acoustic_model")
fi
times=aligner
if [ -n "$acoustic_model" ]; then
  [ -z "$ctm_dir" ] || fail "found --ctm-dir and --acoustic-model, expected one of them"
  times=ctc
elif [ -n "$ctm_dir" ]; then
  times=$ctm_source
fi

# The rows of the paper's Table 4.
systems=()
if $ablation; then
  systems=(none none+bert continuous continuous+bert gaussian gaussian+bert uniform uniform+bert)
fi
models=()
for language in $languages; do
  models+=("models/$language")
done
for row in "${systems[@]}"; do
  for language in $languages; do
    models+=("ablation/$row/$language")
  done
done

need_programs() {
  if [ "$stop_stage" -gt 0 ]; then
    [ "$venv" = none ] || need 0 "$venv/bin/asr-punct"
    command -v asr-punct >/dev/null || fail "found no asr-punct on the path, expected it in the active environment"
  fi
}

need_same_source() {
  if [ "$stop_stage" -gt 1 ]; then
    need 1 data/source
    [ "$(cat data/source)" = "$source" ] ||
      fail "found data made from $(cat data/source), expected $source (the same --corpus as before, or run stage 1)"
  fi
}

# Settings of a row of Table 4.
system_settings() {
  local pauses=${1%+bert} context=none
  case $pauses in gaussian | uniform) pauses=discrete-$pauses ;; esac
  case $1 in *+bert) context=transformer ;; esac
  echo "model.pauses.kind=$pauses" "model.context.kind=$context"
}

# The paper's configuration for a language, with its encoder (section 4).
config_of() {
  case $1 in
    es | eu) echo "${config:-autopunct_$1}" ;;
    *) echo "${config:-autopunct}" ;;
  esac
}

# The encoder that the paper has for a language.
encoder_of() {
  local config=
  sed -n 's/^    name: \([^ ]*\).*/\1/p' "$root/conf/$(config_of "$1").yaml"
}

# train LANGUAGE MODEL_DIR [key=value …]
train() {
  local language=$1 model=$2
  shift 2
  if [ -n "$system" ]; then
    local encoder=${encoder:-$(encoder_of "$language")}
    train_tagger "$system"
    train_system "$system" "data/tsv/$language" "$model" "model.language=$language"
    # shellcheck disable=SC2046 # several options
    runner=$train_cmd step "tune ${model#exp/*/}" "$model-tuning.json" tune.py --json "$model-tuning.json" \
      "$model" "data/tsv/$language/dev.tsv" ${device:+--device "$device"} $(row_field "$system" decode)
  else
    # shellcheck disable=SC2086 # several options
    runner=$train_cmd step "train ${model#exp/*/}" "$model" asr-punct train --config "$(config_of "$language")" \
      --data "data/tsv/$language" -o "$model" --resume ${device:+--device "$device"} "model.language=$language" \
      "training.seed=$seed" ${encoder:+"model.encoder.name=$encoder"} "$@" $train_options
  fi
  # The graph, so that every system is decoded and timed by the same runtime.
  if has_graph "$system"; then
    runner=$train_cmd step "graph ${model#exp/*/}" "$model/model.onnx" asr-punct export "$model"
  fi
}

#!/usr/bin/env bash
# Add marks and capitals to the output of a recogniser: a last stage for any Kaldi, icefall or NeMo recipe.
#
# Usage: recipes/punctuate.sh [options] DATA_DIR CTM OUT_DIR
#   --model NAME       model directory, shipped name, or org/name of the hub (default: the shipped one of --lang)
#   --use-audio true   refine the pauses on the recordings of wav.scp (default: false; needs asr-punct[audio])
#   --times SOURCE     source of the CTM's times: asr, ctc, whisper, or aligner (exact times: --use-audio has no
#                      effect; default: asr)
#   --lang LANG        language of the words and of the reference, such as es, eu, en, es+eu (default: identified from
#                      the words of each document)
#   --nj N             jobs at the same time (default: 2)
#   --cmd COMMAND      program that starts them: run_jobs.sh, or run.pl, slurm.pl, queue.pl of Kaldi with their options
#   --python NAME      Python that has asr_punct (default: python3)
#   --stage N, --stop-stage N
#                      first and last stage: 1 split, 2 restore, 3 merge, 4 score (default: 0 and 100, all)
#
# DATA_DIR is Kaldi's; the speakers of utt2spk are context for the model. The first of segments, wav.scp, text, utt2spk that has lines lists its utterances;
# reco2file_and_channel and utt2doc are optional. The rows of CTM name recordings, or these utterances (their times then
# count from the beginning of the audio file or of the utterance, which is detected for the whole CTM).
# Writes OUT_DIR/text, OUT_DIR/ctm (the rows of CTM with marks and capitals), OUT_DIR/srt/RECORDING.srt; and, if the text
# of DATA_DIR has marks, OUT_DIR/scores.json and OUT_DIR/scores.txt. A second run skips stage 1 and
# the parts that stage 2 has finished, unless --stage names the stage; stages 3 and 4 run again.
set -euo pipefail
utils=$(cd "$(dirname "${BASH_SOURCE[0]}")/utils" && pwd)
PATH=$utils:$PATH
model=
use_audio=false
times=asr
lang=
nj=2
cmd=run_jobs.sh
python=python3
stage=0
stop_stage=100
# shellcheck source=recipes/utils/parse_options.sh
. "$utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$utils/common.sh"

[ $# -eq 3 ] || fail "found $# arguments, expected DATA_DIR CTM OUT_DIR (see --help)"
data=$1 ctm=$2 out=$3
check_stages 4
check_numbers 1 nj
[ -d "$data" ] || fail "found no folder $data, expected a data directory"
[ -f "$ctm" ] || fail "found no file $ctm, expected a CTM"
[[ ! $out -ef $data && ! $ctm -ef $out/ctm ]] || fail "found OUT_DIR $out, expected another folder than that of the inputs"
command -v "${cmd%% *}" >/dev/null || fail "--cmd: found no program ${cmd%% *}, expected run.pl, slurm.pl or the like"
# An absolute path, because jobs may have another PATH.
found=$(command -v "$python") || fail "--python: found no program $python, expected Python 3.11 or newer"
python=$found
"$python" -c 'import asr_punct' 2>/dev/null ||
  fail "found no asr_punct in $python, expected it there (pip install it, or --python NAME)"
asr_punct=("$python" -c 'from asr_punct.cli import main; main()')
mkdir -p "$out/log" 2>/dev/null || fail "cannot make the folder $out/log"
lock "$out"

parts=$out/split$nj
# The parts, and the results of stage 2 in them, depend on all of this. If it changes, stage 1 makes them again.
inputs=("$ctm" "$data")
[[ $out != *JOB* ]] || fail "found JOB in the name $out, expected another name (JOB is replaced by a number)"
[ ! -d "$model" ] || inputs+=("$model")
fingerprint="$("${asr_punct[@]}" --version) $model $lang $use_audio $times $(find -L "${inputs[@]}" -maxdepth 1 -type f -printf '%p %s %T@\n' | sort | sha256sum)"

need_parts() {
  need 1 "$parts/made_of"
  [ "$(cat "$parts/made_of")" = "$fingerprint" ] ||
    fail "found $parts of other files or options, expected those of this command (run stage 1)"
}

if runs 1; then
  if [ "$stage" -eq 1 ] || [ "$(cat "$parts/made_of" 2>/dev/null)" != "$fingerprint" ]; then
    options=(--times "$times")
    ! $use_audio || options+=(--audio)
    "$python" "$utils/split_decode.py" "${options[@]}" "$data" "$ctm" "$parts" "$nj"
    echo "$fingerprint" >"$parts/made_of"
  fi
fi

if runs 2; then
  need_parts
  jobs=$(find "$parts" -name words.json -printf x | wc -c)
  [ "$stage" -ne 2 ] || rm -f "$parts"/*/restored.json
  for_runner "$cmd" test -s "$parts/JOB/restored.json" \|\| \
    "$python" "$utils/restore_part.py" ${model:+--model "$model"} ${lang:+--lang "$lang"} -- "$parts/JOB"
  # shellcheck disable=SC2086 # the command may have options
  OMP_NUM_THREADS=1 $cmd "JOB=1:$jobs" "$out/log/restore.JOB.log" "${words[@]}"
fi

if runs 3; then
  need_parts
  for part in "$parts"/[0-9]*; do
    need 2 "$part/restored.json"
  done
  "$python" "$utils/merge_decode.py" ${model:+--model "$model"} ${lang:+--lang "$lang"} \
    -- "$data" "$ctm" "$parts" "$out"
fi

if runs 4; then
  need 3 "$out/"{text,ctm,srt}
  rm -f "$out/scores.json" "$out/scores.txt"
  if [ -e "$out/scoring/ref.tsv" ]; then
    "${asr_punct[@]}" score "$out/scoring/"{ref,hyp}.tsv --align --json "$out/scores.json" \
      --lang "$(cat "$out/scoring/language")" >"$out/.scores.txt.partial"
    mv "$out/.scores.txt.partial" "$out/scores.txt"
  elif [ ! -e "$data/text" ]; then
    echo "punctuate.sh: found no file $data/text: nothing is scored"
  else
    echo "punctuate.sh: found no marks in $data/text: nothing is scored"
  fi
fi

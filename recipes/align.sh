#!/usr/bin/env bash
# Align the words of a Kaldi data directory with its audio, in several jobs; writes DIR/ctm.
#
# Usage: recipes/align.sh [options] DIR
#   --nj N            jobs (default: 2)
#   --cmd COMMAND     program that starts them: run_jobs.sh, or run.pl, slurm.pl, queue.pl of Kaldi with their options
#   --lang LANG       language of the text (default: identified from its words)
#   --method NAME     dtw, or ctc with --acoustic-model (default: dtw)
#   --acoustic-model M  CTC model for --method ctc
#   --log NAME        log of a job; JOB in it is the job's number (default: DIR/log/align.JOB.log)
#
# A job aligns a part of the utterances, in the order of utt2doc, else of segments or text. utt2doc must have the
# utterances of both. After a killed run, a second run skips the finished parts, unless a table or an option has changed.
set -euo pipefail
utils=$(cd "$(dirname "${BASH_SOURCE[0]}")/utils" && pwd)
nj=2
cmd=$utils/run_jobs.sh
lang=
method=dtw
acoustic_model=
log=
# shellcheck source=recipes/utils/parse_options.sh
. "$utils/parse_options.sh"
# shellcheck source=recipes/utils/common.sh
. "$utils/common.sh"

[ $# -eq 1 ] || fail "expected one data directory (see --help)"
dir=$1
[[ $dir != *JOB* ]] || fail "found JOB in the name $dir, expected another name (JOB is replaced by a number)"
log=${log:-$dir/log/align.JOB.log}
for table in utt2doc segments text; do # the first of these lists the utterances
  [ ! -s "$dir/$table" ] || break
done
[ -s "$dir/$table" ] || fail "found no utterances in $dir, expected a data directory with segments or text"

# utterances TABLE: print the names in its first column, sorted
utterances() {
  awk 'NF { print $1 }' <"$dir/$1" | LC_ALL=C sort -u
}

for other in segments text; do
  [ "$table" = utt2doc ] && [ -s "$dir/$other" ] || continue
  missing=$(LC_ALL=C comm -13 <(utterances utt2doc) <(utterances "$other") | sed -n 1p)
  unknown=$(LC_ALL=C comm -23 <(utterances utt2doc) <(utterances "$other") | sed -n 1p)
  [ -z "$missing" ] || fail "$dir/utt2doc: found no utterance '$missing', expected the utterances of $other"
  [ -z "$unknown" ] || fail "$dir/utt2doc: found unknown utterance '$unknown', expected the utterances of $other"
done
count=$(awk NF <"$dir/$table" | wc -l)
[[ $nj =~ ^[1-9][0-9]*$ ]] || fail "--nj: found '$nj', expected a number of jobs, 1 or more"
[ "$nj" -le "$count" ] || nj=$count
parts=$dir/split$nj
made_by="$lang $method $acoustic_model"
[ "$(cat "$parts/made_by" 2>/dev/null)" = "$made_by" ] || rm -rf "$parts"
for file in wav.scp text segments utt2doc; do
  [ ! "$dir/$file" -nt "$parts" ] || rm -rf "$parts"
done
if [ ! -d "$parts" ]; then
  rm -rf "$parts.partial"
  for ((part = 1; part <= nj; part++)); do
    mkdir -p "$parts.partial/$part"
    for file in "$(realpath "$dir")"/{wav.scp,text,segments,utt2doc}; do
      [ ! -e "$file" ] || ln -s "$file" "$parts.partial/$part"
    done
    rm "$parts.partial/$part/$table"
    awk -v part="$part" -v parts="$nj" -v count="$count" 'NF && int(n++ * parts / count) + 1 == part' <"$dir/$table" \
      >"$parts.partial/$part/$table"
  done
  echo "$made_by" >"$parts.partial/made_by"
  mv "$parts.partial" "$parts"
fi

# One thread for each job, because the jobs use all cores.
# shellcheck disable=SC2031 # the variable of a subshell in common.sh
export OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1
for_runner "$cmd" test -s "$parts/JOB/ctm" \|\| \
  asr-punct align --data-dir "$parts/JOB" -o "$parts/JOB/ctm" ${lang:+--lang "$lang"} --method "$method" \
  ${acoustic_model:+--acoustic-model "$acoustic_model"}
# shellcheck disable=SC2086 # the command may have options
$cmd JOB="1:$nj" "$log" "${words[@]}"

for ((part = 1; part <= nj; part++)); do
  cat "$parts/$part/ctm"
done >"$dir/.ctm.partial"
mv "$dir/.ctm.partial" "$dir/ctm"
rm -r "$parts"

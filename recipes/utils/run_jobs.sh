#!/usr/bin/env bash
# Run a command, or an array of jobs, on this machine. Called like Kaldi's run.pl, which can replace it.
#
# Usage: run_jobs.sh [--max-jobs-run N] [JOB=1:4] LOG.JOB.log COMMAND [ARGUMENT…]
#
# Replaces JOB in the name of the log and in the arguments by the number of each job, and runs the jobs at the same
# time (at most N). An argument that is an operator of the shell (\| \|\| \&\& \; \> \>\> \< 2\> 2\>\&1) works as one; all
# others are passed on as they are, whereas run.pl lets the shell interpret those without white space. Other
# options of queues (--mem 2G, --gpu 1) are ignored. A log has the command, its output, its status and its time. Status 0
# if all jobs succeed, else the status of the first job that failed, with one line on standard error.
set -uo pipefail
export LC_ALL=C.UTF-8

fail() {
  echo "run_jobs.sh: ${1//$'\n'/ }" >&2
  exit 2
}

variable=
first=1
last=1
at_once=
while [ $# -gt 0 ]; do
  if [[ $1 =~ ^([A-Za-z_]+)=([0-9]+)(:([0-9]+))?$ ]]; then
    variable=${BASH_REMATCH[1]} first=${BASH_REMATCH[2]} last=${BASH_REMATCH[4]:-${BASH_REMATCH[2]}}
    [ "$first" -le "$last" ] || fail "found '$1', expected $variable=FIRST:LAST with FIRST no larger than LAST"
    shift
  elif [[ $1 == --* && $# -gt 1 ]]; then
    [ "$1" != --max-jobs-run ] || at_once=$2
    shift 2
  else
    break
  fi
done
[ $# -ge 2 ] || fail "expected a log and a command: run_jobs.sh [JOB=1:4] LOG COMMAND …"
[[ -z $at_once || $at_once =~ ^[1-9][0-9]*$ ]] || fail "--max-jobs-run: found '$at_once', expected a number"
log=$1
shift
[ "$first" -eq "$last" ] || [[ $log == *"$variable"* ]] ||
  fail "found log '$log' for $((last - first + 1)) jobs, expected $variable in its name"
operator='^(\||\|\||&&|;|[0-9]?(>|>>|<)|[0-9]>&[0-9])$'
plain='^[A-Za-z0-9_./:=,+@%-]+$'
line=
for word; do
  [[ $word =~ $operator || $word =~ $plain ]] || word=${word@Q}
  line+=${line:+ }$word
done

run() {
  local line=$1 begun=$SECONDS status
  printf '# %s\n# Started at %s\n#\n' "$line" "$(date)"
  bash -c "$line"
  status=$?
  echo "# Ended (code $status) at $(date), elapsed time $((SECONDS - begun)) seconds"
  return $status
}

# Background jobs ignore Ctrl-C, so end all processes of the recipe.
trap 'trap - TERM; kill -TERM 0' HUP INT TERM
pids=()
for ((job = first; job <= last; job++)); do
  while [ -n "$at_once" ] && [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do
    wait -n
  done
  job_log=${log//$variable/$job}
  mkdir -p -- "$(dirname -- "$job_log")" || exit 2
  run "${line//$variable/$job}" </dev/null >"$job_log" 2>&1 &
  pids+=($!)
done

status=0
failed=()
for job in "${!pids[@]}"; do
  wait "${pids[job]}"
  ended=$?
  [ $ended -eq 0 ] || failed+=("$((first + job))")
  [ $status -ne 0 ] || status=$ended
done
if [ $status -ne 0 ]; then
  first_log=${log//$variable/${failed[0]}}
  last_line=$(grep -vE '^(# .*|#?) *$' "$first_log" | tail -n 1)
  count=job
  [ "$first" -eq "$last" ] || count="${#failed[@]} of ${#pids[@]} jobs"
  echo "run_jobs.sh: $count failed with status $status, log ${first_log//$'\n'/ }: ${last_line:-no output}" >&2
fi
exit $status

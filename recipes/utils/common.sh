# shellcheck shell=bash disable=SC2154 # the recipe sets stage, stop_stage and caller
# Functions of the recipes' run.sh: checks of options and inputs, and steps that are skipped once they are done.
#
#   if [ "$stage" -le 3 ] && [ "$stop_stage" -ge 3 ]; then
#     begin 3 data                       # stage 3; its marks of finished steps go to data/.done
#     need 2 data/es/train/ctm           # an input, and the stage that makes it
#     step "pauses es/train" data/tsv/es/train.tsv  asr-punct pauses …   # name, output, command
#   fi
#
# A finished step is skipped while its output exists, its command is the same but for --nj, and no step of an earlier
# stage ended after it. The stage that --stage names is always done again. A step that was killed finds its partial
# output, unless its command has changed since. $runner starts the commands (default: run_jobs.sh); their output goes to
# exp/log/STAGE.NAME.log ($logs: another folder).

number=
marks=
logs=exp/log

fail() {
  echo "${0##*/}: ${number:+stage $number: }$1" >&2
  exit 2
}

# check_numbers MINIMUM NAME…: these options are whole numbers
check_numbers() {
  local minimum=$1 name
  shift
  for name; do
    [[ ${!name} =~ ^[0-9]+$ ]] || fail "--${name//_/-}: found '${!name}', expected a number"
    [ "${!name}" -ge "$minimum" ] || fail "--${name//_/-}: found '${!name}', expected $minimum or more"
  done
}

# check_stages LAST: --stage and --stop-stage, of stages 0 to LAST
check_stages() {
  check_numbers 0 stage stop_stage
  [ "$stage" -le "$1" ] || fail "--stage: found '$stage', expected 0 to $1"
}

# absolute PATH: the path seen from the folder that the recipe was called in ($caller)
absolute() {
  (cd "$caller" && realpath -m -- "$1")
}

# check_folders NAME…: these options are folders, or empty; makes them absolute
check_folders() {
  local name
  for name; do
    [ -n "${!name}" ] || continue
    printf -v "$name" %s "$(absolute "${!name}")"
    [ -d "${!name}" ] || fail "--${name//_/-}: found no folder ${!name}"
  done
}

# absolute_if_exists NAME: the absolute path of a file or folder, other names as they are
absolute_if_exists() {
  local name=${1%/}
  if [ -n "$name" ] && [ -e "$caller/$name" ]; then
    absolute "$name"
  else
    echo "$name"
  fi
}

# check_treebanks: --treebanks is empty or has what a tagger of parts of speech is trained on
check_treebanks() {
  local part
  [ -z "$treebanks" ] || [ "$tagger" = own ] || fail "found --tagger $tagger and --treebanks, expected one of them"
  for part in train dev; do
    [ -z "$treebanks" ] || compgen -G "$treebanks/*$part*.conllu*" >/dev/null ||
      fail "--treebanks: found no *$part*.conllu in $treebanks, expected *train*.conllu and *dev*.conllu"
  done
}

# has_graph MODEL_DIR: the model can be exported; flair's taggers cannot, so torch decodes with them
has_graph() {
  ! grep -q '"tagger": "flair"' "$1/config.json" 2>/dev/null
}

# check_flair SYSTEM…: the package flair is installed if one of the systems reads its parts of speech
check_flair() {
  [ "$tagger" = flair ] && [[ " $* " =~ \ pos_fusion(/random)?\  ]] || return 0
  python3 -c 'from importlib.util import find_spec; raise SystemExit(not find_spec("flair"))' ||
    fail "pos_fusion: found no package flair, expected it in the environment (pip install flair)"
}

# lock FOLDER: refuse to run beside another run in this folder
lock() {
  exec 9>"$1/.lock"
  flock -w 10 9 || fail "another run is at work in $(realpath "$1")"
}

# begin STAGE FOLDER
begin() {
  number=$1 marks=$2/.done
  mkdir -p "$marks" "$logs"
  if [ "$stage" -gt 0 ] && [ "$stage" -eq "$number" ]; then
    rm -f "$marks/$number".*
  fi
}

# need STAGE FILE…: the inputs of a stage, made by an earlier one
need() {
  local maker=$1 path
  shift
  for path; do
    [ -e "$path" ] || fail "expected file $path to exist (run stage $maker)"
  done
}

# is_current MARK COMMAND: the mark is of this command, and no step of an earlier stage ended after it
is_current() {
  local other earlier
  [ -e "$1" ] && [ "$(cat "$1")" = "$2" ] || return 1
  for other in */.done/*.done; do
    earlier=${other##*/}
    if [ "${earlier%%.*}" -lt "$number" ] && [ "$other" -nt "$1" ]; then
      return 1
    fi
  done 2>/dev/null
}

# step NAME OUTPUT COMMAND…
step() {
  local name=$1 output=$2 begun=$SECONDS status=0 file command
  shift 2
  file=$number.${name//[ \/]/_}
  command="$*"
  [[ ! $command =~ " --nj "[0-9]+ ]] || command=${command/"${BASH_REMATCH[0]}"/}
  if [ -e "$output" ] && is_current "$marks/$file.done" "$command"; then
    echo "${0##*/}: stage $number: $name: done before"
    return
  fi
  is_current "$marks/$file.started" "$command" || rm -rf "$output" "$output-start" # the first part of a training
  rm -f "$marks/$file.done"
  echo "$command" >"$marks/$file.started"
  # shellcheck disable=SC2086 # the runner may have options
  ${runner:-run_jobs.sh} "$logs/$file.log" "$@" || status=$?
  if [ $status -ne 0 ]; then
    echo "${0##*/}: stage $number: $name: failed after $((SECONDS - begun)) s"
    exit $status
  fi
  [ -e "$output" ] || fail "expected $output from $name, found nothing (log: $logs/$file.log)"
  mv "$marks/$file.started" "$marks/$file.done"
  echo "${0##*/}: stage $number: $name: $((SECONDS - begun)) s"
}

# show NAME: print the output of a step of this stage
show() {
  local log=$logs/$number.${1//[ \/]/_}.log
  [ ! -e "$log" ] || grep -v '^#' "$log" || true
}

# side_by_side COUNT FUNCTION ITEM…: call FUNCTION ITEM for each item, COUNT at the same time; they share the cores
side_by_side() {
  local count=$1 function=$2 item failed status
  shift 2
  failed=$(mktemp) # the status of a call that failed; wait PID loses it when another process gets the same PID
  for item; do
    while [ "$(jobs -rp | wc -l)" -ge "$count" ]; do
      wait -n || true
    done
    (
      trap 'ended=$?; [ $ended -eq 0 ] || echo $ended >"$failed"' EXIT
      [ "$count" -eq 1 ] || export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$(($(nproc) / count + 1))}"
      "$function" "$item"
    ) &
  done
  wait
  status=$(cat "$failed")
  rm "$failed"
  [ -z "$status" ] || exit "$status"
}

# set_up EXTRAS: install them into --venv
set_up() {
  [ "$venv" != none ] || return 0
  echo "${0##*/}: stage 0: set-up"
  setup.sh --venv "$venv" --extras "$1" >"$logs/0.set-up.log"
  echo "${0##*/}: stage 0: set-up: $SECONDS s"
}

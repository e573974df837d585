# shellcheck shell=bash disable=SC2154 # the recipe sets root, stage, stop_stage and venv
# Functions for the recipes' run.sh: checks of options and inputs, and steps that are skipped once they are done.
# Sourced after parse_options.sh, in the folder where the recipe was started.
#
#   if begin 3 data; then                # stage 3; data/.done lists its finished steps
#     need 2 data/es/train/ctm           # stage 2 makes this input
#     step "pauses es/train" data/tsv/es/train.tsv  asr-punct pauses …   # name, output, command
#   fi
#
# A finished step is skipped if its output exists, its command is the same except for --nj, and no step of an earlier
# stage ended after it. The stage that --stage names is always done again. A killed step keeps its partial output for
# the next run, unless its command has changed. $runner starts the commands (default: run_jobs.sh); their output goes
# to $logs/STAGE.NAME.log.

caller=$PWD
done_dir=
logs=exp/log

# check_numbers MINIMUM NAME…: check that these options are whole numbers of at least MINIMUM
check_numbers() {
  local minimum=$1 name
  shift
  for name; do
    [[ ${!name} =~ ^[0-9]+$ ]] || fail "--${name//_/-}: found '${!name}', expected a number"
    [ "${!name}" -ge "$minimum" ] || fail "--${name//_/-}: found '${!name}', expected $minimum or more"
  done
}

# check_stages LAST: check --stage and --stop-stage of a recipe with the stages 0 to LAST
check_stages() {
  check_numbers 0 stage stop_stage
  [ "$stage" -le "$1" ] || fail "--stage: found '$stage', expected 0 to $1"
}

# absolute PATH: print a path, which is relative to the folder where the recipe was started ($caller), as absolute
absolute() {
  (cd "$caller" && realpath -m -- "$1")
}

# check_folders NAME…: check that these options are folders or empty, and make them absolute
check_folders() {
  local name
  for name; do
    [ -n "${!name}" ] || continue
    printf -v "$name" %s "$(absolute "${!name}")"
    [ -d "${!name}" ] || fail "--${name//_/-}: found no folder ${!name}"
  done
}

# absolute_if_exists NAME: print the absolute path of a file or folder, and any other name unchanged
absolute_if_exists() {
  local name=${1%/}
  if [ -n "$name" ] && [ -e "$caller/$name" ]; then
    absolute "$name"
  else
    echo "$name"
  fi
}

# check_treebanks: check that --treebanks is empty, or has files to train a part-of-speech tagger on
check_treebanks() {
  local part
  [ -z "$treebanks" ] || [ "$tagger" = own ] || fail "found --tagger $tagger and --treebanks, expected one of them"
  for part in train dev; do
    [ -z "$treebanks" ] || compgen -G "$treebanks/*$part*.conllu*" >/dev/null ||
      fail "--treebanks: found no *$part*.conllu in $treebanks, expected *train*.conllu and *dev*.conllu"
  done
}

# has_graph MODEL_DIR: whether the model can be exported; flair's taggers and stacks of LSTMs cannot: torch runs them
has_graph() {
  ! grep -qE '"tagger": "flair"|"kind": "lstm"' "$1/config.json" 2>/dev/null
}

# check_flair SYSTEM…: check that flair is installed if one of the systems needs its tagger
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

# runs STAGE: whether this stage is to be run; if so, it becomes $current_stage
runs() {
  [ "$stage" -le "$1" ] && [ "$stop_stage" -ge "$1" ] && current_stage=$1
}

# begin STAGE FOLDER: start a stage if it is to be run; FOLDER/.done lists its finished steps
begin() {
  runs "$1" || return 1
  done_dir=$2/.done
  mkdir -p "$done_dir" "$logs"
  if [ "$stage" -gt 0 ] && [ "$stage" -eq "$current_stage" ]; then
    rm -f "$done_dir/$current_stage".*
  fi
}

# need STAGE FILE…: check that these files, which STAGE makes, exist
need() {
  local maker=$1 path
  shift
  for path; do
    [ -e "$path" ] || fail "expected file $path to exist (run stage $maker)"
  done
}

# is_current FILE COMMAND: whether FILE of a .done folder has this command, and no step of an earlier stage ended later
is_current() {
  local other earlier
  [ -e "$1" ] && [ "$(cat "$1")" = "$2" ] || return 1
  for other in */.done/*.done; do
    earlier=${other##*/}
    if [ "${earlier%%.*}" -lt "$current_stage" ] && [ "$other" -nt "$1" ]; then
      return 1
    fi
  done 2>/dev/null
}

# for_runner RUNNER WORD…: set the array words to what the runner passes on as these words. run_jobs.sh does it with all
# words but operators of the shell; Kaldi's run.pl, slurm.pl and queue.pl let bash interpret those without white space.
for_runner() {
  local runner=${1%% *} operator='^(\||\|\||&&|;|[0-9]?(>|>>|<)|[0-9]>&[0-9])$' word character code
  shift
  words=("$@")
  [ "${runner##*/}" != run_jobs.sh ] || return 0
  words=()
  for word; do
    if [[ ! $word =~ $operator && ! $word =~ ^[A-Za-z0-9_./:=,+@%-]+$ ]]; then # $'…' without white space
      for character in \\ \' ' ' $'\t' $'\n' $'\r'; do
        printf -v code '\\%03o' "'$character"
        word=${word//"$character"/"$code"}
      done
      word="\$'$word'"
    fi
    words+=("$word")
  done
}

# step NAME OUTPUT COMMAND…: run a command that makes OUTPUT, unless it is done
step() {
  local name=$1 output=$2 begun=$SECONDS status=0 file command words
  shift 2
  file=$current_stage.${name//[ \/]/_}
  command="$*"
  [[ ! $command =~ " --nj "[0-9]+ ]] || command=${command/"${BASH_REMATCH[0]}"/}
  if [ -e "$output" ] && is_current "$done_dir/$file.done" "$command"; then
    echo "${0##*/}: stage $current_stage: $name: done before"
    return
  fi
  # train_system.sh writes the first part of a training to $output-start.
  is_current "$done_dir/$file.started" "$command" || rm -rf "$output" "$output-start"
  rm -f "$done_dir/$file.done"
  echo "$command" >"$done_dir/$file.started"
  for_runner "${runner:-run_jobs.sh}" "$@"
  # shellcheck disable=SC2086 # the runner may have options
  ${runner:-run_jobs.sh} "$logs/$file.log" "${words[@]}" || status=$?
  if [ $status -ne 0 ]; then
    echo "${0##*/}: stage $current_stage: $name: failed after $((SECONDS - begun)) s"
    exit $status
  fi
  [ -e "$output" ] || fail "expected $output from $name, found nothing (log: $logs/$file.log)"
  mv "$done_dir/$file.started" "$done_dir/$file.done"
  echo "${0##*/}: stage $current_stage: $name: $((SECONDS - begun)) s"
}

# check_replaceable FOLDER: fail if the folder that stage 1 makes has files, and no earlier run has begun that stage
check_replaceable() {
  [ -e data/.done ] || [ -z "$(ls -A "$1" 2>/dev/null)" ] ||
    fail "found other files in $PWD/$1, expected --$1 DIR for a $1 of your own"
}

# keep_command COMMAND: write the command that trained the models, for the page of results, to exp/command, unless all
# steps of this stage were done before
keep_command() {
  if [ ! -e exp/command ] || [ -n "$(find exp/.done -name "$current_stage.*.done" -newer exp/command)" ]; then
    echo "$1" >exp/command
  fi
}

# show NAME: print the log of a step of this stage
show() {
  local log=$logs/$current_stage.${1//[ \/]/_}.log
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

# use_venv: make --venv absolute, and put it, the recipes' programs and their modules on the paths
use_venv() {
  PATH=$root/recipes:$root/recipes/utils:$PATH
  PYTHONPATH=$root/recipes/utils${PYTHONPATH:+:$PYTHONPATH}
  if [ "$venv" != none ]; then
    venv=$(absolute "$venv")
    PATH=$venv/bin:$PATH
  fi
  export PATH PYTHONPATH LC_ALL=C.UTF-8
}

# set_up EXTRAS: install the package with these extras into --venv
set_up() {
  [ "$venv" != none ] || return 0
  echo "${0##*/}: stage 0: set-up"
  setup.sh --venv "$venv" --extras "$1" >"$logs/0.set-up.log"
  echo "${0##*/}: stage 0: set-up: $SECONDS s"
}

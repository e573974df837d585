# shellcheck shell=bash disable=SC2154 # the recipe sets stage and stop_stage
# Stages and their steps, for a recipe's run.sh. Sourced after path.sh; reads $stage, $stop_stage and $caller.
#
#   if begin 3 data "$option"; then      # stage 3 is asked for; where its stamps stand; options that change its results
#     need 2 data/es/train/ctm           # an input, and the stage that makes it
#     step "pauses es/train" data/tsv/es/train.tsv  asr-punct pauses …   # name, output, command
#   fi
#
# A step that is done leaves a stamp in data/.done (here). It is skipped as long as its output exists, the options of
# its stage are the same, and no step of an earlier stage was done after it.
# So a run that was killed goes on when it is started again, and a stage that is done again makes the later ones do so.
# A stage that --stage names is done anew. An output that an earlier try left is removed before the first try of a
# step, and kept when a killed step goes on.
#
# A step's command runs through $runner (run.py if it is not set), its log is exp/log/STAGE.NAME.log (another folder
# if $logs is set), and one line tells its name and the seconds that it took.

current=
stamps=
depends=
logs=exp/log

fail() {
  echo "${0##*/}: ${current:+stage $current: }$1" >&2
  exit 2
}

# check_numbers NAME…: options that are whole numbers
check_numbers() {
  local option
  for option; do
    [[ ${!option} =~ ^[0-9]+$ ]] || fail "--${option//_/-}: found '${!option}', expected a number"
  done
}

# check_counts NAME…: options that are whole numbers from 1
check_counts() {
  local option
  check_numbers "$@"
  for option; do
    [ "${!option}" -gt 0 ] || fail "--${option//_/-}: found '0', expected 1 or more"
  done
}

# lock FOLDER: no other run is at work there, as long as this one lasts
lock() {
  exec 9>"$1/.lock"
  flock -w 10 9 || fail "another run is at work in $(realpath "$1")"
}

# check_stages LAST: --stage and --stop-stage, of stages 0 to LAST
check_stages() {
  check_numbers stage stop_stage
  [ "$stage" -le "$1" ] || fail "--stage: found '$stage', expected 0 to $1"
}

# The path of a file or folder that is named from where the recipe was called ($caller).
absolute() {
  (cd "$caller" && realpath -m -- "$1")
}

# check_folders NAME…: options that are folders, where they are given; they become absolute
check_folders() {
  local option
  for option; do
    if [ -n "${!option}" ]; then
      printf -v "$option" %s "$(absolute "${!option}")"
      [ -d "${!option}" ] || fail "--${option//_/-}: found no folder ${!option}"
    fi
  done
}

begin() {
  current=$1 stamps=$2/.done depends=$3
  [ "$stage" -le "$current" ] && [ "$stop_stage" -ge "$current" ] || return 1
  mkdir -p "$stamps" "$logs"
  if [ "$stage" -gt 0 ] && [ "$stage" -eq "$current" ]; then
    rm -f "$stamps/$current".*
  fi
}

need() {
  local maker=$1 path
  shift
  for path; do
    [ -e "$path" ] || fail "expected file $path to exist (run stage $maker)"
  done
}

# Whether the stamp $1 stands for what is asked for now.
valid() {
  local other number
  [ -e "$1" ] && [ "$(cat "$1")" = "$depends" ] || return 1
  for other in */.done/*.done; do
    number=${other##*/}
    number=${number%%.*}
    if [ -e "$other" ] && [ "$number" -lt "$current" ] && [ "$other" -nt "$1" ]; then
      return 1
    fi
  done
}

step() {
  local name=$1 output=$2 start=$SECONDS file log stamp status=0
  shift 2
  file=$current.${name//[ \/]/_}
  log=$logs/$file
  stamp=$stamps/$file
  printf '%s: stage %s: %s … ' "${0##*/}" "$current" "$name"
  if [ -e "$output" ] && valid "$stamp.done"; then
    echo "done before"
    return
  fi
  valid "$stamp.started" || rm -rf "$output"
  rm -f "$stamp.done"
  echo "$depends" >"$stamp.started"
  # shellcheck disable=SC2086 # the runner may bring options of its own
  ${runner:-run.py} "$log.log" "$@" 2>"$log.error" || status=$?
  if [ $status -ne 0 ]; then
    echo "failed after $((SECONDS - start)) s"
    cat "$log.error" >&2
    exit $status
  fi
  rm -f "$log.error"
  [ -e "$output" ] || fail "expected $output from $name, found nothing (log: $log.log)"
  mv "$stamp.started" "$stamp.done"
  echo "$((SECONDS - start)) s"
}

# at_once COUNT FUNCTION ITEM…: calls FUNCTION ITEM for each item, COUNT of them at a time with a share of the cores
# each. What a call prints comes when it has ended; after one that failed no others begin, and none outlives the caller.
at_once() {
  local count=$1 function=$2 status=0 running=0 item pipe
  local -a calls=()
  shift 2
  if [ "$count" -eq 1 ]; then
    for item; do
      "$function" "$item"
    done
    return
  fi
  trap '[ ${#calls[@]} -eq 0 ] || kill "${calls[@]}" 2>/dev/null || true' EXIT
  pipe=$(mktemp -u)
  mkfifo "$pipe"
  exec 4<>"$pipe" # a line for each call that has ended, its status: wait -n misses those that end before it
  rm "$pipe"
  for item; do
    [ "$running" -lt "$count" ] || await_one
    [ "$status" -eq 0 ] || break
    (
      export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$((($(nproc) + count - 1) / count))}
      told=$(mktemp)
      trap 'ended=$?; cat "$told" >&3; rm -f "$told"; echo "$ended" >&4' EXIT
      exec 3>&1 >"$told"
      "$function" "$item"
    ) &
    calls+=($!)
    running=$((running + 1))
  done
  while [ "$running" -gt 0 ]; do
    await_one
  done
  exec 4>&-
  trap - EXIT
  [ "$status" -eq 0 ] || exit "$status"
}

# await_one: of at_once, whose $status and $running it changes
await_one() {
  local ended
  read -r ended <&4
  [ "$ended" -eq 0 ] || status=$ended
  running=$((running - 1))
}

# What the step $1 of this stage printed, where its log is still there.
show() {
  local log=$logs/$current.${1//[ \/]/_}.log
  [ ! -e "$log" ] || grep -v '^#' "$log" || true
}

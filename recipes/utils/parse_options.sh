# shellcheck shell=bash
# Turns a script's variables into its options, with Kaldi's conventions. Sourced, after the defaults are set:
#
#   nj=2          # number of jobs
#   device=       # empty: chosen by itself
#   . utils/parse_options.sh || exit 2
#
# `--nj 4` sets nj, `--stop-stage 3` sets stop_stage. Parsing stops at the first argument that is not an option, or
# after `--`. A variable that is true or false accepts only these values. `--help` prints the comment at the head of
# the script. An unknown option or a missing value is an error: one line on standard error and status 2; a script that
# hands unknown options to another one sets an array for them, `others=()`. Kaldi's `--config FILE` is not supported.
#
# It also defines `fail MESSAGE`, which ends the script in the same way and names $current_stage, if it is set.

current_stage=

fail() {
  echo "${0##*/}: ${current_stage:+stage $current_stage: }${1//$'\n'/ }" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h)
      awk 'NR == 1 && /^#!/ { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$0"
      exit 0
      ;;
    --)
      shift
      break
      ;;
    --*=*) fail "expected '${1%%=*} VALUE', found '$1' (see --help)" ;;
    --*)
      parse_options_name=${1#--}
      parse_options_name=${parse_options_name//-/_}
      if [[ ! $parse_options_name =~ ^[a-z][a-z0-9_]*$ || ! -v $parse_options_name ]]; then
        [[ $(declare -p others 2>/dev/null) == "declare -a"* ]] || fail "unknown option $1 (see --help)"
        [ $# -ge 2 ] || fail "option $1 needs a value (see --help)"
        others+=("$1" "$2")
        shift 2
        continue
      fi
      [ $# -ge 2 ] || fail "option $1 needs a value (see --help)"
      [[ ! ${!parse_options_name} =~ ^(true|false)$ || $2 =~ ^(true|false)$ ]] ||
        fail "option $1: found '$2', expected true or false"
      printf -v "$parse_options_name" %s "$2"
      shift 2
      ;;
    *) break ;;
  esac
done
unset parse_options_name
true

#!/usr/bin/env bash
# Makes a virtual environment with asr_punct from this source tree and the exact versions of constraints.txt.
#
# Usage: recipes/setup.sh [options]
#   --venv DIR       where it stands (default: .venv at the top of the source tree)
#   --extras LIST    extras to install, with commas between them (default: audio,train)
#   --python NAME    the Python to make it with, 3.11 or newer (default: python3)
#
# Does nothing when all of that is installed already. What pip says goes to DIR/setup.log.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
extras=audio,train
python=python3
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"

fail() {
  echo "setup.sh: $1" >&2
  exit 2
}

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
for extra in ${extras//,/ }; do
  grep -q "^$extra = \[" "$root/pyproject.toml" || fail "--extras: found '$extra', which pyproject.toml does not have"
done
log=$venv/setup.log
wanted=$(cat "$root/pyproject.toml" "$root/recipes/constraints.txt" - <<<"$root" | sha256sum | cut -d ' ' -f 1)

complete() {
  for extra in ${extras//,/ }; do
    [ "$(cat "$venv/setup.$extra" 2>/dev/null)" = "$wanted" ] || return 1
  done
}

quietly() {
  "$@" >>"$log" 2>&1 || fail "failed: $* ($(tail -n 1 "$log"); all of it in $log)"
}

complete && exit 0

command -v "$python" >/dev/null || fail "found no $python, expected Python 3.11 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "found $("$python" --version 2>&1), expected Python 3.11 or newer (--python NAME)"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
  fail "$python cannot make virtual environments, expected its module venv (Debian: apt-get install python3-venv)"

mkdir -p "$venv" 2>/dev/null || fail "cannot make the folder $venv"
: >"$log"
echo "setup.sh: installing into $venv (log: $log)"
quietly "$python" -m venv "$venv"
pip=("$venv/bin/python" -m pip --disable-pip-version-check --no-input install --no-compile -c "$root/recipes/constraints.txt")
case ,$extras, in
  # First and alone: whatever needs torch later finds it there, and none pulls a build of its own choice.
  *,train,* | *,nemo,*) quietly "${pip[@]}" "$(grep '^torch==' "$root/recipes/constraints.txt")" ;;
esac
quietly "${pip[@]}" -e "${root}[$extras]"
# On all cores, where pip would take one; packages carry files of other versions of Python, too.
"$venv/bin/python" -m compileall -q -j 0 "$venv"/lib/python3*/site-packages >>"$log" 2>&1 || true

cuda=$("$venv/bin/python" -m pip list --format freeze 2>>"$log" | grep -iE '^(nvidia-|[^=]*cu1[0-9])' | head -n 1 || true)
[ -z "$cuda" ] || fail "found the CUDA package $cuda in $venv, expected the CPU build of torch: install that one into it \
first, or use an environment of your own (--venv none in the recipes)"
for extra in ${extras//,/ }; do
  echo "$wanted" >"$venv/setup.$extra"
done

#!/usr/bin/env bash
# Create a virtual environment with asr_punct from this source tree and the package versions of constraints.txt.
#
# Usage: recipes/setup.sh [options]
#   --venv DIR       the environment (default: .venv at the top of the source tree)
#   --extras LIST    extras to install, separated by commas (default: audio,train)
#   --python NAME    Python 3.11 or newer to create it with (default: python3)
#
# Does nothing if everything is already installed. On a machine without a GPU, installs the CPU build of torch if
# PyTorch's index of CPU wheels can be reached, else the build that pip finds. Uses uv instead of pip if it is on the
# PATH and pip has no settings such as another index.
# The output of pip goes to DIR/setup.log.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
extras=audio,train
python=python3
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"

[ $# -eq 0 ] || fail "found argument '$1', expected options only (see --help)"
for extra in ${extras//,/ }; do
  grep -q "^$extra = \[" "$root/pyproject.toml" || fail "--extras: found '$extra', which pyproject.toml does not have"
done
log=$venv/setup.log
constraints=$root/recipes/constraints.txt
cpu_index=https://download.pytorch.org/whl/cpu
fingerprint=$(cat "$root/pyproject.toml" "$constraints" - <<<"$root" | sha256sum | cut -d ' ' -f 1)

complete() {
  for extra in ${extras//,/ }; do
    [ "$(cat "$venv/setup.$extra" 2>/dev/null)" = "$fingerprint" ] || return 1
  done
}

logged() {
  "$@" >>"$log" 2>&1
}

has_gpu() {
  [ -e /dev/nvidia0 ] || nvidia-smi -L 2>/dev/null | grep -q '^GPU'
}

reachable() {
  timeout 3 "$venv/bin/python" -c "import urllib.request; urllib.request.urlopen('$1', timeout=3)" 2>/dev/null
}

# Set the array uv to the command that installs; to () if uv is missing, or pip has settings, which uv does not read.
find_uv() {
  local harmless='\.(disable-pip-version-check|no-input|timeout|default-timeout|retries)='
  uv=()
  if command -v uv >/dev/null && ! "$venv/bin/python" -m pip config list 2>/dev/null | grep -qvE "$harmless"; then
    # By default uv uses the first index that has a package. pip uses the best version of all indexes.
    uv=(uv pip install --python "$venv/bin/python" --index-strategy unsafe-best-match)
  fi
}

install() {
  if [ ${#uv[@]} -eq 0 ] || ! logged "${uv[@]}" -c "$constraints" "$@"; then
    logged "$venv/bin/python" -m pip --disable-pip-version-check --no-input install --no-compile -c "$constraints" "$@" ||
      fail "failed: pip install $* ($(tail -n 1 "$log"); full output in $log)"
  fi
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
logged "$python" -m venv "$venv" || fail "failed: $python -m venv $venv ($(tail -n 1 "$log"); full output in $log)"
find_uv
case ,$extras, in
  *,train,* | *,nemo,*)
    # Install torch first, so that the other packages do not bring another build.
    torch=("$(grep '^torch==' "$constraints")")
    if ! has_gpu && reachable "$cpu_index/torch/"; then
      torch+=(--extra-index-url "$cpu_index") # its version 2.x.y+cpu is newer than 2.x.y
    fi
    install "${torch[@]}"
    ;;
esac
install -e "${root}[$extras]"
# Compile on all cores. Ignore failures: some packages have files for other versions of Python.
logged "$venv/bin/python" -m compileall -qq -j 0 "$venv"/lib/python3*/site-packages || true

for extra in ${extras//,/ }; do
  echo "$fingerprint" >"$venv/setup.$extra"
done

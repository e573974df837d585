#!/usr/bin/env bash
# Set up an environment and run the linters, the type checker and the fast tests.
#
# Usage: tests/run.sh [options]
#   --venv DIR    environment to make and use (default: .venv at the top); none: the active one
#   --nj N        number of tests that run at the same time (default: 2)
#
# Continues after a failure, so that one run shows all failures. Status 0 if everything passes.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 2
venv=$root/.venv
nj=2
. recipes/utils/parse_options.sh

if [ "$venv" != none ]; then
  recipes/setup.sh --venv "$venv" --extras audio,train,pocketsphinx,serve,ray,docx,docs,dev || exit 2
  PATH=$(cd "$venv" && pwd)/bin:$PATH
fi

failed=()
check() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name: $*"
  "$@" || failed+=("$name")
  echo "== $name: $((SECONDS - start)) s"
}

check lint ruff check
check format ruff format --check
check types mypy
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
check shell shellcheck --external-sources --shell bash "${scripts[@]}"
# One thread for each worker, because the workers use all cores. All tests of a file run in one worker, which makes the
# fixtures of the file once.
export OMP_NUM_THREADS=1
check tests python -m pytest -q -n "$nj" --dist loadfile -m "not slow"

if [ ${#failed[@]} -gt 0 ]; then
  echo "tests/run.sh: failed: ${failed[*]}" >&2
  exit 1
fi
echo "tests/run.sh: all passed in $SECONDS s"

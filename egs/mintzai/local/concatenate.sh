#!/usr/bin/env bash
# Usage: local/concatenate.sh OUT IN…
set -euo pipefail
out=$1
shift
cat "$@" >"$out.partial"
mv "$out.partial" "$out"

#!/usr/bin/env bash
# Restores marks and case of a labelled file from its words and pauses alone, and measures the speed.
#
# Usage: local/decode.sh [--device D] [--aggregate N] MODEL_DIR TEST.tsv OUT_DIR
# Writes input.tsv, speed.json and, when all is done, test.tsv.
set -euo pipefail
device=
aggregate=
# shellcheck source=recipes/utils/parse_options.sh
. "$(dirname "$(command -v run_jobs.sh)")/parse_options.sh"
model=$1 test=$2 out=$3

options=(--model "$model" ${device:+--device "$device"} ${aggregate:+--aggregate "$aggregate"})
mkdir -p "$out"
local/strip_labels.py "$test" "$out/input.tsv"
local/measure_speed.py "${options[@]}" "$out/input.tsv" "$out/speed.json"
asr-punct punctuate "$out/input.tsv" --from tsv --to tsv "${options[@]}" -o "$out/test.tsv"

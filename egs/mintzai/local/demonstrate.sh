#!/usr/bin/env bash
# Punctuate one recording of the test set from its CTM and audio, and print the result.
#
# Usage: local/demonstrate.sh MODEL_DIR DATA_DIR OUT_DIR
# Writes input.ctm, audio.*, reference.txt, output.txt and output.ctm into OUT_DIR.
set -euo pipefail
model=$1 data=$2 out=$3

rm -rf "$out.partial"
local/choose_recording.py "$data" "$out.partial"
for format in txt ctm; do
  asr-punct punctuate "$out.partial/input.ctm" --audio "$out.partial"/audio.* --model "$model" \
    -o "$out.partial/output.$format"
done
rm -rf "$out"
mv "$out.partial" "$out"

cd "$out"
echo "  input:     $(awk '{ printf "%s%s", separator, $5; separator = " " }' input.ctm)"
echo "  output:    $(cat output.txt)"
echo "  reference: $(cat reference.txt)"

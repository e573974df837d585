#!/usr/bin/env bash
# Punctuates a recording of the test set as a recogniser's CTM with its audio.
#
# Usage: local/demonstrate.sh MODEL_DIR DATA_DIR OUT_DIR
# Writes input.ctm, audio.* and reference.txt, and from them output.txt and output.ctm.
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

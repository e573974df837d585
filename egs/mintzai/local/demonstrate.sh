#!/usr/bin/env bash
# Punctuate one recording of the test set from its CTM and audio, and print the result.
#
# Usage: local/demonstrate.sh MODEL_DIR DATA_DIR OUT_DIR
# Chooses the first recording of a dozen words or more, if there is one, else the first. Writes input.ctm, audio.*,
# reference.txt, output.txt and output.ctm into OUT_DIR.
set -euo pipefail
model=$1 data=$2 out=$3
name=$(awk '{ name = name ? name : $1; if (++words[$1] == 12) { name = $1; exit } } END { print name }' "$data/ctm")

# value TABLE: the remaining text of the recording's line
value() {
  awk -v name="$name" '$1 == name { print substr($0, length($1) + 2) }' "$data/$1"
}

rm -rf "$out.partial"
mkdir -p "$out.partial"
audio=$(value wav.scp)
cp "$audio" "$out.partial/audio.${audio##*.}"
value text >"$out.partial/reference.txt"
awk -v name="$name" '$1 == name' "$data/ctm" >"$out.partial/input.ctm"
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

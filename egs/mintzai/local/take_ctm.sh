#!/usr/bin/env bash
# Takes the word times of a recogniser or an aligner into a data directory, if they are of its utterances.
#
# Usage: local/take_ctm.sh CTM DATA_DIR
set -euo pipefail
cp "$1" "$2/ctm"
validate_data_dir.py "$2" || {
  rm "$2/ctm"
  exit 2
}

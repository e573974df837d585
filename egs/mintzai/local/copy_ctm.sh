#!/usr/bin/env bash
# Copy a CTM into a data directory, and check that its rows name the directory's utterances.
#
# Usage: local/copy_ctm.sh CTM DATA_DIR
set -euo pipefail
cp "$1" "$2/ctm"
validate_data_dir.py "$2" || {
  rm "$2/ctm"
  exit 2
}

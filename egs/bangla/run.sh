#!/usr/bin/env bash
# The papers' systems on the Bangla punctuation benchmark (Alam et al. 2020): news, and short stories read aloud.
#
# Usage: egs/bangla/run.sh [options]
#   --corpus DIR       folder of the benchmark's files: train (optional), dev, test_news, test_ref, test_asr, as they
#                      are or with .txt or .xz after their names. Without it the recipe makes small files of that form
#   --encoder NAME     pretrained encoder, by name or folder (default: xlm-roberta-base)
#   --budget NAME      as for egs/iwslt/run.sh (default: full, the papers' settings; pass for the encoder built)
#
# Without a training file four fifths of dev are trained on. All other options are those of egs/iwslt/run.sh.
set -euo pipefail
command="egs/bangla/run.sh${*:+$(printf ' %q' "$@")}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
default_encoder=xlm-roberta-base
default_language=bn
# shellcheck source=egs/iwslt/local/benchmark.sh
. "$root/egs/iwslt/local/benchmark.sh"

#!/usr/bin/env bash
# The papers' systems on the Bangla punctuation benchmark (Alam et al. 2020): news, and short stories read aloud.
#
# Usage: egs/bangla/run.sh [options]
#
# The options are those of egs/iwslt/run.sh, except that
#   --corpus DIR       has train (optional), dev, test_news, test_ref and test_asr, also with .txt or .xz after their
#                      names; without a training file the recipe trains on four fifths of dev
#   --encoder NAME     is xlm-roberta-base by default
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1-} in
  --help | -h) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" ;;
  *) exec "$root/egs/iwslt/run.sh" --folder "$root/egs/bangla" --lang bn --encoder xlm-roberta-base "$@" ;;
esac

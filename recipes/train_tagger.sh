#!/usr/bin/env bash
# Train a part-of-speech tagger for pos_fusion.
#
# Usage: recipes/train_tagger.sh ENCODER TREEBANKS MODEL_DIR
#   ENCODER      pretrained encoder whose tokens it reads, as for train_system.sh
#   TREEBANKS    folder of *train*.conllu and *dev*.conllu (or .conllu.xz)
set -euo pipefail
recipes=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$recipes:$recipes/utils:$PATH
# shellcheck source=recipes/utils/parse_options.sh
. "$recipes/utils/parse_options.sh"

[ $# -eq 3 ] || fail "found $# arguments, expected ENCODER TREEBANKS MODEL_DIR (see --help)"
encoder=$(encoder_folder.py "$1")
exec pos.py --train "$2"/*train*.conllu* --dev "$2"/*dev*.conllu* -o "$3" "model.encoder.name=$encoder"

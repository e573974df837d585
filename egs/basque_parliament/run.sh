#!/usr/bin/env bash
# AutoPunct on the open Basque Parliament Speech Corpus 1.0 (gttsehu/basque_parliament_1, CC0): 1,462 hours of Spanish,
# Basque and mixed segments of plenary sessions, so that anyone can train it with real audio.
#
# Usage: egs/basque_parliament/run.sh --corpus DIR [options]
#   --corpus DIR       the corpus as published: metadata/{train,train_clean,dev,test}.tsv and audio/*.tar
#                      (hf download gttsehu/basque_parliament_1 --repo-type dataset --local-dir DIR)
#   --marked DIR       DIR/{train,dev,test}, tables of "SEGMENT text with marks and capitals" in UTF-8, such as from the
#                      session's minutes; segments that are missing or have other words are left out
#   --model NAME       without --marked: the model that writes the marks (default: es-eu)
#   --hours X          hours of train to use, the first ones of each language (default: 10; 0 for all)
#   --part NAME        train or train_clean, the segments with highly reliable transcriptions (default: train_clean)
#
# The published texts are in lower case and have no marks. Without --marked the marks are those of a model of this
# project, so that scores say how well AutoPunct learns that model from words and real pauses, not how well it
# punctuates; the title of the page says so. Mixed segments go with the language that most of their words look like.
#
# All other options are those of egs/mintzai/run.sh, which runs on the converted corpus in egs/basque_parliament.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
corpus=
marked=
model=es-eu
hours=10
part=train_clean
venv=$root/.venv
others=()
# shellcheck source=recipes/utils/parse_options.sh
. "$root/recipes/utils/parse_options.sh"
[ $# -eq 0 ] || fail "found $1, expected an option (see --help)"

folder=$root/egs/basque_parliament
[ -n "$corpus" ] || fail "found no --corpus, expected the folder of the corpus (see --help)"
if [ "$venv" != none ]; then
  "$root/recipes/setup.sh" --venv "$venv" --extras audio,train
  PATH=$(realpath "$venv")/bin:$PATH
fi
name="Basque Parliament 1.0, marks by the model $model"
[ -z "$marked" ] || name="Basque Parliament 1.0"
"$folder/local/make_corpus.py" "$corpus" "$folder/corpus" --part "$part" --hours "$hours" --model "$model" \
  ${marked:+--marked "$marked"}
exec "$root/egs/mintzai/run.sh" --folder "$folder" --corpus "$folder/corpus" --name "$name" --venv "$venv" \
  "${others[@]}"

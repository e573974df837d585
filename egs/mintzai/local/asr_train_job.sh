#!/usr/bin/env bash
# One of the two trainings of append_to_asr.sh that run at the same time: 1 the recogniser, 2 the punctuation models.
#
# Usage: local/asr_train_job.sh JOB EPOCHS RUN_SH [OPTION…]
set -euo pipefail
job=$1 epochs=$2
shift 2
local=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case $job in
  1) "$local/asr_train.py" "$local/asr_ctc.yaml" data/train.json exp/asr.nemo "trainer.max_epochs=$epochs" ;;
  2) "$@" ;;
esac

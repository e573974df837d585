# shellcheck shell=bash
# Programs that start the jobs. recipes/utils/run_jobs.sh runs them on this machine. Kaldi's run.pl, slurm.pl and
# queue.pl have the same arguments. On a cluster write, for example:
#
#   train_cmd="slurm.pl --mem 16G --gpu 1"
#   align_cmd="slurm.pl --mem 4G --max-jobs-run 64"
#   decode_cmd="slurm.pl --mem 8G"
export train_cmd="run_jobs.sh --mem 16G --gpu 1"
export align_cmd="run_jobs.sh --mem 4G"
export decode_cmd="run_jobs.sh --mem 8G"

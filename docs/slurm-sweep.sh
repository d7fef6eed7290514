#!/usr/bin/env bash
# A sweep over several nodes as a Slurm job array: every task measures its part of one plan on all
# GPUs of its node; joined afterwards with
#
#   tilestep merge sweep-*.json --out sweep.json
#
#SBATCH --job-name=tilestep-sweep
#SBATCH --array=0-3
#SBATCH --nodes=1
#SBATCH --gpus-per-node=4
#SBATCH --time=00:20:00
set -euo pipefail

tilestep bench --sizes 256,512,1024,2048,4096 --block-sizes 1..32 --warm --tf32 --devices all \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --out "sweep-$SLURM_ARRAY_TASK_ID.json" --resume

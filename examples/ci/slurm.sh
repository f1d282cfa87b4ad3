#!/usr/bin/env bash
#SBATCH --cpus-per-task=4
#SBATCH --output=part-%a.log
# The shards of a fit as a job array of Slurm, then a job that joins them:
#
#   bash slurm.sh all.jsonl RUNS.csv --by kernel
#
# The arguments are the result and those of `fit`; SHARDS is the number of shards. If a shard fails,
# merge.log names it, and the same call computes only what is missing.
set -euo pipefail

export SHARDS=${SHARDS:-8}

# Called by its user, the script submits itself as an array of shards.
if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    job=$(sbatch --parsable --array="1-$SHARDS" "$0" "$@")
    exec sbatch --dependency="afterany:${job%;*}" --output=merge.log \
        --wrap "perfmodel merge part-*.jsonl --quiet -o '$1' && rm part-*.jsonl"
fi

shift
exec perfmodel fit "$@" --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" --threads "$SLURM_CPUS_PER_TASK" \
    --resume --quiet -o "part-$SLURM_ARRAY_TASK_ID.jsonl"

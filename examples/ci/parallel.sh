#!/usr/bin/env bash
# The shards of a fit with GNU parallel, one per core; then `merge` joins them:
#
#   bash parallel.sh all.jsonl RUNS.csv --by kernel
#
# The arguments are the result and those of `fit`; SHARDS is the number of shards. If a shard fails,
# the same call computes only what is missing. Several machines that share the folder:
# PARALLEL="--sshlogin host1,host2 --workdir $PWD".
set -euo pipefail

result=$1
shift
shards=${SHARDS:-8}

seq "$shards" | parallel --quote perfmodel fit "$@" --shard "{}/$shards" --threads 1 --resume \
    --quiet -o "part-{}.jsonl"
perfmodel merge part-*.jsonl --quiet -o "$result"
rm part-*.jsonl

#!/usr/bin/env bash
# Fuzzes every target of tests/fuzz/targets.cpp: run.sh [EXECUTIONS]   (default 2,000,000 each)
#
# Needs clang with its runtime and libomp, and cc, python3 and node for code. A finding is kept in
# build/fuzz/findings; add it to tests/fuzz/corpus/TARGET, whose files the tests read, too.
# Checks of null pointers are off, since Eigen refers to the first number of empty matrices.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
executions=${1:-2000000}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target perfmodel_fuzz --parallel "$(nproc)" >/dev/null
mkdir -p build/fuzz/findings

fuzz() { # TARGET
    mkdir -p "build/fuzz/corpus/$1"
    # The reader of CSV has a buffer of 3 MiB, which the address sanitizer marks anew for each file:
    # a hundredth of the speed. A hundredth of the executions have the marks.
    case $1 in
    csv | jobs | layers) run "$1" $((executions / 100)) && ASAN_OPTIONS=poison_heap=0 run "$1" "$executions" ;;
    # Compilers and interpreters run, and whole commands.
    code) run "$1" $((executions / 100)) ;;
    command_lines) run "$1" $((executions / 20)) ;;
    *) run "$1" "$executions" ;;
    esac
}

run() { # TARGET EXECUTIONS
    PERFMODEL_FUZZ=$1 build/fuzz/tests/perfmodel_fuzz "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1" \
        -runs="$2" -max_len=8192 -timeout=20 -rss_limit_mb=4096 -seed=1 -close_fd_mask=3 \
        -artifact_prefix="build/fuzz/findings/$1-" 2>"build/fuzz/$1.log" ||
        { tail -n 40 "build/fuzz/$1.log" >&2; echo "fuzz: a finding in $1" >&2; exit 1; }
    echo "$1: $(grep -o 'Done.*' "build/fuzz/$1.log")"
}
export -f fuzz run
export executions
printf '%s\n' tests/fuzz/corpus/* | xargs -n 1 basename | xargs -P "$(nproc)" -I {} bash -euc 'fuzz {}'

#!/usr/bin/env bash
# The search engine's figures as Markdown tables. Peers are measured where they are installed
# (Debian: libpagmo-dev, python3-scipy). Best run on a quiet machine.
#
#   run.sh                                  all figures
#   run.sh --compare OLD_PROGRAM [--quick]  whether this build is slower than an older one; a few
#                                           minutes, exit code 1 if it is (see compare.py)
set -euo pipefail

python=$(command -v /usr/bin/python3 || command -v python3)
build=build/release
if [ "${1:-}" = --compare ]; then
    old=$(realpath -- "${2:?see the top of this file}")
    cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
    cmake --preset release >/dev/null
    cmake --build --preset release --target perfmodel --parallel "$(nproc)" >/dev/null
    exec "$python" tests/benchmarks/compare.py "$old" "$build/perfmodel" "${@:3}"
fi

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
cmake --preset release -DPERFMODEL_BUILD_BENCHMARKS=ON >/dev/null
cmake --build --preset release --parallel "$(nproc)" >/dev/null

runs=data/lenet5_train900.csv
grep -m1 'model name' /proc/cpuinfo || true

printf '\nKernel, one thread\n\n'
"$build/tests/benchmarks/perfmodel_kernel_benchmark" "$runs"

printf '\nTime to a good fit of %s\n\n' "$runs"
pagmo=$build/tests/benchmarks/perfmodel_pagmo_peer
"$python" tests/benchmarks/search_engine.py "$build/perfmodel" "$runs" 0.00774032933518 \
    $([ -x "$pagmo" ] && echo --pagmo "$pagmo")

printf '\nThreads: ten fits of other seeds\n\n'
for threads in 1 2; do
    begin=$(date +%s%N)
    "$build/perfmodel" fit "$runs" --repeats 10 --threads "$threads" --quiet -o /dev/null 2>/dev/null
    echo "$threads threads: $((($(date +%s%N) - begin) / 1000000)) ms"
done

printf '\nRows, columns and reading\n\n'
"$python" tests/benchmarks/scaling.py "$build/perfmodel"

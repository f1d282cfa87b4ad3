#!/usr/bin/env bash
# Measures which lines and branches of the program the tests run; fails below the bars.
#
#   tests/coverage.sh [FOLDER]     the report as pages in FOLDER, or build/coverage/report
#
# Branches to exceptions are not counted: nearly every call of C++ has one. Needs gcovr.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
report=${1:-build/coverage/report}
lowest_lines=95
lowest_branches=85

# Counts that two threads lose are not zero, so that atomic ones, several times as slow, are not needed.
cmake --preset asan -B build/coverage -DPERFMODEL_SANITIZE=OFF -DPERFMODEL_BUILD_BENCHMARKS=OFF \
  -DCMAKE_CXX_FLAGS_DEBUG='-Og --coverage'
cmake --build build/coverage --parallel "$(nproc)"
find build/coverage -name '*.gcda' -delete
ctest --test-dir build/coverage --output-on-failure --parallel "$(nproc)"
mkdir -p "$report"
gcovr --root . --filter src/ --filter include/ --exclude-throw-branches --exclude-unreachable-branches \
  --html-details "$report/index.html" --txt "$report/coverage.txt" \
  --fail-under-line "$lowest_lines" --fail-under-branch "$lowest_branches" \
  --gcov-ignore-parse-errors -j "$(nproc)" build/coverage

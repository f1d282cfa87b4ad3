#!/usr/bin/env bash
# Measures which lines and branches of the program the tests run; fails below the bars.
#
#   tests/coverage.sh [FOLDER]     the report as pages in FOLDER, or build/coverage/report
#
# Branches to exceptions are not counted: nearly every call of C++ has one. Others that the compiler
# makes are: of those that no test takes, more than a third are on lines without a condition that run.
# Needs gcovr.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
report=${1:-build/coverage/report}
lowest_lines=95
lowest_branches=85

# Counts that two threads lose are not zero, so that atomic ones, several times as slow, are not needed.
cmake --preset asan -B build/coverage -DPERFMODEL_SANITIZE=OFF -DPERFMODEL_BUILD_BENCHMARKS=OFF \
  -DPERFMODEL_TEST_TIMEOUT=1200 -DCMAKE_CXX_FLAGS_DEBUG='-Og --coverage'
cmake --build build/coverage --parallel "$(nproc)"
find build/coverage -name '*.gcda' -delete
# Three tests cannot pass: counts are files beyond a limit, the library needs those who link it to count,
# and counting takes time.
ctest --test-dir build/coverage --output-on-failure --parallel "$(nproc)" \
  -E '^(an output beyond the limit of file sizes|the example of the library builds|the comparison of speeds)'
mkdir -p "$report"
gcovr --root . --filter src/ --filter include/ --exclude-throw-branches --exclude-unreachable-branches \
  --html-details "$report/index.html" --txt "$report/coverage.txt" \
  --fail-under-line "$lowest_lines" --fail-under-branch "$lowest_branches" \
  --gcov-ignore-parse-errors -j "$(nproc)" build/coverage

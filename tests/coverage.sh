#!/usr/bin/env bash
# Measures which lines and decisions of the program the tests run; fails below the bars.
#
#   tests/coverage.sh [FOLDER]     the report as pages in FOLDER, or build/coverage/report
#
# A decision is a way on: at an if or a loop one of two, or a case. Branches are printed but have no
# bar: gcov counts those that the compiler makes, too, such as the destructors that run when an
# exception passes. Needs gcovr.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
report=${1:-build/coverage/report}

# Counts that two threads lose are not zero, so that atomic ones, several times as slow, are not needed.
cmake --preset asan -B build/coverage -DPERFMODEL_SANITIZE=OFF -DPERFMODEL_BUILD_BENCHMARKS=OFF \
  -DPERFMODEL_TEST_TIMEOUT=1200 -DCMAKE_CXX_FLAGS_DEBUG='-Og --coverage'
cmake --build build/coverage --parallel "$(nproc)"
find build/coverage -name '*.gcda' -delete
# A test that bounds the sizes of files fails here: the counts are files, too.
ctest --test-dir build/coverage --output-on-failure --parallel "$(nproc)" ||
  echo 'some tests failed: what they did not reach counts as not run' >&2
mkdir -p "$report"
gcovr --root . --filter src/ --filter include/ --exclude-throw-branches \
  --exclude-unreachable-branches --decisions --html-details "$report/index.html" \
  --txt "$report/coverage.txt" --json "$report/coverage.json" --gcov-ignore-parse-errors \
  -j "$(nproc)" build/coverage
python3 - "$report/coverage.json" <<'END'
import json
import sys

lines, branches, decisions = [], [], []
unclear = 0  # lines of a loop or an if with more branches than two, of which gcovr tells nothing
for file in json.load(open(sys.argv[1]))["files"]:
    for line in file["lines"]:
        if line.get("gcovr/noncode"):
            continue
        lines.append(line["count"])
        branches += [branch["count"] for branch in line["branches"]]
        decision = line.get("gcovr/decision", {})
        decisions += [decision[key] for key in ("count_true", "count_false", "count")
                      if key in decision]
        unclear += decision.get("type") == "uncheckable"


def share(counts):
    return 100 * sum(count > 0 for count in counts) / len(counts)


print(f"lines      {share(lines):.1f} % of {len(lines)}, at least 95 %")
print(f"decisions  {share(decisions):.1f} % of {len(decisions)}, at least 85 %; "
      f"besides {unclear} lines that gcovr cannot tell")
print(f"branches   {share(branches):.1f} % of {len(branches)}")
sys.exit(share(lines) < 95 or share(decisions) < 85)
END

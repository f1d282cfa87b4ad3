#!/usr/bin/env bash
# Counts the sources of which `fit runs.csv`, and the same with --expression auto, execute lines, and
# fails above the caps of executed.tsv: that many files have to be read to follow a fit. Sources that
# execute nothing but the declaration of options, which every call does, are not among them.
#
#   tests/layout/executed.sh     in build/coverage, as tests/coverage.sh makes it
#
# With PERFMODEL_UPDATE_CAPS=1 in the environment, lowers the caps to what was counted.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
caps=tests/layout/executed.tsv
build=build/coverage
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -x "$build/perfmodel" ]; then
  cmake --preset asan -B "$build" -DPERFMODEL_SANITIZE=OFF -DPERFMODEL_BUILD_BENCHMARKS=OFF \
    -DCMAKE_CXX_FLAGS_DEBUG='-Og --coverage'
fi
cmake --build "$build" --target perfmodel --parallel "$(nproc)"

# Lines that a command executes, as "FILE:LINE", of the sources but not of headers.
lines_of() { # ARGUMENT...
  find "$build" -name '*.gcda' -delete
  "$build/perfmodel" "$@" --output "$work/model.json" >"$work/out" 2>&1
  find "$PWD/$build" -name '*.gcda' -print0 | (cd "$work" && xargs -0 gcov --json-format --stdout) |
    python3 -c '
import json, sys
for document in map(json.loads, sys.stdin):
    for file in document["files"]:
        path = file["file"]  # from the root of the project, as it is compiled
        if path.startswith("src/") and path.endswith(".cpp"):
            for line in file["lines"]:
                if line["count"] > 0:
                    print(path, line["line_number"], sep=":")
' | sort -u
}

runs=data/lenet5_train900.csv
lines_of fit --help >"$work/always"
failed=0
: >"$work/counted"
while read -r name cap; do
  case $name in
    fit) lines_of fit $runs ;;
    auto) lines_of fit $runs --expression auto ;;
  esac | comm -23 - "$work/always" | cut -d: -f1 | sort -u >"$work/$name"
  count=$(wc -l <"$work/$name")
  printf '%s\t%s\n' "$name" "$count" >>"$work/counted"
  echo "$name: $count sources with executed lines, of at most $cap"
  [ "$count" -le "$cap" ] || { sed 's/^/  /' "$work/$name"; failed=1; }
done < <(tail -n +2 "$caps")
if [ -n "${PERFMODEL_UPDATE_CAPS:-}" ]; then
  { echo $'what\tcap' && cat "$work/counted"; } >"$caps"
  failed=0
fi
exit $failed

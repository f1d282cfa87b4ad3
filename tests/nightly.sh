#!/usr/bin/env bash
# What .ci/run leaves out for its length; to be run before a release, on two cores for some hours:
# clang-tidy on all sources, other compilers and processors, generated cases, injected faults, fuzzers,
# mutants, coverage, packages, and all tests under the sanitizers, those too that repeat whole fits.
# Parts that passed on the same commit, if nothing was changed since, are not repeated after an
# interruption.
#
#   tests/nightly.sh [PARTS]     PARTS: a regular expression of the names of the parts to run
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
. tests/parts.sh
jobs=$(nproc)
if git diff --quiet HEAD; then
  mkdir -p build
  parts_passed=build/nightly-passed-$(git rev-parse --short HEAD)
fi
export OMP_WAIT_POLICY=PASSIVE

part 'dependencies' sh cmake/install-dependencies.sh --tests --checks
part 'nightly: dependencies' \
  sh cmake/install-dependencies.sh --packages --nightly --arm64

part 'dev: configuration' cmake --preset dev -B build/nightly-dev
part 'clang-tidy: all' bash tests/tidy.sh build/nightly-dev --all

# In the folder of the Debian package, which is made of what is compiled here.
part 'release: configuration' cmake --preset release -B build/package \
  -DPERFMODEL_TEST_TIMEOUT=7200
part 'release: build' cmake --build build/package --parallel "$jobs"

# In one process and in random order: no test may need what another left behind.
left_out=$(cat build/package/tests/left-out.txt || true) # what this machine lacks
part 'tests in random order' build/package/tests/perfmodel_tests \
  ${left_out:+"$left_out"} --order rand --rng-seed "$RANDOM"

part 'transcripts' ctest --test-dir build/package --output-on-failure --parallel "$jobs" -R '^transcript '
part 'properties of 2,000 generated cases' env PERFMODEL_PROPERTY_CASES=2000 \
  ctest --test-dir build/package --output-on-failure --parallel "$jobs" -R '^property: '

# A program that was killed, or found a full disk, leaves the old file or the new one.
part 'faults' python3 tests/faults/run.py build/package/perfmodel
part 'recipes for other tools' bash tests/examples/with_slurm.sh \
  python3 tests/examples/ci_recipes.py build/package/perfmodel
part 'arm64' env PERFMODEL=build/package/perfmodel bash tests/builds.sh arm64

part 'packages: build' bash cmake/package.sh build/nightly-packages
packages_of_copy() {
  local copy
  copy=$(mktemp -d)
  git archive HEAD | tar -x -C "$copy"
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) bash "$copy/cmake/package.sh"
  bash tests/packages.sh build/nightly-packages "$copy/build/packages"
  rm -rf "$copy"
}
part 'packages: the same, fresh Debian' packages_of_copy

part 'clang' bash tests/builds.sh clang
part 'Python' bash tests/builds.sh python
part 'no tools' bash tests/builds.sh no-tools
part 'coverage' bash tests/coverage.sh
part 'fuzzers' bash tests/fuzz/run.sh 50000
part 'mutants' python3 tests/mutants.py "$(mktemp -d)" --count 1 --bar 65

part 'sanitizers: configuration' cmake --preset asan -B build/nightly-asan \
  -DPERFMODEL_SANITIZE_WHOLE_FITS=ON -DPERFMODEL_WARNINGS_AS_ERRORS=ON \
  -DCMAKE_CXX_FLAGS_DEBUG='-O2 -g1' # fits take half as long as with -Og
part 'sanitizers: build' cmake --build build/nightly-asan --parallel "$jobs"
part 'sanitizers: tests' env ASAN_OPTIONS=malloc_context_size=10 \
  UBSAN_OPTIONS=print_stacktrace=1 \
  ctest --test-dir build/nightly-asan --output-on-failure --parallel "$jobs"

# Last, as a count above its cap must not keep the other parts from running.
part 'sources that a fit executes' bash tests/layout/executed.sh

#!/usr/bin/env bash
# Builds the program as others may, and tests each build:
#
#   tests/builds.sh clang      with clang++ instead of g++
#   tests/builds.sh python     with libperfmodel.so, and so without the libraries that are optional,
#                              and the package for Python
#   tests/builds.sh no-tools   without any of the folders of src/tools
#   tests/builds.sh arm64      for arm64, by a cross compiler; the tests run in qemu
#
# Several may be given. Needs cmake/install-dependencies.sh --tests --nightly --arm64. The program for
# arm64 is compared with build/release/perfmodel, or the program PERFMODEL.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)

build() { # NAME SETTING...
  cmake --preset release -B "build/nightly-$1" "${@:2}"
  cmake --build "build/nightly-$1" --parallel "$jobs"
}

# Fits the same runs on both processors: the same bytes for any number of threads, and the same
# figures but for the last digits, which the libraries of mathematics round differently.
same_model() {
  local work fit='fit data/lenet5_test300.csv --seed 3 --quiet --threads'
  work=$(mktemp -d)
  for threads in 1 2; do
    # shellcheck disable=SC2086
    qemu-aarch64-static build/nightly-arm64/perfmodel $fit $threads -o "$work/arm64-$threads.json"
  done
  cmp "$work"/arm64-*.json
  # shellcheck disable=SC2086
  "${PERFMODEL:-build/release/perfmodel}" $fit 1 -o "$work/x86.json"
  python3 - "$work/arm64-1.json" "$work/x86.json" <<'END'
import json, math, sys

def compare(a, b, path):
    if isinstance(a, dict):
        assert list(a) == list(b), path
        for key in a:
            if key not in ("gap", "evaluations", "generations"):  # how the search went
                compare(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list):
        assert len(a) == len(b), path
        for i, pair in enumerate(zip(a, b)):
            compare(*pair, f"{path}[{i}]")
    elif isinstance(a, float):
        assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12), (path, a, b)
    else:
        assert a == b, (path, a, b)

compare(*(json.load(open(name)) for name in sys.argv[1:]), "")
END
  rm -rf "$work"
}

for name in "${@:?see the top of this file}"; do
  case $name in
  clang)
    build clang -DCMAKE_CXX_COMPILER=clang++
    ctest --test-dir build/nightly-clang --output-on-failure --parallel "$jobs"
    ;;
  python)
    build python -DPERFMODEL_PYTHON=ON
    ctest --test-dir build/nightly-python --output-on-failure --parallel "$jobs"
    bash cmake/wheel.sh build/nightly-python
    /usr/bin/python3 tests/python/wheel_test.py build/wheel/*.whl
    ;;
  no-tools)
    build no-tools -DPERFMODEL_BUILD_TESTS=OFF \
      -DPERFMODEL_WITHOUT='compare;diff;import;many;scaling;ssgd;suggest;workflows'
    bash tests/tools/without.sh build/nightly-no-tools/perfmodel
    ;;
  arm64)
    build arm64 --toolchain cmake/arm64.cmake -DPERFMODEL_STATIC=ON -DPERFMODEL_WITH_DLIB=OFF
    # The tests of whole programs are left out: the kernel hands an arm64 program to qemu only if it
    # was told to.
    qemu-aarch64-static build/nightly-arm64/tests/perfmodel_tests \
      '[kernel]~[cli],[parallel]~[cli],[derivative],[random],[optimise],[gp]'
    same_model
    ;;
  *)
    echo "builds: unknown build '$name' (known: clang, python, no-tools, arm64)" >&2
    exit 2
    ;;
  esac
done

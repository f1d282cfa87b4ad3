#!/usr/bin/env bash
# Builds the wheel of the package for Python into build/wheel, without network access:
#
#   bash cmake/wheel.sh [BUILD_FOLDER]
#
# It needs Debian's python3-pip, python3-setuptools and python3-wheel. The wheel runs with every
# Python from 3.8 on; the last line names the oldest C library that it runs with.
set -euo pipefail
cd "$(dirname "$0")/.."
build="${1:-build/python}"
out=build/wheel
python="${PYTHON:-/usr/bin/python3}"

[ -e "$build/CMakeCache.txt" ] || cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
  -DPERFMODEL_PRECOMPILE_HEADERS=ON -DPERFMODEL_PYTHON=ON -DPERFMODEL_BUILD_TESTS=OFF > /dev/null
ninja -C "$build" perfmodel_shared > /dev/null

rm -rf "$out"
mkdir -p "$out/source"
cp -r src/python/. "$out/source"
find "$out/source" -name __pycache__ -prune -exec rm -r {} +
strip -o "$out/source/perfmodel/libperfmodel.so" "$build/libperfmodel.so"
PERFMODEL_VERSION="$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)" "$python" -m pip wheel \
  --quiet --no-build-isolation --no-deps --no-index --wheel-dir "$out" "$out/source"

objdump -T "$out/source/perfmodel/libperfmodel.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 |
  sed 's/GLIBC_/the oldest C library: glibc /'
ls -l "$out"/*.whl

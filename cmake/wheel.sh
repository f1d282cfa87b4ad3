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

rm -rf "$out"
PERFMODEL_BUILD_FOLDER="$build" "$python" -m pip wheel \
  --quiet --no-build-isolation --no-deps --no-index --wheel-dir "$out" ./src/python
objdump -T "$build/libperfmodel.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 |
  sed 's/GLIBC_/the oldest C library: glibc /'
ls -l "$out"/*.whl

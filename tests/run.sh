#!/usr/bin/env bash
# Installs what is missing, builds the release preset with its tests and runs them all.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

sh cmake/install-dependencies.sh --tests

cmake --preset release
cmake --build --preset release --parallel "$(nproc)"
ctest --preset release --parallel "$(nproc)"

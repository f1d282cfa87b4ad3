#!/usr/bin/env bash
# From a fresh clone to a fitted model in one command: installs what is missing, builds the
# program and fits a model to the LeNet-5 measurements in data/. Can be run from any directory.
# The model is written to model.json in the root of the repository.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

sh cmake/install-dependencies.sh

# Tests need further packages and time; the first use of the program does not need them.
build() {
    cmake --preset release -DPERFMODEL_BUILD_TESTS=OFF &&
        cmake --build --preset release --target perfmodel --parallel "$(nproc)"
}

echo 'Building perfmodel ...' >&2
mkdir -p build
log=build/quickstart.log
if ! build >"$log" 2>&1; then
    cat "$log" >&2
    echo "The build failed; its output is above and in $root/$log." >&2
    exit 1
fi

echo 'Fitting data/lenet5_pytorch_cpu.csv ...' >&2
build/release/perfmodel fit data/lenet5_pytorch_cpu.csv -o model.json

cat <<EOF

The model is in $root/model.json.
To predict the times of the configurations in a table (here some that were measured), run

  cd '$root'
  build/release/perfmodel predict model.json data/lenet5_test300.csv
EOF

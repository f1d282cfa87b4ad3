#!/usr/bin/env bash
# From a fresh clone to a fitted model in one command: installs what is missing, builds the
# program and fits models to the measurements in data/, of LeNet-5 (Eq. (4)) and of a transformer
# (the form that predicts best). Can be run from any directory. The models are written to model.json
# and gpt.json in the root of the repository.
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

echo 'Fitting data/gpt_h100.csv ...' >&2
build/release/perfmodel fit data/gpt_h100.csv --test data/gpt_h100_test.csv \
    --expression auto -o gpt.json

cat <<EOF

The models are in $root: model.json of LeNet-5, gpt.json of the training steps of a transformer
above. To predict the time of a step with a sequence twice as long as in a measured run, run

  cd '$root'
  build/release/perfmodel predict gpt.json --like data/gpt_h100_test.csv:135 --set seq_len=2048
EOF

#!/usr/bin/env bash
# A whole campaign: choose configurations, measure them, fit a model, ask it what to do, report.
#
#   examples/campaign.sh [CONFIGURATIONS]     default: 60
#
# Needs a built program (examples/quickstart.sh builds it) and PyTorch (Debian: python3-torch).
# Without PyTorch it goes on with the measurements in data/. Results are written to build/campaign;
# started again, it goes on where it was.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
configurations=${1:-60}
perfmodel=${PERFMODEL:-$root/build/release/perfmodel}
space=$root/examples/measure/space.json
out=$root/build/campaign
mkdir -p "$out"
cd -- "$out"

if [ ! -x "$perfmodel" ]; then
    echo "There is no $perfmodel; run examples/quickstart.sh first." >&2
    exit 1
fi

if python3 -c 'import torch' 2>/dev/null; then
    echo "1. plan: $configurations configurations" >&2
    "$perfmodel" plan "$space" -n "$configurations" --method d-optimal -o plan.csv
    echo '2. measure' >&2
    python3 "$root/examples/measure/measure.py" plan.csv runs.csv --visits 3
    ignored=(--ignore spread_s,visits)
else
    echo '1. and 2. PyTorch is not installed: the measurements in data/ take the place of new ones' >&2
    cp -- "$root/data/lenet5_train900.csv" runs.csv
    ignored=()
fi

echo '3. fit' >&2
"$perfmodel" fit runs.csv "${ignored[@]}" --bootstrap 200 -o model.json

echo '4. scaling' >&2
"$perfmodel" scaling model.json --column workers --at 1,2,4

echo '5. suggest: the fastest and the cheapest with 32 filters' >&2
"$perfmodel" suggest model.json "$space" --where 'filters == 32' --price workers --by pareto

echo '6. suggest: what to measure next' >&2
"$perfmodel" suggest model.json "$space" --next 5 --runs runs.csv

echo '7. report' >&2
"$perfmodel" report model.json runs.csv --title "LeNet-5: iteration time" -o report.html
echo "The report is $out/report.html." >&2

#!/usr/bin/env bash
# Compiles the glue of examples/r and compares its predictions with those of the program:
# r_test.sh PROGRAM FOLDER_OF_LIBRARY. Exits with 77 if there is no R.
set -euo pipefail
command -v R > /dev/null || { echo 'skipped: R is missing'; exit 77; }
program=$(realpath "$1")
library=$(realpath "$2")
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root"/examples/r/* "$work"
cd "$work"

PKG_CPPFLAGS="-I$root/include" PKG_LIBS="-L$library -lperfmodel" R CMD SHLIB perfmodel.c > shlib.log 2>&1 ||
  { cat shlib.log; exit 1; }
export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
Rscript perfmodel.R "$root/data/lenet5_test300.csv" | tee printed.txt
[ "$(wc -l < printed.txt)" = 4 ]

# R prints ten digits, the program all.
head -4 "$root/data/lenet5_test300.csv" > asked.csv
"$program" predict model.json asked.csv --quiet |
  awk -F, 'NR == FNR { if (FNR > 1) { split($0, cells, " +"); time[FNR] = cells[2]; low[FNR] = cells[3] } next }
    FNR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    { t = $column["predicted_time_s"]; l = $column["lower"]
      if ((t - time[FNR]) ^ 2 > 1e-18 * t * t || (l - low[FNR]) ^ 2 > 1e-18 * l * l) bad = 1; ++rows }
    END { exit !(rows == 3 && !bad) }' printed.txt -
echo 'the same predictions as those of the program'

# An error is one of R.
if Rscript -e 'dyn.load("perfmodel.so"); .Call("pm_fit", data.frame(a = 1:3, b = 1:3), "[]")' 2> error.txt; then
  exit 1
fi
grep -q 'no JSON object' error.txt

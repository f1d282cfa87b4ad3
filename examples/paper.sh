#!/usr/bin/env bash
# The evaluation of the 2024 paper (Kavarakuntla et al., section IV), run with this program.
#
# The paper's measurements are not public. Here its three data sets are simulated: 1500 random
# configurations of Table 2, timed by Eq. (4) with the constants of Table 3 and 5 % of noise. What
# comes back from them is then set beside what the paper prints. The same is done with the LeNet-5
# times that were really measured, in data/lenet5_pytorch_cpu.csv.
#
# Everything is written to build/paper. PERFMODEL names another program than build/release/perfmodel.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

perfmodel=${PERFMODEL:-build/release/perfmodel}
if [ ! -x "$perfmodel" ]; then
    sh cmake/install-dependencies.sh
    cmake --preset release -DPERFMODEL_BUILD_TESTS=OFF >&2
    cmake --build --preset release --target perfmodel --parallel "$(nproc)" >&2
fi

out=build/paper
mkdir -p "$out"
frameworks='mxnet pytorch tensorflow'

# Rows of Table 2's value sets. A generator of our own (Park and Miller): awk's differ.
configurations() { # SEED ROWS
    awk -v seed="$1" -v rows="$2" '
        function draw(list,   values) {
            seed = (16807 * seed) % 2147483647
            return values[1 + int(split(list, values, " ") * seed / 2147483647)]
        }
        BEGIN {
            for (i = 0; i < 10; ++i) draw("warm up")
            print "kernel_size,pool_size,activation,optimizer,dataset,filters,learning_rate,padding," \
                  "stride,dropout,gpus,batch_size"
            for (row = 0; row < rows; ++row) {
                line = draw("2 3 4 5") "," draw("2 3 4 5") "," draw("relu tanh sigmoid") ","
                line = line draw("adam sgd") "," draw("mnist fashion_mnist cifar10") ","
                line = line draw("4 8 16 32 64") "," draw("0.1 0.01 0.001 0.0001 1e-05 1e-06") ","
                line = line draw("valid same") "," draw("1 2 3") "," draw("0.2 0.5 0.8") ","
                print line draw("1 2 3") "," draw("8 16 32 64 128")
            }
        }'
}

# Constants of several models side by side, as mean +- standard deviation over the fits.
spreads() { # TITLE MODEL.json TITLE MODEL.json ...
    local titles='' files=()
    while [ $# -gt 0 ]; do
        titles="$titles$1;"
        files+=("$2")
        shift 2
    done
    awk -v titles="$titles" '
        FNR == 1 { ++file; listing = 0 }
        /"constants": \[/ { listing = 1 }
        /"scaling_powers": \[/ { listing = 0 }
        listing && /"name": / { name = $0; sub(/.*"name": "/, "", name); sub(/".*/, "", name) }
        listing && /"mean": / { mean = $0; sub(/.*"mean": /, "", mean); sub(/,.*/, "", mean) }
        listing && /"standard_deviation": / {
            spread = $0
            sub(/.*"standard_deviation": /, "", spread)
            if (!((1, name) in cell)) order[++names] = name
            cell[file, name] = sprintf("%9.4g +- %-9.3g", mean, spread)
            if (file == 1) cell[1, name] = cell[1, name] ""
        }
        END {
            split(titles, title, ";")
            printf "  %-24s", ""
            for (f = 1; f <= file; ++f) printf "  %-22s", title[f]
            print ""
            for (n = 1; n <= names; ++n) {
                printf "  %-24s", order[n]
                for (f = 1; f <= file; ++f) printf "  %-22s", cell[f, order[n]]
                print ""
            }
        }' "${files[@]}" | sed 's/ *$//'
}

# Errors and scaling powers along the regularisation path.
path() { # NAME
    awk -F, '
        NR == 1 {
            columns = split("penalty lambda train_mae validation_mae validation_mape_percent " \
                            "validation_r2 test_mape_percent test_r2", shown, " ")
            for (i = 1; i <= NF; ++i) {
                place[$i] = i
                if ($i ~ /^q\[/) shown[++columns] = $i
            }
            split("penalty,lambda,train MAE,val. MAE,val. MAPE %,val. R2,test MAPE %,test R2", title)
        }
        {
            line = " "
            for (c = 1; c <= columns; ++c) {
                cell = NR == 1 ? (c in title ? title[c] : shown[c]) : $place[shown[c]]
                line = line sprintf(c < 2 ? " %-8s" : NR == 1 || c == 2 ? " %12s" : " %12.4g", cell)
            }
            print line ($place["chosen"] == "true" ? "  <- chosen" : "")
        }' "$out/$1_path.csv"
}

heading() {
    printf '\n%s\n\n' "$1"
}

# All that the paper did with the runs of one framework.
evaluate() { # NAME RUNS.csv
    local name=$1 runs=$2
    "$perfmodel" fit "$runs" --quiet --split 60:20:20 --repeats 10 -o "$out/$name.json"
    "$perfmodel" fit "$runs" --quiet --split 60:20:20 --repeats 10 --l2 0.001 -o "$out/${name}_l2.json"
    "$perfmodel" evaluate "$out/$name.json" "$runs" --residuals "$out/${name}_residuals.csv" \
        >/dev/null
    "$perfmodel" sweep "$runs" --quiet --format csv -o "$out/${name}_path.csv"
} 2>"$out/warnings.txt"

configurations 1 1500 >"$out/configurations.csv"
for framework in $frameworks; do
    "$perfmodel" simulate "data/paper/table3_$framework.json" "$out/configurations.csv" \
        --noise 5% --seed 1 -o "$out/$framework.csv"
    evaluate "$framework" "$out/$framework.csv"
done
cp data/lenet5_pytorch_cpu.csv "$out/lenet5.csv"
evaluate lenet5 "$out/lenet5.csv"

files=()
for framework in $frameworks; do
    files+=("$out/$framework.csv")
done
"$perfmodel" compare "${files[@]}" "$out/lenet5.csv" --quiet --format csv -o "$out/comparison.csv"
"$perfmodel" compare "${files[@]}" --quiet -o "$out/comparison.txt"

heading 'Table 3: Eq. (4) without regularisation, 10 seeds (mean +- sd over seeds)'
echo '  paper: the constants that the runs were simulated from. Levels of categories and a of'
echo '  learning_rate are not determined one by one; q and C are.'
for framework in $frameworks; do
    heading "  $framework"
    spreads paper "data/paper/table3_$framework.json" ours "$out/$framework.json"
done

heading 'Table 4: with L2 regularisation, lambda 0.001, 10 seeds'
echo '  paper: as printed; C of PyTorch and TensorFlow are swapped there, see data/paper/README.md.'
for framework in $frameworks; do
    heading "  $framework"
    spreads paper "data/paper/table4_$framework.json" ours "$out/${framework}_l2.json"
done

# "file,model,part,rows,mae,mape_percent,smape_percent,mse,rmse,r2,fit_seconds", test rows only, one
# word per model
scores() {
    sed -n -e 's/"Eq. (4), \(L[12]\) [^"]*"/\1/' -e 's/,Eq. (4),/,plain,/' \
        -e 's/,SVR of log time,/,svr-log,/' -e 's/,SVR,/,svr,/' -e 's/,random forest,/,forest,/' \
        -e 's/,sum of products,/,sum,/' -e 's/,product and process,/,process,/' -e 's/,gradient boosting,/,boosting,/' \
        -e '/,test,/p' "$out/comparison.csv"
}

heading 'Table 5: L1 and L2, lambda 0.001, errors on the 300 test rows'
scores | awk -F, '
    BEGIN {
        printf "  %-5s%-12s%10s%10s%12s%12s%12s%12s\n", "", "", "MAPE %", "paper", "MSE", "paper",
               "RMSE", "paper"
        split("L1,mxnet,8,105.74,10.28 L1,pytorch,29,450.93,17.52 L1,tensorflow,13,220.16,14.83 " \
              "L2,mxnet,7,103.37,10.16 L2,pytorch,27,443.35,17.02 L2,tensorflow,10,201.81,14.20",
              lines, " ")
        for (i in lines) { split(lines[i], p, ","); paper[p[1], p[2]] = lines[i] }
    }
    $2 == "L1" || $2 == "L2" {
        sub(/\.csv$/, "", $1)
        split(paper[$2, $1], p, ",")
        printf "  %-5s%-12s%10.1f%10s%12.5g%12s%12.5g%12s\n", $2, $1, $6, p[3], $8, p[4], $9, p[5]
    }' | sed 's/ *$//'

heading 'Table 6: MAPE in percent on the 300 test rows (the paper in brackets)'
echo '  sum: our sum of product terms, --expression multi'
echo
scores | awk -F, '
    BEGIN {
        split("plain,mxnet,5 plain,pytorch,12 plain,tensorflow,5 L2,mxnet,7 L2,pytorch,14 " \
              "L2,tensorflow,10 forest,mxnet,3 forest,pytorch,23 forest,tensorflow,0.7 " \
              "svr,mxnet,21 svr,pytorch,54 svr,tensorflow,16", lines, " ")
        for (i in lines) { split(lines[i], p, ","); paper[p[1], p[2]] = "(" p[3] ")" }
        count = split("mxnet pytorch tensorflow lenet5", name, " ")
        rows = split("plain L1 L2 sum process forest svr svr-log boosting", model, " ")
    }
    { sub(/\.csv$/, "", $1); mape[$2, $1] = sprintf("%.1f", $6) }
    END {
        printf "  %-10s", ""
        for (f = 1; f <= count; ++f) printf "  %8s %-6s", name[f], ""
        print ""
        for (m = 1; m <= rows; ++m) {
            printf "  %-10s", model[m]
            for (f = 1; f <= count; ++f)
                printf "  %8s %-6s", mape[model[m], name[f]], paper[model[m], name[f]]
            print ""
        }
    }' | sed 's/ *$//'

heading 'Table 7: scaling power of the number of GPUs (paper: -0.99, -1.02 and -0.74)'
sed -n '/^scaling powers/,$p' "$out/comparison.txt" | sed 1,2d

heading 'Figures 7 and 8: the regularisation path of mxnet'
path mxnet

heading 'LeNet-5 on two CPU workers, measured: without regularisation and with L2'
spreads plain "$out/lenet5.json" 'L2 0.001' "$out/lenet5_l2.json"
echo
path lenet5

printf '\nModels, runs, residuals (Figures 3 to 6) and paths are in %s\n' "$root/$out"

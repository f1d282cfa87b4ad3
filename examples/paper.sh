#!/usr/bin/env bash
# The evaluation of the 2024 paper (Kavarakuntla et al., section IV), run with this program.
#
# The paper's measurements are not public. Here its three data sets are simulated: 1500 random
# configurations of Table 2, timed by Eq. (4) with the constants of Table 3 and 5 % of noise. What
# comes back from them is then set beside what the paper prints. The same is done with the LeNet-5
# times that were really measured, in data/lenet5_pytorch_cpu.csv.
#
# Everything is written to build/paper, the tables also as LaTeX, Figures 3 to 8 as SVG and PDF where
# gnuplot is installed (Debian: gnuplot-nox). PERFMODEL names another program than
# build/release/perfmodel.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"

perfmodel=${PERFMODEL:-build/release/perfmodel}
if [ ! -x "$perfmodel" ]; then
    sh cmake/install-dependencies.sh --compare
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

# Rows of cells between tabs, of which the first is the header, as aligned lines and as NAME.tex. What
# awk writes with a leading blank is aligned at the right.
table() { # NAME
    awk -F'\t' -v tex="$out/$1.tex" '
        function latex(text) {
            gsub(/[_%&#]/, "\\\\&", text)
            sub(/\+-/, "$\\pm$", text)
            sub(/<-/, "$\\leftarrow$", text)
            return text
        }
        {
            if (NF > columns) columns = NF
            for (c = 1; c <= NF; ++c) {
                cell[NR, c] = $c
                if (length($c) > width[c]) width[c] = length($c)
            }
        }
        END {
            place = "l"
            for (c = 2; c <= columns; ++c) place = place (cell[2, c] ~ /\+-/ ? "l" : "r")
            print "\\begin{tabular}{" place "}" >tex
            for (r = 1; r <= NR; ++r) {
                line = row = " "
                for (c = 1; c <= columns; ++c) {
                    left = substr(place, c, 1) == "l" ? "-" : ""
                    line = line sprintf(" %" left width[c] "s", cell[r, c]) (c < columns ? " " : "")
                    row = row (c > 1 ? " & " : " ") latex(cell[r, c])
                }
                sub(/ *$/, "", line)
                print line
                print row " \\\\" (r == 1 ? " \\hline" : "") >tex
            }
            print "\\end{tabular}" >tex
        }'
}

# Constants of several models side by side, as mean +- standard deviation over the fits.
spreads() { # TABLE TITLE MODEL.json TITLE MODEL.json ...
    local name=$1 titles='' files=()
    shift
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
            cell[file, name] = sprintf("%9.4g +- %.3g", mean, spread)
        }
        END {
            split(titles, title, ";")
            printf "constant"
            for (f = 1; f <= file; ++f) printf "\t%s", title[f]
            print ""
            for (n = 1; n <= names; ++n) {
                printf "%s", order[n]
                for (f = 1; f <= file; ++f) printf "\t%s", cell[f, order[n]]
                print ""
            }
        }' "${files[@]}" | table "$name"
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
            line = ""
            for (c = 1; c <= columns; ++c) {
                cell = NR == 1 ? (c in title ? title[c] : shown[c]) : $place[shown[c]]
                line = line (c > 1 ? "\t" : "") sprintf(NR == 1 || c < 3 ? "%s" : "%.4g", cell)
            }
            print line "\t" ($place["chosen"] == "true" ? "<- chosen" : "")
        }' "$out/$1_path.csv" | table "$1_path"
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
    spreads "table3_$framework" paper "data/paper/table3_$framework.json" ours "$out/$framework.json"
done

heading 'Table 4: with L2 regularisation, lambda 0.001, 10 seeds'
echo '  paper: as printed; C of PyTorch and TensorFlow are swapped there, see data/paper/README.md.'
for framework in $frameworks; do
    heading "  $framework"
    spreads "table4_$framework" paper "data/paper/table4_$framework.json" ours "$out/${framework}_l2.json"
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
        OFS = "\t"
        print "penalty", "runs", "MAPE %", "paper", "MSE", "paper", "RMSE", "paper"
        split("L1,mxnet,8,105.74,10.28 L1,pytorch,29,450.93,17.52 L1,tensorflow,13,220.16,14.83 " \
              "L2,mxnet,7,103.37,10.16 L2,pytorch,27,443.35,17.02 L2,tensorflow,10,201.81,14.20",
              lines, " ")
        for (i in lines) { split(lines[i], p, ","); paper[p[1], p[2]] = lines[i] }
    }
    $2 == "L1" || $2 == "L2" {
        sub(/\.csv$/, "", $1)
        split(paper[$2, $1], p, ",")
        print $2, $1, sprintf("%.1f", $6), p[3], sprintf("%.5g", $8), p[4], sprintf("%.5g", $9), p[5]
    }' | table table5

heading 'Table 6: MAPE in percent on the 300 test rows (the paper in brackets)'
echo '  sum: our sum of product terms, --expression multi; process: one product with a residual process'
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
        printf "model"
        for (f = 1; f <= count; ++f) printf "\t%s\t", name[f]
        print ""
        for (m = 1; m <= rows; ++m) {
            printf "%s", model[m]
            for (f = 1; f <= count; ++f)
                printf "\t%s\t%s", mape[model[m], name[f]], paper[model[m], name[f]]
            print ""
        }
    }' | table table6

heading 'Table 7: scaling power of the number of GPUs (paper: -0.99, -1.02 and -0.74)'
echo '  sum of products: of the whole time, at the central run, unless it is Eq. (4) itself;'
echo '  product and process: of the product alone'
echo
sed -n '/^scaling powers/,$p' "$out/comparison.txt" |
    sed -e 1,2d -e 's/^ *//' -e 's/   */\t/g' | table table7

heading 'Figures 7 and 8: the regularisation path of mxnet'
path mxnet

heading 'LeNet-5 on two CPU workers, measured: without regularisation and with L2'
spreads lenet5 plain "$out/lenet5.json" 'L2 0.001' "$out/lenet5_l2.json"
echo
path lenet5

# Figures 3 to 6: what is left of each data set's runs. Figures 7 and 8: the path of mxnet.
draw() { # NUMBER COMMANDS
    for kind in svg pdfcairo; do
        gnuplot <<END
set terminal $kind size $([ $kind = svg ] && echo 640,420 || echo 16cm,10.5cm) font 'Helvetica,12'
set output '$out/figure$1.${kind%cairo}'
set datafile separator ','
set key outside top center horizontal
set grid back linecolor rgb '#dddddd'
$2
END
    done
}

if command -v gnuplot >/dev/null; then
    number=3
    for name in $frameworks lenet5; do
        draw $number "
            set title 'Figure $number: residuals of $name'
            set logscale x
            set xlabel 'measured time'
            set ylabel 'predicted - measured, in percent of the measured time'
            set xzeroaxis linetype 1 linecolor rgb '#444444'
            plot '$out/${name}_residuals.csv' using 'measured':'error_percent' notitle \
                with points pointtype 7 pointsize 0.3 linecolor rgb '#0072b2'"
        number=$((number + 1))
    done
    for penalty in l1 l2; do
        rows="(strcol('penalty') eq '$penalty' ? column('lambda') : NaN)"
        draw $number "
            set title 'Figure $number: R2 of mxnet along the path of ${penalty^^}'
            set logscale x
            set format x '10^{%T}'
            set xlabel 'lambda'
            set ylabel 'R2'
            plot '$out/mxnet_path.csv' using $rows:'train_r2' title 'training' with linespoints linecolor rgb '#0072b2', \
                '' using $rows:'validation_r2' title 'validation' with linespoints linecolor rgb '#d55e00', \
                '' using $rows:'test_r2' title 'test' with linespoints linecolor rgb '#009e73'"
        number=$((number + 1))
    done
else
    echo 'gnuplot is not installed (Debian: gnuplot-nox): no figures' >&2
fi

printf '\nModels, runs, residuals, paths, tables in LaTeX and Figures 3 to 8 are in %s\n' "$root/$out"

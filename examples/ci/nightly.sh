#!/usr/bin/env bash
# Judges the runs that a nightly job has measured:
#
#   nightly.sh MODEL.json NEW_RUNS.csv FOLDER
#
# 1. The drift gate: the committed model, MODEL.json, is evaluated on the new runs.
# 2. A new model is fitted to 80 % of the new runs and judged on the others: FOLDER/model.json.
# 3. FOLDER/report.html shows both models on the new runs, FOLDER/report.md has its tables.
#
# The exit code is 4 if a condition below holds; all files are written nevertheless. Any other error
# ends the script with the exit code of the command that failed.
#
# Standard output is that of the gate. FORMAT=github writes an annotation for each condition,
# FORMAT=junit a test case.
set -euo pipefail

model=$1
runs=$2
folder=$3

# Percent; somewhat above the test error of the committed model.
largest_error=${LARGEST_ERROR:-15}
# Percent of the time of the median run; fires if it is exceeded on 95 % of sets of runs like these.
largest_slowdown=${LARGEST_SLOWDOWN:-5}
# The same of the runs of one program, machine or other text, if they differ from all others.
largest_slowdown_of_one=${LARGEST_SLOWDOWN_OF_ONE:-10}

# Goes on if a condition holds, so that the page shows why.
status=0
gate() {
    local code=0
    "$@" || code=$?
    case $code in
    0) ;;
    4) status=4 ;;
    *) exit "$code" ;;
    esac
}

mkdir -p "$folder"
gate perfmodel evaluate "$model" "$runs" --format "${FORMAT:-text}" \
    --fail-if "mape>$largest_error" --fail-if "bias>$largest_slowdown" \
    --fail-if "any.bias>$largest_slowdown_of_one"
gate perfmodel fit "$runs" --expression auto --split 80:20 --quiet \
    --fail-if "mape>$largest_error" -o "$folder/model.json"
perfmodel report "$model" "$folder/model.json" "$runs" -o "$folder/report.html"
perfmodel report "$model" "$folder/model.json" "$runs" --format md -o "$folder/report.md"
exit "$status"

#!/usr/bin/env bash
# Judges the runs that a nightly job has measured:
#
#   nightly.sh MODEL.json NEW_RUNS.csv FOLDER
#
# 1. The drift gate: the committed model, MODEL.json, is evaluated on the new runs.
# 2. A new model is fitted to 80 % of the new runs and judged on the others: FOLDER/model.json.
# 3. FOLDER/report.html shows both models on the new runs, FOLDER/report.md has its tables.
#
# The exit code is 4 if a condition below holds, and the last line on standard error says whether it
# is one of step 1 or of step 2; all files are written nevertheless. After step 1 has failed, the
# new model is fitted, but not judged. Any other error ends the script with the exit code of the
# command that failed.
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

# gate REASON COMMAND: goes on if a condition holds, so that the page shows why. The first reason is
# the one that the script ends with.
reason=
gate() {
    local code=0
    "${@:2}" || code=$?
    case $code in
    0) ;;
    4) reason=${reason:-$1} ;;
    *) exit "$code" ;;
    esac
}

mkdir -p "$folder"
gate "the new runs contradict $model" \
    perfmodel evaluate "$model" "$runs" --format "${FORMAT:-text}" \
    --fail-if "mape>$largest_error" --fail-if "bias>$largest_slowdown" \
    --fail-if "any.bias>$largest_slowdown_of_one"
# After one reason, a second one is not looked for.
of_fit=()
[ -n "$reason" ] || of_fit=(--fail-if "mape>$largest_error")
gate "no model of the new runs is good enough" perfmodel fit "$runs" --expression auto \
    --split 80:20 --quiet "${of_fit[@]}" -o "$folder/model.json"
perfmodel report "$model" "$folder/model.json" "$runs" -o "$folder/report.html"
perfmodel report "$model" "$folder/model.json" "$runs" --format md -o "$folder/report.md"
if [ -n "$reason" ]; then
    echo "nightly.sh: $reason: $folder/report.html" >&2
    exit 4
fi

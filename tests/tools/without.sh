#!/usr/bin/env bash
# without.sh PROGRAM: a program that was built without any tool does its main job, and of what it
# lacks it says which tool that is.
set -euo pipefail

program=$1
runs=$(dirname -- "${BASH_SOURCE[0]}")/../../data/lenet5_test300.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" fit "$runs" --quiet -o "$work/model.json"
"$program" predict "$work/model.json" "$runs" >"$work/predictions"
"$program" evaluate "$work/model.json" "$runs" >"$work/evaluation"
"$program" show "$work/model.json" >"$work/formula"
"$program" show "$work/model.json" --as python >>"$work/formula"
"$program" report "$work/model.json" "$runs" -o "$work/report.html"
"$program" help json >"$work/documents"
for written in predictions evaluation formula report.html documents; do
  test -s "$work/$written"
done

refuses() { # EXIT_CODE TOOL COMMAND...
  local code=0
  "$program" "${@:3}" >"$work/out" 2>"$work/err" || code=$?
  if [ "$code" -ne "$1" ] || ! grep -q "built without the tool '$2'" "$work/err"; then
    echo "without: 'perfmodel ${*:3}' ended with $code and this:" >&2
    cat "$work/err" >&2
    exit 1
  fi
}

printf '[{"gpus": 1, "time_s": 2}, {"gpus": 2, "time_s": 1}]\n' >"$work/runs.json"
for command in compare simulate sweep; do refuses 2 compare "$command" "$runs"; done
for command in measure plan suggest; do refuses 2 suggest "$command" "$work/model.json"; done
refuses 2 many merge "$work/part-1.jsonl"
refuses 2 many fit "$runs" --by activation
refuses 2 many fit "$runs" --target time_s,batch_size
refuses 2 scaling scaling "$work/model.json"
refuses 2 diff diff "$runs" "$work/runs.json"
refuses 2 ssgd ssgd layers.csv
refuses 2 import import "$work/runs.json"
refuses 2 import fit "$work/runs.json" --input-format json
refuses 3 import fit "$work/runs.json"
refuses 2 workflows show "$work/model.json" --as slurm

#!/usr/bin/env bash
# Fails if a cap of tests/layout was raised: over the history of lines.tsv, the sum of the caps less
# the grants of grants.tsv is never above its lowest earlier value, and over the history of
# counts.tsv no cap is. Without the history (a shallow clone, a tarball) it cannot tell, and passes.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
folder=tests/layout

if [ "$(git rev-parse --is-shallow-repository 2>/dev/null || echo true)" != false ]; then
  echo 'the history of the caps is not here: cannot tell whether one was raised' >&2
  exit 0
fi

# A granted growth counts once: its row is added in the commit that uses it.
unknown=$(tail -n +2 $folder/grants.tsv | grep -vxF -e $'adapters of formats\t400' -e $'answers in words\t1300' || true)
if [ -n "$unknown" ]; then
  echo "not granted: $unknown" >&2
  exit 1
fi

# Each version of a file, the oldest first, as lines "VERSION<tab>row"; the last is that of the folder.
versions() { # FILE...
  local commit file
  for commit in $(git rev-list --reverse --topo-order HEAD -- "${@/#/$folder/}"); do
    for file in "$@"; do
      { git show "$commit:$folder/$file" 2>/dev/null || true; } | sed -n "2,\$s|^|${commit:0:12}\t$file\t|p"
    done
  done
  for file in "$@"; do
    sed -n "2,\$s|^|now\t$file\t|p" "$folder/$file"
  done
}

versions lines.tsv grants.tsv | awk -F'\t' '
  function close_version() {
    if (version == "") return
    if (seen && sum > lowest) {
      printf "%s: caps of %d lines beyond grants, above the %d of before\n", version, sum, lowest
      failed = 1
    }
    if (!seen || sum < lowest) lowest = sum
    seen = 1
  }
  $1 != version { close_version(); version = $1; sum = 0 }
  $2 == "lines.tsv" { sum += $5 }
  $2 == "grants.tsv" { sum -= $4 }
  END { close_version(); exit failed }
' >&2

# A type that comes to be listed had at most 16 members.
versions counts.tsv | awk -F'\t' '
  { row = $3 ", " $4 }
  $1 != version { ++number; version = $1 }
  !(row in lowest) { lowest[row] = $3 == "members" && number > 1 ? 16 : $5 }
  $5 > lowest[row] { printf "%s: %s: %d, above the %d of before\n", $1, row, $5, lowest[row]; failed = 1 }
  $5 < lowest[row] { lowest[row] = $5 }
  END { exit failed }
' >&2
echo 'no cap was raised'

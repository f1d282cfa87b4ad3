#!/usr/bin/env bash
# Fails if a cap of tests/layout was raised: the sum of the caps of lines.tsv less the grants of
# grants.tsv is not above its lowest value over the history, and no cap of counts.tsv is. A commit
# that raised one fails until another has paid it back. Without the history (a shallow clone, a
# tarball) it cannot tell, and passes.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
folder=tests/layout

if [ "$(git rev-parse --is-shallow-repository 2>/dev/null || echo true)" != false ]; then
  echo 'the history of the caps is not here: cannot tell whether one was raised' >&2
  exit 0
fi

# A granted growth counts once, as far as it is used: its row is added, or raised, in the commit that
# uses it.
awk -F'\t' '
  BEGIN { granted["adapters of formats"] = 400; granted["answers in words"] = 1300 }
  NR > 1 && !($2 <= granted[$1]) { printf "not granted: %s\n", $0; failed = 1 }
  END { exit failed }
' $folder/grants.tsv >&2

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
    if (version == "now" && seen && sum > lowest) {
      printf "caps of %d lines beyond grants, above the %d of before\n", sum, lowest
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
  $1 == "now" && $5 > lowest[row] { printf "%s: %d, above the %d of before\n", row, $5, lowest[row]; failed = 1 }
  $5 < lowest[row] { lowest[row] = $5 }
  END { exit failed }
' >&2
echo 'no cap was raised'

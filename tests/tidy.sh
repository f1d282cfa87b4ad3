#!/usr/bin/env bash
# Runs clang-tidy on sources of the program; each finding is an error.
#
#   tests/tidy.sh BUILD --all      on all of src
#   tests/tidy.sh BUILD --last N   on the N files that were changed last, within the last 20 commits
#
# BUILD is a folder that CMake has configured.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

build=${1:?see the top of this file}
case ${2:-} in
--all) mapfile -t files < <(find src -name '*.cpp' | sort) ;;
--last)
  # Of a header, the source beside it. Latest first; what is gone or not compiled is left out.
  mapfile -t files < <(
    git log -n 20 --no-merges --format= --name-only -- src include/perfmodel |
      sed -n -e 's|^include/perfmodel/|src/|' -e 's|\.hpp$|.cpp|' -e '/\.cpp$/p' |
      awk '!seen[$0]++' |
      while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
      awk -v n="${3:?how many}" 'NR <= n'
  )
  ;;
*)
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac

echo "clang-tidy on ${#files[@]} files"
[ "${#files[@]}" -gt 0 ] || exit 0
# Clang cannot read what GCC has precompiled.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -e 's/-Winvalid-pch -include [^ ]*cmake_pch\.hxx//' "$build/compile_commands.json" \
  >"$commands/compile_commands.json"
# GCC has warnings that clang does not know, and clang's own are no checks of .clang-tidy.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" \
    clang-tidy -p "$commands" --quiet --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error 2>&1 |
  { grep -v -E '^[0-9]+ warnings? generated\.$' || true; }

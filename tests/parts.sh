# For scripts of several parts: `part NAME COMMAND...` runs one; when the script ends, a table shows
# the wall time and the CPU time of each. If the variable `parts_passed` is set, it names a file of the
# parts that passed, which are left out when the script runs again. An argument of the script is a
# regular expression of the names of the parts to run.

part_name=''
part_table=''
part_times=$(mktemp)
part_wanted=${1:-.}

show_parts() {
  local status=$?
  rm -f "$part_times"
  printf '\n%-32s %8s %8s\n%s' part 'wall s' 'CPU s' "$part_table"
  [ "$status" -eq 0 ] || echo "failed: $part_name"
}
trap show_parts EXIT

# CPU seconds of all commands that have ended: the second line of `times`, which must not run in a
# subshell.
read_cpu() {
  times >"$part_times"
  cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; ++i) { split($i, t, "m"); s += 60 * t[1] + t[2] }
                       printf "%d", s }' "$part_times")
}

part() {
  part_name=$1
  shift
  [[ $part_name =~ $part_wanted ]] || return 0
  if grep -sqFx -- "$part_name" "${parts_passed:-}"; then
    echo "== $part_name: passed before"
    return
  fi
  echo "== $part_name"
  local cpu before start=$SECONDS
  read_cpu
  before=$cpu
  "$@"
  read_cpu
  part_table+=$(printf '%-32s %8d %8d' "$part_name" $((SECONDS - start)) $((cpu - before)))$'\n'
  [ -z "${parts_passed:-}" ] || echo "$part_name" >>"$parts_passed"
}

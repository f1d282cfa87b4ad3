#!/usr/bin/env bash
# installed.sh CMAKE BUILD CONFIG SOURCE PROGRAM COMPILER: installs a build, moves the installed copy
# elsewhere, and builds examples/library against it, by find_package and by pkg-config. Both must
# give the model and the prediction that the program gives.
set -euo pipefail

cmake=$1 build=$2 config=$3 source=$4 program=$5 compiler=$6
unset DESTDIR CMAKE_PREFIX_PATH perfmodel_DIR perfmodel_ROOT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "installed.sh: $*" >&2
    exit 1
}

"$cmake" --install "$build" --config "$config" --prefix "$work/program" --component program >"$work/log"
[ "$(cd "$work/program" && find . -type f | sort | grep -v \
    -e '^./share/man/man1/perfmodel[a-z-]*[.]1$' -e '^./share/perfmodel/schemas/[a-z]*[.]json$')" = "\
./bin/perfmodel
./share/bash-completion/completions/perfmodel
./share/zsh/site-functions/_perfmodel" ] || fail 'the component program is more, or less, than the program'
"$program" completions bash | cmp - "$work/program/share/bash-completion/completions/perfmodel"
"$program" completions zsh | cmp - "$work/program/share/zsh/site-functions/_perfmodel"
if command -v help2man >/dev/null; then
    for page in perfmodel perfmodel-fit perfmodel-completions; do
        grep -q -e 'help.-all' "$work/program/share/man/man1/$page.1" || fail "no option in the page $page"
    done
fi

"$cmake" --install "$build" --config "$config" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/installed"
package=$(dirname "$(find "$work/installed" -name perfmodelConfig.cmake)")
pc=$(dirname "$(find "$work/installed" -name perfmodel.pc)")
if grep -rF -e "$source" -e "$build" -e "$work" "$package" "$pc" --include='perfmodel*'; then
    fail 'an installed file names the place of the build'
fi

"$cmake" -S "$source/examples/library" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$work/installed" >"$work/log" || { cat "$work/log"; fail 'find_package failed'; }
grep -qF "perfmodel_DIR:PATH=$work/installed" "$work/build/CMakeCache.txt" || fail 'another copy was found'
"$cmake" --build "$work/build" >"$work/log" || { cat "$work/log"; fail 'the example does not build'; }

runs=$source/data/lenet5_test300.csv
configuration='kernel_size=3 pool_size=2 activation=relu optimizer=adam dataset=mnist filters=32
    learning_rate=0.001 padding=same stride=1 dropout=0.5 workers=2 batch_size=64'
cd "$work"
"$program" --quiet fit "$runs" -o expected.json 2>warnings
grep -q 'or --bounds is too narrow' expected.json || fail 'no message that names a flag'
# shellcheck disable=SC2046,SC2086 # one word per column
time=$("$program" --quiet predict expected.json $(printf -- '--set %s ' $configuration))

check() { # PROGRAM NAME
    # shellcheck disable=SC2086
    "$1" "$runs" model.json $configuration >output || fail "$2: the example failed"
    cmp model.json expected.json || fail "$2: another model than that of fit"
    awk -v expected="$time" '$1 == "time_s" { found = ($3 - expected)^2 < (1e-5 * expected)^2 } END { exit !found }' \
        output || fail "$2: predict says $time, the example: $(cat output)"
    [ "$(grep -cE '^~ (workers|batch_size)\^-?[0-9.]+$' output)" = 2 ] || fail "$2: no scaling powers: $(cat output)"
}
check "$work/build/first_model" find_package

if "$work/build/first_model" 2>output; then fail 'no arguments, no error'; fi
grep -q usage output || fail 'no arguments, no usage'

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$pc
    # shellcheck disable=SC2046 # flags are words
    "$compiler" "$source/examples/library/first_model.cpp" -o linked $(pkg-config --cflags --libs perfmodel)
    check "$work/linked" pkg-config
fi

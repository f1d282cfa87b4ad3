#!/usr/bin/env bash
# Tests the packages of cmake/package.sh: packages.sh FOLDER [SECOND_FOLDER]. Needs root, debootstrap
# and a mirror of Debian.
#
# In a fresh Debian 12: the package installs in ten seconds, `perfmodel` fits, its manual page opens,
# Tab completes, find_package() finds the library, and removing both leaves nothing. In an empty root
# the static program fits. lintian finds nothing. SECOND_FOLDER has the packages of another build of
# the same commit, which must be the same bytes.
set -euo pipefail

packages=$(cd -- "${1:?see the top of this file}" && pwd)
source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
root=$work/debian
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
    echo "packages.sh: $*" >&2
    exit 1
}
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$* failed"; }; }
files() { (cd "$root" && find . -xdev \( -name proc -o -path ./var/cache -o -path ./var/lib/apt \) -prune -o -print | sort); }

lintian --fail-on error,warning "$packages"/*.deb 2>"$work/log" || fail 'lintian finds faults'
if [ -n "${2:-}" ]; then
    for file in "$packages"/*; do
        cmp "$file" "$2/$(basename "$file")" || fail 'two builds differ'
    done
fi

# The mirror that this machine uses.
mirror=$(awk '$1 == "URIs:" && $2 ~ "/debian/?$" { print $2; exit }
    $1 == "deb" { for (i = 2; i < NF; ++i) if ($i ~ "^http.*/debian/?$") { print $i; exit } }' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null || true)
quietly debootstrap --variant=minbase --include=bash-completion,man-db,zsh bookworm "$root" "$mirror"
mount -t proc proc "$root/proc"
cp "$packages"/*.deb "$root/tmp"
cp "$source/data/lenet5_test300.csv" "$root/root/runs.csv"
# Man pages are left out of a minimal Debian only by some images' own settings.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*
quietly inside apt-get update

# What the package needs is downloaded first: the ten seconds are those of the installation.
quietly inside apt-get install -y --download-only "/tmp/$(basename "$packages"/perfmodel_*.deb)"
files >"$work/before"
start=$(date +%s%N)
quietly inside apt-get install -y "/tmp/$(basename "$packages"/perfmodel_*.deb)"
seconds=$((($(date +%s%N) - start) / 1000000000))
[ "$seconds" -lt 10 ] || fail "the installation took $seconds s"
quietly inside perfmodel fit /root/runs.csv --output /root/model.json
inside man perfmodel | grep 'User Commands' >/dev/null || fail 'man perfmodel does not open'
inside man perfmodel-fit | grep -- '--expression' >/dev/null || fail 'man perfmodel-fit does not open'
completed=$(inside bash -c '. /usr/share/bash-completion/bash_completion
    . /usr/share/bash-completion/completions/perfmodel
    COMP_WORDS=(perfmodel fi) COMP_CWORD=1 COMP_LINE="perfmodel fi" COMP_POINT=12
    $(complete -p perfmodel | sed "s/.*-F \([^ ]*\).*/\1/") perfmodel fi perfmodel
    echo "${COMPREPLY[*]}"')
[ "${completed% }" = fit ] || fail "Tab completes perfmodel fi as '$completed'"
inside zsh -c 'autoload -U compinit && compinit -u && [ "${_comps[perfmodel]}" = _perfmodel ]' ||
    fail 'zsh does not find the completions'

cp -r "$source/examples/library" "$root/root/example"
quietly inside apt-get install -y --no-install-recommends g++ cmake make \
    "/tmp/$(basename "$packages"/libperfmodel-dev_*.deb)"
quietly inside cmake -S /root/example -B /root/build
quietly inside cmake --build /root/build
quietly inside /root/build/first_model /root/runs.csv /root/other.json kernel_size=3 pool_size=2 \
    activation=relu optimizer=adam dataset=mnist filters=32 learning_rate=0.001 padding=same stride=1 \
    dropout=0.5 workers=2 batch_size=64
quietly inside apt-get purge -y libperfmodel-dev perfmodel
if files | grep -v -e '^./root/' -e '^./tmp/' | grep perfmodel; then
    fail 'these files are left behind'
fi

mkdir "$work/empty"
tar -x -f "$packages"/perfmodel-*-linux-*.tar.gz --strip-components 1 -C "$work/empty"
cp "$source/data/lenet5_test300.csv" "$work/empty/runs.csv"
quietly chroot "$work/empty" /bin/perfmodel fit runs.csv --output model.json
# The version of the kernel interface that the program asks for.
file -L "$work/empty/bin/perfmodel" | grep -q 'statically linked.*GNU/Linux 3' ||
    fail 'the program of the archive is not static'
echo "packages: installed in $seconds s; all checks passed"

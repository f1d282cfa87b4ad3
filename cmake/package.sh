#!/usr/bin/env bash
# Builds the packages of this version into build/packages, or the folder given:
#
#   perfmodel_VERSION-1_ARCH.deb, libperfmodel-dev_VERSION-1_ARCH.deb   for Debian 12
#   perfmodel-VERSION-linux-ARCH.tar.gz    a static program that runs on any Linux since 3.2
#   perfmodel-VERSION.spdx.json            what is linked, with versions and licences (SPDX 2.3)
#
# The same commit gives the same bytes wherever it is built, with the same versions of the libraries.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "${1:-$root/build/packages}"
packages=$(cd -- "${1:-$root/build/packages}" && pwd)
cd -- "$root"
sh cmake/install-dependencies.sh --packages
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8

version=$(sed -n 's/^  VERSION //p' CMakeLists.txt)
architecture=$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure() { # FOLDER SETTING...
    cmake --preset release -B "$1" -DPERFMODEL_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
        "${@:2}" >"$work/log" || { cat "$work/log" >&2; exit 1; }
    cmake --build "$1" --parallel "$(nproc)" >"$work/log" || { cat "$work/log" >&2; exit 1; }
}

configure build/package -DPERFMODEL_PACKAGE=ON \
    -DPERFMODEL_ZSH_COMPLETIONS=share/zsh/vendor-completions
(cd build/package && umask 022 && cpack -G DEB -B "$work/deb" >"$work/log") ||
    { cat "$work/log" >&2; exit 1; }
cp "$work"/deb/*.deb "$packages"

configure build/package-static -DPERFMODEL_STATIC=ON
name=perfmodel-$version-linux-$architecture
cmake --install build/package-static --prefix "$work/$name" --component program --strip >"$work/log"
cp -r README.md LICENSE CHANGELOG.md docs "$work/$name"
mkdir "$work/$name/examples"
cp -r data "$work/$name"
cp -r examples/ci examples/measure examples/campaign.sh "$work/$name/examples"
chmod -R u=rwX,go=rX "$work/$name"
tar --create --directory "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
    --numeric-owner "$name" | gzip -9n >"$packages/$name.tar.gz"

sh cmake/sbom.sh "$version" >"$packages/perfmodel-$version.spdx.json"
ls -l "$packages"

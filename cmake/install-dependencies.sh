#!/bin/sh
# Installs what building perfmodel needs and this system lacks (Debian and its derivatives).
#
#   cmake/install-dependencies.sh            to build the program, without the black boxes of `compare`
#   cmake/install-dependencies.sh --compare  to build it with them
#   cmake/install-dependencies.sh --tests    to build it with them, and the tests
#   cmake/install-dependencies.sh --packages to build the packages (cmake/package.sh) as well
#   cmake/install-dependencies.sh --nightly  to test the packages and all recipes, and to fuzz as well
#   cmake/install-dependencies.sh --arm64    to build and test for arm64 as well
#   cmake/install-dependencies.sh --checks   to check the sources with clang-tidy as well
#
# Does nothing, and needs no privileges, where everything is already there.
set -eu

# command:package
tools='g++:g++ cmake:cmake ninja:ninja-build'
libraries='libeigen3-dev libcli11-dev nlohmann-json3-dev libfccp-dev libfmt-dev libspdlog-dev nettle-dev zlib1g-dev'
# perfmodel is built without it too, but then no database is read.
libraries="$libraries libsqlite3-dev"
black_boxes='libdlib-dev libxgboost-dev'

foreign='' # architecture of further packages

for argument in "$@"; do
    case $argument in
    --compare) libraries="$libraries $black_boxes" ;;
    --tests)
        tools="$tools parallel:parallel"
        libraries="$libraries $black_boxes catch2 python3-jsonschema python3-numpy python3-yaml"
        ;;
    --packages)
        tools="$tools help2man:help2man dpkg-shlibdeps:dpkg-dev"
        libraries="$libraries $black_boxes"
        ;;
    --nightly)
        tools="$tools lintian:lintian debootstrap:debootstrap file:file clang++:clang gcovr:gcovr"
        tools="$tools snakemake:snakemake slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge R:r-base-core"
        libraries="$libraries libomp-dev python3-pandas python3-sklearn python3-matplotlib"
        libraries="$libraries python3-onnx python3-tqdm python3-nbconvert python3-ipykernel"
        libraries="$libraries python3-pip python3-setuptools python3-wheel"
        ;;
    --arm64)
        tools="$tools aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64-static:qemu-user-static"
        libraries="$libraries nettle-dev:arm64 libfmt-dev:arm64 libspdlog-dev:arm64 zlib1g-dev:arm64 libsqlite3-dev:arm64"
        foreign=arm64
        ;;
    --checks) tools="$tools clang-tidy:clang-tidy" ;;
    -h | --help)
        sed -n '2,12s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
    *)
        echo "install-dependencies: unknown argument '$argument' (known: --compare, --tests, --packages, --nightly, --arm64, --checks)" >&2
        exit 2
        ;;
    esac
done

missing=''

# A tool counts wherever it came from; a library must be a package, CMake would find it there.
missing_tools=''
for tool in $tools; do
    if ! command -v "${tool%%:*}" >/dev/null 2>&1; then
        missing_tools="$missing_tools ${tool%%:*}"
        missing="$missing ${tool#*:}"
    fi
done

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    {
        echo 'install-dependencies: this is not a Debian-like system, nothing was installed.'
        echo 'perfmodel needs a C++20 compiler with OpenMP, CMake 3.25 or newer and Ninja, and these'
        echo 'libraries (names of their Debian packages):'
        echo "  $libraries"
        echo 'CMake downloads those libraries that it does not find, Nettle and zlib excepted;'
        echo 'without libdlib-dev, compare has no random forest and no support vector regression,'
        echo 'without libxgboost-dev no gradient boosting, without libsqlite3-dev no databases of runs.'
    } >&2
    if [ -n "$missing_tools" ]; then
        echo "install-dependencies: please install first:$missing_tools" >&2
        exit 1
    fi
    exit 0
fi

for package in $libraries; do
    status=$(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | head -n 1) || true
    if [ "$status" != installed ]; then
        missing="$missing $package"
    fi
done
missing=${missing# }

if [ -z "$missing" ]; then
    exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
    as_root='env'
elif command -v sudo >/dev/null 2>&1; then
    as_root='sudo env'
else
    {
        echo 'install-dependencies: these packages are missing, and installing them needs root:'
        echo "  apt-get install --no-install-recommends $missing"
    } >&2
    exit 1
fi

echo "install-dependencies: installing $missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Word splitting of $as_root and $missing is wanted.
# shellcheck disable=SC2086
if ! {
    if [ -n "$foreign" ]; then
        $as_root dpkg --add-architecture "$foreign"
    fi
    $as_root DEBIAN_FRONTEND=noninteractive apt-get update &&
        $as_root DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends $missing
} >"$log" 2>&1; then
    cat "$log" >&2
    echo "install-dependencies: could not install: $missing" >&2
    exit 1
fi

"""`pip install ./src/python` compiles the library with CMake and puts it into the package."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("PERFMODEL_BUILD_FOLDER", PROJECT / "build" / "python")).resolve()
OPTIONS = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
           "-DPERFMODEL_PRECOMPILE_HEADERS=ON", "-DPERFMODEL_PYTHON=ON", "-DPERFMODEL_BUILD_TESTS=OFF")


def run(*command):
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} is missing: cmake/install-dependencies.sh installs what the library is compiled with")


class BuildWithLibrary(build_py):
    """Compiles the library into the package: minutes the first time, of which `pip -v` shows the progress."""

    def run(self):
        super().run()
        if not (BUILD / "CMakeCache.txt").exists():
            run("cmake", "-S", str(PROJECT), "-B", str(BUILD), *OPTIONS)
        run("cmake", "--build", str(BUILD), "--target", "perfmodel_shared")
        library = Path(self.build_lib) / "perfmodel" / "libperfmodel.so"
        shutil.copy(BUILD / "libperfmodel.so", library)
        run("strip", str(library))


class BinaryWheel(bdist_wheel):
    """One wheel for every Python 3: the library is loaded by ctypes, not linked to Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    """Has a library of the platform, although setuptools does not compile it."""

    def has_ext_modules(self):
        return True


# What setuptools writes stays out of the sources.
metadata = BUILD.with_name(BUILD.name + "-wheel")
metadata.mkdir(parents=True, exist_ok=True)
version = re.search(r"^  VERSION ([0-9.]+)$", (PROJECT / "CMakeLists.txt").read_text(), re.MULTILINE)
setup(
    distclass=BinaryDistribution,
    name="perfmodel",
    version=version.group(1),
    description="Performance models of deep-learning training times",
    license="MIT",
    packages=["perfmodel"],
    package_data={"perfmodel": ["py.typed"]},
    python_requires=">=3.8",
    install_requires=["numpy"],
    options={"build": {"build_base": str(metadata)}, "egg_info": {"egg_base": str(metadata)}},
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": BinaryWheel},
)

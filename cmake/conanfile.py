"""Recipe for Conan 2, beside the sources: conan create cmake --build missing. Not tried yet."""
import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Perfmodel(ConanFile):
    name = "perfmodel"
    description = "Fits readable formulas for the time of a training iteration"
    license = "MIT"
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps"
    requires = ("eigen/3.4.0", "cli11/2.3.2", "nlohmann_json/3.11.2", "fmt/9.1.0", "spdlog/1.11.0",
                "fast-cpp-csv-parser/cci.20211104", "nettle/3.9.1",
                "zlib/1.3.1", "sqlite3/3.45.3")

    def set_version(self):
        self.version = re.search(r"^  VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "*.md", "cmake/*", "src/*", "include/*",
                        "docs/*", "data/*", "examples/*"):
            copy(self, pattern, ROOT, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["PERFMODEL_BUILD_TESTS"] = False
        toolchain.cache_variables["PERFMODEL_WITH_DLIB"] = False
        toolchain.cache_variables["PERFMODEL_WITH_XGBOOST"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):  # the package installs a CMake package of its own
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/perfmodel"]

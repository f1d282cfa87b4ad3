# All third-party packages, in one place.
#
# Each is taken from the system where the system has it: FIND_PACKAGE_ARGS makes
# FetchContent_MakeAvailable try find_package() first. Otherwise a pinned version is downloaded and
# built. That fallback is for systems that lack the package; on Debian, where
# cmake/install-dependencies.sh installs them all, it is not exercised.
include(FetchContent)

# The compiler's own: runs independent fits and starts in parallel.
find_package(OpenMP REQUIRED COMPONENTS CXX)

# csv.h needs threads; see cmake/FindFastCppCsvParser.cmake.
find_package(Threads REQUIRED)

# Eigen: design matrices and the small dense linear algebra of the fits.
# A header library: SOURCE_SUBDIR names a directory without CMakeLists.txt, so that its large build
# of tests and documentation stays out.
FetchContent_Declare(
  Eigen3
  GIT_REPOSITORY https://gitlab.com/libeigen/eigen.git
  GIT_TAG 3.4.0
  GIT_SHALLOW TRUE
  SOURCE_SUBDIR cmake/none
  FIND_PACKAGE_ARGS 3.4)

# CLI11: parses the command line and prints its help.
FetchContent_Declare(
  CLI11
  GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
  GIT_TAG v2.1.2
  GIT_SHALLOW TRUE
  SYSTEM
  FIND_PACKAGE_ARGS 2.1)

# nlohmann/json: reads and writes model files.
set(JSON_BuildTests OFF)
set(JSON_Install OFF)
FetchContent_Declare(
  nlohmann_json
  GIT_REPOSITORY https://github.com/nlohmann/json.git
  GIT_TAG v3.11.2
  GIT_SHALLOW TRUE
  SYSTEM
  FIND_PACKAGE_ARGS 3.11)

# fmt: messages with arguments, those of spdlog too.
set(FMT_INSTALL ON)
set(SPDLOG_FMT_EXTERNAL ON)
FetchContent_Declare(
  fmt
  GIT_REPOSITORY https://github.com/fmtlib/fmt.git
  GIT_TAG 9.1.0
  GIT_SHALLOW TRUE
  SYSTEM
  FIND_PACKAGE_ARGS 9.1)

# spdlog: progress and diagnostics on standard error, with levels.
FetchContent_Declare(
  spdlog
  GIT_REPOSITORY https://github.com/gabime/spdlog.git
  GIT_TAG v1.10.0
  GIT_SHALLOW TRUE
  SYSTEM
  FIND_PACKAGE_ARGS 1.10)

# fast-cpp-csv-parser: reads lines of measurement tables fast and with line numbers in its errors.
# It has no releases, hence a commit; see above for SOURCE_SUBDIR.
FetchContent_Declare(
  FastCppCsvParser
  GIT_REPOSITORY https://github.com/ben-strasser/fast-cpp-csv-parser.git
  GIT_TAG 75600d0b77448e6c410893830df0aec1dbacf8e3
  SOURCE_SUBDIR cmake/none
  FIND_PACKAGE_ARGS)

FetchContent_MakeAvailable(Eigen3 CLI11 nlohmann_json fmt spdlog FastCppCsvParser)

# Debian has no static spdlog and fmt; both can be used by their headers alone.
set(PERFMODEL_FMT fmt::fmt)
add_library(perfmodel_spdlog INTERFACE)
if(PERFMODEL_STATIC OR PERFMODEL_PYTHON)
  set(PERFMODEL_FMT fmt::fmt-header-only)
  target_compile_definitions(perfmodel_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
  target_link_libraries(perfmodel_spdlog INTERFACE fmt::fmt-header-only)
else()
  target_link_libraries(perfmodel_spdlog INTERFACE spdlog::spdlog)
endif()

# Targets for the downloaded header libraries, under the names that find_package() gives them.
if(NOT TARGET Eigen3::Eigen)
  add_library(Eigen3::Eigen INTERFACE IMPORTED)
  target_include_directories(Eigen3::Eigen SYSTEM INTERFACE "${eigen3_SOURCE_DIR}")
endif()
if(NOT TARGET FastCppCsvParser::FastCppCsvParser)
  add_library(FastCppCsvParser::FastCppCsvParser INTERFACE IMPORTED)
  target_include_directories(FastCppCsvParser::FastCppCsvParser SYSTEM
                             INTERFACE "${fastcppcsvparser_SOURCE_DIR}")
  target_link_libraries(FastCppCsvParser::FastCppCsvParser INTERFACE Threads::Threads)
endif()

# Nettle: SHA-256 of the measured runs, so that a model says which data it was fitted to. It is small,
# has no dependencies of its own and starts up in no time, unlike OpenSSL's libcrypto. Its build is
# not made with CMake, so there is no download: every distribution has it.
find_package(Nettle REQUIRED)

# zlib: unpacks files of runs that gzip compressed. As Nettle, every distribution has it.
set(ZLIB_USE_STATIC_LIBS ${PERFMODEL_STATIC})
find_package(ZLIB REQUIRED)

# SQLite: reads the databases of Optuna, MLflow and others, by its own library, since the format is
# not one to be read by other means. Optional: without it such files are refused, with the reason.
option(PERFMODEL_WITH_SQLITE "Use SQLite, where it is installed, to read runs from databases" ON)
if(PERFMODEL_WITH_SQLITE)
  find_package(SQLite3)
endif()

# dlib: the black boxes of `compare`, see cmake/FindDlib.cmake. Optional: without it `compare` leaves
# them out and says so.
option(PERFMODEL_WITH_DLIB "Use dlib, where it is installed, for the black boxes of compare" ON)
if(PERFMODEL_WITH_DLIB)
  find_package(Dlib)
endif()

# XGBoost: gradient boosting in `compare`, see cmake/FindXGBoost.cmake. Optional like dlib.
option(PERFMODEL_WITH_XGBOOST "Use XGBoost, where it is installed, for compare" ON)
if(PERFMODEL_WITH_XGBOOST)
  find_package(XGBoost)
endif()

# Catch2: the test framework. Versions 3 and 2 both do: distributions carry either.
# PERFMODEL_CATCH_MAIN is what a test executable links; with version 2, tests/main.cpp supplies
# main(), with version 3 the library does.
if(PERFMODEL_BUILD_TESTS)
  find_package(Catch2 3 QUIET)
  if(Catch2_FOUND)
    set(PERFMODEL_CATCH_MAJOR 3)
    set(PERFMODEL_CATCH_MAIN Catch2::Catch2WithMain)
  else()
    FetchContent_Declare(
      Catch2
      GIT_REPOSITORY https://github.com/catchorg/Catch2.git
      GIT_TAG v2.13.10
      GIT_SHALLOW TRUE
      SYSTEM
      FIND_PACKAGE_ARGS 2.13)
    FetchContent_MakeAvailable(Catch2)
    set(PERFMODEL_CATCH_MAJOR 2)
    set(PERFMODEL_CATCH_MAIN Catch2::Catch2)
    if(catch2_SOURCE_DIR) # downloaded: find_package() would have set the module path itself
      list(APPEND CMAKE_MODULE_PATH "${catch2_SOURCE_DIR}/contrib")
    endif()
  endif()
endif()

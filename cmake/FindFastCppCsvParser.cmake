# Finds fast-cpp-csv-parser, a single header that ships no CMake package of its own.
#
# Defines FastCppCsvParser_FOUND and the target FastCppCsvParser::FastCppCsvParser, with which
# `#include <csv.h>` works. FastCppCsvParser_INCLUDE_DIR may be set to where csv.h lies.
#
# "csv.h" is a common name, so a header without the class CSVReader does not count.
find_path(
  FastCppCsvParser_INCLUDE_DIR
  NAMES csv.h
  PATH_SUFFIXES libfccp fast-cpp-csv-parser fast_cpp_csv_parser
  NO_CACHE)
if(FastCppCsvParser_INCLUDE_DIR)
  file(STRINGS "${FastCppCsvParser_INCLUDE_DIR}/csv.h" perfmodel_csv_reader REGEX "class CSVReader")
  if(NOT perfmodel_csv_reader)
    unset(FastCppCsvParser_INCLUDE_DIR)
  endif()
  unset(perfmodel_csv_reader)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FastCppCsvParser REQUIRED_VARS FastCppCsvParser_INCLUDE_DIR)

if(FastCppCsvParser_FOUND AND NOT TARGET FastCppCsvParser::FastCppCsvParser)
  find_package(Threads REQUIRED) # the parser reads ahead in a thread
  add_library(FastCppCsvParser::FastCppCsvParser INTERFACE IMPORTED)
  target_include_directories(FastCppCsvParser::FastCppCsvParser SYSTEM
                             INTERFACE "${FastCppCsvParser_INCLUDE_DIR}")
  target_link_libraries(FastCppCsvParser::FastCppCsvParser INTERFACE Threads::Threads)
endif()

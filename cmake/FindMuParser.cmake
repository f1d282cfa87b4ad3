# Finds muParser, whose own CMake package file is not in every distribution's package. Defines the
# target muparser::muparser.
find_path(MuParser_INCLUDE_DIR muParser.h)
find_library(MuParser_LIBRARY muparser)
mark_as_advanced(MuParser_INCLUDE_DIR MuParser_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuParser REQUIRED_VARS MuParser_LIBRARY MuParser_INCLUDE_DIR)

if(MuParser_FOUND AND NOT TARGET muparser::muparser)
  add_library(muparser::muparser UNKNOWN IMPORTED)
  set_target_properties(
    muparser::muparser PROPERTIES IMPORTED_LOCATION "${MuParser_LIBRARY}"
                                  INTERFACE_INCLUDE_DIRECTORIES "${MuParser_INCLUDE_DIR}")
endif()

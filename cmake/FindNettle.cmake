# Finds the cryptographic library Nettle, which ships pkg-config files but no CMake package.
#
# Defines Nettle_FOUND and the target Nettle::Nettle.
find_path(Nettle_INCLUDE_DIR NAMES nettle/sha2.h)
if(PERFMODEL_PYTHON)
  find_library(Nettle_LIBRARY NAMES libnettle.a nettle) # part of libperfmodel.so
else()
  find_library(Nettle_LIBRARY NAMES nettle)
endif()
mark_as_advanced(Nettle_INCLUDE_DIR Nettle_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Nettle
  REQUIRED_VARS Nettle_LIBRARY Nettle_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install nettle-dev (Debian, Ubuntu) or nettle-devel (Fedora)")

if(Nettle_FOUND AND NOT TARGET Nettle::Nettle)
  add_library(Nettle::Nettle UNKNOWN IMPORTED)
  set_target_properties(
    Nettle::Nettle PROPERTIES IMPORTED_LOCATION "${Nettle_LIBRARY}"
                              INTERFACE_INCLUDE_DIRECTORIES "${Nettle_INCLUDE_DIR}")
endif()

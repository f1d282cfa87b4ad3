# Finds dlib, whose random forest and support vector regression `perfmodel compare` uses. Defines
# the target Dlib::Dlib.
#
# The static library is preferred: the few object files that are needed then become part of the
# program, where the shared library would bring BLAS, LAPACK and image libraries into each start.
# dlib's own CMake package knows only the shared one.
find_path(Dlib_INCLUDE_DIR dlib/random_forest.h)
find_library(Dlib_LIBRARY NAMES libdlib.a dlib)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Dlib REQUIRED_VARS Dlib_LIBRARY Dlib_INCLUDE_DIR)

if(Dlib_FOUND AND NOT TARGET Dlib::Dlib)
  find_package(Threads REQUIRED)
  add_library(Dlib::Dlib UNKNOWN IMPORTED)
  set_target_properties(
    Dlib::Dlib
    PROPERTIES IMPORTED_LOCATION "${Dlib_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${Dlib_INCLUDE_DIR}"
               INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
mark_as_advanced(Dlib_INCLUDE_DIR Dlib_LIBRARY)

# Finds XGBoost, whose gradient boosting `perfmodel compare` uses. Defines the target
# XGBoost::XGBoost.
#
# Debian's package has no CMake file. Loading the library takes about 3 ms, so that the program does
# it when `compare` asks for it (src/tools/compare/gradient_boosting.cpp): the target has the headers and
# dlopen(), not the library. XGBoost_SONAME is the name to load it by.
find_path(XGBoost_INCLUDE_DIR xgboost/c_api.h)
find_library(XGBoost_LIBRARY NAMES xgboost)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XGBoost REQUIRED_VARS XGBoost_LIBRARY XGBoost_INCLUDE_DIR)

if(XGBoost_FOUND AND NOT TARGET XGBoost::XGBoost)
  set(XGBoost_SONAME "${XGBoost_LIBRARY}")
  if(CMAKE_OBJDUMP)
    execute_process(
      COMMAND "${CMAKE_OBJDUMP}" -p "${XGBoost_LIBRARY}"
      OUTPUT_VARIABLE xgboost_headers
      ERROR_QUIET)
    if(xgboost_headers MATCHES "SONAME +([^ \n]+)")
      set(XGBoost_SONAME "${CMAKE_MATCH_1}")
    endif()
  endif()
  add_library(XGBoost::XGBoost INTERFACE IMPORTED)
  set_target_properties(
    XGBoost::XGBoost PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${XGBoost_INCLUDE_DIR}"
                                INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()
mark_as_advanced(XGBoost_INCLUDE_DIR XGBoost_LIBRARY)

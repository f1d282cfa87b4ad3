# Finds XGBoost, whose gradient boosting `perfmodel compare` uses. Defines the target
# XGBoost::XGBoost.
#
# Debian's package has no CMake file. Loading the library costs about 3 ms of each start.
find_path(XGBoost_INCLUDE_DIR xgboost/c_api.h)
find_library(XGBoost_LIBRARY NAMES xgboost)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XGBoost REQUIRED_VARS XGBoost_LIBRARY XGBoost_INCLUDE_DIR)

if(XGBoost_FOUND AND NOT TARGET XGBoost::XGBoost)
  add_library(XGBoost::XGBoost UNKNOWN IMPORTED)
  set_target_properties(
    XGBoost::XGBoost PROPERTIES IMPORTED_LOCATION "${XGBoost_LIBRARY}"
                                INTERFACE_INCLUDE_DIRECTORIES "${XGBoost_INCLUDE_DIR}")
endif()
mark_as_advanced(XGBoost_INCLUDE_DIR XGBoost_LIBRARY)

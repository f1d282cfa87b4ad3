#pragma once

#include <xgboost/c_api.h>

namespace perfmodel {

/// The functions of XGBoost's C interface that gradient boosting calls.
///
/// The library is loaded when they are first asked for, not when the program starts: that costs
/// 3 ms, as long as a small fit, and `compare` alone needs it.
struct XgboostFunctions {
  decltype(&XGBGetLastError) last_error;
  decltype(&XGDMatrixCreateFromMat) create_matrix;
  decltype(&XGDMatrixFree) free_matrix;
  decltype(&XGDMatrixSetFloatInfo) set_float_info;
  decltype(&XGBoosterCreate) create_booster;
  decltype(&XGBoosterFree) free_booster;
  decltype(&XGBoosterSetParam) set_parameter;
  decltype(&XGBoosterUpdateOneIter) update;
  decltype(&XGBoosterPredictFromDMatrix) predict;
};

/// Throws std::runtime_error where the library, which was there at the build, is gone.
const XgboostFunctions& xgboost_functions();

}  // namespace perfmodel

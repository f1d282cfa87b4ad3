#ifdef PERFMODEL_XGBOOST_LIBRARY

#include "analysis/compare/xgboost_library.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace perfmodel {
namespace {

std::runtime_error loading_error() {
  return std::runtime_error(std::string("xgboost cannot be loaded: ") + dlerror());
}

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr)
    throw loading_error();
  function = reinterpret_cast<Function>(symbol);
}

XgboostFunctions load_xgboost() {
  // By its soname, as the dynamic linker would, else where the build found it. Never closed: its
  // threads and thread-local memory may outlive the last call.
  void* library = dlopen(PERFMODEL_XGBOOST_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    library = dlopen(PERFMODEL_XGBOOST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw loading_error();
  XgboostFunctions out{};
  resolve(library, "XGBGetLastError", out.last_error);
  resolve(library, "XGDMatrixCreateFromMat", out.create_matrix);
  resolve(library, "XGDMatrixFree", out.free_matrix);
  resolve(library, "XGDMatrixSetFloatInfo", out.set_float_info);
  resolve(library, "XGBoosterCreate", out.create_booster);
  resolve(library, "XGBoosterFree", out.free_booster);
  resolve(library, "XGBoosterSetParam", out.set_parameter);
  resolve(library, "XGBoosterUpdateOneIter", out.update);
  resolve(library, "XGBoosterPredictFromDMatrix", out.predict);
  return out;
}

}  // namespace

const XgboostFunctions& xgboost_functions() {
  static const XgboostFunctions functions = load_xgboost();
  return functions;
}

}  // namespace perfmodel

#endif

#include "compare/comparison.hpp"

// Headers and dlopen() alone: who links the library needs no XGBoost, which is optional.

#ifdef PERFMODEL_WITH_XGBOOST

#include <dlfcn.h>
#include <xgboost/c_api.h>

#include <stdexcept>
#include <utility>

namespace perfmodel {
namespace {

void* loaded(void* found) {
  if (found == nullptr)
    throw std::runtime_error(std::string("xgboost cannot be loaded: ") + dlerror());
  return found;
}

/// A function of XGBoost's library, by its name.
struct XgboostSymbol {
  void* library;
  const char* name;

  template <class Function>
  operator Function*() const {  // NOLINT(google-explicit-constructor): as dlsym() for any function
    return reinterpret_cast<Function*>(loaded(dlsym(library, name)));
  }
};

void* xgboost_library() {
  // By its soname, as the dynamic linker would find it, else at its place at build time. Never
  // closed, since its threads and thread-local memory may outlive the last call.
  void* const library = dlopen(PERFMODEL_XGBOOST_SONAME, RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? library
                            : loaded(dlopen(PERFMODEL_XGBOOST_LIBRARY, RTLD_NOW | RTLD_LOCAL));
}

/// The functions of XGBoost's C interface that gradient boosting calls.
struct XgboostFunctions {
  void* library = xgboost_library();
  decltype(&XGBGetLastError) last_error = XgboostSymbol{library, "XGBGetLastError"};
  decltype(&XGDMatrixCreateFromMat) create_matrix =
      XgboostSymbol{library, "XGDMatrixCreateFromMat"};
  decltype(&XGDMatrixFree) free_matrix = XgboostSymbol{library, "XGDMatrixFree"};
  decltype(&XGDMatrixSetFloatInfo) set_float_info = XgboostSymbol{library, "XGDMatrixSetFloatInfo"};
  decltype(&XGBoosterCreate) create_booster = XgboostSymbol{library, "XGBoosterCreate"};
  decltype(&XGBoosterFree) free_booster = XgboostSymbol{library, "XGBoosterFree"};
  decltype(&XGBoosterSetParam) set_parameter = XgboostSymbol{library, "XGBoosterSetParam"};
  decltype(&XGBoosterUpdateOneIter) update = XgboostSymbol{library, "XGBoosterUpdateOneIter"};
  decltype(&XGBoosterPredictFromDMatrix) predict =
      XgboostSymbol{library, "XGBoosterPredictFromDMatrix"};
};

/// The library is loaded on first use, not when the program starts: that takes 3 ms, as long as a
/// small fit, and only `compare` needs it. Throws std::runtime_error if the library, which was
/// present at build time, is missing.
const XgboostFunctions& xgboost_functions() {
  static const XgboostFunctions functions;
  return functions;
}

void require_success(int status) {
  if (status != 0)
    throw std::runtime_error(std::string("xgboost: ") + xgboost_functions().last_error());
}

/// A feature matrix in XGBoost's representation.
std::shared_ptr<void> boosting_rows(const Eigen::MatrixXd& rows) {
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> features =
      rows.cast<float>();
  DMatrixHandle handle = nullptr;
  require_success(xgboost_functions().create_matrix(
      features.data(), static_cast<bst_ulong>(features.rows()),
      static_cast<bst_ulong>(features.cols()), std::nanf(""), &handle));
  return {handle, xgboost_functions().free_matrix};
}

std::shared_ptr<void> boosted(const std::shared_ptr<void>& rows, std::uint64_t seed) {
  const DMatrixHandle data[] = {rows.get()};
  BoosterHandle handle = nullptr;
  require_success(xgboost_functions().create_booster(data, 1, &handle));
  std::shared_ptr<void> booster(handle, xgboost_functions().free_booster);
  const std::pair<const char*, std::string> parameters[] = {
      {"verbosity", "0"},
      {"nthread", "1"},  // sums of several threads could differ in their last bits
      {"seed", std::to_string(seed % 2147483648U)},
      {"objective", "reg:squarederror"},
      {"base_score", "0"},
      {"tree_method", "exact"},
      {"max_depth", "5"},
      {"eta", "0.1"},
      {"lambda", "0"},  // XGBoost's own default is 1
      {"min_child_weight", "1"},
  };
  for (const auto& [name, value] : parameters)
    require_success(xgboost_functions().set_parameter(handle, name, value.c_str()));
  constexpr int trees = 500;
  for (int round = 0; round < trees; ++round)
    require_success(xgboost_functions().update(handle, round, rows.get()));
  return booster;
}

Eigen::VectorXd boosted_values(const std::shared_ptr<void>& booster, const Eigen::MatrixXd& rows) {
  const std::shared_ptr<void> asked = boosting_rows(rows);
  const char* config = R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0,)"
                       R"( "strict_shape": false})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* values = nullptr;
  require_success(xgboost_functions().predict(booster.get(), asked.get(), config, &shape,
                                              &dimensions, &values));
  return Eigen::Map<const Eigen::VectorXf>(values, rows.rows()).cast<double>();
}

}  // namespace

Regressor make_gradient_boosting(std::uint64_t seed) {
  const auto learn = [seed](const Design& training) -> LearnedTimes {
    const Eigen::VectorXd logs = training.time.array().log();
    const double offset = logs.mean();
    // Trees depend on the order of values only, so that logarithms would give the same.
    const Eigen::MatrixXd features = one_hot_features(training, NumericForm::plain);
    const FeatureUnits units = float_units(features);
    const std::shared_ptr<void> rows = boosting_rows(units(features));
    const Eigen::VectorXf labels = (logs.array() - offset).cast<float>();
    require_success(xgboost_functions().set_float_info(rows.get(), "label", labels.data(),
                                                       static_cast<bst_ulong>(labels.size())));
    const std::shared_ptr<void> booster = boosted(rows, seed);
    return {[offset, units, booster](const Design& design) -> Eigen::VectorXd {
      const Eigen::MatrixXd asked = units(one_hot_features(design, NumericForm::plain));
      return (offset + boosted_values(booster, asked).array()).exp();
    }};
  };
  return {"gradient boosting", learn};
}

}  // namespace perfmodel

#else

namespace perfmodel {

Regressor make_gradient_boosting(std::uint64_t /*seed*/) {
  return {};
}

}  // namespace perfmodel

#endif

#include <xgboost/c_api.h>

#include "analysis/comparison.hpp"

namespace perfmodel {

/// The functions of XGBoost's C interface that gradient boosting calls.
///
/// The library is loaded on first use, not when the program starts: that takes 3 ms, as long as a
/// small fit, and only `compare` needs it.
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

}  // namespace perfmodel

#ifdef PERFMODEL_XGBOOST_LIBRARY

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
  // By its soname, as the dynamic linker would find it, else at its place at build time. Never
  // closed, since its threads and thread-local memory may outlive the last call.
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

/// Throws std::runtime_error if the library, which was present at build time, is missing.
const XgboostFunctions& xgboost_functions() {
  static const XgboostFunctions functions = load_xgboost();
  return functions;
}

}  // namespace perfmodel

#endif

#ifdef PERFMODEL_WITH_XGBOOST

#include <stdexcept>

#include "analysis/comparison.hpp"
#include "base/text.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

void require_success(int status) {
  if (status != 0)
    throw std::runtime_error(std::string("xgboost: ") + xgboost_functions().last_error());
}

/// A feature matrix, optionally with labels, in XGBoost's representation.
class BoostingRows {
 public:
  explicit BoostingRows(const Eigen::MatrixXd& rows) {
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> features =
        rows.cast<float>();
    require_success(xgboost_functions().create_matrix(
        features.data(), static_cast<bst_ulong>(features.rows()),
        static_cast<bst_ulong>(features.cols()), std::nanf(""), &handle_));
  }
  ~BoostingRows() { xgboost_functions().free_matrix(handle_); }
  BoostingRows(const BoostingRows&) = delete;
  BoostingRows& operator=(const BoostingRows&) = delete;

  void set_labels(const Eigen::VectorXf& labels) {
    require_success(xgboost_functions().set_float_info(handle_, "label", labels.data(),
                                                       static_cast<bst_ulong>(labels.size())));
  }
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class GradientBoosting final : public Regressor {
 public:
  explicit GradientBoosting(std::uint64_t seed) : seed_(seed) {}
  ~GradientBoosting() override {
    if (booster_ != nullptr)
      xgboost_functions().free_booster(booster_);
  }
  GradientBoosting(const GradientBoosting&) = delete;
  GradientBoosting& operator=(const GradientBoosting&) = delete;

  std::string name() const override { return "gradient boosting"; }

  void fit(const Design& training) override {
    const Eigen::VectorXd logs = training.time.array().log();
    offset_ = logs.mean();
    // Trees depend on the order of values only, so that logarithms would give the same.
    const Eigen::MatrixXd features = one_hot_features(training, NumericForm::plain);
    units_ = FloatUnits(features);
    BoostingRows rows(units_(features));
    rows.set_labels((logs.array() - offset_).cast<float>());
    const DMatrixHandle data[] = {rows.handle()};
    require_success(xgboost_functions().create_booster(data, 1, &booster_));
    const std::pair<const char*, std::string> parameters[] = {
        {"verbosity", "0"},
        {"nthread", "1"},  // sums of several threads could differ in their last bits
        {"seed", std::to_string(seed_ % 2147483648U)},
        {"objective", "reg:squarederror"},
        {"base_score", "0"},
        {"tree_method", "exact"},
        {"max_depth", std::to_string(kBoostingDepth)},
        {"eta", to_text(kBoostingRate)},
        {"lambda", "0"},  // XGBoost's own default is 1
        {"min_child_weight", "1"},
    };
    for (const auto& [name, value] : parameters)
      require_success(xgboost_functions().set_parameter(booster_, name, value.c_str()));
    for (int round = 0; round < kBoostingTrees; ++round)
      require_success(xgboost_functions().update(booster_, round, rows.handle()));
  }

  Eigen::VectorXd predict(const Design& design) const override {
    const BoostingRows rows(units_(one_hot_features(design, NumericForm::plain)));
    const char* config =
        R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0,)"
        R"( "strict_shape": false})";
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* values = nullptr;
    require_success(
        xgboost_functions().predict(booster_, rows.handle(), config, &shape, &dimensions, &values));
    const Eigen::Map<const Eigen::VectorXf> logs(values, static_cast<Index>(design.rows));
    return (offset_ + logs.cast<double>().array()).exp();
  }

 private:
  std::uint64_t seed_;
  double offset_ = 0;
  FloatUnits units_;
  BoosterHandle booster_ = nullptr;
};

}  // namespace

bool has_gradient_boosting() {
  return true;
}

std::unique_ptr<Regressor> make_gradient_boosting(std::uint64_t seed) {
  return std::make_unique<GradientBoosting>(seed);
}

}  // namespace perfmodel

#else

namespace perfmodel {

bool has_gradient_boosting() {
  return false;
}

std::unique_ptr<Regressor> make_gradient_boosting(std::uint64_t /*seed*/) {
  return nullptr;
}

}  // namespace perfmodel

#endif

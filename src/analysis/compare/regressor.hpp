#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Anything that learns times from measured runs and predicts them.
class Regressor {
 public:
  Regressor() = default;
  virtual ~Regressor() = default;
  Regressor(const Regressor&) = delete;
  Regressor& operator=(const Regressor&) = delete;

  virtual std::string name() const = 0;
  virtual void fit(const Design& training) = 0;
  /// After `fit`. One time per row.
  virtual Eigen::VectorXd predict(const Design& design) const = 0;
  /// The fitted expression with its constants; null for a black box.
  virtual const FittedModel* expression() const { return nullptr; }
};

/// An expression that fit() fits, with its own penalty.
std::unique_ptr<Regressor> make_expression(std::string name, const ModelSpec& spec,
                                           const FitOptions& options);

/// The random forest of Breiman 2001 with scikit-learn's defaults: 100 trees on bootstrap samples,
/// all features considered at each split, leaves of at least 1 row.
std::unique_ptr<Regressor> make_random_forest(std::uint64_t seed);

/// Support vector regression with an RBF kernel and scikit-learn's defaults (C = 1, epsilon = 0.1,
/// gamma = 1 / (columns * variance)) on standardised features.
enum class SvrTarget {
  time,  ///< as measured: epsilon is then a time, which may be far from fair
  /// Standardised ln(time) of ln(numeric columns): independent of all units.
  log_time,
};
std::unique_ptr<Regressor> make_support_vectors(SvrTarget target);

/// Whether this program was built with dlib. Without it the two makers above return null.
bool has_black_boxes();

/// Gradient boosting (Friedman 2001) of ln(time) with squared error and exact splits: settings
/// strong enough to win over a forest where rows are many.
constexpr int kBoostingTrees = 500;
constexpr int kBoostingDepth = 5;
constexpr double kBoostingRate = 0.1;
std::unique_ptr<Regressor> make_gradient_boosting(std::uint64_t seed);

/// Whether this program was built with XGBoost. Without it the maker above returns null.
bool has_gradient_boosting();

}  // namespace perfmodel

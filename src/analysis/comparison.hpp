#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/scaling.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// A model in a ranking of models of the same kind.
struct RankedModel {
  std::optional<Configuration> configuration;  ///< where it is evaluated
  std::optional<double> time;                  ///< there; nullopt if the model gives none
  std::optional<double> growth;                ///< t(2x) / t(x) there, x being the scale
};

/// Where models are compared: at the largest value at which any of them was measured, of the first
/// scale of the first model that has a scale.
struct RankingPlace {
  std::string scale;  ///< empty: no model has a scale
  double at = 0;

  void see(const FittedModel& model);
  /// The model's central run at this value of the scale, or unchanged if the model lacks the scale.
  std::optional<Configuration> configuration(const FittedModel& model) const;
};

/// Evaluates a model at a configuration, if any: its time, and the effect of doubling the scale.
RankedModel ranked_at(const FittedModel& model, const std::string& scale,
                      std::optional<Configuration> configuration);

/// How numeric columns are transformed to features.
enum class NumericForm { plain, logarithmic };

/// Features for black boxes, one row per run: a column per numeric input (intrinsic, then
/// extrinsic), then an indicator column per level of each categorical input.
///
/// `zero_units`: from zero_units_of(); a logarithmic column with a unit > 0 is ln(1 + x / unit).
Eigen::MatrixXd one_hot_features(const Design& design, NumericForm form,
                                 const std::vector<double>& zero_units = {});

/// Per numeric input: the smallest value above 0 if the rows contain 0, else 0.
std::vector<double> zero_units_of(const Design& training);

/// Standardises columns to the mean 0 and standard deviation 1 (divisor n) of the rows passed to
/// the constructor; a constant column becomes 0.
class Standardiser {
 public:
  Standardiser() = default;
  explicit Standardiser(const Eigen::MatrixXd& rows);
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& rows) const;

 private:
  Eigen::RowVectorXd mean_;
  Eigen::RowVectorXd deviation_;
};

/// Scales each column by a power of two, so that its largest value in the rows passed to the
/// constructor is near 1: black boxes that compute in single precision cannot represent the values
/// of every unit. Powers of two change no digit.
class FloatUnits {
 public:
  FloatUnits() = default;
  explicit FloatUnits(const Eigen::MatrixXd& rows);
  /// Values that are too large for a float even so become the largest float.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& rows) const;

 private:
  Eigen::RowVectorXi exponents_;
};

/// A method that learns times from measured runs and predicts them.
class Regressor {
 public:
  Regressor() = default;
  virtual ~Regressor() = default;
  Regressor(const Regressor&) = delete;
  Regressor& operator=(const Regressor&) = delete;

  virtual std::string name() const = 0;
  virtual void fit(const Design& training) = 0;
  /// One time per row. Call `fit` first.
  virtual Eigen::VectorXd predict(const Design& design) const = 0;
  /// The fitted model; null for a black box.
  virtual const FittedModel* expression() const { return nullptr; }
};

/// Fits a model by fit(), with its own penalty.
std::unique_ptr<Regressor> make_expression(std::string name, const ModelSpec& spec,
                                           const FitOptions& options);

/// A random forest (Breiman 2001) of ln(time) with scikit-learn's defaults: 100 trees on bootstrap
/// samples, all features considered at each split, leaves of at least one row.
std::unique_ptr<Regressor> make_random_forest(std::uint64_t seed);

/// Support vector regression with an RBF kernel and scikit-learn's defaults (C = 1, epsilon = 0.1,
/// gamma = 1 / (columns * variance)) on standardised features.
enum class SvrTarget {
  time,  ///< as measured: epsilon is then a time, which may be unfair
  /// Standardised ln(time) as a function of ln(numeric columns): independent of all units.
  log_time,
};
std::unique_ptr<Regressor> make_support_vectors(SvrTarget target);

/// Whether this program was built with dlib. Without it, the two functions above return null.
bool has_black_boxes();

/// Gradient boosting (Friedman 2001) of ln(time) with squared error and exact splits, with settings
/// strong enough to beat a forest if there are many rows.
constexpr int kBoostingTrees = 500;
constexpr int kBoostingDepth = 5;
constexpr double kBoostingRate = 0.1;
std::unique_ptr<Regressor> make_gradient_boosting(std::uint64_t seed);

/// Whether this program was built with XGBoost. Without it, the function above returns null.
bool has_gradient_boosting();

}  // namespace perfmodel

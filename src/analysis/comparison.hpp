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

/// A model beside others of its kind.
struct RankedModel {
  std::optional<Configuration> configuration;  ///< where it is asked
  std::optional<double> time;                  ///< there; nothing where the model gives none
  std::optional<double> growth;                ///< t(2x) / t(x) there, by the scale
};

/// Where models are ranked: at the largest value that any of them was measured at, of the first
/// scale of the first one that has a scale.
struct RankingPlace {
  std::string scale;  ///< empty: none has one
  double at = 0;

  void see(const FittedModel& model);
  /// All else as in the central run; that itself of a model without the scale.
  std::optional<Configuration> configuration(const FittedModel& model) const;
};

/// What a model says at a configuration, if it has one, and how the scale moves it there.
RankedModel ranked_at(const FittedModel& model, const std::string& scale,
                      std::optional<Configuration> configuration);

/// How numeric columns enter the features.
enum class NumericForm { plain, logarithmic };

/// The rows as black boxes take them: one column per numeric input (intrinsic, then extrinsic),
/// then one of 0 and 1 per level of each categorical input. Observations are rows.
///
/// Logarithmic columns that may be 0 have a unit above 0, and are ln(1 + x / unit).
Eigen::MatrixXd one_hot_features(const Design& design, NumericForm form,
                                 const std::vector<double>& zero_units = {});

/// Of each numeric input the smallest value above 0 where 0 is among the rows' values, else 0.
std::vector<double> zero_units_of(const Design& training);

/// Moves each column to mean 0 and standard deviation 1 (over n) of the rows it was made from; a
/// column of one value becomes 0.
class Standardiser {
 public:
  Standardiser() = default;
  explicit Standardiser(const Eigen::MatrixXd& rows);
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& rows) const;

 private:
  Eigen::RowVectorXd mean_;
  Eigen::RowVectorXd deviation_;
};

/// Writes each column in a unit in which its largest value in the rows it was made from is near 1:
/// black boxes that compute in single precision do not hold the values of every unit. Units are
/// powers of two, so that no digit changes.
class FloatUnits {
 public:
  FloatUnits() = default;
  explicit FloatUnits(const Eigen::MatrixXd& rows);
  /// What no float holds even so becomes the largest one.
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& rows) const;

 private:
  Eigen::RowVectorXi exponents_;
};

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

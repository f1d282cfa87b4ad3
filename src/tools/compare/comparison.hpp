#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/fit.hpp"

namespace perfmodel {

/// How numeric columns are transformed to features.
enum class NumericForm { plain, logarithmic };

/// Features for black boxes, one row per run: a column per numeric input (intrinsic, then
/// extrinsic), then an indicator column per level of each categorical input.
///
/// `zero_units`: from zero_units_of(); a logarithmic column with a unit > 0 is ln(1 + x / unit).
MatrixXd one_hot_features(const Design& design, NumericForm form,
                          const std::vector<double>& zero_units = {});

/// Per numeric input: the smallest value above 0 if the rows contain 0, else 0.
std::vector<double> zero_units_of(const Design& training);

/// Changes the units of features.
using FeatureUnits = std::function<MatrixXd(const MatrixXd& rows)>;

/// In which the columns of these rows have the mean 0 and standard deviation 1 (divisor n); a
/// constant column becomes 0.
FeatureUnits standard_units(const MatrixXd& rows);

/// A power of two per column, by which its largest value in these rows is near 1: black boxes that
/// compute in single precision cannot represent the values of every unit. Powers of two change no
/// digit. Values that are too large for a float even so become the largest float.
FeatureUnits float_units(const MatrixXd& rows);

/// What a method learned from measured runs.
struct LearnedTimes {
  std::function<VectorXd(const Design&)> predict;      ///< one time per row
  std::shared_ptr<const FittedModel> expression = {};  ///< null for a black box
};

/// A method that learns times from measured runs.
struct Regressor {
  std::string name;
  std::function<LearnedTimes(const Design& training)> fit;  ///< null if it was not built in
};

/// Fits a model by fit(), with its own penalty.
Regressor make_expression(std::string name, const ModelSpec& spec, const FitOptions& options);

/// A random forest (Breiman 2001) of ln(time) with scikit-learn's defaults: 100 trees on bootstrap
/// samples, all features considered at each split, leaves of at least one row.
Regressor make_random_forest(std::uint64_t seed);

/// Support vector regression with an RBF kernel and scikit-learn's defaults (C = 1, epsilon = 0.1,
/// gamma = 1 / (columns * variance)) on standardised features: of the time as measured, so that
/// epsilon is a time, which may be unfair, or of standardised ln(time) as a function of ln(numeric
/// columns), which is independent of all units.
Regressor make_support_vectors(NumericForm form);

/// Whether this program was built with dlib. Without it, the two functions above return methods
/// that cannot fit.
bool has_black_boxes();

/// Gradient boosting (Friedman 2001) of ln(time) with squared error and exact splits, with settings
/// strong enough to beat a forest if there are many rows.
Regressor make_gradient_boosting(std::uint64_t seed);

/// Whether this program was built with XGBoost. Without it, the function above returns a method
/// that cannot fit.
bool has_gradient_boosting();

/// Errors of one model on the runs of one file.
struct ModelScore {
  std::string name;
  std::size_t source = 0;  ///< index of the file
  std::string file;
  PartMetrics metrics;
  double fit_seconds = 0;
  /// Extrinsic columns and their powers; empty for a black box.
  std::vector<std::string> columns;
  std::vector<double> scaling_powers;
};

/// A split that tests the extrapolation of a column.
struct Extrapolation {
  Split split;
  double limit = 0;  ///< rows up to this value train, larger ones test
};

/// Splits `rows` by a numeric column: values up to `limit` train, larger ones test. Without a
/// limit, the lowest 60 % of the distinct values (rounded up, but not all) train.
///
/// Throws InputError if the column is missing or holds text, UsageError if either side is empty.
Extrapolation split_by_value(const Table& table, std::span<const std::size_t> rows,
                             std::string_view column, std::optional<double> limit);

/// How the models of a comparison are fitted.
struct CompareRequest {
  FitOptions options;        ///< `form` is Eq. (4); loss and penalty are set model by model
  SumOptions sum;            ///< of the sum of products
  std::optional<Loss> loss;  ///< nullopt: the default of each expression
  double l1 = 0.001;         ///< of the second and third model; the paper's lambda
  double l2 = 0.001;
};

/// Fits and scores on the same rows: Eq. (4) without a penalty, with L1 and with L2; a sum of
/// products if its terms can be chosen (terms_can_be_chosen()); one product with a Gaussian-process
/// residual and the automatic choice of a form, which only the method `scaled` fits; and the black
/// boxes that were built in. `done` is called after each model.
///
/// Throws Interrupted after a stop request.
std::vector<ModelScore> compare_models(
    const PreparedRuns& runs, const CompareRequest& request,
    const std::function<void(std::size_t done, std::size_t all)>& done = nullptr);

}  // namespace perfmodel

#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace perfmodel::process {

/// A symmetric function of two values of a column, over all pairs of its values. What belongs to a
/// value is computed when it is asked for first: few predictions need few of them.
class ValueTable {
 public:
  /// Of each of the values with one of them.
  using OfValue = std::function<void(const Eigen::VectorXd& values, double value, double* out)>;

  static constexpr Eigen::Index kMostValues = 2048;  ///< 32 MiB

  /// No table where there are more values than `most`.
  ValueTable(const Eigen::VectorXd& values, OfValue of, Eigen::Index most = kMostValues);

  bool exists() const { return table_ != nullptr; }
  /// The function of this value and each of all values. From any thread.
  const double* of_value(std::uint32_t code) const;

 private:
  Eigen::VectorXd values_;
  OfValue of_;
  std::unique_ptr<double[]> table_;
  std::unique_ptr<std::once_flag[]> computed_;
};

/// What a number is measured in where the process compares it with others.
enum class CoordinateForm {
  log,           ///< ln x
  log_one_plus,  ///< ln(1 + x / unit), of columns that hold 0; unit: the smallest value above 0
  ring,          ///< 1 - 1 / x: the share of the data that a ring of x workers sends on
};

/// A number as the process sees it: (form(x) - centre) / scale, rounded to 2^-30, so that the same
/// runs in other units are the same to the last bit, but for rare ties of the rounding.
struct Coordinate {
  CoordinateForm form = CoordinateForm::log;
  double unit = 1;
  double centre = 0;
  double scale = 1;
  double most = std::numeric_limits<double>::infinity();  ///< what is larger counts as this

  double at(double value) const;
  /// The number that is there.
  double value(double place) const;
  Eigen::VectorXd at(const Eigen::VectorXd& values) const;
};

/// log, or log_one_plus where a value is 0.
CoordinateForm usual_form(const Eigen::VectorXd& values);

/// With the mean 0 and the standard deviation 1 over the values.
Coordinate standardised(CoordinateForm form, const Eigen::VectorXd& values);

using Levels = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, Eigen::Dynamic>;

/// Runs as they are given: a row each, a column per number and per column of levels.
struct Inputs {
  Eigen::MatrixXd numbers;
  Levels levels;  ///< indices of levels

  Eigen::Index rows() const { return numbers.rows(); }
};

/// The chosen rows, in that order.
Inputs take_rows(const Inputs& inputs, std::span<const Eigen::Index> rows);

/// The numbers as coordinates.
Inputs placed(const Inputs& inputs, const std::vector<Coordinate>& coordinates);

/// The correlation of two runs is a product over the columns:
///
///   numbers  w + (1 - w) (1 + a + a^2 / 3) exp(-a), a = sqrt(5) |x - x'| / l  (Matern 5/2)
///   levels   exp(-rate) where they differ
///
/// The share w remains however far apart two numbers are: what is peculiar to a job on 4 workers
/// carries over to 8.
struct Kernel {
  Eigen::VectorXd inverse_lengths;  ///< 1 / l, per number
  Eigen::VectorXd shares;           ///< w, per number
  Eigen::VectorXd rates;            ///< per column of levels
  double variance = 1;              ///< of the process
  double noise = 1;                 ///< variance of one run about it

  /// Of each of `count` values of a number with one more.
  void number_correlations(Eigen::Index column, const double* values, std::size_t count,
                           double from, double* out) const;
  /// d ln of these / d ln(1 / l) and / d ln(w / (1 - w)).
  void number_slopes(Eigen::Index column, const double* values, std::size_t count, double from,
                     double* by_length, double* by_share) const;
  /// -ln of these.
  void number_distances(Eigen::Index column, const double* values, std::size_t count, double from,
                        double* out) const;
};

/// The distinct values of a column and where they stand.
struct CodedColumn {
  Eigen::VectorXd values;            ///< ascending; of levels their indices
  std::vector<std::uint32_t> codes;  ///< row -> index into `values`

  static CodedColumn of(const Eigen::VectorXd& column);
  Eigen::VectorXd of_rows() const;
};

/// Coordinates with their columns coded: kernels are computed once per pair of distinct values.
struct CodedInputs {
  std::vector<CodedColumn> numbers;
  std::vector<CodedColumn> levels;
  Eigen::Index rows = 0;

  explicit CodedInputs(const Inputs& coordinates);
};

/// Correlations of each of `a` with each of `b`.
Eigen::MatrixXd correlations(const Kernel& kernel, const CodedInputs& a, const CodedInputs& b);
/// Of each with those before it and with itself: the lower half, 1 above it.
Eigen::MatrixXd correlations_among(const Kernel& kernel, const CodedInputs& rows,
                                   std::size_t threads = 1);

/// sum_ik weights(i, k) dR(i, k) / dp / R(i, k) over all pairs of rows, for each p of ln(1 / l) and
/// ln(w / (1 - w)) of each number, then ln(rate) of each column of levels. Of the symmetric weights
/// the lower half counts.
Eigen::VectorXd log_correlation_slopes(const Kernel& kernel, const CodedInputs& rows,
                                       const Eigen::MatrixXd& weights, std::size_t threads = 1);

/// Of a column: more values are not worth a table for so many pairs.
Eigen::Index most_tabulated_values(double pairs);

/// places[i] - places[k] of all i > k, column by column as in the lower half of a matrix.
Eigen::VectorXd pair_differences(const Eigen::VectorXd& places);

/// Correlations among known rows, for many small sets of them: columns of few distinct values have
/// theirs in a table.
class PairTables {
 public:
  static constexpr double kManyPairs = 1e9;

  /// Both must outlive this. `pairs`: of how many it will be asked in all; a table is no more work.
  PairTables(const Kernel& kernel, const CodedInputs& rows, double pairs = kManyPairs);

  /// The lower half of the correlations of the chosen rows.
  Eigen::MatrixXd among(std::span<const Eigen::Index> rows) const;

 private:
  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<ValueTable> tables_;  ///< per number
  Eigen::VectorXd other_level_;     ///< correlation of two levels, per column
};

/// How the logarithms of correlations among known rows depend on a kernel, for many small sets of
/// them: columns of few distinct values have theirs in a table.
class PairSlopes {
 public:
  /// Both must outlive this. `pairs`: of how many it will be asked in all.
  PairSlopes(const Kernel& kernel, const CodedInputs& rows, double pairs);

  /// sum over all pairs i > k of the chosen rows, column by column as in the lower half of a
  /// matrix, of weights d ln R(i, k) / dp, for each p of ln(1 / l) and ln(w / (1 - w)) of each
  /// number, then ln(rate) of each column of levels.
  Eigen::VectorXd sums(std::span<const Eigen::Index> rows, const Eigen::VectorXd& weights) const;

 private:
  using Slopes = Eigen::Array<double, 2, Eigen::Dynamic>;  ///< by length and by share

  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<Slopes> tables_;  ///< per number, of each value with each; empty: too many values

  Eigen::Array2d of_table(const Slopes& table, Eigen::Index values,
                          const std::vector<std::uint32_t>& codes,
                          const Eigen::VectorXd& weights) const;
  Eigen::Array2d computed(Eigen::Index number, const Eigen::VectorXd& places,
                          const Eigen::VectorXd& weights) const;
};

}  // namespace perfmodel::process

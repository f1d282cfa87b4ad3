#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::gp {

/// A symmetric function of two values of a column, tabulated over all pairs of its values. A row of
/// the table is computed when it is first asked for, since few predictions need few rows.
class ValueTable {
 public:
  /// Writes the function of each of `values` and `value` to `out`.
  using OfValue = std::function<void(const VectorXd& values, double value, double* out)>;

  static constexpr Index kMostValues = 2048;  ///< 32 MiB per table

  /// Makes no table if there are more than `most` values.
  ValueTable(const VectorXd& values, OfValue of, Index most = kMostValues);

  bool exists() const { return table_ != nullptr; }
  /// The function of the value of index `code` and each of all values. Thread-safe.
  const double* of_value(std::uint32_t code) const;

 private:
  VectorXd values_;
  OfValue of_;
  std::unique_ptr<double[]> table_;
  std::unique_ptr<std::once_flag[]> computed_;
};

/// The transformation of a number in which the Gaussian process (GP) compares values.
enum class CoordinateForm {
  log,           ///< ln x
  log_one_plus,  ///< ln(1 + x / unit), for columns that contain 0; unit: the smallest value above 0
  saturation,  ///< 1 - 1 / x, as the volume that each of x workers sends in a saturation all-reduce
};

constexpr auto texts_of(CoordinateForm) {
  using enum CoordinateForm;
  return std::to_array<EnumText<CoordinateForm>>(
      {{log, "log"}, {log_one_plus, "log_one_plus"}, {saturation, "ring"}});
}

/// A number as a coordinate of the GP: (form(x) - centre) / scale, rounded to 2^-30, so that
/// another unit gives the same coordinates to the last bit, except for rare ties of the rounding.
struct Coordinate {
  CoordinateForm form = CoordinateForm::log;
  double unit = 1;
  double centre = 0;
  double scale = 1;
  double most = std::numeric_limits<double>::infinity();  ///< larger values are clamped to this

  double at(double value) const;
  /// The inverse of at().
  double value(double place) const;
  VectorXd at(const VectorXd& values) const;
};

/// log, or log_one_plus if a value is 0.
CoordinateForm usual_form(const VectorXd& values);

/// The coordinate that has mean 0 and standard deviation 1 over `values`.
Coordinate standardised(CoordinateForm form, const VectorXd& values);

using Levels = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, Eigen::Dynamic>;

/// Rows of runs: a column per number and a column per categorical input.
struct Inputs {
  MatrixXd numbers;
  Levels levels;  ///< indices of levels

  Index rows() const { return numbers.rows(); }
  bool operator==(const Inputs& other) const {
    return rows() == other.rows() && numbers.cols() == other.numbers.cols() &&
           levels.cols() == other.levels.cols() && numbers == other.numbers &&
           levels == other.levels;
  }
};

/// The chosen rows, in the order of `rows`.
Inputs take_rows(const Inputs& inputs, std::span<const Index> rows);

/// The inputs with their numbers transformed to coordinates.
Inputs placed(const Inputs& inputs, const std::vector<Coordinate>& coordinates);

/// The correlation of two runs is a product over the columns:
///
///   numbers  w + (1 - w) (1 + a + a^2 / 3) exp(-a), a = sqrt(5) |x - x'| / l  (Matern 5/2)
///   levels   exp(-rate) if they differ, 1 if they are equal
///
/// The share w remains however far apart two numbers are: a deviation that is specific to a job on
/// 4 workers carries over to 8.
struct Kernel {
  VectorXd inverse_lengths;  ///< 1 / l, per number
  VectorXd shares;           ///< w, per number
  VectorXd rates;            ///< per column of levels
  double variance = 1;       ///< of the GP
  double noise = 1;          ///< variance of a single run about the GP

  /// Writes the correlations of `count` values of a number with `from` to `out`.
  void number_correlations(Index column, const double* values, std::size_t count, double from,
                           double* out) const;
  /// The derivatives of ln(correlation) with respect to ln(1 / l) and to ln(w / (1 - w)).
  void number_slopes(Index column, const double* values, std::size_t count, double from,
                     double* by_length, double* by_share) const;
};

/// The distinct values of a column, and the value of each row as an index.
struct CodedColumn {
  VectorXd values;                   ///< ascending; of levels their indices
  std::vector<std::uint32_t> codes;  ///< row -> index into `values`

  static CodedColumn of(const VectorXd& column);
  VectorXd of_rows() const;
};

/// Coordinates by column and distinct value, so that a kernel is computed once per pair of values.
struct CodedInputs {
  std::vector<CodedColumn> numbers;
  std::vector<CodedColumn> levels;
  Index rows = 0;

  explicit CodedInputs(const Inputs& coordinates);
};

/// Correlations of the rows of `a` with those of `b`, a.rows x b.rows.
MatrixXd correlations(const Kernel& kernel, const CodedInputs& a, const CodedInputs& b);
/// Correlations among the rows: the lower half with its diagonal; the upper half is filled with 1.
MatrixXd correlations_among(const Kernel& kernel, const CodedInputs& rows, std::size_t threads = 1);

/// sum_ik weights(i, k) dR(i, k) / dp / R(i, k) over all pairs of rows, for each p of ln(1 / l) and
/// ln(w / (1 - w)) of each number, then ln(rate) of each column of levels. `weights` is symmetric;
/// only its lower half is read.
VectorXd log_correlation_slopes(const Kernel& kernel, const CodedInputs& rows,
                                const MatrixXd& weights, std::size_t threads);

/// Correlations among known rows, for many small sets of rows. Tabulated for few distinct values.
class PairTables {
 public:
  static constexpr double kManyPairs = 1e9;

  /// Keeps references to `kernel` and `rows`. `pairs`: the number of pairs that will be asked for
  /// in all, so that a table is never more work than it saves.
  PairTables(const Kernel& kernel, const CodedInputs& rows, double pairs = kManyPairs);

  /// The lower half of the correlations among the chosen rows.
  MatrixXd among(std::span<const Index> rows) const;

 private:
  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<ValueTable> tables_;  ///< per number
  VectorXd other_level_;            ///< correlation of two different levels, per column
};

/// Derivatives of ln(correlation) among known rows with respect to the hyper-parameters, for many
/// small sets of rows. Columns of few distinct values are tabulated.
class PairSlopes {
 public:
  /// Keeps references to `kernel` and `rows`. `pairs`: how many pairs will be needed in all.
  PairSlopes(const Kernel& kernel, const CodedInputs& rows, double pairs);

  /// sum weights d ln R(i, k) / dp over all pairs i > k of the chosen rows, for each p of ln(1 / l)
  /// and ln(w / (1 - w)) of each number, then ln(rate) of each column of levels. `weights` has the
  /// order of a matrix's lower half, column by column.
  VectorXd sums(std::span<const Index> rows, const VectorXd& weights) const;

 private:
  using Slopes = Eigen::Array<double, 2, Eigen::Dynamic>;  ///< with respect to length and to share

  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<Slopes> tables_;  ///< per number, over all pairs of values; empty: too many values

  Eigen::Array2d of_table(const Slopes& table, Index values,
                          const std::vector<std::uint32_t>& codes, const VectorXd& weights) const;
  Eigen::Array2d computed(Index number, const VectorXd& places, const VectorXd& weights) const;
};

}  // namespace perfmodel::gp

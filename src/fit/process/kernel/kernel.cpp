#include "fit/process/kernel/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "base/tasks/parallel.hpp"
#include "base/tasks/stripes.hpp"
#include "base/to_size.hpp"
#include "fit/process/kernel/matern.hpp"
#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const matern::Functions& matern_functions() {
  return matern::functions_for(best_instruction_set());
}

matern::Correlation correlation_of(const Kernel& kernel, Index column) {
  return {kernel.inverse_lengths[column], kernel.shares[column]};
}

/// What is to be computed of two sets of rows, which may be the same.
struct RowPairs {
  const CodedInputs& a;
  const CodedInputs& b;
  bool lower = false;  ///< the lower half alone

  Index first(Index column) const { return lower ? column + 1 : 0; }
};

constexpr Index kColumnsOfTask = 64;  ///< columns that a thread works on

/// Whether it takes longer than threads to start.
bool is_large(const MatrixXd& matrix) {
  return matrix.size() > 250 * 250;
}

/// Fewer rows per value are not worth a pass of their own.
constexpr Index kRowsPerValue = 4;

bool has_few_values(const CodedColumn& column) {
  return kRowsPerValue * column.values.size() <= index(column.codes.size());
}

/// What the correlations are multiplied by for one column of the inputs.
class ColumnFactor {
 public:
  static ColumnFactor of_number(const Kernel& kernel, Index number, const RowPairs& pairs) {
    ColumnFactor out(pairs.a.numbers[to_size(number)], pairs.b.numbers[to_size(number)]);
    const VectorXd& a = out.a_.values;
    const VectorXd& b = out.b_.values;
    if (a.size() * b.size() > pairs.a.rows * pairs.b.rows / 2) {
      out.kernel_ = &kernel;
      out.number_ = number;
      out.places_ = out.a_.of_rows();
      return out;
    }
    MatrixXd table(a.size(), b.size());
    for (Index k = 0; k < table.cols(); ++k)
      kernel.number_correlations(number, a.data(), to_size(a.size()), b[k], table.col(k).data());
    out.take(std::move(table));
    return out;
  }

  static ColumnFactor of_levels(double other, const CodedColumn& a, const CodedColumn& b) {
    ColumnFactor out(a, b);
    MatrixXd table(a.values.size(), b.values.size());
    for (Index k = 0; k < table.cols(); ++k)
      table.col(k) =
          (a.values.array() == b.values[k]).select(1.0, VectorXd::Constant(a.values.size(), other));
    out.take(std::move(table));
    return out;
  }

  /// Row k of b with those of a from `first` on.
  void multiply(Index k, Index first, Eigen::Ref<VectorXd> out) const {
    const std::uint32_t code = b_.codes[to_size(k)];
    if (kernel_ != nullptr) {
      VectorXd own(out.size());
      kernel_->number_correlations(number_, places_.data() + first, to_size(out.size()),
                                   b_.values[code], own.data());
      out.array() *= own.array();
    } else if (is_of_rows_) {
      out.array() *= table_.col(code).tail(out.size()).array();
    } else {
      const double* const values = table_.col(code).data();
      for (Index i = 0; i < out.size(); ++i)
        out[i] *= values[a_.codes[to_size(first + i)]];
    }
  }

 private:
  const CodedColumn& a_;
  const CodedColumn& b_;
  MatrixXd table_;                  ///< of their values
  bool is_of_rows_ = false;         ///< of a's rows rather than of its values
  const Kernel* kernel_ = nullptr;  ///< where there is no table
  Index number_ = 0;
  VectorXd places_;

  ColumnFactor(const CodedColumn& a, const CodedColumn& b) : a_(a), b_(b) {}

  void take(MatrixXd table) {
    is_of_rows_ = has_few_values(b_);  // each column of them stands in the order of the rows
    table_ = is_of_rows_ ? table(a_.codes, Eigen::all).eval() : std::move(table);
  }
};

MatrixXd correlations_of(const Kernel& kernel, const RowPairs& pairs, std::size_t threads) {
  std::vector<ColumnFactor> factors;
  for (std::size_t j = 0; j < pairs.a.numbers.size(); ++j)
    factors.push_back(ColumnFactor::of_number(kernel, index(j), pairs));
  for (std::size_t j = 0; j < pairs.a.levels.size(); ++j)
    factors.push_back(ColumnFactor::of_levels(std::exp(-kernel.rates[index(j)]), pairs.a.levels[j],
                                              pairs.b.levels[j]));
  MatrixXd out = MatrixXd::Ones(pairs.a.rows, pairs.b.rows);
  for_each_stripe(
      out.cols(), kColumnsOfTask, is_large(out) ? threads : 1, [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k)
          for (const ColumnFactor& factor : factors)
            factor.multiply(k, pairs.first(k), out.col(k).tail(out.rows() - pairs.first(k)));
      });
  return out;
}

/// The weights of all pairs of rows, by their pair of values: both halves of the square.
MatrixXd pair_sums(const CodedColumn& column, const MatrixXd& weights) {
  const Index values = column.values.size();
  const Index rows = weights.rows();
  MatrixXd out = MatrixXd::Zero(values, values);
  if (has_few_values(column)) {
    MatrixXd of_rows = MatrixXd::Zero(rows, values);
    for (Index k = 0; k < rows; ++k) {
      const Index below = rows - k - 1;  // nothing depends on k(x, x) = 1
      of_rows.col(column.codes[to_size(k)]).tail(below) += weights.col(k).tail(below);
    }
    for (Index i = 0; i < rows; ++i)
      out.row(column.codes[to_size(i)]) += 2 * of_rows.row(i);
    return out;
  }
  for (Index k = 0; k < rows; ++k) {
    double* const sums = out.col(column.codes[to_size(k)]).data();
    for (Index i = k + 1; i < rows; ++i)
      sums[column.codes[to_size(i)]] += 2 * weights(i, k);
  }
  return out;
}

}  // namespace

void Kernel::number_correlations(Index column, const double* values, std::size_t count, double from,
                                 double* out) const {
  matern_functions().correlations(correlation_of(*this, column), {count, values, from}, out);
}

void Kernel::number_slopes(Index column, const double* values, std::size_t count, double from,
                           double* by_length, double* by_share) const {
  matern_functions().slopes(correlation_of(*this, column), {count, values, from}, by_length,
                            by_share);
}

void Kernel::number_distances(Index column, const double* values, std::size_t count, double from,
                              double* out) const {
  matern_functions().distances(correlation_of(*this, column), {count, values, from}, out);
}

CodedColumn CodedColumn::of(const VectorXd& column) {
  std::vector<double> distinct(column.begin(), column.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  CodedColumn out{.values = Eigen::Map<VectorXd>(distinct.data(), index(distinct.size())),
                  .codes = {}};
  out.codes.reserve(static_cast<std::size_t>(column.size()));
  for (const double value : column) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), value);
    out.codes.push_back(static_cast<std::uint32_t>(place - distinct.begin()));
  }
  return out;
}

CodedInputs::CodedInputs(const Inputs& coordinates) : rows(coordinates.rows()) {
  for (Index j = 0; j < coordinates.numbers.cols(); ++j)
    numbers.push_back(CodedColumn::of(coordinates.numbers.col(j)));
  for (Index j = 0; j < coordinates.levels.cols(); ++j)
    levels.push_back(CodedColumn::of(coordinates.levels.col(j).cast<double>()));
}

VectorXd CodedColumn::of_rows() const {
  VectorXd out(index(codes.size()));
  for (Index i = 0; i < out.size(); ++i)
    out[i] = values[codes[to_size(i)]];
  return out;
}

MatrixXd correlations(const Kernel& kernel, const CodedInputs& a, const CodedInputs& b) {
  return correlations_of(kernel, {a, b}, 1);
}

MatrixXd correlations_among(const Kernel& kernel, const CodedInputs& rows, std::size_t threads) {
  return correlations_of(kernel, {rows, rows, true}, threads);
}

VectorXd log_correlation_slopes(const Kernel& kernel, const CodedInputs& rows,
                                const MatrixXd& weights, std::size_t threads) {
  const std::size_t numbers = rows.numbers.size();
  VectorXd out = VectorXd::Zero(index(2 * numbers + rows.levels.size()));
  const auto add_number = [&](std::size_t j) {
    const VectorXd& values = rows.numbers[j].values;
    const MatrixXd sums = pair_sums(rows.numbers[j], weights);
    VectorXd by_length(values.size());
    VectorXd by_share(values.size());
    for (Index k = 0; k < sums.cols(); ++k) {  // where i = k, both are 0
      kernel.number_slopes(index(j), values.data(), to_size(values.size()), values[k],
                           by_length.data(), by_share.data());
      out[index(2 * j)] += sums.col(k).dot(by_length);
      out[index(2 * j + 1)] += sums.col(k).dot(by_share);
    }
  };
  const auto set_levels = [&](std::size_t j) {
    const MatrixXd sums = pair_sums(rows.levels[j], weights);
    out[index(2 * numbers + j)] = -kernel.rates[index(j)] * (sums.sum() - sums.trace());
  };
  parallel_for(numbers + rows.levels.size(), is_large(weights) ? threads : 1,
               [&](std::size_t j) { j < numbers ? add_number(j) : set_levels(j - numbers); });
  return out;
}

}  // namespace perfmodel::process

#include "fit/process/kernel/kernel.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
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

/// Fewer rows per value are not worth a pass of their own.
constexpr Index kRowsPerValue = 4;

bool has_few_values(const CodedColumn& column) {
  return kRowsPerValue * column.values.size() <= index(column.codes.size());
}

/// out(i, k) *= table(code of i, code of k)
void multiply(const CodedColumn& a, const CodedColumn& b, const RowPairs& pairs,
              const MatrixXd& table, MatrixXd& out) {
  if (has_few_values(b)) {  // each column of them stands in the order of the rows
    const MatrixXd of_rows = table(a.codes, Eigen::all);
    for (Index k = 0; k < out.cols(); ++k) {
      const Index rows = out.rows() - pairs.first(k);
      out.col(k).tail(rows).array() *= of_rows.col(b.codes[to_size(k)]).tail(rows).array();
    }
    return;
  }
  for (Index k = 0; k < out.cols(); ++k) {
    const double* const values = table.col(b.codes[to_size(k)]).data();
    double* const column = out.col(k).data();
    for (Index i = pairs.first(k); i < out.rows(); ++i)
      column[i] *= values[a.codes[to_size(i)]];
  }
}

void multiply_numbers(const Kernel& kernel, Index number, const RowPairs& pairs, MatrixXd& out) {
  const CodedColumn& a = pairs.a.numbers[to_size(number)];
  const CodedColumn& b = pairs.b.numbers[to_size(number)];
  const std::size_t count = to_size(a.values.size());
  if (a.values.size() * b.values.size() <= out.size() / 2) {
    MatrixXd table(a.values.size(), b.values.size());
    for (Index k = 0; k < table.cols(); ++k)
      kernel.number_correlations(number, a.values.data(), count, b.values[k], table.col(k).data());
    multiply(a, b, pairs, table, out);
    return;
  }
  const VectorXd places = a.of_rows();
  VectorXd own(places.size());
  for (Index k = 0; k < out.cols(); ++k) {
    const Index first = pairs.first(k);
    const Index rows = out.rows() - first;
    kernel.number_correlations(number, places.data() + first, to_size(rows),
                               b.values[b.codes[to_size(k)]], own.data());
    out.col(k).tail(rows).array() *= own.head(rows).array();
  }
}

void multiply_levels(double other, const CodedColumn& a, const CodedColumn& b,
                     const RowPairs& pairs, MatrixXd& out) {
  MatrixXd table(a.values.size(), b.values.size());
  for (Index k = 0; k < table.cols(); ++k)
    table.col(k) =
        (a.values.array() == b.values[k]).select(1.0, VectorXd::Constant(a.values.size(), other));
  multiply(a, b, pairs, table, out);
}

MatrixXd correlations_of(const Kernel& kernel, const RowPairs& pairs) {
  MatrixXd out = MatrixXd::Ones(pairs.a.rows, pairs.b.rows);
  for (std::size_t j = 0; j < pairs.a.numbers.size(); ++j)
    multiply_numbers(kernel, index(j), pairs, out);
  for (std::size_t j = 0; j < pairs.a.levels.size(); ++j)
    multiply_levels(std::exp(-kernel.rates[index(j)]), pairs.a.levels[j], pairs.b.levels[j], pairs,
                    out);
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
  return correlations_of(kernel, {a, b});
}

MatrixXd correlations_among(const Kernel& kernel, const CodedInputs& rows) {
  return correlations_of(kernel, {rows, rows, true});
}

VectorXd log_correlation_slopes(const Kernel& kernel, const CodedInputs& rows,
                                const MatrixXd& weights) {
  const std::size_t numbers = rows.numbers.size();
  VectorXd out = VectorXd::Zero(index(2 * numbers + rows.levels.size()));
  for (std::size_t j = 0; j < numbers; ++j) {
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
  }
  for (std::size_t j = 0; j < rows.levels.size(); ++j) {
    const MatrixXd sums = pair_sums(rows.levels[j], weights);
    out[index(2 * numbers + j)] = -kernel.rates[index(j)] * (sums.sum() - sums.trace());
  }
  return out;
}

}  // namespace perfmodel::process

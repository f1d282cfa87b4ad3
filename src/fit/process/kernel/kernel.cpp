#include "fit/process/kernel/kernel.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const double kSqrt5 = std::sqrt(5.0);

/// Of a number, over distances.
struct NumberSlopes {
  double by_length;  ///< d ln k / d ln(1 / l)
  double by_share;   ///< d ln k / d ln(w / (1 - w))
};

NumberSlopes number_slopes(const Kernel& kernel, Index column, double distance) {
  const double w = kernel.shares[column];
  const double a = kSqrt5 * distance * kernel.inverse_lengths[column];
  const double decay = std::exp(-a);
  const double matern = (1 + a + a * a / 3) * decay;
  const double k = w + (1 - w) * matern;
  return {.by_length = -(1 - w) * a * a * (1 + a) / 3 * decay / k,
          .by_share = w * (1 - w) * (1 - matern) / k};
}

/// Correlations of the distinct values of a column.
template <class Correlation>
MatrixXd table(const CodedColumn& a, const CodedColumn& b, const Correlation& correlation) {
  MatrixXd out(a.values.size(), b.values.size());
  for (Index k = 0; k < out.cols(); ++k)
    for (Index i = 0; i < out.rows(); ++i)
      out(i, k) = correlation(std::abs(a.values[i] - b.values[k]));
  return out;
}

template <class Correlation>
void multiply(const CodedColumn& a, const CodedColumn& b, const Correlation& correlation,
              MatrixXd& out) {
  if (a.values.size() * b.values.size() <= out.size() / 2) {
    const MatrixXd values = table(a, b, correlation);
    for (Index k = 0; k < out.cols(); ++k) {
      const double* const column = values.col(b.codes[static_cast<std::size_t>(k)]).data();
      for (Index i = 0; i < out.rows(); ++i)
        out(i, k) *= column[a.codes[static_cast<std::size_t>(i)]];
    }
    return;
  }
  for (Index k = 0; k < out.cols(); ++k) {
    const double other = b.values[b.codes[static_cast<std::size_t>(k)]];
    for (Index i = 0; i < out.rows(); ++i)
      out(i, k) *= correlation(std::abs(a.values[a.codes[static_cast<std::size_t>(i)]] - other));
  }
}

/// The weights of all pairs of rows, by their pair of values: both halves of the square.
MatrixXd pair_sums(const CodedColumn& column, const MatrixXd& weights) {
  MatrixXd out = MatrixXd::Zero(column.values.size(), column.values.size());
  for (Index k = 0; k < weights.cols(); ++k) {
    double* const sums = out.col(column.codes[static_cast<std::size_t>(k)]).data();
    for (Index i = k + 1; i < weights.rows(); ++i)  // nothing depends on k(x, x) = 1
      sums[column.codes[static_cast<std::size_t>(i)]] += 2 * weights(i, k);
  }
  return out;
}

}  // namespace

double Kernel::number_correlation(Index column, double distance) const {
  const double w = shares[column];
  const double a = kSqrt5 * distance * inverse_lengths[column];
  return w + (1 - w) * (1 + a + a * a / 3) * std::exp(-a);
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

MatrixXd correlations(const Kernel& kernel, const CodedInputs& a, const CodedInputs& b) {
  MatrixXd out = MatrixXd::Ones(a.rows, b.rows);
  for (std::size_t j = 0; j < a.numbers.size(); ++j) {
    const auto of_numbers = [&](double distance) {
      return kernel.number_correlation(index(j), distance);
    };
    multiply(a.numbers[j], b.numbers[j], of_numbers, out);
  }
  for (std::size_t j = 0; j < a.levels.size(); ++j) {
    const double other = std::exp(-kernel.rates[index(j)]);
    multiply(
        a.levels[j], b.levels[j], [&](double distance) { return distance > 0 ? other : 1.0; }, out);
  }
  return out;
}

VectorXd log_correlation_slopes(const Kernel& kernel, const CodedInputs& rows,
                                const MatrixXd& weights) {
  const std::size_t numbers = rows.numbers.size();
  VectorXd out = VectorXd::Zero(index(2 * numbers + rows.levels.size()));
  for (std::size_t j = 0; j < numbers; ++j) {
    const VectorXd& values = rows.numbers[j].values;
    const MatrixXd sums = pair_sums(rows.numbers[j], weights);
    for (Index k = 0; k < sums.cols(); ++k) {
      for (Index i = 0; i < sums.rows(); ++i) {
        if (i == k || sums(i, k) == 0)
          continue;
        const NumberSlopes slopes =
            number_slopes(kernel, index(j), std::abs(values[i] - values[k]));
        out[index(2 * j)] += sums(i, k) * slopes.by_length;
        out[index(2 * j + 1)] += sums(i, k) * slopes.by_share;
      }
    }
  }
  for (std::size_t j = 0; j < rows.levels.size(); ++j) {
    const MatrixXd sums = pair_sums(rows.levels[j], weights);
    out[index(2 * numbers + j)] = -kernel.rates[index(j)] * (sums.sum() - sums.trace());
  }
  return out;
}

}  // namespace perfmodel::process

#include "fit/process/pair_tables.hpp"

#include <cmath>
#include <cstdint>

#include "base/index.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kMostTabulatedValues = 1024;  ///< distinct values of a column

/// out(i, k) *= correlation(code i, code k), below the diagonal.
template <class Correlation>
void multiply_pairs(const std::vector<std::uint32_t>& codes, MatrixXd& out,
                    const Correlation& correlation) {
  for (Index k = 0; k < out.cols(); ++k) {
    for (Index i = k + 1; i < out.rows(); ++i)
      out(i, k) *=
          correlation(codes[static_cast<std::size_t>(i)], codes[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

PairTables::PairTables(const Kernel& kernel, const CodedInputs& rows)
    : kernel_(kernel), rows_(rows), other_level_((-kernel.rates.array()).exp()) {
  for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
    const Eigen::VectorXd& values = rows.numbers[j].values;
    const Index size = values.size() <= kMostTabulatedValues ? values.size() : 0;
    MatrixXd& table = tables_.emplace_back(size, size);
    for (Index k = 0; k < size; ++k)
      for (Index i = 0; i < size; ++i)
        table(i, k) = kernel.number_correlation(index(j), std::abs(values[i] - values[k]));
  }
}

MatrixXd PairTables::among(std::span<const Index> rows) const {
  MatrixXd out = MatrixXd::Ones(index(rows.size()), index(rows.size()));
  std::vector<std::uint32_t> codes(rows.size());
  const auto choose = [&](const CodedColumn& column) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      codes[i] = column.codes[static_cast<std::size_t>(rows[i])];
  };
  for (std::size_t j = 0; j < rows_.numbers.size(); ++j) {
    choose(rows_.numbers[j]);
    const MatrixXd& table = tables_[j];
    const Eigen::VectorXd& values = rows_.numbers[j].values;
    if (table.size() > 0) {
      multiply_pairs(
          codes, out, [&](auto a, auto b) { return table(Index{a}, Index{b}); });
    } else {
      multiply_pairs(
          codes, out,
          [&](auto a, auto b) {
            return kernel_.number_correlation(index(j),
                                              std::abs(values[Index{a}] - values[Index{b}]));
          });
    }
  }
  for (std::size_t j = 0; j < rows_.levels.size(); ++j) {
    choose(rows_.levels[j]);
    const double other = other_level_[index(j)];
    multiply_pairs(codes, out, [&](auto a, auto b) { return a == b ? 1.0 : other; });
  }
  return out;
}

}  // namespace perfmodel::process

#include "fit/process/kernel/pair_tables.hpp"

#include <cmath>
#include <cstdint>

#include "base/index.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// out(i, k) *= correlation(k)(code i, code k), below the diagonal.
template <class CorrelationsOf>
void multiply_pairs(const std::vector<std::uint32_t>& codes, MatrixXd& out,
                    const CorrelationsOf& correlations_of) {
  for (Index k = 0; k < out.cols(); ++k) {
    const auto correlation = correlations_of(codes[static_cast<std::size_t>(k)]);
    double* const column = out.col(k).data();
    for (Index i = k + 1; i < out.rows(); ++i)
      column[i] *= correlation(codes[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

PairTables::PairTables(const Kernel& kernel, const CodedInputs& rows)
    : kernel_(kernel), rows_(rows), other_level_((-kernel.rates.array()).exp()) {
  for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
    tables_.emplace_back(
        rows.numbers[j].values,
        [&kernel, j](double difference) {
          return kernel.number_correlation(index(j), std::abs(difference));
        });
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
    const ValueTable& table = tables_[j];
    const Eigen::VectorXd& values = rows_.numbers[j].values;
    if (table.exists()) {
      multiply_pairs(
          codes, out,
          [&](std::uint32_t k) {
            return [of_k = table.of_value(k)](std::uint32_t i) { return of_k[i]; };
          });
    } else {
      multiply_pairs(
          codes, out,
          [&](std::uint32_t k) {
            return [&, value = values[Index{k}]](std::uint32_t i) {
              return kernel_.number_correlation(index(j), std::abs(values[Index{i}] - value));
            };
          });
    }
  }
  for (std::size_t j = 0; j < rows_.levels.size(); ++j) {
    choose(rows_.levels[j]);
    const double other = other_level_[index(j)];
    multiply_pairs(codes, out, [&](std::uint32_t k) {
      return [=](std::uint32_t i) { return i == k ? 1.0 : other; };
    });
  }
  return out;
}

}  // namespace perfmodel::process

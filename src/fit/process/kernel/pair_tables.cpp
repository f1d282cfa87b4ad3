#include "fit/process/kernel/pair_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/index.hpp"
#include "base/to_size.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// out(i, k) *= of_value(code k)[code i], below the diagonal.
template <class OfValue>
void multiply_pairs(const std::vector<std::uint32_t>& codes, MatrixXd& out,
                    const OfValue& of_value) {
  for (Index k = 0; k < out.cols(); ++k) {
    const double* const of_k = of_value(codes[static_cast<std::size_t>(k)]);
    double* const column = out.col(k).data();
    for (Index i = k + 1; i < out.rows(); ++i)
      column[i] *= of_k[codes[static_cast<std::size_t>(i)]];
  }
}

void multiply_level_pairs(const std::vector<std::uint32_t>& codes, double other, MatrixXd& out) {
  for (Index k = 0; k < out.cols(); ++k) {
    const std::uint32_t of_k = codes[static_cast<std::size_t>(k)];
    double* const column = out.col(k).data();
    for (Index i = k + 1; i < out.rows(); ++i)
      column[i] *= codes[static_cast<std::size_t>(i)] == of_k ? 1.0 : other;
  }
}

/// Of a number whose correlations are in no table.
void multiply_number_pairs(const Kernel& kernel, Index number, const Eigen::VectorXd& places,
                           MatrixXd& out) {
  const Eigen::VectorXd off = pair_differences(places);
  Eigen::VectorXd own(off.size());
  kernel.number_correlations(number, off.data(), to_size(off.size()), 0, own.data());
  Index first = 0;
  for (Index k = 0; k < out.cols(); ++k) {
    const Index below = out.rows() - k - 1;
    out.col(k).tail(below).array() *= own.segment(first, below).array();
    first += below;
  }
}

}  // namespace

Index most_tabulated_values(double pairs) {
  return std::min(ValueTable::kMostValues, static_cast<Index>(std::sqrt(pairs / 2)));
}

Eigen::VectorXd pair_differences(const Eigen::VectorXd& places) {
  Eigen::VectorXd out(places.size() * (places.size() - 1) / 2);
  Index first = 0;
  for (Index k = 0; k < places.size(); ++k) {
    const Index below = places.size() - k - 1;
    out.segment(first, below) = places.tail(below).array() - places[k];
    first += below;
  }
  return out;
}

PairTables::PairTables(const Kernel& kernel, const CodedInputs& rows, double pairs)
    : kernel_(kernel), rows_(rows), other_level_((-kernel.rates.array()).exp()) {
  for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
    tables_.emplace_back(
        rows.numbers[j].values,
        [&kernel, j](const Eigen::VectorXd& values, double value, double* out) {
          kernel.number_correlations(index(j), values.data(),
                                     static_cast<std::size_t>(values.size()), value, out);
        },
        most_tabulated_values(pairs));
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
    if (table.exists())
      multiply_pairs(codes, out, [&](std::uint32_t code) { return table.of_value(code); });
    else
      multiply_number_pairs(kernel_, index(j), values(codes), out);
  }
  for (std::size_t j = 0; j < rows_.levels.size(); ++j) {
    choose(rows_.levels[j]);
    multiply_level_pairs(codes, other_level_[index(j)], out);
  }
  return out;
}

}  // namespace perfmodel::process

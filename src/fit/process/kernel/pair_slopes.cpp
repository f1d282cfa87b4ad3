#include "fit/process/kernel/pair_slopes.hpp"

#include "base/index.hpp"
#include "base/to_size.hpp"
#include "fit/process/kernel/pair_tables.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Array2d;
using Eigen::Index;
using Eigen::VectorXd;

std::vector<std::uint32_t> chosen_codes(const CodedColumn& column, std::span<const Index> rows) {
  std::vector<std::uint32_t> out;
  out.reserve(rows.size());
  for (const Index row : rows)
    out.push_back(column.codes[to_size(row)]);
  return out;
}

/// Of the weights of pairs, those of unequal codes.
double sum_of_unequal(const std::vector<std::uint32_t>& codes, const VectorXd& weights) {
  double out = 0;
  const double* weight = weights.data();
  for (std::size_t k = 0; k < codes.size(); ++k)
    for (std::size_t i = k + 1; i < codes.size(); ++i, ++weight)
      out += codes[i] == codes[k] ? 0.0 : *weight;
  return out;
}

}  // namespace

PairSlopes::PairSlopes(const Kernel& kernel, const CodedInputs& rows, double pairs)
    : kernel_(kernel), rows_(rows) {
  for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
    const VectorXd& values = rows.numbers[j].values;
    const Index count = values.size();
    if (count > most_tabulated_values(pairs)) {
      tables_.emplace_back();
      continue;
    }
    Slopes table(2, count * count);
    VectorXd by_length(count);
    VectorXd by_share(count);
    for (Index k = 0; k < count; ++k) {
      kernel.number_slopes(index(j), values.data(), to_size(count), values[k], by_length.data(),
                           by_share.data());
      table.row(0).segment(k * count, count) = by_length;
      table.row(1).segment(k * count, count) = by_share;
    }
    tables_.push_back(std::move(table));
  }
}

Array2d PairSlopes::of_table(const Slopes& table, Index values,
                             const std::vector<std::uint32_t>& codes,
                             const VectorXd& weights) const {
  Array2d even = Array2d::Zero();  // two sums need not wait for each other
  Array2d odd = Array2d::Zero();
  const double* weight = weights.data();
  for (std::size_t k = 0; k < codes.size(); ++k) {
    const double* const of_k = table.data() + 2 * Index{codes[k]} * values;
    const auto at = [&](std::size_t i) { return Eigen::Map<const Array2d>(of_k + 2 * codes[i]); };
    std::size_t i = k + 1;
    for (; i + 1 < codes.size(); i += 2, weight += 2) {
      even += weight[0] * at(i);
      odd += weight[1] * at(i + 1);
    }
    if (i < codes.size())
      even += *weight++ * at(i);
  }
  return even + odd;
}

Array2d PairSlopes::computed(Index number, const VectorXd& places, const VectorXd& weights) const {
  const VectorXd off = pair_differences(places);
  VectorXd by_length(off.size());
  VectorXd by_share(off.size());
  kernel_.number_slopes(number, off.data(), to_size(off.size()), 0, by_length.data(),
                        by_share.data());
  return {weights.dot(by_length), weights.dot(by_share)};
}

VectorXd PairSlopes::sums(std::span<const Index> rows, const VectorXd& weights) const {
  const Index numbers = index(rows_.numbers.size());
  VectorXd out(2 * numbers + index(rows_.levels.size()));
  for (Index j = 0; j < numbers; ++j) {
    const CodedColumn& column = rows_.numbers[to_size(j)];
    const std::vector<std::uint32_t> codes = chosen_codes(column, rows);
    const Slopes& table = tables_[to_size(j)];
    out.segment<2>(2 * j) = table.size() > 0 ? of_table(table, column.values.size(), codes, weights)
                                             : computed(j, column.values(codes), weights);
  }
  for (std::size_t j = 0; j < rows_.levels.size(); ++j)
    out[2 * numbers + index(j)] =
        -kernel_.rates[index(j)] * sum_of_unequal(chosen_codes(rows_.levels[j], rows), weights);
  return out;
}

}  // namespace perfmodel::process

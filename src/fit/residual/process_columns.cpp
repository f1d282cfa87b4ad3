#include "fit/residual/process_columns.hpp"

#include <numeric>

#include "base/index.hpp"

namespace perfmodel {
namespace {

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

std::vector<std::size_t> through(const std::vector<std::size_t>& columns,
                                 const std::vector<std::size_t>& origin) {
  std::vector<std::size_t> out;
  for (const std::size_t column : columns)
    out.push_back(origin[column]);
  return out;
}

}  // namespace

ProcessColumns ProcessColumns::of(const ModelSpec& spec) {
  return {first(spec.intrinsic.size()), first(spec.extrinsic.size()),
          first(spec.categorical.size())};
}

ProcessColumns ProcessColumns::reordered(const ColumnOrder& order) const {
  return {through(intrinsic, order.intrinsic), through(extrinsic, order.extrinsic),
          through(categorical, order.categorical)};
}

const NumericInput& ProcessColumns::number(const ModelSpec& spec, std::size_t i) const {
  return i < intrinsic.size() ? spec.intrinsic[intrinsic[i]]
                              : spec.extrinsic[extrinsic[i - intrinsic.size()]];
}

process::Inputs ProcessColumns::inputs(const Design& design) const {
  process::Inputs out{.numbers = Eigen::MatrixXd(index(design.rows), index(numbers())),
                      .levels = process::Levels(index(design.rows), index(categorical.size()))};
  Eigen::Index column = 0;
  const auto put = [&](const NumericFactor& factor) {
    for (std::size_t row = 0; row < design.rows; ++row)
      out.numbers(index(row), column) = factor.value(row);
    ++column;
  };
  for (const std::size_t i : intrinsic)
    put(design.intrinsic[i]);
  for (const std::size_t j : extrinsic)
    put(design.extrinsic[j]);
  for (std::size_t c = 0; c < categorical.size(); ++c) {
    const std::vector<std::uint32_t>& codes = design.categorical[categorical[c]].codes;
    for (std::size_t row = 0; row < design.rows; ++row)
      out.levels(index(row), index(c)) = codes[row];
  }
  return out;
}

Design ProcessColumns::design(const process::Inputs& inputs, const ModelSpec& spec) const {
  Design out;
  out.rows = static_cast<std::size_t>(inputs.rows());
  out.intrinsic.resize(spec.intrinsic.size());
  out.extrinsic.resize(spec.extrinsic.size());
  for (const CategoricalInput& input : spec.categorical)
    out.categorical.push_back({.levels = input.levels.size(), .codes = {}});
  for (std::size_t j = 0; j < numbers(); ++j) {
    const auto column = inputs.numbers.col(index(j));
    NumericFactor& factor = j < intrinsic.size() ? out.intrinsic[intrinsic[j]]
                                                 : out.extrinsic[extrinsic[j - intrinsic.size()]];
    factor.values.assign(column.begin(), column.end());
  }
  for (std::size_t c = 0; c < categorical.size(); ++c) {
    const auto column = inputs.levels.col(index(c));
    out.categorical[categorical[c]].codes.assign(column.begin(), column.end());
  }
  return out;
}

}  // namespace perfmodel

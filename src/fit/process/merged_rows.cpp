#include "fit/process/merged_rows.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/index.hpp"
#include "base/random.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Negative, 0 or positive, as a stands before, with or after b.
int compared(const Inputs& inputs, Index a, Index b) {
  for (Index j = 0; j < inputs.numbers.cols(); ++j)
    if (inputs.numbers(a, j) != inputs.numbers(b, j))
      return inputs.numbers(a, j) < inputs.numbers(b, j) ? -1 : 1;
  for (Index j = 0; j < inputs.levels.cols(); ++j)
    if (inputs.levels(a, j) != inputs.levels(b, j))
      return inputs.levels(a, j) < inputs.levels(b, j) ? -1 : 1;
  return 0;
}

}  // namespace

MergedRows MergedRows::of(const Inputs& inputs, const VectorXd& y, const VectorXd& weights) {
  MergedRows out;
  std::vector<Index>& order = out.order;
  order.resize(static_cast<std::size_t>(inputs.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const int inputs_first = compared(inputs, a, b);
    return inputs_first != 0 ? inputs_first < 0 : y[a] < y[b];
  });
  out.of_runs = y(order);
  if (weights.size() > 0)
    out.weights = weights(order);
  else
    out.weights = VectorXd::Ones(y.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && compared(inputs, order[i - 1], order[i]) == 0)
      continue;
    out.first.push_back(order[i]);
    out.begins.push_back(index(i));
  }
  out.begins.push_back(index(order.size()));
  const Index rows = index(out.first.size());
  out.y.resize(rows);
  out.runs.resize(rows);
  out.scatter.resize(rows);
  for (Index row = 0; row < rows; ++row)
    out.weigh(row,
              out.weights.segment(out.begins[static_cast<std::size_t>(row)], out.run_count(row)));
  return out;
}

VectorXd MergedRows::run_weights() const {
  VectorXd out(weights.size());
  out(order) = weights;
  return out;
}

Index MergedRows::run_count(Index row) const {
  const auto place = static_cast<std::size_t>(row);
  return begins[place + 1] - begins[place];
}

VectorXd MergedRows::runs_of(Index row) const {
  return of_runs.segment(begins[static_cast<std::size_t>(row)], run_count(row));
}

void MergedRows::weigh(Index row, const VectorXd& of_each) {
  const Index begin = begins[static_cast<std::size_t>(row)];
  weights.segment(begin, of_each.size()) = of_each;
  double count = 0;
  double sum = 0;
  for (Index i = 0; i < of_each.size(); ++i) {
    count += of_each[i];
    sum += of_each[i] * of_runs[begin + i];
  }
  const double mean = sum / count;
  double squares = 0;
  for (Index i = 0; i < of_each.size(); ++i)
    squares += of_each[i] * (of_runs[begin + i] - mean) * (of_runs[begin + i] - mean);
  y[row] = mean;
  runs[row] = count;
  scatter[row] = squares;
}

std::vector<Index> sampled_rows(Index count, Index most, std::uint64_t seed) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  RandomStream(seed, "rows of the process").shuffle(std::span<Index>(out));
  out.resize(static_cast<std::size_t>(std::min(count, most)));
  return out;
}

}  // namespace perfmodel::process

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

MergedRows MergedRows::of(const Inputs& inputs, const VectorXd& y) {
  std::vector<Index> order(static_cast<std::size_t>(inputs.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const int inputs_first = compared(inputs, a, b);
    return inputs_first != 0 ? inputs_first < 0 : y[a] < y[b];
  });
  MergedRows out;
  std::vector<double> means;
  std::vector<double> runs;
  std::vector<double> scatter;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    double sum = 0;
    for (; end < order.size() && compared(inputs, order[begin], order[end]) == 0; ++end)
      sum += y[order[end]];
    const auto count = static_cast<double>(end - begin);
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t i = begin; i < end; ++i)
      squares += (y[order[i]] - mean) * (y[order[i]] - mean);
    out.first.push_back(order[begin]);
    means.push_back(mean);
    runs.push_back(count);
    scatter.push_back(squares);
    begin = end;
  }
  out.y = Eigen::Map<VectorXd>(means.data(), index(means.size()));
  out.runs = Eigen::Map<VectorXd>(runs.data(), index(runs.size()));
  out.scatter = Eigen::Map<VectorXd>(scatter.data(), index(scatter.size()));
  return out;
}

std::vector<Index> sampled_rows(Index count, Index most, std::uint64_t seed) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  RandomStream(seed, "rows of the process").shuffle(std::span<Index>(out));
  out.resize(static_cast<std::size_t>(std::min(count, most)));
  return out;
}

}  // namespace perfmodel::process

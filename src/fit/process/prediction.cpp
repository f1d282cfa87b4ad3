#include "fit/process/prediction.hpp"

#include <algorithm>
#include <vector>

#include "perfmodel/base/index.hpp"
#include "perfmodel/base/parallel.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index kBlock = 500;

}  // namespace

VectorXd process_mean(const ResidualProcess& process, const Inputs& inputs, std::size_t threads) {
  VectorXd out(inputs.rows());
  const CodedInputs known(process.inputs);
  const Inputs places = placed(inputs, process.coordinates);
  const Index blocks = (inputs.rows() + kBlock - 1) / kBlock;
  parallel_for(static_cast<std::size_t>(blocks), threads, [&](std::size_t block) {
    std::vector<Index> rows;
    for (Index i = index(block) * kBlock; i < std::min(inputs.rows(), (index(block) + 1) * kBlock);
         ++i)
      rows.push_back(i);
    const CodedInputs asked(take_rows(places, rows));
    out(rows) = process.kernel.variance * correlations(process.kernel, known, asked).transpose() *
                process.weights;
  });
  return out;
}

}  // namespace perfmodel::process

#include "base/index.hpp"
#include "fit/residual/process_form.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

process::CodedInputs coded_places(const process::ResidualProcess& process,
                                  const ProcessColumns& columns, const Design& design) {
  return process::CodedInputs(process::placed(columns.inputs(design), process.coordinates));
}

}  // namespace

std::optional<ProcessBelief> ProcessForm::process_belief(const ModelSpec& spec) const {
  const process::ResidualProcess& process = known_->process;
  process::Inputs values = process.inputs;
  for (Index j = 0; j < values.numbers.cols(); ++j)
    for (double& value : values.numbers.col(j))
      value = process.coordinates[static_cast<std::size_t>(j)].value(value);
  ProcessBelief out;
  out.covariance = [known = known_, columns = columns_](const Design& a, const Design& b) {
    const process::ResidualProcess& of = known->process;
    return Eigen::MatrixXd(of.kernel.variance * correlations(of.kernel,
                                                             coded_places(of, columns, a),
                                                             coded_places(of, columns, b)));
  };
  out.noise = process.kernel.noise;
  out.near_variance = known_->near_variance;
  out.known = columns_.design(values, spec);
  out.runs = process.runs;
  out.most.resize(columns_.numbers());
  for (std::size_t j = 0; j < out.most.size(); ++j) {
    const std::size_t intrinsic = columns_.intrinsic.size();
    out.most[j < intrinsic ? columns_.intrinsic[j]
                           : intrinsic + columns_.extrinsic[j - intrinsic]] =
        process.coordinates[j].most;
  }
  return out;
}

}  // namespace perfmodel

#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

namespace perfmodel {

/// The upper of the two middle values where their number is even. At least one value.
double median(Eigen::VectorXd values);

/// The same of values that count so often; of each once where `counts` is empty.
double median(const Eigen::VectorXd& values, std::span<const std::uint64_t> counts);

}  // namespace perfmodel

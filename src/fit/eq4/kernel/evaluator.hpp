#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "fit/eq4/kernel/plan.hpp"
#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel::kernel {

/// Evaluates batches of candidates over a plan, several in the vector lanes and, where there is
/// enough work, on several threads. Neither the lanes nor the threads change a result.
class Evaluator {
 public:
  Evaluator(const Plan& plan, std::size_t threads, InstructionSet instructions);

  /// Sums of row losses of the candidates (columns of search coordinates). A sum may stop short
  /// once it exceeds its entry of `abandon_above`.
  void operator()(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                  std::span<const double> abandon_above, std::span<double> sums) const;

 private:
  void evaluate_block(const Eigen::Ref<const Eigen::MatrixXd>& candidates, std::size_t first,
                      std::span<const double> abandon_above, std::span<double> sums) const;

  const Plan& plan_;
  std::size_t threads_;
  Evaluate evaluate_;
};

}  // namespace perfmodel::kernel

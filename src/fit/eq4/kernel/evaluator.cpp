#include "fit/eq4/kernel/evaluator.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "base/tasks/parallel.hpp"
#include "fit/simd/one_for.hpp"

namespace perfmodel::kernel {
namespace {

constexpr std::align_val_t kAlignment{64};

/// Blocks times rows below which starting threads costs more than it saves.
constexpr std::size_t kWorthThreads = 60000;

struct AlignedDelete {
  void operator()(double* p) const { ::operator delete[](p, kAlignment); }
};

/// Scratch memory that grows and is kept: one per thread.
double* scratch(std::size_t doubles) {
  thread_local std::unique_ptr<double[], AlignedDelete> memory;
  thread_local std::size_t size = 0;
  if (size < doubles) {
    memory.reset(static_cast<double*>(::operator new[](doubles * sizeof(double), kAlignment)));
    size = doubles;
  }
  return memory.get();
}

}  // namespace

Evaluator::Evaluator(const Plan& plan, std::size_t threads, InstructionSet instructions)
    : plan_(plan),
      threads_(std::max<std::size_t>(1, threads)),
      evaluate_(
          one_for<Evaluate>(instructions, evaluate_baseline, evaluate_avx2, evaluate_avx512)) {}

void Evaluator::operator()(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                           std::span<const double> abandon_above, std::span<double> sums) const {
  const std::size_t count = sums.size();
  const std::size_t blocks = (count + kLanes - 1) / kLanes;
  const bool parallel = threads_ > 1 && !inside_parallel_for() && blocks > 1 &&
                        blocks * plan_.rows() >= kWorthThreads;
  const std::size_t threads = parallel ? threads_with_room(threads_) : 1;
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(threads)) if (parallel)
  for (std::size_t block = 0; block < blocks; ++block)
    evaluate_block(candidates, block * kLanes, abandon_above, sums);
}

void Evaluator::evaluate_block(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                               std::size_t first, std::span<const double> abandon_above,
                               std::span<double> sums) const {
  const Program& program = plan_.program();
  const std::size_t constants = program.constants;
  const std::size_t used = std::min(kLanes, sums.size() - first);
  double* memory = scratch(kLanes * (2 * constants + program.table_size));
  alignas(64) double bound[kLanes];
  alignas(64) double sum[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    // A block that is not full repeats its last candidate.
    const std::size_t candidate = first + std::min(lane, used - 1);
    const double* from = candidates.col(static_cast<Eigen::Index>(candidate)).data();
    for (std::size_t c = 0; c < constants; ++c)
      memory[c * kLanes + lane] = from[c];
    bound[lane] = abandon_above[candidate];
  }
  evaluate_(program, memory, bound, memory + constants * kLanes, sum);
  std::copy_n(sum, used, sums.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace perfmodel::kernel

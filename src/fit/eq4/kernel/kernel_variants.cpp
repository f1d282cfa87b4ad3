#include <bit>
#include <limits>

#include "base/random.hpp"
#include "fit/eq4/kernel/evaluator.hpp"
#include "fit/eq4/kernel/kernel_variants.hpp"

namespace perfmodel {
namespace {

constexpr Eigen::Index kVariantCandidates = 203;  // no multiple of any number of lanes
constexpr std::size_t kVariantThreads = 3;

}  // namespace

std::vector<KernelVariant> compare_kernel_variants(const ModelSpec& spec, const Design& training,
                                                   Loss loss, std::uint64_t seed) {
  FitOptions options;
  options.loss = loss;
  const SearchSpace space(spec, training, options);
  const optimise::Bounds& box = space.coordinates();
  RandomStream random(seed, "kernel variants");
  Eigen::MatrixXd candidates(box.size(), kVariantCandidates);
  for (Eigen::Index c = 0; c < candidates.cols(); ++c)
    for (Eigen::Index i = 0; i < candidates.rows(); ++i)
      candidates(i, c) = random.uniform(box.lower[i], box.upper[i]);
  const kernel::Plan plan(training, space, loss);
  const std::size_t count = static_cast<std::size_t>(candidates.cols());
  const auto costs_with = [&](InstructionSet instructions, std::size_t threads) {
    std::vector<double> costs(count);
    const std::vector<double> bounds(count, std::numeric_limits<double>::infinity());
    kernel::Evaluator(plan, threads, instructions)(candidates, bounds, costs);
    return costs;
  };
  const std::vector<double> reference = costs_with(InstructionSet::baseline, 1);
  std::vector<KernelVariant> out;
  for (const InstructionSet instructions : available_instruction_sets()) {
    const std::vector<double> costs = costs_with(instructions, kVariantThreads);
    KernelVariant variant{std::string(to_text(instructions)), count, 0};
    for (std::size_t k = 0; k < count; ++k) {
      const bool same =
          std::bit_cast<std::uint64_t>(costs[k]) == std::bit_cast<std::uint64_t>(reference[k]);
      variant.identical += same ? 1U : 0U;
    }
    out.push_back(variant);
  }
  return out;
}

}  // namespace perfmodel

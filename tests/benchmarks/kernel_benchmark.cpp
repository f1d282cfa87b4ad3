// Microseconds per evaluation of Eq. (4) over the rows of a CSV: tables included, nothing given up
// early, one thread, every instruction set that this processor has.
//
//     perfmodel_kernel_benchmark RUNS.csv
#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/objective.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "search/eq4_kernel.hpp"
#include "search/search_space.hpp"

using namespace perfmodel;

namespace {

constexpr Eigen::Index kCandidates = 400;
constexpr int kRepeats = 25;

double median_microseconds(const kernel::Evaluator& evaluator, const Eigen::MatrixXd& candidates) {
  std::vector<double> sums(static_cast<std::size_t>(candidates.cols()));
  const std::vector<double> no_bound(sums.size(), std::numeric_limits<double>::infinity());
  std::vector<double> times;
  for (int k = 0; k < kRepeats; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    evaluator(candidates, no_bound, sums);
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    times.push_back(taken.count() / static_cast<double>(sums.size()));
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s RUNS.csv\n", arguments[0]);
    return 2;
  }
  const Table table = read_csv(arguments[1]);
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const ModelSpec spec = make_spec(table, resolve_roles(table, {}), rows);
  const Design design = make_design(table, spec, Target::required);
  const SearchSpace space(spec, design, {});
  const kernel::Plan plan(design, space, Loss::mae);

  RandomStream random(1, "benchmark");
  Eigen::MatrixXd candidates(space.coordinates().size(), kCandidates);
  for (Eigen::Index c = 0; c < kCandidates; ++c)
    for (Eigen::Index i = 0; i < candidates.rows(); ++i)
      candidates(i, c) = random.uniform(space.coordinates().lower[i], space.coordinates().upper[i]);
  for (const InstructionSet instructions : available_instruction_sets()) {
    const double time = median_microseconds(kernel::Evaluator(plan, 1, instructions), candidates);
    std::printf("%-9s %8.3f us per evaluation of %zu rows, %5.2f ns a row\n",
                std::string(to_text(instructions)).c_str(), time, plan.rows(),
                1e3 * time / static_cast<double>(plan.rows()));
  }
  return 0;
}

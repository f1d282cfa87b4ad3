#include "optimise/evolution/crossover.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace perfmodel::optimise {

void cross_over(const ConstColumn& target, double crossover_rate,
                std::span<const Eigen::Index> free, RandomStream& random, Column mutant) {
  const Eigen::Index forced = free[random.below(free.size())];
  const double forced_value = mutant[forced];

  // One draw of 64 bits decides four coordinates, each by 16 bits against CR * 2^16: for a rate
  // that is a good value by experience, four decimals are plenty. Picking the source by index keeps
  // an unpredictable branch out of the loop.
  const auto threshold = static_cast<std::uint64_t>(std::lround(crossover_rate * 0x1p16));
  const std::array<const double*, 2> source = {target.data(), mutant.data()};
  const Eigen::Index size = mutant.size();
  double* trial = mutant.data();
  for (Eigen::Index j = 0; j < size; j += 4) {
    std::uint64_t bits = random.bits();
    for (Eigen::Index k = j; k < std::min(j + 4, size); ++k, bits >>= 16)
      trial[k] = source[(bits & 0xffff) < threshold ? 1 : 0][k];
  }

  mutant[forced] = forced_value;
}

void redraw_outside(const Bounds& bounds, RandomStream& random, Column trial) {
  const Eigen::Index size = trial.size();
  const double* lower = bounds.lower.data();
  const double* upper = bounds.upper.data();
  double* x = trial.data();
  const auto outside = [=](Eigen::Index j) {
    return static_cast<std::size_t>(!(x[j] >= lower[j])) |
           static_cast<std::size_t>(!(x[j] <= upper[j]));
  };

  // Listed before they are drawn, and without a branch: which ones are outside is chance, and the
  // processor would predict it wrongly most of the time.
  std::array<Eigen::Index, 64> listed;  // what is read was written
  for (Eigen::Index begin = 0; begin < size; begin += std::ssize(listed)) {
    std::size_t count = 0;
    for (Eigen::Index j = begin; j < std::min(begin + std::ssize(listed), size); ++j) {
      listed[count] = j;
      count += outside(j);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const Eigen::Index j = listed[k];
      x[j] = std::min(random.uniform(lower[j], upper[j]), upper[j]);
    }
  }
}

}  // namespace perfmodel::optimise

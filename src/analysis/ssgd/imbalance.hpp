#pragma once

#include <cstddef>
#include <vector>

namespace perfmodel::ssgd {

/// How unevenly the same phase ran on G workers, by the five definitions in use; mean m, maximum M
/// of the workers' times.
///
/// Which of them the literature on S-SGD means by "load imbalance factor", and where it enters the
/// time, is not published; that `load_imbalance_factor` stretches the compute phases is our choice.
struct Imbalance {
  std::size_t workers = 1;
  double imbalance_ratio = 1;        ///< M / m, in [1, G]
  double load_imbalance_factor = 0;  ///< lambda = M / m - 1, in [0, G - 1]
  double pop_load_balance = 1;       ///< m / M, in [1 / G, 1] (POP, Cube)
  double relative_imbalance = 0;     ///< 1 - m / M, in [0, 1 - 1 / G] (Sakellariou)
  /// (M - m) / M * G / (G - 1) * 100, in [0, 100] (DeRose); 0 for one worker
  double imbalance_percentage = 0;
};

/// Throws UsageError unless 0 <= lambda <= G - 1.
Imbalance imbalance_of_factor(double lambda, std::size_t workers);

/// Of measured times, one per worker, none negative and not all 0.
Imbalance imbalance_of_times(const std::vector<double>& times);

/// Of a batch of `samples` cut into G parts as equal as whole samples allow:
/// lambda = ceil(B/G) * G / B - 1. Throws UsageError where a worker would get no sample.
Imbalance imbalance_of_even_split(std::size_t samples, std::size_t workers);

}  // namespace perfmodel::ssgd

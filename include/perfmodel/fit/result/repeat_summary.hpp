#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perfmodel {

/// Mean and standard deviation (over n - 1) of one quantity over several fits.
struct Spread {
  std::string name;  ///< "a[filters]", "mape_percent", "gpus"
  double mean = 0;
  double standard_deviation = 0;
};

/// A spread over the seeds of repeated fits.
///
/// It says how far the answers of the search differ when only its seed does. The runs are the same
/// in all fits, so this is no confidence interval.
using SeedSpread = Spread;

/// One of the repeated fits.
struct SeedFit {
  std::uint64_t seed = 0;
  double cost = 0;  ///< loss plus penalty over the training rows
};

/// What repeated fits of the same rows have in common and where they differ.
struct RepeatSummary {
  std::size_t fits = 0;
  std::vector<SeedFit> seeds;         ///< empty where the seeds are not known
  std::vector<SeedSpread> constants;  ///< in the order of the model's constants
  std::vector<SeedSpread> scaling_powers;
  /// Metrics with the names of model.json; empty for a part without rows.
  std::vector<SeedSpread> train;
  std::vector<SeedSpread> validation;
  std::vector<SeedSpread> test;
};

}  // namespace perfmodel

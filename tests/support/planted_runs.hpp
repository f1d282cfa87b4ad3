#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfmodel/table.hpp"

namespace perfmodel::test {

/// A numeric column of planted runs: a * value^p, or value^q where it is a scale.
struct PlantedNumber {
  std::string name;
  double coefficient = 0;  ///< 0: extrinsic
  double power = 0;
  std::vector<double> values;
};

struct PlantedLevels {
  std::string name;
  std::vector<std::string> levels;  ///< sorted
  std::vector<double> coefficients;
};

/// Constants of Eq. (4) that are known, and the values that their columns take.
struct PlantedModel {
  std::vector<PlantedNumber> numbers;
  std::vector<PlantedLevels> levels;
  double intercept = 0;
};

/// Random configurations of the model and their times in the column time_s; `noise` is the standard
/// deviation of ln(time).
Table planted_table(const PlantedModel& model, std::size_t rows, double noise, std::uint64_t seed);

}  // namespace perfmodel::test

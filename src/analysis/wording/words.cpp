#include "analysis/wording/words.hpp"

#include <cmath>

#include "base/readable.hpp"
#include "base/text.hpp"

namespace perfmodel {
namespace {

// The ratio of the model's MAPE to the noise floor at which one of the two is named as the limit.
constexpr double kShapeLimits = 1.5;
constexpr double kNoiseLimits = 1.15;
constexpr double kNoError = 0.05;    // percent: it is shown as 0.0
constexpr double kNoChange = 0.005;  // of a time: "1.00 times" with two decimals

}  // namespace

std::string change_in_words(double ratio) {
  if (std::abs(ratio - 1) < kNoChange)
    return "as fast";
  return ratio > 1 ? rounded(ratio) + " times slower" : rounded(1 / ratio) + " times faster";
}

std::string doubling_in_words(const Doubling& doubling) {
  return short_number(doubling.from) + " -> " + short_number(doubling.to) + ": " +
         change_in_words(doubling.ratio) + (doubling.measured ? "" : " (extrapolated)");
}

std::string noise_floor_in_words(double mape_percent, const std::optional<NoiseFloor>& floor) {
  if (!floor)
    return {};
  std::string reading = ": shape and noise both limit it";
  if (mape_percent < kNoError)
    reading.clear();
  else if (mape_percent > kShapeLimits * floor->mape_percent)
    reading = ": the shape, not the noise, limits it";
  else if (mape_percent < kNoiseLimits * floor->mape_percent)
    reading = ": the noise limits it";
  return "model " + percent(mape_percent) + ", noise floor " + percent(floor->mape_percent) +
         " from " + std::to_string(floor->rows) + " replicated rows" + reading;
}

}  // namespace perfmodel

#include "analysis/wording/words.hpp"

#include <cmath>

#include "base/readable.hpp"

namespace perfmodel {
namespace {

// The ratio of the model's MAPE to the noise floor at which one of the two is named as the limit.
constexpr double kShapeLimits = 1.5;
constexpr double kNoiseLimits = 1.15;

}  // namespace

std::string scaling_in_words(double power) {
  // The scalable part is multiplied by 2^q where the column doubles; -1 is perfect scaling.
  const double change = 100 * (std::exp2(power) - 1);
  const std::string size = std::to_string(std::lround(std::abs(change))) + " %";
  if (std::abs(change) < 0.5)
    return "no effect: doubling it leaves the time as it is";
  if (power > 0)
    return "doubling it costs " + size + " more";
  std::string reading = "far from ideal -1";
  if (power < -1.05)
    reading = "beyond ideal -1";
  else if (power < -0.95)
    reading = "ideal";
  else if (power < -0.8)
    reading = "close to ideal -1";
  else if (power < -0.5)
    reading = "short of ideal -1";
  return reading + ": doubling it cuts the scalable part by " + size;
}

std::string noise_floor_in_words(double mape_percent, const std::optional<NoiseFloor>& floor) {
  if (!floor)
    return {};
  std::string reading = "shape and noise both limit it";
  if (mape_percent > kShapeLimits * floor->mape_percent)
    reading = "the shape, not the noise, limits it";
  else if (mape_percent < kNoiseLimits * floor->mape_percent)
    reading = "the noise limits it";
  return "model " + percent(mape_percent) + ", noise floor " + percent(floor->mape_percent) +
         " from " + std::to_string(floor->rows) + " replicated rows: " + reading;
}

}  // namespace perfmodel

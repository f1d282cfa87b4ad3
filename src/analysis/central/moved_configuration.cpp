#include "analysis/central/moved_configuration.hpp"

#include <cmath>

#include "base/readable.hpp"
#include "base/text.hpp"

namespace perfmodel {

std::string setting_text(double value) {
  constexpr std::size_t longest = 8;
  std::string text = to_text(value);
  return text.size() <= longest ? text : short_number(value);
}

std::optional<double> time_of(const FittedModel& model, const Configuration& configuration) {
  const double time = predict(model, design_of(configuration, model.spec))[0];
  return is_time(time) ? std::optional(time) : std::nullopt;
}

bool MovedConfiguration::moves_others() const {
  return model_.spec.moves_others(model_.spec.extrinsic[extrinsic_].column);
}

std::optional<Configuration> MovedConfiguration::at(double scale) const {
  if (moves_others())
    return with_scale(model_.spec, typical_, extrinsic_, scale);
  Configuration moved = typical_;
  moved.extrinsic[extrinsic_] = scale;
  return moved;
}

std::optional<double> MovedConfiguration::time_at(double scale) const {
  const auto moved = at(scale);
  return moved ? time_of(model_, *moved) : std::nullopt;
}

}  // namespace perfmodel

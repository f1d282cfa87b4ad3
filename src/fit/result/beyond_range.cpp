#include "fit/result/beyond_range.hpp"

#include <algorithm>
#include <cmath>

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kGoneOn = 1e-9;  ///< of ln t: more than rounding

}  // namespace

BeyondRange beyond_range(const Form& form, const ModelSpec& spec, const Eigen::VectorXd& constants,
                         const Design& design) {
  Design edge = design;
  Design inner = design;     // a factor of two inside of the edge
  Design opposite = design;  // at the other end of the range
  ArrayXd nearer = ArrayXd::Ones(static_cast<Index>(design.rows));  // edge / x, or x / edge
  const auto move = [&](const std::vector<NumericInput>& inputs, const auto& asked, auto& at_edge,
                        auto& at_inner, auto& at_opposite) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double low = inputs[i].low;
      const double high = inputs[i].high;
      for (std::size_t v = 0; v < asked[i].values.size(); ++v) {
        const double value = asked[i].values[v];
        if (low <= value && value <= high)
          continue;
        const bool above = value > high;
        at_edge[i].values[v] = above ? high : low;
        at_inner[i].values[v] = std::clamp(above ? high / 2 : 2 * low, low, high);
        at_opposite[i].values[v] = above ? low : high;
        double& least = nearer[static_cast<Index>(v)];
        least = std::min(least, above ? high / value : value / low);
      }
    }
  };
  move(spec.intrinsic, design.intrinsic, edge.intrinsic, inner.intrinsic, opposite.intrinsic);
  move(spec.extrinsic, design.extrinsic, edge.extrinsic, inner.extrinsic, opposite.extrinsic);
  const auto log_time = [&](const Design& at) -> ArrayXd {
    return form.predict(spec, constants, at).array().log();
  };
  const ArrayXd at_edge = log_time(edge);
  const ArrayXd gone_on = (log_time(design) - at_edge).abs();
  const ArrayXd rise = at_edge - log_time(inner);
  const ArrayXd lacking = (rise.abs() * (1 - nearer) - gone_on).max(0);
  return {gone_on.max((log_time(opposite) - at_edge).abs()) >= kGoneOn, rise.sign() * lacking};
}

}  // namespace perfmodel

#include "cli/range_check.hpp"

#include <functional>

#include "perfmodel/base/text.hpp"

namespace perfmodel::cli {
namespace {

bool contains(const NumericInput& input, double value) {
  return input.low <= value && value <= input.high;
}

/// All numeric columns: what is known of each and its values.
void for_each_factor(const ModelSpec& spec, const Design& design,
                     const std::function<void(const NumericInput&, const NumericFactor&)>& visit) {
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    visit(spec.intrinsic[i], design.intrinsic[i]);
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    visit(spec.extrinsic[j], design.extrinsic[j]);
  }
}

}  // namespace

std::vector<bool> rows_in_range(const ModelSpec& spec, const Design& design) {
  std::vector<bool> in_range(design.rows, true);
  for_each_factor(spec, design, [&](const NumericInput& input, const NumericFactor& factor) {
    for (std::size_t row = 0; row < design.rows; ++row) {
      if (!contains(input, factor.value(row))) {
        in_range[row] = false;
      }
    }
  });
  return in_range;
}

void warn_out_of_range(const ModelSpec& spec, const Design& design, Console& console) {
  for_each_factor(spec, design, [&](const NumericInput& input, const NumericFactor& factor) {
    std::size_t outside = 0;
    for (std::size_t row = 0; row < design.rows; ++row) {
      outside += contains(input, factor.value(row)) ? 0U : 1U;
    }
    if (outside == 0) {
      return;
    }
    const std::string range = to_text(input.low) + " .. " + to_text(input.high);
    console.warning(design.rows == 1 ? input.column + " = " + to_text(factor.value(0)) +
                                           " is outside of the measured range " + range +
                                           ": the prediction is extrapolated"
                                     : "column '" + input.column + "' leaves the measured range " +
                                           range + " in " + std::to_string(outside) + " of " +
                                           std::to_string(design.rows) +
                                           " rows: the predictions there are extrapolated");
  });
}

}  // namespace perfmodel::cli

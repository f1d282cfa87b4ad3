#include "analysis/central/range_check.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "fit/determined/warnings.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostFindings = 5;  // named in warnings; one is enough to think again

bool contains(const NumericInput& input, double value) {
  return input.low <= value && value <= input.high;
}

/// All numeric columns: what is known of each and its values.
void for_each_factor(const ModelSpec& spec, const Design& design,
                     const std::function<void(const NumericInput&, const NumericFactor&)>& visit) {
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    visit(spec.intrinsic[i], design.intrinsic[i]);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    visit(spec.extrinsic[j], design.extrinsic[j]);
}

/// "in 3 of 20 rows"
std::string in_rows(const std::vector<bool>& rows) {
  return " in " + std::to_string(std::count(rows.begin(), rows.end(), true)) + " of " +
         std::to_string(rows.size()) + " rows";
}

/// Marks the rows as out of range; whether there are any.
bool mark(const std::vector<bool>& outside, RangeCheck& check) {
  bool any = false;
  for (std::size_t row = 0; row < outside.size(); ++row) {
    if (outside[row]) {
      check.in_range[row] = false;
      any = true;
    }
  }
  return any;
}

void check_columns(const FittedModel& model, const Design& design, RangeCheck& check) {
  for_each_factor(
      model.spec, design,
      [&](const NumericInput& input, const NumericFactor& factor) {
        std::vector<bool> outside(design.rows);
        for (std::size_t row = 0; row < design.rows; ++row)
          outside[row] = !contains(input, factor.value(row));
        if (!mark(outside, check))
          return;
        const std::string range =
            "the measured range " + to_text(input.low) + " .. " + to_text(input.high);
        check.findings.push_back(
            design.rows == 1
                ? input.column + " = " + to_text(factor.value(0)) + " is outside of " + range
                : "column '" + input.column + "' leaves " + range + in_rows(outside));
        for (std::size_t row = 0; row < design.rows; ++row) {
          if (factor.value(row) > input.high) {
            check.findings.back() += growth_beyond(model, input);
            break;
          }
        }
      });
}

void check_regions(const FittedModel& model, const Design& design, RangeCheck& check) {
  std::size_t found = 0;
  for (const UnmeasuredRegion& region : model.unmeasured) {
    const std::vector<bool> inside = rows_in_region(region, model.spec, design);
    if (!mark(inside, check) || ++found > kMostFindings)
      continue;
    check.findings.push_back("nothing was measured at " + to_text(region) +
                             (design.rows == 1 ? "" : "," + in_rows(inside)));
  }
  if (found > kMostFindings) {
    check.findings.push_back("nothing was measured at " + std::to_string(found - kMostFindings) +
                             " further combinations of two columns");
  }
}

}  // namespace

std::string growth_beyond(const FittedModel& model, const NumericInput& input) {
  const std::vector<NumericInput>& scales = model.spec.extrinsic;
  for (std::size_t j = 0; j < scales.size(); ++j)
    if (scales[j].column == input.column)
      if (const std::string growth = steep_growth(model, j); !growth.empty())
        return ", beyond which " + growth;
  return {};
}

RangeCheck check_range(const FittedModel& model, const Design& design) {
  RangeCheck check{std::vector<bool>(design.rows, true), {}};
  check_columns(model, design, check);
  check_regions(model, design, check);
  return check;
}

}  // namespace perfmodel

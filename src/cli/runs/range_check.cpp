#include "cli/runs/range_check.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/options/option_set.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostRegions = 5;  // named in warnings; one is enough to think again

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

void check_columns(const ModelSpec& spec, const Design& design, RangeCheck& check) {
  for_each_factor(
      spec, design,
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
      });
}

void check_regions(const FittedModel& model, const Design& design, RangeCheck& check) {
  std::size_t found = 0;
  for (const UnmeasuredRegion& region : model.unmeasured) {
    const std::vector<bool> inside = rows_in_region(region, model.spec, design);
    if (!mark(inside, check) || ++found > kMostRegions)
      continue;
    check.findings.push_back("nothing was measured at " + to_text(region) +
                             (design.rows == 1 ? "" : "," + in_rows(inside)));
  }
  if (found > kMostRegions) {
    check.findings.push_back("nothing was measured at " + std::to_string(found - kMostRegions) +
                             " further combinations of two columns");
  }
}

}  // namespace

RangeCheck check_range(const FittedModel& model, const Design& design) {
  RangeCheck check{std::vector<bool>(design.rows, true), {}};
  check_columns(model.spec, design, check);
  check_regions(model, design, check);
  return check;
}

Option add_strict_range(OptionSet& app, bool& strict) {
  return app.add_flag("--strict-range", strict,
                      "refuse configurations outside of what was measured\n"
                      "(exit code 3) where otherwise a warning is given");
}

void report_range(const RangeCheck& check, bool strict, Console& console) {
  if (strict && !check.findings.empty())
    throw InputError("--strict-range: " + joined(check.findings, "; "));
  const std::string end = check.in_range.size() == 1 ? ": the prediction is extrapolated"
                                                     : ": the predictions there are extrapolated";
  for (const auto& finding : check.findings)
    console.warning(finding + end);
}

}  // namespace perfmodel::cli

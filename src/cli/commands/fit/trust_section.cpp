#include "cli/commands/fit/trust_section.hpp"

#include <optional>
#include <vector>

#include "analysis/constants/constant_table.hpp"
#include "fit/result/form.hpp"

namespace perfmodel::cli {
namespace {

constexpr char kBoundMark = '*';
constexpr char kDataMark = '?';

char mark_of(ConstantStatus status) {
  switch (status) {
    case ConstantStatus::at_bound:
      return kBoundMark;
    case ConstantStatus::undetermined:
      return kDataMark;
    case ConstantStatus::unknown:
    case ConstantStatus::determined:
      break;
  }
  return ' ';
}

/// Where a model does not say what its runs determine, everything is shown.
bool can_be_quoted(ConstantStatus status) {
  return status == ConstantStatus::determined || status == ConstantStatus::unknown;
}

void add_interval(TextTable& table, const std::string& name, double fitted,
                  const Interval& interval) {
  table.add({clipped(name, 44), short_number(fitted),
             short_number(interval.low) + " .. " + short_number(interval.high)});
}

}  // namespace

ConstantMarks::ConstantMarks(const FittedModel& model) {
  if (!model.identifiability)
    return;
  const auto mark = [&](ConstantStatus status) {
    const char out = mark_of(status);
    of_a_bound_ = of_a_bound_ || out == kBoundMark;
    of_data_ = of_data_ || out == kDataMark;
    return out;
  };
  for (const ConstantRow& row : constant_table(model))
    marks_ += mark(row.status);
  for (const ScalingPower& power : scaling_power_table(model))
    scaling_powers_ += mark(power.status);
}

std::string ConstantMarks::of(std::size_t constant) const {
  return of_a_bound_ || of_data_ ? marks_.substr(constant, 1) : "";
}

std::string ConstantMarks::behind(std::size_t constant) const {
  const std::string mark = of(constant);
  return mark == " " ? "" : mark;
}

std::string ConstantMarks::of_scaling_power(std::size_t extrinsic) const {
  return (of_a_bound_ || of_data_) && !scaling_powers_.empty()
             ? scaling_powers_.substr(extrinsic, 1)
             : "";
}

std::string ConstantMarks::legend() const {
  const std::string bound = of_a_bound_ ? "* at a bound" : "";
  const std::string data = of_data_ ? "? not determined by these runs" : "";
  return bound + (of_a_bound_ && of_data_ ? "   " : "") + data;
}

TextTable uncertainty_table(const FittedModel& model, const Uncertainty& uncertainty) {
  using enum Align;
  TextTable table({left, right, left});
  table.add({std::to_string(uncertainty.samples) + " bootstrap samples", "fitted",
             short_number(100 * uncertainty.confidence) + " % interval"});
  const bool local = model.form->has_local_powers();
  const auto add = [&](const std::string& name, double fitted,
                       const std::optional<Interval>& interval, ConstantStatus status) {
    // What is 0 by the definition of a sum has no width.
    const bool is_free = interval && (!local || interval->low < interval->high);
    if (is_free && can_be_quoted(status))
      add_interval(table, name, fitted, *interval);
  };
  const auto add_row = [&](const ConstantRow& row) {
    add(row.name, row.value, row.interval, row.status);
  };
  const std::vector<ConstantRow> constants = constant_table(model);
  for (const ScalingPower& power : scaling_power_table(model))
    if (local)
      add("local power of " + power.column, power.power, power.interval, power.status);
  for (const ConstantRow& row : constants)
    if (!local && row.role == ConstantRole::scaling_power)
      add_row(row);
  add_row(constants.back());  // C
  for (const ConstantRow& row : constants)
    if (row.role == ConstantRole::intrinsic_power ||
        (local && row.role == ConstantRole::scaling_power))
      add_row(row);
  for (const LevelDifference& item : difference_table(model)) {
    const ConstantRow& row = item.difference;
    add(item.column + ": " + row.name, row.value, row.interval, row.status);
  }
  return table;
}

}  // namespace perfmodel::cli

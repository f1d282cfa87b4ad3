#include "cli/runs/predictions.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/index.hpp"
#include "base/problem_list.hpp"
#include "base/text.hpp"
#include "fit/result/form.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostLines = 5;    // that a message names
constexpr double kNearlyNothing = 0.01;  // of a constant, what else there is

/// "line 4", "lines 4 and 9", "lines 4, 9, 12, 15, 20 and 7 more"
std::string places(const std::vector<std::size_t>& rows, const std::vector<std::uint32_t>& lines) {
  std::vector<std::string> items;
  for (const std::size_t row : rows)
    items.push_back(std::to_string(lines[row]));
  return (items.size() == 1 ? "line " : "lines ") + enumerated(items, kMostLines);
}

}  // namespace

Predictions predictions_of(const FittedModel& model, const Design& design) {
  Predictions out{predict(model, design), {}};
  for (std::size_t row = 0; row < design.rows; ++row)
    if (!is_time(out.values[static_cast<Eigen::Index>(row)]))
      out.without_time.push_back(row);
  return out;
}

std::optional<std::string> without_time_text(const Predictions& predictions, const Table& table) {
  const auto& rows = predictions.without_time;
  if (rows.empty())
    return std::nullopt;
  return table.source + ": in " + std::to_string(rows.size()) + " of " +
         std::to_string(table.rows()) + " rows (" + places(rows, table.lines) +
         ") the model predicts no time > 0 that a number holds";
}

void report_without_time(const Predictions& predictions, const Table& table,
                         const std::string& consequence, bool strict, Console& console) {
  if (const auto text = without_time_text(predictions, table)) {
    if (strict)
      throw InputError("--strict-range: " + *text);
    console.warning(*text + ": " + consequence);
  }
}

void report_constants(const FittedModel& model, const Design& design, const Eigen::VectorXd& times,
                      const std::vector<std::uint32_t>& lines, Console& console) {
  const double constant = model.form->unscaled_time(model.constants);
  const auto factors = model.form->process_factors(design);
  std::set<std::string> columns;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < design.rows; ++row) {
    const double trend = times[index(row)] / (factors ? (*factors)[index(row)] : 1);
    if (!(std::abs(trend - constant) <= kNearlyNothing * std::abs(constant)))
      continue;
    bool has_zero = false;
    for (std::size_t i = 0; i < design.intrinsic.size(); ++i) {
      if (design.intrinsic[i].value(row) == 0) {
        columns.insert(model.spec.intrinsic[i].column);
        has_zero = true;
      }
    }
    if (has_zero)
      rows.push_back(row);
  }
  if (rows.empty())
    return;
  console.warning(
      (design.rows == 1
           ? ""
           : "in " + std::to_string(rows.size()) + " of " + std::to_string(design.rows) +
                 " rows (" + places(rows, lines) + "): ") +
      joined(std::vector<std::string>(columns.begin(), columns.end()), " = ") +
      " = 0 leaves the constant C of Eq. (4) alone, the same time whatever the other inputs are; "
      "another form may know better: --expression auto");
}

Eigen::VectorXd predicted_times(const FittedModel& model, const Design& design,
                                const std::function<std::string(std::size_t row)>& where) {
  const Predictions predictions = predictions_of(model, design);
  ProblemList problems;
  for (const std::size_t row : predictions.without_time) {
    const double value = predictions.values[static_cast<Eigen::Index>(row)];
    problems.add(row, 0, [&] {
      return where(row) + ": the model predicts " +
             (std::isfinite(value) ? to_text(value) : "a value too large for a number") +
             ", which is no time; the configuration is too far from the measured ones";
    });
  }
  if (!problems.empty())
    throw InputError(problems.text());
  return predictions.values;
}

}  // namespace perfmodel::cli

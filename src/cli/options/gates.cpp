#include "cli/options/gates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

using Comparison = Gate::Comparison;

constexpr std::array<std::pair<std::string_view, double Metrics::*>, 6> kMetricMembers = {
    {{"mae", &Metrics::mae},
     {"mape", &Metrics::mape_percent},
     {"smape", &Metrics::smape_percent},
     {"mse", &Metrics::mse},
     {"rmse", &Metrics::rmse},
     {"r2", &Metrics::r2}}};

/// The longer ones first, so that ">=" is not read as ">".
constexpr std::array<std::pair<std::string_view, Comparison>, 4> kComparisons = {
    {{">=", Comparison::at_least},
     {"<=", Comparison::at_most},
     {">", Comparison::above},
     {"<", Comparison::below}}};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  const auto last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, last - first + 1);
}

bool holds(const Gate& gate, double value) {
  if (std::isnan(value))
    return true;
  switch (gate.comparison) {
    case Comparison::above:
      return value > gate.threshold;
    case Comparison::at_least:
      return value >= gate.threshold;
    case Comparison::below:
      return value < gate.threshold;
    case Comparison::at_most:
      return value <= gate.threshold;
  }
  return true;
}

}  // namespace

std::vector<std::string> gate_metrics() {
  std::vector<std::string> names;
  for (const auto& [name, member] : kMetricMembers)
    names.emplace_back(name);
  return names;
}

std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix) {
  std::vector<Figure> figures;
  for (const auto& [name, member] : kMetricMembers)
    figures.push_back({prefix + std::string(name), metrics.*member, part});
  return figures;
}

Gate parse_gate(std::string_view text, const FurtherFigures& further) {
  std::vector<std::string> known = gate_metrics();
  known.insert(known.end(), further.names.begin(), further.names.end());
  for (const auto& [symbol, comparison] : kComparisons) {
    const auto position = text.find(symbol);
    if (position == std::string_view::npos)
      continue;
    const auto name = trimmed(text.substr(0, position));
    const auto threshold = parse_number(trimmed(text.substr(position + symbol.size())));
    if (threshold && std::find(known.begin(), known.end(), name) != known.end())
      return {std::string(text), std::string(name), comparison, *threshold};
    break;
  }
  throw UsageError("--fail-if '" + std::string(text) +
                   "': expected a metric (mae, mape, smape, mse, rmse, r2" + further.words +
                   "), one of > >= < <= and a number, as in 'mape>10'");
}

void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures) {
  std::string failures;
  const auto add = [&](const std::string& failure) {
    failures += (failures.empty() ? "" : "; ") + failure;
  };
  for (const auto& gate : gates) {
    bool found = false;
    for (const auto& figure : figures) {
      if (figure.name != gate.figure)
        continue;
      found = true;
      if (holds(gate, figure.value)) {
        add("--fail-if '" + gate.text + "' holds on " + figure.part + ": " + figure.name + " is " +
            (std::isnan(figure.value) ? "undefined" : to_text(figure.value)));
      }
    }
    if (!found)
      add("--fail-if '" + gate.text + "' cannot be judged: there is no " + gate.figure);
  }
  if (!failures.empty())
    throw GateError(failures);
}

}  // namespace perfmodel::cli

#include "cli/gates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "perfmodel/base/error.hpp"
#include "perfmodel/base/text.hpp"

namespace perfmodel::cli {
namespace {

using Comparison = Gate::Comparison;

constexpr std::array<std::pair<std::string_view, double Metrics::*>, 6> metric_members = {
    {{"mae", &Metrics::mae},
     {"mape", &Metrics::mape_percent},
     {"smape", &Metrics::smape_percent},
     {"mse", &Metrics::mse},
     {"rmse", &Metrics::rmse},
     {"r2", &Metrics::r2}}};

/// The longer ones first, so that ">=" is not read as ">".
constexpr std::array<std::pair<std::string_view, Comparison>, 4> comparisons = {
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

std::optional<double> figure(const Metrics& metrics, std::string_view name) {
  for (const auto& [known, member] : metric_members) {
    if (known == name) {
      return metrics.*member;
    }
  }
  return std::nullopt;
}

bool holds(const Gate& gate, double value) {
  if (std::isnan(value)) {
    return true;
  }
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

Gate parse_gate(std::string_view text) {
  for (const auto& [symbol, comparison] : comparisons) {
    const auto position = text.find(symbol);
    if (position == std::string_view::npos) {
      continue;
    }
    const auto metric = trimmed(text.substr(0, position));
    const auto threshold = parse_number(trimmed(text.substr(position + symbol.size())));
    if (threshold && figure(Metrics{}, metric)) {
      return {std::string(text), std::string(metric), comparison, *threshold};
    }
    break;
  }
  throw UsageError("--fail-if '" + std::string(text) +
                   "': expected a metric (mae, mape, smape, mse, rmse, r2), one of > >= < <= and "
                   "a number, as in 'mape>10'");
}

void check_gates(const std::vector<Gate>& gates, const Metrics& metrics, const std::string& part) {
  std::string failures;
  for (const auto& gate : gates) {
    const double value = figure(metrics, gate.metric).value();
    if (holds(gate, value)) {
      failures += failures.empty() ? "" : "; ";
      failures += "--fail-if '" + gate.text + "' holds on " + part + ": " + gate.metric + " is " +
                  (std::isnan(value) ? "undefined" : to_text(value));
    }
  }
  if (!failures.empty()) {
    throw GateError(failures);
  }
}

}  // namespace perfmodel::cli

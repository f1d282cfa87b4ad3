#include "cli/gates.hpp"

#include <cmath>

#include "base/text.hpp"

namespace perfmodel::cli {

namespace {

/// "mape" of "mape_percent".
std::string short_name(std::string_view metric) {
  return std::string(metric.substr(0, metric.find('_')));
}

/// Longer symbols first, so that ">=" is not read as ">".
constexpr std::array<std::pair<std::string_view, decltype(Gate::compares)>, 4> kComparisons = {
    {{">=", [](double value, double threshold) { return value >= threshold; }},
     {"<=", [](double value, double threshold) { return value <= threshold; }},
     {">", [](double value, double threshold) { return value > threshold; }},
     {"<", [](double value, double threshold) { return value < threshold; }}}};

bool holds(const Gate& gate, double value) {
  return std::isnan(value) || gate.compares(value, gate.threshold);
}

/// "mape_drift is 2.5 (95 % interval 2.1 .. 2.9)".
std::string value_text(const Figure& figure) {
  return figure.name + " is " + (std::isnan(figure.value) ? "undefined" : to_text(figure.value)) +
         gate_interval_text(figure.interval);
}

}  // namespace

std::string gate_interval_text(const std::optional<Interval>& interval) {
  return interval
             ? " (95 % interval " + rounded(interval->low) + " .. " + rounded(interval->high) + ")"
             : "";
}

std::vector<std::string> gate_metrics() {
  return mapped(
      kNamedMetrics, [](const auto& metric) { return short_name(metric.first); });
}

std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix) {
  return mapped(
      kNamedMetrics,
      [&](const auto& metric) {
        return Figure{prefix + short_name(metric.first), metrics.*metric.second, part, {}};
      });
}

Gate parse_gate(std::string_view text, const FurtherFigures& further) {
  std::vector<std::string> known = gate_metrics();
  known.insert(known.end(), further.names.begin(), further.names.end());
  for (const auto& [symbol, compares] : kComparisons) {
    const auto position = text.find(symbol);
    if (position == std::string_view::npos)
      continue;
    const auto name = trimmed(text.substr(0, position), " \t");
    const auto threshold = parse_number(trimmed(text.substr(position + symbol.size()), " \t"));
    if (threshold && (contains(known, name) || (further.accepts && further.accepts(name))))
      return {std::string(text), std::string(name), compares, *threshold};
    break;
  }
  throw UsageError("--fail-if '" + std::string(text) +
                   "': expected a metric (mae, mape, smape, mse, rmse, r2" + further.words +
                   "), one of > >= < <= and a number, as in 'mape>10'");
}

std::vector<JudgedGate> judged_gates(const std::vector<Gate>& gates,
                                     const std::vector<Figure>& figures) {
  std::vector<JudgedGate> out;
  for (const auto& gate : gates) {
    const std::size_t before = out.size();
    for (const auto& figure : figures) {
      if (figure.name != gate.figure)
        continue;
      const bool now = holds(gate, figure.value);
      const bool everywhere = !figure.interval || (holds(gate, figure.interval->low) &&
                                                   holds(gate, figure.interval->high));
      out.push_back({gate, figure, now, now && everywhere});
    }
    if (out.size() == before)
      out.push_back({gate, std::nullopt, true, true});
  }
  return out;
}

void check_gates(const std::vector<JudgedGate>& gates, const std::string& guess) {
  std::vector<std::string> failures;
  for (const auto& [gate, figure, holds, fires] : gates) {
    if (!fires)
      continue;
    const std::string condition = "--fail-if '" + gate.text + "' ";
    failures.push_back(condition + (figure ? "holds on " + figure->part + ": " + value_text(*figure)
                                           : "cannot be judged: there is no " + gate.figure));
  }
  if (!failures.empty())
    throw GateError(joined(failures, "; ") + (guess.empty() ? "" : "\n" + guess));
}

void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures,
                 const std::string& guess) {
  check_gates(judged_gates(gates, figures), guess);
}

std::vector<std::string> open_gates(const std::vector<JudgedGate>& gates) {
  std::vector<std::string> out;
  for (const auto& [gate, figure, holds, fires] : gates) {
    if (holds && !fires)
      out.push_back("--fail-if '" + gate.text + "' holds, but not for certain: " +
                    value_text(*figure) + "; more runs may decide");
  }
  return out;
}

void add_gates(OptionSet& app, std::vector<Gate>& gates, const std::string& help,
               const FurtherFigures& further) {
  const auto parse = [&gates, further](const std::string& text) {
    gates.push_back(parse_gate(text, further));
  };
  app.add_each("--fail-if CONDITION", parse, help).of_no_result().of_program().common();
}

}  // namespace perfmodel::cli

#include "cli/gates.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"
#include "trust/resampling.hpp"

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
std::string value_text(const JudgedGate& gate) {
  return gate.figure + " is " + (std::isnan(*gate.value) ? "undefined" : to_text(*gate.value)) +
         gate_interval_text(gate.interval);
}

/// The figure's name if the condition applies to this line ("any.mape": "mape"), else nullopt.
std::optional<std::string> named_figure(const std::string& name, const ModelSetLine& line,
                                        const ModelSetHeader& header) {
  if (name.starts_with("any."))
    return name.substr(4);
  std::vector<std::string> facts{"target=" + line.target};
  for (std::size_t i = 0; i < header.by.size(); ++i)
    facts.push_back(header.by[i] + "=" + line.key[i]);
  // Levels may contain commas and dots, so the known texts are removed one by one.
  std::string rest = name;
  while (true) {
    const auto fact = std::find_if(facts.begin(), facts.end(), [&](const std::string& each) {
      return rest.starts_with(each + ",") || rest.starts_with(each + ".");
    });
    if (fact == facts.end())
      return std::nullopt;
    const bool last = rest[fact->size()] == '.';
    rest.erase(0, fact->size() + 1);
    if (last)
      return rest;
  }
}

std::vector<Figure> figures_of_line(const ModelSetLine& line, const std::string& part) {
  std::vector<Figure> out{{"refused", line.model ? 0.0 : 1.0, part, {}}};
  if (!line.model)
    return out;
  const auto metrics = figures_of_parts(*line.model, part);
  out.insert(out.end(), metrics.begin(), metrics.end());
  const auto names = constant_names(*line.model);
  for (std::size_t i = 0; i < names.size(); ++i)
    out.push_back({names[i], line.model->constants[index(i)], part, {}});
  return out;
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
      out.push_back({{gate.text, figure.value, figure.interval, now && everywhere, figure.of},
                     gate.figure,
                     figure.part,
                     now});
    }
    if (out.size() == before)
      out.push_back({{gate.text, std::nullopt, std::nullopt, true, ""}, gate.figure, "", true});
  }
  return out;
}

void check_gates(const std::vector<JudgedGate>& gates, const std::string& guess) {
  std::vector<std::string> failures;
  for (const JudgedGate& gate : gates)
    if (gate.fired)
      failures.push_back("--fail-if '" + gate.condition + "' " +
                         (gate.value ? "holds on " + gate.part + ": " + value_text(gate)
                                     : "cannot be judged: there is no " + gate.figure));
  if (!failures.empty())
    throw GateError(joined(failures, "; ") + (guess.empty() ? "" : "\n" + guess));
}

void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures,
                 const std::string& guess) {
  check_gates(judged_gates(gates, figures), guess);
}

std::vector<std::string> open_gates(const std::vector<JudgedGate>& gates) {
  std::vector<std::string> out;
  for (const JudgedGate& gate : gates)
    if (gate.holds && !gate.fired)
      out.push_back("--fail-if '" + gate.condition + "' holds" +
                    (gate.of.empty() ? "" : " for " + gate.of) +
                    ", but not for certain: " + value_text(gate) + "; more runs may decide");
  return out;
}

std::vector<Figure> figures_of_parts(const FittedModel& model, const std::string& group) {
  std::vector<Figure> out;
  const auto add = [&](const std::optional<Metrics>& metrics, const std::string& part,
                       const std::string& prefix) {
    if (!metrics)
      return;
    const auto figures = figures_of(*metrics, group.empty() ? part : group, prefix);
    out.insert(out.end(), figures.begin(), figures.end());
  };
  const PartMetrics& parts = model.known.metrics;
  add(parts.test ? parts.test : parts.train, parts.test ? "the test part" : "the training part",
      "");
  add(parts.train, "the training part", "train.");
  add(parts.validation, "the validation part", "validation.");
  add(parts.test, "the test part", "test.");
  if (model.known.cross_validation)
    add(mean_metrics(model.known.cross_validation->folds), "the mean of the folds", "folds.");
  return out;
}

bool is_set_figure(std::string_view name) {
  return name.starts_with("any.") || name.find('=') != std::string_view::npos;
}

void require_set_figures(const std::vector<Gate>& gates) {
  for (const Gate& gate : gates)
    if (!is_set_figure(gate.figure))
      throw UsageError("--fail-if '" + gate.text +
                       "': say of which of the models, as in 'any.mape>10'");
}

std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const ModelSet& set,
                                         const std::vector<std::vector<Figure>>& further) {
  if (gates.empty())
    return {};
  std::vector<std::vector<Figure>> judged(gates.size());
  std::vector<std::string> unknown(gates.size());  // figures of models that were asked for
  std::size_t place = 0;
  set.for_each([&](const ModelSetLine& line) {
    const std::string model = words_of(line, set.header());
    std::vector<Figure> figures = figures_of_line(line, model);
    if (place < further.size())
      figures.insert(figures.end(), further[place].begin(), further[place].end());
    ++place;
    for (std::size_t k = 0; k < gates.size(); ++k) {
      const auto name = named_figure(gates[k].figure, line, set.header());
      if (name && line.model)
        unknown[k] = *name;
      for (const Figure& figure : figures)
        if (figure.name == name)
          judged[k].push_back({gates[k].figure, figure.value, figure.part, figure.interval,
                               figure.of.empty() ? model : model + ", " + figure.of});
    }
  });
  std::vector<JudgedGate> out;
  for (std::size_t k = 0; k < gates.size(); ++k) {
    if (judged[k].empty() && !unknown[k].empty())
      throw UsageError("--fail-if '" + gates[k].text + "': many models have no '" + unknown[k] +
                       "', but refused, constants and " + joined(gate_metrics(), ", ") +
                       "; choose one model: --pick");
    // Reports one figure for which the condition does not hold, unless it holds for others.
    const std::vector<JudgedGate> all = judged_gates({gates[k]}, judged[k]);
    const bool any_holds = std::ranges::any_of(all, &JudgedGate::holds);
    std::copy_if(all.begin(), any_holds ? all.end() : all.begin() + 1, std::back_inserter(out),
                 [&](const JudgedGate& gate) { return gate.holds == any_holds; });
  }
  return out;
}

void add_gates(OptionSet& app, std::vector<Gate>& gates, const std::string& help,
               const FurtherFigures& further) {
  const auto parse = [&gates, further](const std::string& text) {
    Gate gate = parse_gate(text, further);
    if (std::ranges::find(gates, gate.text, &Gate::text) == gates.end())  // one test case each
      gates.push_back(std::move(gate));
  };
  app.add_each("--fail-if CONDITION", parse, help).of_no_result().of_program().common();
}

}  // namespace perfmodel::cli

#include "cli/commands/fit/fit_gates.hpp"

#include "cli/commands/fit/fit_many.hpp"
#include "cli/sets/set_gates.hpp"
#include "perfmodel/base/error.hpp"
#include "trust/spread.hpp"

namespace perfmodel::cli {

const FurtherFigures& fit_figures() {
  static const FurtherFigures further = [] {
    FurtherFigures out;
    for (const char* part : {"train.", "validation.", "test.", "folds."})
      for (const auto& metric : gate_metrics())
        out.names.push_back(part + metric);
    out.words = std::string("; of a part: train., validation., test. or folds. before it") +
                kSetFigureWords;
    out.accepts = is_set_figure;
    return out;
  }();
  return further;
}

void check_gated_parts(const FitArguments& arguments) {
  const SplitShares shares = arguments.split.value_or(SplitShares{});
  const bool many = asks_for_many(arguments);
  for (const auto& gate : arguments.gates) {
    if (is_set_figure(gate.figure) != many) {
      throw UsageError("--fail-if '" + gate.text + "': " +
                       (many ? "of many models say of which: 'any." + gate.text + "'"
                             : "there are no groups; pass --by"));
    }
    const auto lacks = [&](const std::string& part, bool exists, const std::string& advice) {
      if (gate.figure.starts_with(part + ".") && !exists)
        throw UsageError("--fail-if '" + gate.text + "': " + advice);
    };
    lacks("validation", shares.validation > 0,
          "there is no validation part; pass --split 60:20:20");
    lacks("test", shares.test > 0 || arguments.test.has_value(),
          "there is no test part; pass --split 80:20 or --test");
    lacks("folds", arguments.held_out.folds.has_value(), "there are no folds; pass --folds 5");
  }
}

void check_fit_gates(const std::vector<Gate>& gates, const FittedModel& model) {
  const PartMetrics& parts = model.metrics;
  std::vector<Figure> figures = parts.test ? figures_of(*parts.test, "the test part")
                                           : figures_of(parts.train, "the training part");
  const auto add = [&](const Metrics& metrics, const std::string& part, const std::string& prefix) {
    const auto more = figures_of(metrics, part, prefix);
    figures.insert(figures.end(), more.begin(), more.end());
  };
  add(parts.train, "the training part", "train.");
  if (parts.validation)
    add(*parts.validation, "the validation part", "validation.");
  if (parts.test)
    add(*parts.test, "the test part", "test.");
  if (model.cross_validation)
    add(mean_metrics(model.cross_validation->folds), "the mean of the folds", "folds.");
  check_gates(gates, figures);
}

}  // namespace perfmodel::cli

#include "cli/commands/fit/repeat_section.hpp"

#include <array>
#include <utility>

namespace perfmodel::cli {
namespace {

using Spreads = std::vector<SeedSpread>;

void add_row(TextTable& table, const std::string& name, double best, const SeedSpread& spread) {
  table.add({name, short_number(best), short_number(spread.mean),
             "+- " + short_number(spread.standard_deviation)});
}

void add_metrics(TextTable& table, const std::string& part, const Metrics& best,
                 const Spreads& spreads) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> shown = {
      {{"mae", "MAE"}, {"mape_percent", "MAPE %"}, {"rmse", "RMSE"}, {"r2", "R2"}}};
  for (const auto& [name, title] : shown) {
    for (const auto& spread : spreads) {
      if (spread.name == name) {
        for (const auto& [metric, member] : kNamedMetrics)
          if (metric == name)
            add_row(table, part + " " + std::string(title), best.*member, spread);
      }
    }
  }
}

}  // namespace

TextTable repeat_table(const FittedModel& model, const RepeatSummary& repeats) {
  using enum Align;
  TextTable table({left, right, right, left});
  table.add({std::to_string(repeats.fits) + " seeds", "best", "mean", "sd over seeds (n - 1)"});
  for (std::size_t k = 0; k < repeats.constants.size(); ++k) {
    const SeedSpread& spread = repeats.constants[k];
    add_row(table, clipped(spread.name, 36), model.constants[static_cast<Eigen::Index>(k)], spread);
  }
  add_metrics(table, "training", model.metrics.train, repeats.train);
  if (model.metrics.validation)
    add_metrics(table, "validation", *model.metrics.validation, repeats.validation);
  if (model.metrics.test)
    add_metrics(table, "test", *model.metrics.test, repeats.test);
  return table;
}

}  // namespace perfmodel::cli

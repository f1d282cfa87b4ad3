// The engine without the other buildings: it links, fits Eq. (4) and a form of its own choice to a
// table in memory, predicts, and gives an interval.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/replicates.hpp"
#include "columns/spec.hpp"
#include "fit/fit.hpp"
#include "trust/prediction_intervals.hpp"

using namespace perfmodel;

int main() {
  Table runs;
  Column gpus;
  Column batch;
  Column time;
  gpus.name = "gpus";
  batch.name = "batch";
  time.name = "time_s";
  for (std::uint32_t row = 0; row < 60; ++row) {
    const double n = 1U << (row % 5);
    const double b = 16U << (row / 5 % 4);
    gpus.numbers.push_back(n);
    batch.numbers.push_back(b);
    time.numbers.push_back((0.02 * b / n + 0.1) * (1 + 0.01 * (row % 7 - 3.0)));
    runs.lines.push_back(row + 2);
  }
  runs.columns = {gpus, batch, time};
  Roles roles;
  roles.target = "time_s";
  roles.intrinsic = {"batch"};
  roles.extrinsic = {"gpus"};
  const ModelSpec spec = plain_spec(runs, roles, indices(runs.rows()));
  const Design training = plain_design(runs, spec, Target::required);

  for (const FormOptions& form : {FormOptions(Eq4Options{}), FormOptions(AutomaticOptions{})}) {
    FitOptions options;
    options.form = form;
    FittedModel model = fit(spec, training, options);
    const auto held_out =
        HeldOutFits::of(model, training, held_out_groups(training).of_row, options);
    model.belief = held_out.value().belief();
    model.known.intervals = held_out->intervals(model, std::nullopt, 0.9);
    const Design at = design_of(Configuration{{64}, {}, {8}}, spec);
    const double predicted = predict(model, at)[0];
    const auto [lower, upper] =
        std::pair(row_intervals(model, 0.9, at)[0].lower, row_intervals(model, 0.9, at)[0].upper);
    std::printf("%.4f s, %.4f .. %.4f s\n", predicted, lower * predicted, upper * predicted);
    if (!(std::abs(predicted / 0.26 - 1) < 0.1 && lower < 1 && upper > 1))
      return 1;
  }
}

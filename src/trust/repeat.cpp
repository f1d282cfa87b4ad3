#include "trust/repeat.hpp"

#include <algorithm>
#include <optional>

#include "trust/spread.hpp"

namespace perfmodel {
namespace {

/// One value per fit.
std::vector<double> values_of(const std::vector<FittedModel>& fits,
                              const std::function<double(const FittedModel&)>& value) {
  std::vector<double> values;
  for (const FittedModel& model : fits)
    values.push_back(value(model));
  return values;
}

/// Spread of the metrics of one part of the data; `part` returns null where it has no rows.
std::vector<SeedSpread> part_spread(const std::vector<FittedModel>& fits,
                                    const std::function<const Metrics*(const FittedModel&)>& part) {
  std::vector<Metrics> metrics;
  for (const FittedModel& model : fits)
    if (const Metrics* found = part(model))
      metrics.push_back(*found);
  return metrics_spread(metrics);
}

const Metrics* get(const std::optional<Metrics>& metrics) {
  return metrics ? &*metrics : nullptr;
}

}  // namespace

std::vector<FittedModel> fit_repeatedly(const ModelSpec& spec, const Design& training,
                                        const FitOptions& options, std::size_t repeats,
                                        const std::function<void(std::size_t)>& fit_done,
                                        const TaskHooks<FittedModel>& hooks) {
  auto found = run_tasks<FittedModel>(
      repeats, options.threads, hooks,
      [&](std::size_t index) -> std::optional<FittedModel> {
        if (index > 0 && options.stop.stop_requested())
          return std::nullopt;
        FitOptions own = options;
        own.seed = options.seed + index;
        own.threads = 1;  // whole fits side by side leave no core idle, and wait for nothing
        own.be_silent();
        FittedModel model = fit(spec, training, own);
        if (hooks.done && options.stop.stop_requested())
          return std::nullopt;  // perhaps not at its optimum, and not to be kept
        return model;
      },
      fit_done);
  std::vector<FittedModel> fits;
  for (auto& model : found)
    if (model)
      fits.push_back(std::move(*model));
  return fits;
}

std::size_t best_of(const std::vector<FittedModel>& fits) {
  const auto lowest = std::min_element(
      fits.begin(), fits.end(),
      [](const FittedModel& a, const FittedModel& b) { return a.search.cost < b.search.cost; });
  return static_cast<std::size_t>(lowest - fits.begin());
}

RepeatSummary summarise(const std::vector<FittedModel>& fits) {
  RepeatSummary out;
  out.fits = fits.size();
  for (const FittedModel& model : fits)
    out.seeds.push_back({model.search.seed, model.search.cost});
  // Sums of product terms whose terms were chosen may differ from seed to seed in what they hold.
  std::vector<std::string> names = constant_names(fits.front());
  const bool same_constants = std::all_of(fits.begin(), fits.end(), [&](const FittedModel& model) {
    return constant_names(model) == names;
  });
  if (!same_constants)
    names.clear();
  for (std::size_t k = 0; k < names.size(); ++k) {
    out.constants.push_back(
        spread_of(names[k], values_of(
                                fits,
                                [k](const FittedModel& model) {
                                  return model.constants[static_cast<Eigen::Index>(k)];
                                })));
  }
  const auto& extrinsic = fits.front().spec.extrinsic;
  for (std::size_t j = 0; j < extrinsic.size(); ++j) {
    out.scaling_powers.push_back(
        spread_of(extrinsic[j].column,
                  values_of(
                      fits, [j](const FittedModel& model) { return scaling_powers(model)[j]; })));
  }
  out.train = part_spread(
      fits, [](const FittedModel& m) { return &m.metrics.train; });
  out.validation = part_spread(
      fits, [](const FittedModel& m) { return get(m.metrics.validation); });
  out.test = part_spread(fits, [](const FittedModel& m) { return get(m.metrics.test); });
  return out;
}

}  // namespace perfmodel

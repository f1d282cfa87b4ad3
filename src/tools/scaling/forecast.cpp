#include "base/text.hpp"
#include "forms/form.hpp"
#include "scaling/scaling.hpp"
#include "trust/next_runs.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::scaling {
namespace {

constexpr std::size_t kMostToMeasure = 3;

/// The part of the time of `first` that a perfectly scaling part still takes at `scale`.
double perfect_share(const ScalingStudy& study, double scale) {
  return study.kind == Kind::weak ? 1 : study.rows.front().scale / scale;
}

void add_bands(const ForecastRequest& request, const Design& design, Forecast& out) {
  if (!request.level)
    return;
  const RowIntervals intervals = row_intervals(request.model, *request.level, design);
  for (std::size_t i = 0; i < design.rows; ++i) {
    const ScalingRow& row = request.study.rows[i];
    const IntervalFactors time = i == 0 ? IntervalFactors{} : intervals[i];
    out.speedups.push_back({row.speedup / time.upper, row.speedup / time.lower});
    out.efficiencies.push_back({row.efficiency / time.upper, row.efficiency / time.lower});
  }
}

struct Parts {
  std::vector<std::string> names;
  std::vector<std::vector<double>> times;  ///< [row][part]
};

/// The parts of the time. If one power describes the whole time but C, they are these two: the
/// other parts of Eq. (4) all scale alike.
Parts parts_of(const ForecastRequest& request, const Design& design) {
  const FittedModel& model = request.model;
  Parts out;
  for (const TimePart& part : model.form->parts(model.spec, model.constants))
    out.names.push_back(part.title.empty() ? part.name : part.name + " (" + part.title + ")");
  const bool has_one_power = model.form->trend().name() == eq4_form()->name();
  for (std::size_t i = 0; i < design.rows; ++i) {
    const std::vector<std::size_t> row = {i};
    std::vector<double> times = time_shares(model, take_rows(design, row));
    for (double& time : times)
      time *= request.study.rows[i].time / 100;
    if (has_one_power)
      times = {request.study.rows[i].time - times.back(), times.back()};
    out.times.push_back(std::move(times));
  }
  if (has_one_power)
    out.names = {"all but C", "C"};
  return out;
}

std::vector<std::optional<Limit>> limits_of(const ForecastRequest& request, const Design& design) {
  const Parts parts = parts_of(request, design);
  std::vector<std::optional<Limit>> out;
  for (std::size_t i = 0; i < design.rows; ++i) {
    const ScalingRow& row = request.study.rows[i];
    std::optional<Limit> worst;
    for (std::size_t k = 0; k < parts.names.size(); ++k) {
      const double time = parts.times[i][k];
      const double perfect = perfect_share(request.study, row.scale) * parts.times.front()[k];
      const double excess = (time - perfect) / row.time;
      if (excess > 0 && (!worst || excess > worst->excess))
        worst = {parts.names[k], time / row.time, excess};
    }
    out.push_back(worst);
  }
  return out;
}

/// If the time is at this end of its interval, or as predicted.
double efficiency_at(const ForecastRequest& request, double scale, double IntervalFactors::*end) {
  const Design design = request.at({scale});
  const double time = predict(request.model, design)[0];
  if (!is_time(time))
    return 0;
  const double efficiency =
      perfect_share(request.study, scale) * request.study.rows.front().time / time;
  return request.level && end != nullptr
             ? efficiency / (row_intervals(request.model, *request.level, design)[0].*end)
             : efficiency;
}

std::optional<double> knee_of(const ForecastRequest& request, double IntervalFactors::*end) {
  const auto pays = [&](double scale) {
    return efficiency_at(request, scale, end) >= request.study.least_efficiency;
  };
  const std::vector<ScalingRow>& rows = request.study.rows;
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (!pays(rows[i].scale))
      return last_whole_scale(rows[i - 1].scale, rows[i].scale, pays);
  return std::nullopt;
}

/// The measured scales, doubled from the lowest to the highest.
std::vector<double> measured_scales(const NumericInput& input) {
  std::vector<double> out;
  for (double scale = input.low; scale < input.high; scale *= 2)
    out.push_back(scale);
  out.push_back(input.high);
  return out;
}

void add_scales_to_measure(const ForecastRequest& request, const Design& design, Forecast& out) {
  const std::vector<ScalingRow>& rows = request.study.rows;
  std::vector<std::size_t> aims;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double scale = rows[i].scale;
    if (scale == request.study.pays_until || scale == request.study.pays_no_more_at)
      aims.push_back(i);
  }
  if (!request.study.pays_no_more_at)
    aims = {rows.size() - 1};
  Eigen::VectorXd costs(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    costs[static_cast<Eigen::Index>(i)] =
        rows[i].time * (request.counts_workers ? rows[i].scale : 1);
  const plan::Belief belief(request.model, request.at(measured_scales(request.scale)),
                            std::nullopt);
  const plan::NextRuns found =
      plan::next_runs(belief, take_rows(design, aims), design, costs, kMostToMeasure);
  for (const std::size_t aim : aims)
    out.aims.push_back(rows[aim].scale);
  for (const plan::NextRun& run : found.runs)
    out.measure_first.push_back({rows[run.candidate].scale, run.deviation_gain / found.deviation,
                                 costs[static_cast<Eigen::Index>(run.candidate)]});
}

}  // namespace

Forecast forecast(const ForecastRequest& request) {
  const std::vector<double> scales = mapped(request.study.rows, &ScalingRow::scale);
  const Design design = request.at(scales);
  Forecast out;
  add_bands(request, design, out);
  out.limits = limits_of(request, design);
  out.knee = {knee_of(request, &IntervalFactors::upper), knee_of(request, nullptr),
              knee_of(request, &IntervalFactors::lower)};
  add_scales_to_measure(request, design, out);
  return out;
}

}  // namespace perfmodel::scaling

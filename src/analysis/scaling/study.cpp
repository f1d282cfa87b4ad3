#include "perfmodel/analysis/scaling/study.hpp"

#include <cmath>

namespace perfmodel::scaling {
namespace {

/// Throughput up to a constant factor.
double throughput(const Timing& timing, Kind kind) {
  return (kind == Kind::weak ? timing.scale : 1) / timing.time;
}

}  // namespace

std::string_view to_text(Kind kind) {
  return kind == Kind::strong ? "strong" : "weak";
}

ScalingStudy study(const std::vector<Timing>& timings, Kind kind, double least_efficiency) {
  ScalingStudy study;
  study.kind = kind;
  study.least_efficiency = least_efficiency;
  const Timing& first = timings.front();
  std::vector<Point> times;
  std::vector<Point> speedups;
  std::vector<Point> throughputs;
  double highest = 0;
  for (const Timing& timing : timings) {
    ScalingRow row{.scale = timing.scale,
                   .time = timing.time,
                   .configurations = timing.configurations,
                   .karp_flatt = {},
                   .equivalent_power = {}};
    row.speedup = first.scale * throughput(timing, kind) / throughput(first, kind);
    row.efficiency = row.speedup / timing.scale;
    if (kind == Kind::strong && timing.scale > 1)
      row.karp_flatt = karp_flatt(row.speedup, timing.scale);
    if (timing.scale != first.scale) {
      row.equivalent_power =
          std::log(first.scale / row.speedup) / std::log(timing.scale / first.scale);
    }
    if (row.efficiency >= least_efficiency && !study.pays_no_more_at)
      study.pays_until = timing.scale;
    else if (!study.pays_no_more_at)
      study.pays_no_more_at = timing.scale;
    if (throughput(timing, kind) > highest) {
      highest = throughput(timing, kind);
      study.fastest_scale = timing.scale;
    }
    times.push_back({timing.scale, timing.time});
    speedups.push_back({timing.scale, row.speedup});
    throughputs.push_back({timing.scale, throughput(timing, kind)});
    study.rows.push_back(row);
  }
  if (highest <= (1 + kNoSpeedup) * throughput(first, kind))
    return study;
  if (kind == Kind::strong)
    study.amdahl = fit_amdahl(times);
  else
    study.gustafson = fit_gustafson(speedups);
  study.usl = fit_usl(throughputs);
  return study;
}

double PowerPlusConstant::time(double scale) const {
  return scalable * std::pow(scale, power) + constant;
}

std::vector<Reading> readings(const PowerPlusConstant& model, const std::vector<double>& scales,
                              Kind kind) {
  std::vector<Reading> readings;
  for (const double scale : scales) {
    const double work = kind == Kind::weak ? scale : 1;
    Reading reading{.scale = scale};
    reading.scalable_speedup = work * std::pow(scale, -model.power);
    reading.scalable_efficiency = reading.scalable_speedup / scale;
    reading.whole_speedup = work * model.time(1) / model.time(scale);
    reading.whole_efficiency = reading.whole_speedup / scale;
    readings.push_back(reading);
  }
  return readings;
}

std::optional<double> pays_until(const PowerPlusConstant& model, double first, Kind kind,
                                 double least_efficiency) {
  const auto efficient = [&](double scale) {
    const double share = kind == Kind::weak ? 1 : first / scale;
    return share * model.time(first) / model.time(scale) >= least_efficiency;
  };
  // Where more workers ever cost efficiency, they do so from the first on: it is monotone in G.
  double low = first;
  double high = std::ceil((1 << 20) * first);
  if (efficient(high))
    return std::nullopt;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    if (middle <= low || middle >= high)  // doubles hold no whole number in between
      break;
    (efficient(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace perfmodel::scaling

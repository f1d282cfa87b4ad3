#include "analysis/scaling.hpp"

#include <fmt/format.h>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/spec.hpp"
#include "roles/roles.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel::scaling {
namespace {

constexpr double kFarthestPeak = 4;  // times the largest scale: farther out, a kappa is noise

template <class Model>
double rmse(const std::vector<Point>& points, const Model& model) {
  double sum = 0;
  for (const Point& point : points) {
    const double error = point.value - model(point.scale);
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(points.size()));
}

double mean_value(const std::vector<Point>& points) {
  double sum = 0;
  for (const Point& point : points)
    sum += point.value;
  return sum / static_cast<double>(points.size());
}

double error_of_usl(const std::vector<Point>& points, const Usl& usl) {
  return rmse(
      points, [&](double scale) { return usl.throughput(scale); });
}

/// A Levenberg-Marquardt step, projected to the bounds sigma, kappa >= 0.
Usl stepped(const std::vector<Point>& points, const Usl& usl, double damping) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  for (const Point& point : points) {
    const double n = point.scale;
    const double x = usl.throughput(n);
    const double divisor = 1 + usl.sigma * (n - 1) + usl.kappa * n * (n - 1);
    const Eigen::Vector3d slope(-x * (n - 1) / divisor, -x * n * (n - 1) / divisor,
                                usl.gamma_is_measured ? 0 : x / usl.gamma);
    normal += slope * slope.transpose();
    right += slope * (point.value - x);
  }
  // A constant at its bound whose gradient points outwards is fixed, as is a measured gamma.
  const auto hold = [&](Eigen::Index i) {
    normal.row(i).setZero();
    normal.col(i).setZero();
    normal(i, i) = 1;
    right[i] = 0;
  };
  if (usl.sigma == 0 && right[0] < 0)
    hold(0);
  if (usl.kappa == 0 && right[1] < 0)
    hold(1);
  if (usl.gamma_is_measured)
    hold(2);
  normal.diagonal() *= 1 + damping;
  const Eigen::Vector3d move = normal.ldlt().solve(right);
  Usl moved = usl;
  moved.sigma = std::max(0.0, usl.sigma + move[0]);
  moved.kappa = std::max(0.0, usl.kappa + move[1]);
  moved.gamma = std::max(usl.gamma * 1e-3, usl.gamma + move[2]);
  moved.rmse = error_of_usl(points, moved);
  return moved;
}

/// Nonlinear least squares for the law from these constants.
Usl refined(const std::vector<Point>& points, Usl usl) {
  double damping = 1e-3;
  usl.rmse = error_of_usl(points, usl);
  for (int iteration = 0; iteration < 1000 && damping < 1e12; ++iteration) {
    const Usl trial = stepped(points, usl, damping);
    if (!(trial.rmse < usl.rmse)) {
      damping *= 4;
      continue;
    }
    const bool converged = usl.rmse - trial.rmse <= 1e-15 * usl.rmse;
    usl = trial;
    damping = std::max(damping / 4, 1e-12);
    if (converged)
      break;
  }
  return usl;
}

/// Throughput up to a constant factor.
double throughput(const Timing& timing, Kind kind) {
  return (kind == Kind::weak ? timing.scale : 1) / timing.time;
}

/// The law of one worker for a law that was fitted to speedups over `first` workers.
Gustafson of_one(Gustafson law, double first) {
  law.serial_fraction *= first / (1 + (first - 1) * law.serial_fraction);
  return law;
}

}  // namespace

std::optional<double> Usl::peak() const {
  const double peak = kappa > 0 && sigma < 1 ? std::sqrt((1 - sigma) / kappa) : farthest;
  return peak < farthest ? std::optional(peak) : std::nullopt;
}

Amdahl fit_amdahl(const std::vector<Point>& times) {
  // Linear in 1/G: t = serial + parallel / G.
  double x1 = 0;
  double x2 = 0;
  double y = 0;
  double xy = 0;
  const auto n = static_cast<double>(times.size());
  for (const Point& point : times) {
    x1 += 1 / point.scale;
    x2 += 1 / (point.scale * point.scale);
    y += point.value;
    xy += point.value / point.scale;
  }
  double parallel = (n * xy - x1 * y) / (n * x2 - x1 * x1);
  double serial = (y - parallel * x1) / n;
  if (serial < 0) {
    serial = 0;
    parallel = xy / x2;
  } else if (parallel < 0) {
    parallel = 0;
    serial = y / n;
  }
  Amdahl law;
  law.time_of_one = serial + parallel;
  law.serial_fraction = serial / law.time_of_one;
  law.rmse = rmse(times, [&](double scale) { return law.time(scale); });
  if (times.size() > 2)
    law.misfit = law.rmse / mean_value(times);
  return law;
}

Gustafson fit_gustafson(const std::vector<Point>& speedups) {
  double above = 0;
  double below = 0;
  for (const Point& point : speedups) {
    above += (point.scale - point.value) * (point.scale - 1);
    below += (point.scale - 1) * (point.scale - 1);
  }
  Gustafson law;
  law.serial_fraction = std::clamp(above / below, 0.0, 1.0);
  law.rmse = rmse(speedups, [&](double scale) { return law.speedup(scale); });
  if (speedups.size() > 2)  // the first is 1
    law.misfit = law.rmse / mean_value(speedups);
  return law;
}

std::optional<Usl> fit_usl(const std::vector<Point>& throughputs) {
  std::set<double> scales;
  for (const Point& point : throughputs)
    scales.insert(point.scale);
  Usl start;
  start.sigma = 0.01;
  start.kappa = 1e-4;
  start.gamma_is_measured = scales.size() == 3 && scales.contains(1);
  if (scales.size() < 4 && !start.gamma_is_measured)
    return std::nullopt;
  if (start.gamma_is_measured)
    start.gamma = std::ranges::find(throughputs, 1.0, &Point::scale)->value;
  else
    for (const Point& point : throughputs)
      start.gamma = std::max(start.gamma, point.value / point.scale);
  Usl best = refined(throughputs, start);
  // Starts on the bounds as well, since projected steps can get stuck there.
  for (const auto& [sigma, kappa] : {std::pair{0.0, 1e-3}, std::pair{0.1, 0.0}, std::pair{0.0, 0.0},
                                     std::pair{0.3, 1e-2}, std::pair{0.01, 1e-6}}) {
    Usl other = start;
    other.sigma = sigma;
    other.kappa = kappa;
    other = refined(throughputs, other);
    if (other.rmse < best.rmse)
      best = other;
  }
  if (scales.size() > 3)
    best.misfit = best.rmse / mean_value(throughputs);
  best.farthest = kFarthestPeak * std::ranges::max(throughputs, {}, &Point::scale).scale;
  return best;
}

double karp_flatt(double speedup, double scale) {
  return (1 / speedup - 1 / scale) / (1 - 1 / scale);
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
    const double ratio = timing.scale / first.scale;
    row.speedup = throughput(timing, kind) / throughput(first, kind);
    row.efficiency = row.speedup / ratio;
    if (kind == Kind::strong && ratio > 1)
      row.karp_flatt = karp_flatt(row.speedup, ratio);
    if (ratio > 1)
      row.equivalent_power = -std::log(row.speedup) / std::log(ratio);
    if (row.efficiency >= least_efficiency && !study.pays_no_more_at)
      study.pays_until = timing.scale;
    else if (!study.pays_no_more_at)
      study.pays_no_more_at = timing.scale;
    if (throughput(timing, kind) > highest) {
      highest = throughput(timing, kind);
      study.fastest_scale = timing.scale;
    }
    times.push_back({timing.scale, timing.time});
    speedups.push_back({ratio, row.speedup});
    throughputs.push_back({timing.scale, throughput(timing, kind)});
    study.rows.push_back(row);
  }
  if (highest <= (1 + kNoSpeedup) * throughput(first, kind))
    return study;
  if (kind == Kind::strong)
    study.amdahl = fit_amdahl(times);
  else
    study.gustafson = of_one(fit_gustafson(speedups), first.scale);
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
    const double times = scale / scales.front();
    const double work = kind == Kind::weak ? times : 1;
    Reading reading{.scale = scale};
    reading.scalable_speedup = work * std::pow(times, -model.power);
    reading.scalable_efficiency = reading.scalable_speedup / times;
    reading.whole_speedup = work * model.time(scales.front()) / model.time(scale);
    reading.whole_efficiency = reading.whole_speedup / times;
    readings.push_back(reading);
  }
  return readings;
}

double last_whole_scale(double low, double high, const std::function<bool(double)>& holds) {
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    if (middle <= low || middle >= high)  // doubles have no whole number in between
      break;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

std::optional<double> pays_until(const PowerPlusConstant& model, double first, Kind kind,
                                 double least_efficiency) {
  const auto efficient = [&](double scale) {
    const double share = kind == Kind::weak ? 1 : first / scale;
    return share * model.time(first) / model.time(scale) >= least_efficiency;
  };
  // The efficiency is monotone in G: if more workers ever cost efficiency, they do from the start.
  const double high = std::ceil((1 << 20) * first);
  return efficient(high) ? std::nullopt : std::optional(last_whole_scale(first, high, efficient));
}

namespace {

// Further words in names of counts of workers: "tensor_parallel", "world_size".
constexpr WordList kShares{"parallel world dp tp pp"};
// More workers may do more work in an iteration, but not in a sample.
constexpr WordList kIterations{"it its iter iters iteration iterations step steps"};
constexpr WordList kPieces{"sample image token request"};
// What grows with the workers without being work: resources, prices, rates.
constexpr WordList kResources{
    "mem memory ram vram hbm gb gib mb mib cost price usd eur power watts bandwidth bw rate lr"};

bool is_of_epoch(const std::string& target) {
  const std::vector<std::string> words = name_words(target);
  return std::ranges::any_of(words,
                             [](const std::string& word) { return word.starts_with("epoch"); });
}

/// Whether the work of a throughput is fixed while these columns are: the time is then that of a
/// fixed number of samples, as it is that of one sample if no work is given.
bool stays_the_same(const std::string& work, const std::vector<std::string>& held) {
  const auto is_held = [&](const std::string& name) { return contains(held, name); };
  if (work.empty() || is_held(work))
    return true;
  try {
    const std::vector<std::string> names = Formula::names_in(work, "--work");
    return std::ranges::all_of(names, is_held);
  } catch (const UsageError&) {  // the column's name is no valid formula
    return false;
  }
}

}  // namespace

bool counts_workers(const std::string& scale) {
  return is_worker_count_name(scale) || kShares.has_one_of(name_words(scale));
}

namespace {

/// Twice as fast as the best weak scaling.
constexpr double kLeastShareOfGrowing = 0.5;

}  // namespace

double least_share(const std::vector<double>& times) {
  return times.empty() ? 1 : std::ranges::min(times) / times.front();
}

KindOfWork kind_of_work(const WorkColumns& columns) {
  const auto held = [&](auto&& is_wanted) { return std::ranges::find_if(columns.held, is_wanted); };
  const std::string& rate = columns.throughput;
  if (is_rate_of_one_worker_name(rate))
    return {Kind::weak, fmt::format("'{}' is of one worker", rate)};
  if (!rate.empty() && !kIterations.has_one_of(name_words(rate)))
    return {.because = fmt::format("'{}' counts all work", rate), .holds_all = true};
  if (is_of_epoch(columns.target))
    return {Kind::strong, fmt::format("'{}' is of a whole epoch", columns.target)};
  const std::vector<std::string> words = name_words(columns.target);
  if (kPieces.has_one_of({std::ranges::find(words, "per"), words.end()}))
    return {.because = fmt::format("'{}' is of a fixed amount of work", columns.target),
            .holds_all = true};
  if (is_batch_name(columns.scale))
    return {Kind::weak, fmt::format("'{}' is the work of an iteration", columns.scale)};
  if (!counts_workers(columns.scale))
    return {Kind::strong, fmt::format("'{}' counts no workers by its name", columns.scale), true};
  const auto of_all =
      held([](const std::string& name) { return is_batch_name(name) && is_total_name(name); });
  if (of_all != columns.held.end())
    return {.kind = Kind::strong,
            .because = fmt::format("'{}' is of all workers and stays the same", *of_all),
            .holds_all = true};
  const MovingColumns moving(columns.tied);
  const auto growing = [&](const std::string& because, bool is_open = false) -> KindOfWork {
    if (columns.least_share < kLeastShareOfGrowing)
      return {Kind::strong,
              fmt::format("{}, but the time falls as that of growing work does not", because),
              true};
    return {Kind::weak, because, is_open};
  };
  for (const ColumnProduct& tied : columns.tied) {
    const int power = moving.power(tied.column, columns.scale);
    if (power > 0 && is_batch_name(tied.column))
      return growing(fmt::format("'{}' grows with '{}'", tied.column, columns.scale));
    if (power < 0 && is_work_per_worker_name(tied.column))
      return {Kind::strong, fmt::format("'{}' shrinks as '{}' grows", tied.column, columns.scale)};
  }
  const auto of_one = held(is_work_per_worker_name);
  if (of_one != columns.held.end())
    return growing(fmt::format("'{}' is of one worker and stays the same", *of_one));
  const auto batch = held(is_batch_name);
  if (batch != columns.held.end())
    return {Kind::strong, fmt::format("'{}' may be of one worker or of all", *batch), true};
  for (const ColumnProduct& tied : columns.tied)
    if (moving.power(tied.column, columns.scale) > 0 && !counts_workers(tied.column) &&
        !kResources.has_one_of(name_words(tied.column)))
      return growing(fmt::format("'{}' grows with '{}'", tied.column, columns.scale), true);
  return {Kind::strong,
          fmt::format("no column shows whether the work grows with '{}'", columns.scale), true};
}

WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved) {
  WorkColumns work{scale, model.spec.target, {}, {}};
  // Only columns that a configuration contains, not derived ones: a batch per worker that is
  // computed from the total batch shrinks as the workers grow.
  for (const std::string& other : required_columns(model.spec))
    if (other != scale && !contains(moved, other) && !place_of_input(model.spec.categorical, other))
      work.held.push_back(other);
  for (const LeftOut& item : model.provenance.left_out)
    if (item.because == LeftOut::Because::constant)
      work.held.push_back(item.column);
    else if (!item.factors.empty())
      work.tied.push_back({item.column, item.factors});
  // Excluded columns are derived from inputs, never the other way round.
  for (const Tie& tie : model.spec.ties)
    if (tie.scale == scale)
      work.tied.push_back({tie.column, {{scale, tie.power}}});
  if (model.spec.throughput && stays_the_same(model.spec.throughput->work, work.held))
    work.throughput = model.spec.throughput->column;
  return work;
}

}  // namespace perfmodel::scaling

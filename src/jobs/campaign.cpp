#include "jobs/campaign.hpp"

#include <fmt/core.h>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "perfmodel/error.hpp"
#include "table/table.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostCandidates = 4000;
constexpr std::size_t kMostOfSpace = 1000;  ///< configurations over which uncertainty is averaged
constexpr std::size_t kFewestFirst = 10;
constexpr std::size_t kFirstThatMayFail = 3;
constexpr std::size_t kRunsPerFit = 8;  ///< a fit follows each time the runs grow by an eighth

std::string header_of(const plan::Space& space) {
  std::vector<std::string> names = space.names();
  names.insert(names.end(), {Campaign::kTimeColumn, Campaign::kWallColumn});
  return csv_line(names);
}

std::set<std::string> text_columns(const plan::Space& space) {
  std::set<std::string> out;
  for (const plan::SpaceColumn& column : space.columns)
    if (column.is_text())
      out.insert(column.name);
  return out;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The configurations whose levels the model knows.
std::vector<plan::Configuration> known_to(const FittedModel& model, const plan::Space& space,
                                          const std::vector<plan::Configuration>& all) {
  std::vector<plan::Configuration> out;
  if (!all.empty())
    for (const std::size_t row : rows_of_known_levels(plan::table_of(space, all), model.spec).rows)
      out.push_back(all[row]);
  return out;
}

}  // namespace

Campaign::Campaign(CampaignRequest request)
    : request_(std::move(request)), journal_(request_.runs, true, LinesFile::Kind::journal) {
  resume();
}

void Campaign::resume() {
  if (journal_.partial().empty())
    throw UsageError(fmt::format("--runs '{}': runs are kept in a regular file", request_.runs));
  const std::string header = header_of(request_.space);
  bool is_other = false;
  journal_.keep_lines([&](std::string_view line) {
    is_other = is_other || (csv_.empty() && line != header);
    csv_ += line;
    return true;
  });
  if (is_other)
    throw InputError(
        fmt::format("{}: its first line is not '{}', so its runs are not those of {}; choose "
                    "another file by --runs",
                    request_.runs, header.substr(0, header.size() - 1), request_.space.source));
  if (csv_.empty()) {
    csv_ = header;
    journal_.write(header);
    journal_.sync();
  } else if (csv_.size() > header.size()) {
    take_earlier(parse_csv(csv_, request_.runs, text_columns(request_.space)));
  }
}

void Campaign::take_earlier(const Table& table) {
  const auto configurations = plan::configurations_of(request_.space, table);
  const Column& times = table.at(kTimeColumn);
  const Column& walls = table.at(kWallColumn);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto time = parse_number(times.text(row));
    const auto wall = parse_number(walls.text(row));
    if (!wall)
      throw InputError(table.where(row) + ": column '" + kWallColumn + "' is not a number");
    add(configurations[row], time && *time > 0 ? time : std::nullopt, *wall);
    earlier_ += *wall / static_cast<double>(request_.jobs);
  }
}

void Campaign::add(const plan::Configuration& configuration, std::optional<double> time,
                   double seconds) {
  std::vector<double>& times = times_[configuration];
  if (time)
    times.push_back(std::log(*time));
  walls_[configuration] += seconds;
  ++rows_;
}

double Campaign::spent() const {
  return earlier_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

RunsFile Campaign::file() const {
  return {.path = request_.runs,
          .bytes = csv_,
          .table = parse_csv(csv_, request_.runs, text_columns(request_.space))};
}

FitRequest Campaign::fit_request() const {
  FitRequest out;
  out.roles.target = kTimeColumn;
  out.roles.ignore = {kWallColumn};
  out.roles.time_unit = "s";
  out.roles.failed = FailedRunsAre::dropped;
  if (!request_.space.extrinsic.empty())
    out.roles.extrinsic = request_.space.extrinsic;
  for (const std::string& column : text_columns(request_.space))
    out.roles.categorical.push_back(column);
  out.options.residual = Residual::gp;
  out.options.seed = request_.seed;
  out.options.threads = request_.threads;
  out.options.stop = request_.stop;
  return out;
}

std::string Campaign::words_of(const plan::Configuration& configuration) const {
  const std::vector<std::string> names = request_.space.names();
  const std::vector<std::string> cells = request_.space.cells(configuration);
  std::string out;
  for (std::size_t c = 0; c < names.size(); ++c)
    out += (c == 0 ? "" : " ") + names[c] + "=" + cells[c];
  return out;
}

/// Those that have at most `most` runs, of which none failed.
std::vector<plan::Configuration> Campaign::with_runs(const std::vector<plan::Configuration>& all,
                                                     std::size_t most) const {
  std::vector<plan::Configuration> out;
  std::ranges::copy_if(all, std::back_inserter(out), [&](const auto& each) {
    const auto found = times_.find(each);
    return found == times_.end() || (!found->second.empty() && found->second.size() <= most);
  });
  return out;
}

/// A Latin hypercube; of a space that has not more configurations, all of them.
std::vector<plan::Configuration> Campaign::plan_of(std::size_t count) const {
  const auto all = plan::sample(request_.space, std::max(count, kMostCandidates), request_.seed);
  if (all.size() <= count)
    return all;
  return plan::latin_hypercube_plan(request_.space, count, request_.seed, {}).configurations;
}

std::vector<plan::Configuration> Campaign::first() const {
  std::size_t constants = 1;
  for (const plan::SpaceColumn& column : request_.space.columns)
    constants += column.is_text() ? column.choices() - 1 : 1;
  return with_runs(plan_of(std::max(kFewestFirst, constants + 2)), 0);
}

void Campaign::measure(const std::vector<plan::Configuration>& configurations) {
  parallel_for(configurations.size(), request_.jobs,
               [&](std::size_t i) { measure_one(configurations[i]); });
  if (always_fails())
    throw InputError(
        fmt::format("all of the first {} runs failed, which are in {}; correct the command, and "
                    "remove the file",
                    std::to_string(rows_), request_.runs));
}

/// Whether nothing but failures is known of the first configurations.
bool Campaign::always_fails() const {
  const std::lock_guard lock(mutex_);
  return times_.size() >= kFirstThatMayFail &&
         std::ranges::all_of(times_, [](const auto& each) { return each.second.empty(); });
}

void Campaign::measure_one(const plan::Configuration& configuration) {
  const RunCommand command = request_.command_of(configuration);
  RunLimits limits{request_.timeout, std::nullopt, request_.stop};
  if (request_.budget)
    limits.end = Clock::now() +
                 std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(left()));
  request_.begins(words_of(configuration));
  double seconds = 0;
  for (std::size_t warmups = request_.warmup;; --warmups) {
    if (request_.stop.stop_requested() || is_spent() || always_fails())
      return;
    TimedRun run = time_run(command, request_.time_from, limits);
    seconds += run.seconds;
    if (run.result == TimedRun::Result::stopped)
      return;
    if (run.result == TimedRun::Result::time && warmups > 0)
      continue;
    run.seconds = seconds;
    const std::lock_guard lock(mutex_);
    record(configuration, run);
    return;
  }
}

void Campaign::record(const plan::Configuration& configuration, const TimedRun& run) {
  const bool is_time = run.result == TimedRun::Result::time;
  std::vector<std::string> cells = request_.space.cells(configuration);
  constexpr auto digits = "{:.7g}";
  cells.push_back(is_time                                   ? fmt::format(digits, run.time)
                  : run.result == TimedRun::Result::timeout ? "timeout"
                                                            : "failed");
  cells.push_back(fmt::format(digits, run.seconds));
  const std::string line = csv_line(cells);
  journal_.write(line);
  journal_.sync();
  csv_ += line;
  if (is_time)
    report_outlier(configuration, std::log(run.time));
  add(configuration, is_time ? std::optional(run.time) : std::nullopt, run.seconds);
  if (!is_time)
    request_.warn(words_of(configuration) + ": " + cells[cells.size() - 2] +
                  (run.reason.empty() ? "" : ": " + run.reason));
}

/// Warns of a run that is far from the median of the earlier ones of its configuration.
void Campaign::report_outlier(const plan::Configuration& configuration, double log_time) const {
  constexpr double most = 1.5;
  const auto found = times_.find(configuration);
  if (found == times_.end() || found->second.empty())
    return;
  const std::vector<double>& earlier = found->second;
  const double usual = median(Eigen::Map<const VectorXd>(earlier.data(), index(earlier.size())));
  if (std::abs(log_time - usual) > std::log(most))
    request_.warn(fmt::format("{}: outlier: {}, after {}", words_of(configuration),
                              time_text(std::exp(log_time), "s"), time_text(std::exp(usual), "s")));
}

/// Expected seconds of measuring configurations with these times: overhead + factor * time, fitted
/// to those measured so far by least squares of relative errors.
VectorXd Campaign::costs_of(const VectorXd& predicted) const {
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  for (const auto& [configuration, times] : times_) {
    if (times.empty())
      continue;
    const double wall = walls_.at(configuration);
    const Eigen::Vector2d row(1 / wall, std::exp(mean(times)) / wall);
    normal += row * row.transpose();
    right += row;
  }
  const Eigen::Vector2d both = normal.ldlt().solve(right);
  if (both.allFinite() && both[0] >= 0 && both[1] >= 0)
    return both[0] + both[1] * predicted.array();
  return both.allFinite() && both[1] >= 0 ? VectorXd(right[1] / normal(1, 1) * predicted)
                                          : VectorXd::Ones(predicted.size());
}

Knowledge Campaign::learn() const {
  FitRequest fit = fit_request();
  fit.options.expression = Expression::sum;
  fit.options.terms = 1;
  fit.options.loss = default_loss(fit.options);
  fit.held_out.intervals = request_.needs_width;
  Knowledge out;
  std::optional<FittedModel> model;
  try {
    model = fit_runs(file(), fit).model;
  } catch (const InputError&) {  // too few runs
    out.deviation = std::numeric_limits<double>::infinity();
    out.next = with_runs(plan_of(2 * times_.size()), 0);
    return out;
  }
  choose(*model, out);
  return out;
}

/// Chooses the next runs, and enters into `knowledge` what the model says at the aim.
void Campaign::choose(const FittedModel& model, Knowledge& knowledge) const {
  const plan::Space& space = request_.space;
  const auto in_space = known_to(model, space, plan::sample(space, kMostOfSpace, request_.seed));
  const auto aim = request_.aim.empty() ? in_space : known_to(model, space, request_.aim);
  auto possible = known_to(
      model, space,
      with_runs(plan::sample(space, kMostCandidates, request_.seed), request_.most_repeats - 1));
  knowledge.likely_to_fail = plan::erase_likely_to_fail(plan::failing_of(model, space), possible);
  const Design wanted = plan::design_of_space(space, aim, model.spec);
  const plan::Belief belief(model, plan::design_of_space(space, in_space, model.spec),
                            std::nullopt);
  if (model.intervals) {
    const RowIntervals intervals = row_intervals(model, model.intervals->level, wanted);
    knowledge.width = (intervals.upper - intervals.lower).mean();
  }
  const std::size_t count = std::min(possible.size(), std::max(request_.jobs, rows_ / kRunsPerFit));
  const Design candidates =
      possible.empty() ? wanted : plan::design_of_space(space, possible, model.spec);
  const plan::NextRuns found =
      plan::next_runs(belief, wanted, candidates,
                      costs_of(plan::times_within(model, candidates, space.source)), count);
  knowledge.deviation = found.deviation;
  for (const plan::NextRun& run : found.runs)
    knowledge.next.push_back(possible[run.candidate]);
}

}  // namespace perfmodel

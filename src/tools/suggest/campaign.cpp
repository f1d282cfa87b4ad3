#include "suggest/campaign.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kFewestFirst = 10;
constexpr std::size_t kFirstThatMayFail = 3;
constexpr std::size_t kRunsPerFit = 4;  ///< a fit follows each time the runs grow by a quarter

/// The configurations whose levels the model knows.
std::vector<plan::Configuration> known_to(const FittedModel& model, const plan::Space& space,
                                          const std::vector<plan::Configuration>& all) {
  const auto known = rows_of_known_levels(plan::table_of(space, all), model.spec);
  return mapped(known.rows, [&](std::size_t row) { return all[row]; });
}

std::string duration_text(double seconds) {
  if (seconds < 60)
    return rounded(seconds) + " s";
  const auto whole = static_cast<long>(seconds);
  return whole < 3600
             ? std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s"
             : std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace

std::vector<plan::Configuration> configurations_of(const Aim& aim, const plan::Space& space,
                                                   std::uint64_t seed) {
  std::vector<plan::Configuration> all = plan::sample(space, plan::kMostOfSpace, seed);
  if (aim.at.empty())
    return all;
  const std::vector<std::string> names = space.names();
  for (const auto& [name, text] : aim.at) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw UsageError("--until: " + space.source + " has no column '" + name + "'" +
                       did_you_mean_one_of(name, names));
    const auto c = static_cast<std::size_t>(found - names.begin());
    const plan::SpaceColumn& column = space.columns[c];
    const auto value = column.is_text() ? column.value_of(text) : parse_number(text);
    if (!(value >= 0))
      throw UsageError("--until: '" + text + "' is no value of '" + name + "'");
    for (plan::Configuration& each : all)
      each[c] = *value;
  }
  const std::set<plan::Configuration> distinct(all.begin(), all.end());
  return {distinct.begin(), distinct.end()};
}

bool Aim::is_reached(const Knowledge& knowledge) const {
  const auto figure = is_width ? knowledge.width : std::optional(std::expm1(knowledge.deviation));
  return figure && 100 * *figure < percent;
}

Campaign::Campaign(CampaignRequest request)
    : request_(std::move(request)), journal_(request_.runs, true, LinesFile::Kind::journal) {
  resume();
}

void Campaign::resume() {
  if (journal_.partial().empty())
    throw UsageError(fmt::format("--runs '{}': runs are kept in a regular file", request_.runs));
  std::vector<std::string> names = request_.space.names();
  names.insert(names.end(), {kTimeColumn, kWallColumn});
  const std::string header = csv_line(names);
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
    take_earlier(parse_csv(csv_, request_.runs, request_.space.text_columns()));
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
    add(configurations[row], time && *time > 0 ? time : std::nullopt);
    earlier_ += *wall / static_cast<double>(request_.jobs);
  }
}

void Campaign::add(const plan::Configuration& configuration, std::optional<double> time) {
  std::vector<double>& times = times_[configuration];
  if (time)
    times.push_back(std::log(*time));
  ++rows_;
}

double Campaign::spent() const {
  return earlier_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

FitOutcome Campaign::fit() const {
  FitRequest out;
  out.roles.target = kTimeColumn;
  out.roles.ignore = {kWallColumn};
  out.roles.time_unit = "s";
  out.roles.failed = FailedRunsAre::dropped;
  if (!request_.space.extrinsic.empty())
    out.roles.extrinsic = request_.space.extrinsic;
  const std::set<std::string> texts = request_.space.text_columns();
  out.roles.categorical.assign(texts.begin(), texts.end());
  out.roles.totals_per_worker = true;
  out.options.form = AutomaticOptions();
  out.options.residual = Residual::chosen;
  out.options.loss = default_loss(out.options);
  out.options.seed = request_.seed;
  out.options.threads = request_.threads;
  out.options.stop = request_.stop;
  return fit_runs({request_.runs, csv_, parse_csv(csv_, request_.runs, texts)}, out);
}

/// Those that have at most `most` runs, of which none failed.
std::vector<plan::Configuration> Campaign::with_runs(std::vector<plan::Configuration> all,
                                                     std::size_t most) const {
  std::erase_if(all, [&](const plan::Configuration& each) {
    const auto found = times_.find(each);
    return found != times_.end() && (found->second.empty() || found->second.size() > most);
  });
  return all;
}

/// A Latin hypercube; of a space that has not more configurations, all of them.
std::vector<plan::Configuration> Campaign::plan_of(std::size_t count) const {
  const auto all =
      plan::sample(request_.space, std::max(count, plan::kMostCandidates), request_.seed);
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
  request_.messages.begins("measuring " + request_.space.words(configuration));
  double seconds = 0;
  for (std::size_t warmups = request_.warmup;; --warmups) {
    if (request_.stop.stop_requested() || is_spent() || always_fails())
      return;
    TimedRun run = request_.is_worker ? worker_.run(command, limits)
                                      : time_run(command, request_.time_from, limits);
    seconds += run.seconds;
    if (!run.note.empty())
      request_.messages.warn(run.note);
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
  add(configuration, is_time ? std::optional(run.time) : std::nullopt);
  if (!is_time)
    request_.messages.warn(request_.space.words(configuration) + ": " + cells[cells.size() - 2] +
                           (run.reason.empty() ? "" : ": " + run.reason));
}

/// Warns of a run that is far from the median of the earlier ones of its configuration.
void Campaign::report_outlier(const plan::Configuration& configuration, double log_time) const {
  constexpr double most = 1.5;
  const auto found = times_.find(configuration);
  if (found == times_.end() || found->second.empty())
    return;
  const std::vector<double>& earlier = found->second;
  const double usual = median(earlier);
  if (std::abs(log_time - usual) > std::log(most))
    request_.messages.warn(
        fmt::format("{}: outlier: {}, after {}", request_.space.words(configuration),
                    time_text(std::exp(log_time), "s"), time_text(std::exp(usual), "s")));
}

Knowledge Campaign::learn() const {
  const plan::Space& space = request_.space;
  Knowledge out{.deviation = std::numeric_limits<double>::infinity()};
  try {
    out.fit = fit();
  } catch (const InputError&) {  // too few runs
    out.next = with_runs(plan_of(2 * times_.size()), 0);
    return out;
  }
  const FittedModel& model = out.fit->model;
  judge(model, out);
  out.next = known_to(model, space,
                      with_runs(plan::sample(space, plan::kMostCandidates, request_.seed),
                                request_.most_repeats - 1));
  out.likely_to_fail = plan::erase_likely_to_fail(model, space, out.next);
  std::ranges::stable_sort(out.next, {}, [&](const plan::Configuration& each) {
    const auto found = times_.find(each);
    return found == times_.end() ? 0 : found->second.size();
  });
  out.next.resize(std::min(out.next.size(), std::max(request_.jobs, rows_ / kRunsPerFit)));
  return out;
}

/// What is known so far.
std::string Campaign::state_text(const Knowledge& knowledge) const {
  std::string out = counted_noun(times_.size(), "configuration") + ", " +
                    counted_noun(rows_, "run") + ", " + duration_text(spent());
  if (std::isfinite(knowledge.deviation))
    out += ": expected error " + rounded(100 * std::expm1(knowledge.deviation)) + " %";
  if (knowledge.width)
    out += "; mean width of the intervals " + rounded(100 * *knowledge.width) + " %";
  if (knowledge.likely_to_fail > 0)
    out +=
        "; " + counted_noun(knowledge.likely_to_fail, "further configuration") + " likely to fail";
  if (request_.budget)
    out += "; " + duration_text(std::max(0.0, left())) + " left";
  return out;
}

/// Why no more is measured; nullopt if more is.
std::optional<std::string> Campaign::reason_to_stop(const Knowledge& knowledge) const {
  if (request_.until && request_.until->is_reached(knowledge))
    return "the model is good enough";
  if (knowledge.next.empty())
    return "every configuration has been measured as often as --repeats says" +
           std::string(knowledge.likely_to_fail > 0 ? ", or is likely to fail" : "");
  if (is_spent())
    return "the budget is spent";
  return std::nullopt;
}

std::optional<Knowledge> Campaign::run() {
  measure(first());
  while (!request_.stop.stop_requested()) {
    request_.messages.begins("fitting");
    Knowledge knowledge = learn();
    if (request_.stop.stop_requested())
      break;
    request_.messages.tell(state_text(knowledge));
    if (const auto reason = reason_to_stop(knowledge)) {
      request_.messages.tell(*reason);
      if (!knowledge.fit)
        knowledge.fit = fit();  // throws what it threw before
      return knowledge;
    }
    measure(knowledge.next);
  }
  return std::nullopt;
}

/// Enters what the model says at the aim.
void Campaign::judge(const FittedModel& model, Knowledge& knowledge) const {
  const plan::Space& space = request_.space;
  const auto aim = known_to(model, space, request_.aim);
  if (!model.known.intervals || aim.empty())
    return;
  constexpr double within_one_deviation = 0.6827;
  const Design wanted = plan::design_of_space(space, aim, model.spec);
  const RowIntervals usual = row_intervals(model, within_one_deviation, wanted);
  knowledge.deviation = (usual.upper / usual.lower).log().mean() / 2;
  const RowIntervals intervals = row_intervals(model, model.known.intervals->level, wanted);
  knowledge.width = (intervals.upper - intervals.lower).mean();
}

}  // namespace perfmodel

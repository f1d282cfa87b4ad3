#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "cli/texts.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "report/document.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {
namespace {

/// The spread of one metric; NaN if it has none.
Spread metric_spread(const std::vector<Spread>& spreads, std::string_view metric) {
  const auto spread = std::find_if(spreads.begin(), spreads.end(),
                                   [&](const Spread& each) { return each.name == metric; });
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return spread == spreads.end() ? Spread{std::string(metric), none, none} : *spread;
}

HeldOutRequest::Folds parse_folds(const std::string& text) {
  if (text == "all")
    return {};
  const auto count = parse_number(text);
  if (!count || *count < 2 || *count > 1e6 || *count != std::floor(*count))
    throw OptionError("--folds", "'" + text + "' is neither 'all' nor a number >= 2");
  return {static_cast<std::size_t>(*count)};
}

}  // namespace

void add_coverage(OptionSet& app, std::optional<double>& coverage, const std::string& help) {
  app.number("--coverage SHARE", coverage, help,
             {1e-9, 1 - 1e-9, true, "a share between 0 and 1 such as 0.9"});
}

std::optional<double> interval_level(const FittedModel& model, std::optional<double> coverage,
                                     const std::string& file) {
  if (model.intervals)
    return coverage.value_or(model.intervals->level);
  if (coverage) {
    throw InputError(file +
                     ": the model holds no prediction intervals; fit it again with --coverage " +
                     to_text(*coverage));
  }
  return std::nullopt;
}

Certainty certainty_of(const FittedModel& model, std::optional<double> coverage,
                       const std::string& file, const Design& design) {
  Certainty out{.level = interval_level(model, coverage, file)};
  out.reach = model.form->process_reach(model.spec, model.constants, design);
  if (out.level)
    out.intervals = row_intervals(model, *out.level, design, out.reach);
  return out;
}

void add_held_out_options(OptionSet& app, HeldOutRequest& request) {
  app.group("Judging the model");
  app.add(
         "--folds K|all", [&](const std::string& text) { request.folds = parse_folds(text); },
         "K-fold cross-validation on the training rows; all: leave one group out; the model itself "
         "is "
         "still fitted to all of them")
      .not_of(kBound);
  app.add("--group-by COL", request.group_by,
          "rows with one value of this column are held out together (default: those of one "
          "configuration)");
  app.add(
         "--coverage SHARE|none",
         [&](const std::string& text) {
           request.intervals = text != "none";
           request.coverage.reset();
           if (!request.intervals)
             return;
           request.coverage = parse_number(text);
           if (!request.coverage || !(*request.coverage > 0 && *request.coverage < 1))
             throw OptionError("--coverage",
                               "'" + text + "' is neither none nor a share such as 0.9");
         },
         "prediction intervals that cover this share of new times, from the validation rows if "
         "there "
         "are any, else from folds; none: no intervals, which takes less time (default: 0.9, with "
         "19 "
         "rows or more)")
      .not_of(kBound);
}

std::string bound_notice(const Bound& bound) {
  return "a bound: " + short_number(100 * bound.quantile) +
         " % of new runs are meant to stay at or below it";
}

std::string held_out_section(const FittedModel& model, const Console& console) {
  std::string text;
  if (model.cross_validation) {
    const auto& validation = *model.cross_validation;
    const std::vector<Spread> spreads = metrics_spread(validation.folds);
    const ShownTime time(model.spec.unit, metric_spread(spreads, "mae").mean);
    doc::Table table{
        {doc::words(std::to_string(validation.folds.size()) + " folds" +
                    (validation.group_by ? " by " + clipped(*validation.group_by, 28) : "")),
         doc::numbers(time.heading("MAE"), {}, doc::format_of(time)), doc::numbers("MAPE %"),
         doc::numbers("SMAPE %"), doc::numbers(time.heading("RMSE"), {}, doc::format_of(time)),
         doc::numbers("R2")}};
    const auto add = [&](const char* name, double Spread::*value) {
      std::vector<doc::Cell> cells = {name};
      for (const char* metric : {"mae", "mape_percent", "smape_percent", "rmse", "r2"})
        cells.emplace_back(metric_spread(spreads, metric).*value);
      table.add(std::move(cells));
    };
    add("mean", &Spread::mean);
    add("sd over folds (n - 1)", &Spread::standard_deviation);
    text += section(std::move(table), console);
  }
  if (model.intervals) {
    const PredictionIntervals& intervals = *model.intervals;
    const IntervalFactors factors = usual_factors(intervals).value();
    text +=
        "\n  " + console.strong("intervals") + "  " + short_number(100 * model.intervals->level) +
        " % of new times: " + short_number(factors.lower) + " to " + short_number(factors.upper) +
        " times the prediction" +
        (intervals.by_deviation ? " at the median\n             standard deviation of held-out "
                                  "rows; narrower near the runs, wider\n             far from them"
                                : "") +
        "\n             " + std::string(to_text(model.intervals->calibration)) + " on " +
        std::to_string(model.intervals->count) + " held-out rows" +
        (model.intervals->test_coverage ? "; " + percent(100 * *model.intervals->test_coverage) +
                                              " of the test rows lie inside"
                                        : "") +
        "\n";
  } else {
    const PartMetrics& parts = model.metrics;
    const std::size_t rows = parts.validation ? parts.validation->rows : parts.train.rows;
    if (highest_level(rows) < PredictionIntervals::default_level)
      text += "\n  no intervals: they need 19 held-out rows, and there are " +
              std::to_string(rows) + "\n";
  }
  return text;
}

namespace {

constexpr auto kShardOption = "--shard";
constexpr std::string_view kShardPlace = "{shard}";

std::optional<std::size_t> count_of(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

/// The number that an environment variable holds.
std::optional<std::size_t> number_of(const char* variable) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : count_of(text);
}

Shard checked_shard(std::size_t index, std::size_t of, const std::string& name) {
  if (index >= of)
    throw OptionError(kShardOption,
                      "auto: " + name + " and its number of tasks contradict each other; pass i/n");
  return {index, of};
}

Shard shard_of_array() {
  const auto id = number_of("SLURM_ARRAY_TASK_ID");
  if (!id)
    return {};
  const std::size_t first = number_of("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::size_t last = number_of("SLURM_ARRAY_TASK_MAX").value_or(0);
  const std::size_t count = number_of("SLURM_ARRAY_TASK_COUNT").value_or(0);
  const std::size_t step = count > 1 && last > first ? (last - first) / (count - 1) : 1;
  if (*id < first || first + step * (count - 1) != last || (*id - first) % step != 0)
    throw OptionError(kShardOption,
                      "auto: the tasks of the array are not at equal distances; pass i/n");
  return checked_shard((*id - first) / step, count, "SLURM_ARRAY_TASK_ID");
}

/// The rank and size that Open MPI, an MPI with PMI (MPICH, Intel), a Slurm array or srun sets, or
/// a single shard if none of them does.
Shard shard_of_launcher() {
  for (const auto& [rank, size] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}})
    if (const auto place = number_of(rank))
      return checked_shard(*place, number_of(size).value_or(0), rank);
  const Shard array = shard_of_array();
  // Only job steps have tasks; a batch script is one task, however many are allocated.
  const auto place = number_of("SLURM_STEP_ID") ? number_of("SLURM_PROCID") : std::nullopt;
  if (!place)
    return array;
  const Shard step =
      checked_shard(*place, number_of("SLURM_STEP_NUM_TASKS").value_or(0), "SLURM_PROCID");
  return {array.index * step.of + step.index, array.of * step.of};
}

/// Parses "2/8" or "auto". Throws OptionError.
Shard parse_shard(const std::string& text) {
  if (text == "auto")
    return shard_of_launcher();
  const auto slash = std::min(text.find('/'), text.size());
  const auto index = count_of(std::string_view(text).substr(0, slash));
  const auto of = count_of(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!index || !of || *index < 1 || *index > *of)
    throw OptionError(kShardOption, "'" + text + "' is neither i/n with 1 <= i <= n nor auto");
  return {*index - 1, *of};
}

}  // namespace

void add_sharing(OptionSet& app, SharingArguments& sharing, const Condition& many) {
  app.group("Many models, many machines");
  app.flag("--resume", sharing.resume, "continue an interrupted run from FILE.partial")
      .of_no_result()
      .of_program()
      .needs(many)
      .needs("--output !-", "it goes on in a file");
  app.add(
         "--shard I/N|auto", [&](const std::string& text) { sharing.shard = parse_shard(text); },
         "compute only shard I of N of the models; auto: I/N from Open MPI, PMI or Slurm; merge "
         "joins the shards")
      .of_no_result()
      .of_program()
      .needs(many)
      .excludes("--fail-if", "it judges all of them; pass it to merge");
}

std::string tool_name() {
  return "perfmodel " PERFMODEL_VERSION;
}

TaskRun::TaskRun(const SharingArguments& arguments, const std::string& output,
                 const std::vector<std::string>& inputs)
    : arguments_(arguments), path_(output) {
  const Shard shard = arguments.shard.value_or(Shard{});
  if (const auto place = path_.find(kShardPlace); place != std::string::npos)
    path_.replace(place, kShardPlace.size(), std::to_string(shard.index + 1));
  if (shard.of > 1 && path_ != "-" &&
      path_.find(std::to_string(shard.index + 1)) == std::string::npos)
    throw UsageError("every shard needs a file of its own: -o part-{shard}.jsonl");
  for (const std::string& input : inputs)
    refuse_to_replace(input, path_);
  results_.emplace(path_, arguments.resume);
}

TasksHeader TaskRun::header(std::size_t tasks, const std::vector<std::string>& inputs) const {
  const std::string inputs_and_settings = joined(inputs, "\n") + "\n" + arguments_.settings;
  return {tool_name(), sha256(tool_name() + "\n" + inputs_and_settings), tasks, arguments_.shard};
}

std::vector<std::size_t> TaskRun::resume(const TasksHeader& tasks, const std::string& header,
                                         const std::function<void(std::string_view line)>& visit) {
  const Shard shard = tasks.shard.value_or(Shard{});
  const std::string& source = results_->partial();
  std::size_t lines = 0;
  std::size_t next = shard.index;  // task
  results_->keep_lines([&](std::string_view line) {
    if (++lines == 1) {
      if (line != header)
        // A complete file was copied to the partial one: both must go.
        throw InputError(source + ": these are the results of other runs, options or shards; " +
                         "remove it and " + path_ + ", or run without --resume");
      return true;
    }
    const std::optional<std::size_t> task = task_of_line(place_of_line(source, lines), line);
    if (!task)
      return false;
    if (*task != next || next >= tasks.tasks)
      throw InputError(source + ": task " + std::to_string(*task) + " is out of order");
    next += shard.of;
    visit(line);
    return true;
  });
  if (!results_->has_kept())
    results_->write(header);
  std::vector<std::size_t> open;
  for (; next < tasks.tasks; next += shard.of)
    open.push_back(next);
  return open;
}

}  // namespace perfmodel::cli

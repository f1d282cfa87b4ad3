#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "base/eigen.hpp"
#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "forms/failure_model.hpp"
#include "suggest/plan.hpp"
#include "table/expressions.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::plan {
namespace {

/// Throws InputError for unknown levels. Messages name no lines, since the levels of a space have
/// none.
void refuse_unknown_levels(const Table& table, const ModelSpec& spec) {
  std::string problems;
  for (const UnknownLevel& unknown : rows_of_known_levels(table, spec).unknown) {
    const auto input =
        std::ranges::find(spec.categorical, unknown.column, &CategoricalInput::column);
    problems += (problems.empty() ? "" : "\n") + table.source + ": column '" + unknown.column +
                "': the model has no level " + quoted_cell(unknown.level) + "; it has " +
                quoted_list(input->levels) + did_you_mean(unknown.level, input->levels);
  }
  if (!problems.empty())
    throw InputError(problems);
}

constexpr double kLeastLevel = 1e-9;  ///< of an interval whose ends are the median
constexpr std::size_t kMostSearched = 10'000'000;
constexpr std::size_t kSampleSize = 200000;
constexpr std::size_t kSampleOfRuns = 20000;
constexpr std::size_t kChunkSize = 1 << 16;

/// The lowest few suggestions by one figure, without duplicates; ties stay in their order. With a
/// column, the lowest few of each of its values.
class Best {
 public:
  using Figure = double (*)(const Suggestion&);
  Best(std::size_t most, Figure figure, std::optional<std::size_t> column = {})
      : most_(most), figure_(figure), column_(column) {}

  void add(const Suggestion& suggestion) {
    std::vector<Suggestion>& kept = kept_[column_ ? suggestion.configuration[*column_] : 0];
    if (kept.size() == most_ && !(figure_(suggestion) < figure_(kept.back())))
      return;
    const auto [first, last] = std::equal_range(
        kept.begin(), kept.end(), suggestion,
        [this](const Suggestion& a, const Suggestion& b) { return figure_(a) < figure_(b); });
    // A random sample contains some configurations more than once.
    if (std::any_of(first, last, [&](const Suggestion& known) {
          return known.configuration == suggestion.configuration;
        }))
      return;
    kept.insert(last, suggestion);
    if (kept.size() > most_)
      kept.pop_back();
  }
  std::vector<Suggestion> take() && {
    std::vector<Suggestion> out;
    for (auto& [value, kept] : kept_)
      std::ranges::move(kept, std::back_inserter(out));
    return out;
  }

 private:
  std::size_t most_;
  Figure figure_;
  std::optional<std::size_t> column_;
  std::map<double, std::vector<Suggestion>> kept_;  ///< by the value of the column
};

/// The Pareto front in time and cost of all suggestions so far.
class Front {
 public:
  void add(const Suggestion& suggestion) {
    waiting_.push_back(suggestion);
    if (waiting_.size() >= kChunkSize)
      reduce();
  }
  std::vector<Suggestion> take() && {
    reduce();
    return std::move(waiting_);
  }

 private:
  std::vector<Suggestion> waiting_;

  void reduce() {
    std::ranges::stable_sort(waiting_, [](const auto& a, const auto& b) {
      return a.time != b.time ? a.time < b.time : a.cost < b.cost;
    });
    double cheapest = std::numeric_limits<double>::infinity();
    std::erase_if(waiting_, [&](const Suggestion& suggestion) {
      const bool is_beaten = !(suggestion.cost < cheapest);
      cheapest = std::min(cheapest, suggestion.cost);
      return is_beaten;
    });
  }
};

/// Calls `visit` with the values followed by those of figures, at every combination of the ends of
/// their intervals.
void at_all_ends(std::vector<double> values, const std::vector<Estimate>& figures,
                 const std::function<void(const std::vector<double>&)>& visit) {
  const std::size_t others = values.size();
  for (std::size_t ends = 0; ends >> figures.size() == 0; ++ends) {
    values.resize(others);
    for (std::size_t k = 0; k < figures.size(); ++k) {
      const Interval interval =
          figures[k].interval.value_or(Interval{figures[k].value, figures[k].value});
      values.push_back((ends >> k & 1U) != 0 ? interval.high : interval.low);
    }
    visit(values);
  }
}

/// The parts of "a && b" that all have to hold; a condition with brackets or with operators that
/// bind less is its only part.
std::vector<std::string> parts_of_condition(const std::string& text) {
  const std::string operators = without_quoted(text);
  if (operators.find_first_of("?|(") != operators.npos)
    return {text};
  std::vector<std::string> out;
  for (std::size_t begin = 0, end = 0; end != operators.npos; begin = end + 2) {
    end = operators.find("&&", begin);
    out.emplace_back(trimmed(std::string_view(text).substr(begin, end - begin), " \t\r\n"));
  }
  return out;
}

/// A part of a condition.
struct Wanted {
  std::string text;
  Formula formula;
  bool is_of_figures;     ///< not of columns alone
  std::size_t unmet = 0;  ///< configurations that fulfil those before it alone
};

/// The place of the column of `--each`; nullopt without one.
std::optional<std::size_t> place_of_each(const Space& space, const SuggestionRequest& request) {
  if (!request.each)
    return std::nullopt;
  for (std::size_t c = 0; c < space.columns.size(); ++c)
    if (space.columns[c].name == *request.each &&
        (!space.columns[c].is_range() || space.columns[c].whole))
      return c;
  throw UsageError(fmt::format("--each: {} has no column '{}' of listed values{}", space.source,
                               *request.each, did_you_mean(*request.each, space.names())));
}

/// The formulas of a request, over the columns of a space and what is predicted.
class RequestFormulas {
 public:
  /// `target`: another name of the time in the formula that is maximised.
  RequestFormulas(const Space& space, const SuggestionRequest& request,
                  const std::string& target = {})
      : space_(space), codes_(text_codes(space)) {
    const std::vector<std::string> columns = space.names();
    const std::vector<std::string> targets = mapped(request.bounded, &BoundedTarget::name);
    const auto with = [&](std::vector<std::string> names, const std::vector<std::string>& more) {
      names.insert(names.end(), more.begin(), more.end());
      return names;
    };
    const auto figures = with(with(columns, {"time", "cost"}), targets);
    for (const std::string& condition : request.conditions)
      want(condition, columns, figures);
    listed = place_of_each(space, request);
    if (request.price)
      price_.emplace(*request.price, columns, codes_, "--price");
    if (request.maximise)
      maximised_.emplace(*request.maximise, with(with(columns, targets), {"time", target}), codes_,
                         "--maximise");
  }

  std::vector<Wanted> wanted;         ///< the conditions
  std::optional<std::size_t> listed;  ///< the place of the column of `--each`, if any
  bool are_of_time = false;           ///< whether a condition names the time or the cost

  /// The values of the columns; empty if there is no formula.
  std::vector<double> columns_of(const Configuration& configuration) {
    return wanted.empty() && !price_ && !maximised_ ? std::vector<double>()
                                                    : formula_values(space_, codes_, configuration);
  }

  /// The price, 1 if none is given. Throws UsageError unless it is >= 0.
  double price(const std::vector<double>& columns) const {
    const double out = price_ ? (*price_)(columns) : 1;
    if (!(out >= 0) || !std::isfinite(out))
      throw UsageError(fmt::format(
          "--price: a price has to be a number >= 0, and is not for every configuration of {}",
          space_.source));
    return out;
  }

  /// Whether the conditions hold at every combination of ends of the time and the bounded targets.
  bool are_fulfilled(const std::vector<double>& columns, const Suggestion& by, double price) {
    const Interval times = by.interval.value_or(Interval{by.time, by.time});
    return std::ranges::all_of(wanted, [&](Wanted& each) {
      bool holds = true;
      for (const double time : {times.low, times.high}) {
        std::vector<double> values = columns;
        values.insert(values.end(), {time, time * price});
        at_all_ends(values, by.bounded, [&](const std::vector<double>& ends) {
          holds = holds && each.formula(ends) != 0;
        });
      }
      each.unmet += holds ? 0U : 1U;
      return holds;
    });
  }

  /// The lowest and the highest value of the formula that is maximised.
  Interval range_of_maximised(const std::vector<double>& columns, const Suggestion& at,
                              bool with_intervals) const {
    std::vector<Estimate> figures = at.bounded;
    figures.push_back({at.time, at.interval});
    if (!with_intervals)
      for (Estimate& figure : figures)
        figure.interval.reset();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Interval out{infinity, -infinity};
    at_all_ends(columns, figures, [&](std::vector<double> values) {
      values.push_back(values.back());
      const double value = (*maximised_)(values);
      out = {std::min(out.low, value), std::max(out.high, value)};
    });
    return out;
  }

 private:
  const Space& space_;
  TextCodes codes_;
  std::optional<Formula> price_;
  std::optional<Formula> maximised_;

  /// Adds the parts of a condition.
  void want(const std::string& condition, const std::vector<std::string>& columns,
            const std::vector<std::string>& names) {
    const Formula whole(condition, names, codes_, "--where");  // throws, naming the whole
    for (const std::string& part : parts_of_condition(condition)) {
      const bool is_of_figures =
          std::ranges::any_of(Formula::names_in(part, "--where"),
                              [&](const std::string& name) { return !contains(columns, name); });
      wanted.push_back({part, Formula(part, names, codes_, "--where"), is_of_figures});
      for (const char* figure : {"time", "cost"})
        are_of_time = are_of_time || contains(Formula::names_in(part, "--where"), figure);
    }
  }
};

class Search {
 public:
  Search(const FittedModel& model, const Space& space, const SuggestionRequest& request)
      : model_(model),
        space_(space),
        request_(request),
        conditions_(conditions_of(space)),
        formulas_(space, request, model.spec.target),
        failing_(request.most, [](const Suggestion& each) { return each.time; }) {
    const auto list = [&](std::vector<Suggestion> Suggestions::*suggestions, Best::Figure figure) {
      lists_.emplace_back(suggestions,
                          Best(formulas_.listed ? 1 : request.most, figure, formulas_.listed));
    };
    list(&Suggestions::fastest, [](const Suggestion& each) { return each.time; });
    if (request.price)
      list(&Suggestions::cheapest, [](const Suggestion& each) { return each.cost; });
    if (request.maximise)
      list(&Suggestions::best, [](const Suggestion& each) { return -each.maximised.value; });
    if (request.most_p_fails < 1 && model.failures)
      result_.likely_to_fail = 0;
  }

  void add(const Configuration& configuration) {
    if (!conditions_(configuration))
      return;
    chunk_.push_back(configuration);
    if (chunk_.size() == kChunkSize)
      work_off();
  }

  /// Adds a random sample of a space that is too large.
  void add_some() {
    if (!space_.rows.empty()) {  // random values of runs can rarely be combined
      Space allowed = space_;
      for (const Wanted& wanted : formulas_.wanted)
        if (!wanted.is_of_figures)
          allowed.where.push_back(wanted.text);
      for (const Configuration& configuration : sample(allowed, kSampleOfRuns, request_.seed))
        add(configuration);
      return;
    }
    RandomStream random(request_.seed, "suggest");
    Configuration configuration(space_.columns.size());
    for (std::size_t i = 0; i < kSampleSize; ++i) {
      for (std::size_t c = 0; c < configuration.size(); ++c)
        configuration[c] = space_.columns[c].value_at(random.uniform());
      add(configuration);
    }
  }

  Suggestions finish() {
    work_off();
    for (auto& [suggestions, best] : lists_)
      result_.*suggestions = std::move(best).take();
    result_.failing = std::move(failing_).take();
    result_.pareto = std::move(front_).take();
    for (const Wanted& wanted : formulas_.wanted)
      if (wanted.is_of_figures)
        result_.unmet.emplace_back(wanted.text, wanted.unmet);
    return std::move(result_);
  }

 private:
  const FittedModel& model_;
  const Space& space_;
  const SuggestionRequest& request_;
  Conditions conditions_;
  RequestFormulas formulas_;
  std::vector<Configuration> chunk_;
  std::vector<std::pair<std::vector<Suggestion> Suggestions::*, Best>> lists_;
  Best failing_;
  Front front_;
  Suggestions result_;

  void work_off() {
    if (chunk_.empty())
      return;
    if (request_.begins)
      request_.begins(result_.searched);
    const Design design = design_of_space(space_, chunk_, model_.spec);
    const Eigen::VectorXd times = predicted(design);
    const std::optional<RowIntervals> intervals =
        request_.level && formulas_.are_of_time
            ? std::optional(row_intervals(model_, *request_.level, design))
            : std::nullopt;
    const Deadline& deadline = request_.deadline;
    const std::optional<RowIntervals> wanted =  // whose upper ends keep the deadline
        deadline.text ? std::optional(row_intervals(
                            model_, std::max(kLeastLevel, 2 * deadline.chance - 1), design))
                      : std::nullopt;
    std::vector<std::vector<Estimate>> bounded = mapped(
        request_.bounded, [&](const BoundedTarget& target) { return target.estimates(chunk_); });
    const std::vector<bool> fails =
        result_.likely_to_fail ? are_likely_to_fail(model_, space_, chunk_, request_.most_p_fails)
                               : std::vector<bool>(chunk_.size());
    result_.searched += chunk_.size();
    for (std::size_t i = 0; i < chunk_.size(); ++i) {
      Suggestion suggestion{chunk_[i], times[index(i)]};
      for (const auto& estimates : bounded)
        suggestion.bounded.push_back(estimates[i]);
      if (intervals && is_time(suggestion.time))
        suggestion.interval = (*intervals)[i].around(suggestion.time);
      const bool is_late = wanted && suggestion.time * (*wanted)[i].upper > deadline.time;
      judge(std::move(suggestion), is_late, fails[i]);
    }
    chunk_.clear();
  }

  /// NaN beyond the measured range of a column that must not be left.
  Eigen::VectorXd predicted(const Design& design) const {
    Eigen::VectorXd times = predict(model_, design);
    for (std::size_t n = 0; n < numeric_count(model_.spec); ++n)
      if (const NumericInput& input = numeric_input(model_.spec, n);
          contains(request_.within, input.column))
        for (std::size_t row = 0; row < design.rows; ++row)
          if (const double value = numeric_factor(design, n).value(row);
              !(value >= input.low && value <= input.high))
            times[index(row)] = std::nan("");
    return times;
  }

  void judge(Suggestion suggestion, bool is_late, bool fails) {
    if (!is_time(suggestion.time)) {
      ++result_.without_time;
      return;
    }
    const auto is_missing = [](const Estimate& estimate) { return std::isnan(estimate.value); };
    if (std::ranges::any_of(suggestion.bounded, is_missing)) {
      ++result_.without_bounded;
      return;
    }
    const std::vector<double> columns = formulas_.columns_of(suggestion.configuration);
    const double price = formulas_.price(columns);
    suggestion.cost = suggestion.time * price;
    if (!formulas_.are_fulfilled(columns, suggestion, price))
      return;
    if (is_late) {
      ++result_.late;
      return;
    }
    if (fails) {
      ++*result_.likely_to_fail;
      failing_.add(suggestion);
      return;
    }
    ++result_.allowed;
    if (request_.maximise) {
      suggestion.maximised.value = formulas_.range_of_maximised(columns, suggestion, false).low;
      if (!std::isfinite(suggestion.maximised.value))
        throw UsageError(fmt::format(
            "--maximise: the value is no number for every configuration of {}", space_.source));
    }
    for (auto& [suggestions, best] : lists_)
      best.add(suggestion);
    if (request_.price)
      front_.add(suggestion);
  }
};

}  // namespace

Design design_of_space(const Space& space, const std::vector<Configuration>& configurations,
                       const ModelSpec& spec) {
  const Table table = table_of(space, configurations);
  refuse_unknown_levels(table, spec);
  return make_design(table, spec, Target::absent);
}

std::vector<bool> are_likely_to_fail(const FittedModel& model, const Space& space,
                                     const std::vector<Configuration>& configurations,
                                     double most) {
  return model.failures && !configurations.empty()
             ? model.failures->are_likely(table_of(space, configurations), most)
             : std::vector<bool>(configurations.size());
}

std::size_t erase_likely_to_fail(const FittedModel& model, const Space& space,
                                 std::vector<Configuration>& configurations, double most) {
  const std::vector<bool> fails = are_likely_to_fail(model, space, configurations, most);
  std::size_t row = 0;
  return std::erase_if(configurations, [&](const Configuration&) { return fails[row++]; });
}

VectorXd prices(const Space& space, const std::optional<std::string>& price,
                const std::vector<Configuration>& configurations) {
  RequestFormulas formulas(space, {.price = price, .conditions = {}});
  VectorXd out(index(configurations.size()));
  for (std::size_t i = 0; i < configurations.size(); ++i)
    out[index(i)] = formulas.price(formulas.columns_of(configurations[i]));
  return out;
}

Suggestions suggest(const FittedModel& model, const Space& space,
                    const SuggestionRequest& request) {
  std::set<std::string> figures = {"time", "cost"};
  for (const BoundedTarget& target : request.bounded)
    figures.insert(target.name);
  for (const SpaceColumn& column : space.columns) {
    if (figures.contains(column.name))
      throw InputError(fmt::format(
          "{}: a column cannot be called '{}': conditions use this name for the predicted figure",
          space.source, column.name));
  }
  Search search(model, space, request);
  const bool complete = space.is_listed() || is_small(space, kMostSearched, true);
  if (complete)
    for_each_configuration(space,
                           [&](const Configuration& configuration) { search.add(configuration); });
  else
    search.add_some();
  Suggestions result = search.finish();
  result.complete = complete;
  return result;
}

double probability_in_time(const FittedModel& model, const Space& space,
                           const Suggestion& suggestion, double time) {
  const Design one = design_of_space(space, {suggestion.configuration}, model.spec);
  const auto reach = model.form->gp_reach(model.spec, model.constants, one);
  double below = kLeastLevel;
  double above = 1;
  while (above - below > kLeastLevel) {
    const double level = (below + above) / 2;
    const bool keeps = suggestion.time * row_intervals(model, level, one, reach)[0].upper <= time;
    (keeps ? below : above) = level;
  }
  return (1 + below) / 2;
}

std::optional<Interval> maximised_interval(const FittedModel& model, const Space& space,
                                           const SuggestionRequest& request,
                                           const Suggestion& suggestion) {
  const auto has_interval = [](const Estimate& estimate) { return estimate.interval.has_value(); };
  if (!suggestion.interval && std::ranges::none_of(suggestion.bounded, has_interval))
    return std::nullopt;
  RequestFormulas formulas(space, request, model.spec.target);
  return formulas.range_of_maximised(formulas.columns_of(suggestion.configuration), suggestion,
                                     true);
}

}  // namespace perfmodel::plan

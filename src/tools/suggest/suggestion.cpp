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

constexpr double kMostSearched = 1e7;
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
    std::vector<Suggestion> kept;
    for (const Suggestion& suggestion : waiting_) {
      if (suggestion.cost < cheapest) {
        cheapest = suggestion.cost;
        kept.push_back(suggestion);
      }
    }
    waiting_ = std::move(kept);
  }
};

double checked_price(double price, const Space& space) {
  if (!(price >= 0) || !std::isfinite(price))
    throw UsageError(fmt::format(
        "--price: a price has to be a number >= 0, and is not for every configuration of {}",
        space.source));
  return price;
}

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

Formula formula_to_maximise(const Space& space, const SuggestionRequest& request,
                            TextCodes& codes) {
  std::vector<std::string> names = space.names();
  for (const BoundedTarget& target : request.bounded)
    names.push_back(target.name);
  names.insert(names.end(), {"time", request.target});
  return {*request.maximise, names, codes, "--maximise"};
}

/// The lowest and the highest value of that formula; `columns`: the values of these.
Interval range_of_maximised(const Formula& formula, const std::vector<double>& columns,
                            const Suggestion& at, bool with_intervals) {
  std::vector<Estimate> figures = at.bounded;
  figures.push_back({at.time, at.interval});
  if (!with_intervals)
    for (Estimate& figure : figures)
      figure.interval.reset();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Interval out{infinity, -infinity};
  at_all_ends(columns, figures, [&](std::vector<double> values) {
    values.push_back(values.back());
    const double value = formula(values);
    out = {std::min(out.low, value), std::max(out.high, value)};
  });
  return out;
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

std::vector<Wanted> wanted_of(const Space& space, const SuggestionRequest& request,
                              TextCodes& codes) {
  const std::vector<std::string> columns = space.names();
  std::vector<std::string> names = columns;
  names.insert(names.end(), {"time", "cost"});
  for (const BoundedTarget& target : request.bounded)
    names.push_back(target.name);
  std::vector<Wanted> out;
  for (const std::string& condition : request.conditions) {
    const Formula whole(condition, names, codes, "--where");  // throws, naming the whole
    for (const std::string& part : parts_of_condition(condition)) {
      const bool is_of_figures =
          std::ranges::any_of(Formula::names_in(part, "--where"),
                              [&](const std::string& name) { return !contains(columns, name); });
      out.push_back({part, Formula(part, names, codes, "--where"), is_of_figures});
    }
  }
  return out;
}

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

class Search {
 public:
  Search(const Space& space, const SuggestionRequest& request, const Predict& predict)
      : space_(space),
        request_(request),
        predict_(predict),
        conditions_(conditions_of(space)),
        codes_(text_codes(space)),
        wanted_(wanted_of(space, request, codes_)),
        each_(place_of_each(space, request)),
        fastest_(
            each_ ? 1 : request.most, [](const Suggestion& each) { return each.time; }, each_),
        cheapest_(
            each_ ? 1 : request.most, [](const Suggestion& each) { return each.cost; }, each_),
        best_(
            each_ ? 1 : request.most, [](const Suggestion& each) { return -each.maximised.value; },
            each_),
        failing_(request.most, [](const Suggestion& each) { return each.time; }) {
    if (request.price)
      price_.emplace(*request.price, space.names(), codes_, "--price");
    if (request.maximise)
      maximised_ = formula_to_maximise(space, request, codes_);
    if (request.are_likely_to_fail)
      result_.likely_to_fail = 0;
  }

  void add(const Configuration& configuration) {
    if (!conditions_(configuration))
      return;
    chunk_.push_back(configuration);
    if (chunk_.size() == kChunkSize)
      work_off();
  }

  Suggestions finish() {
    work_off();
    result_.fastest = std::move(fastest_).take();
    result_.failing = std::move(failing_).take();
    result_.best = std::move(best_).take();
    for (const Wanted& wanted : wanted_)
      if (wanted.is_of_figures)
        result_.unmet.emplace_back(wanted.text, wanted.unmet);
    if (price_) {
      result_.cheapest = std::move(cheapest_).take();
      result_.pareto = std::move(front_).take();
    }
    return std::move(result_);
  }

 private:
  const Space& space_;
  const SuggestionRequest& request_;
  const Predict& predict_;
  Conditions conditions_;
  TextCodes codes_;
  std::vector<Wanted> wanted_;
  std::optional<std::size_t> each_;
  std::optional<Formula> price_;
  std::optional<Formula> maximised_;
  std::vector<Configuration> chunk_;
  Best fastest_;
  Best cheapest_;
  Best best_;
  Best failing_;
  Front front_;
  Suggestions result_;

  void work_off() {
    if (chunk_.empty())
      return;
    const auto times = predict_(chunk_);
    std::vector<std::vector<Estimate>> bounded = mapped(
        request_.bounded, [&](const BoundedTarget& target) { return target.estimates(chunk_); });
    const std::vector<bool> fails = request_.are_likely_to_fail
                                        ? request_.are_likely_to_fail(chunk_)
                                        : std::vector<bool>(chunk_.size(), false);
    result_.searched += chunk_.size();
    for (std::size_t i = 0; i < chunk_.size(); ++i) {
      Suggestion suggestion{chunk_[i], times[i], times[i]};
      for (const auto& estimates : bounded)
        suggestion.bounded.push_back(estimates[i]);
      judge(std::move(suggestion), fails[i]);
    }
    chunk_.clear();
  }

  /// Whether the conditions hold at every combination of ends of the bounded targets. `values`:
  /// of the other names.
  bool fulfils(const std::vector<double>& values, const std::vector<Estimate>& bounded) {
    for (Wanted& wanted : wanted_) {
      bool holds = true;
      at_all_ends(values, bounded, [&](const std::vector<double>& ends) {
        holds = holds && wanted.formula(ends) != 0;
      });
      wanted.unmet += holds ? 0U : 1U;
      if (!holds)
        return false;
    }
    return true;
  }

  void judge(Suggestion suggestion, bool fails) {
    if (!is_time(suggestion.time)) {
      ++result_.without_time;
      return;
    }
    const auto is_missing = [](const Estimate& estimate) { return std::isnan(estimate.value); };
    if (std::ranges::any_of(suggestion.bounded, is_missing)) {
      ++result_.without_bounded;
      return;
    }
    std::vector<double> values;
    if (price_ || maximised_ || !wanted_.empty())
      values = formula_values(space_, codes_, suggestion.configuration);
    if (price_)
      suggestion.cost = suggestion.time * checked_price((*price_)(values), space_);
    values.push_back(suggestion.time);
    values.push_back(suggestion.cost);
    if (!wanted_.empty() && !fulfils(values, suggestion.bounded))
      return;
    if (fails) {
      ++*result_.likely_to_fail;
      failing_.add(suggestion);
      return;
    }
    ++result_.allowed;
    if (maximised_) {
      values.resize(space_.columns.size());
      suggestion.maximised.value = range_of_maximised(*maximised_, values, suggestion, false).low;
      if (!std::isfinite(suggestion.maximised.value))
        throw UsageError(fmt::format(
            "--maximise: the value is no number for every configuration of {}", space_.source));
      best_.add(suggestion);
    }
    fastest_.add(suggestion);
    if (price_) {
      cheapest_.add(suggestion);
      front_.add(suggestion);
    }
  }
};

/// Whether all configurations of a space can be searched.
bool is_searchable(const Space& space) {
  double size = 1;
  for (const SpaceColumn& column : space.columns) {
    if (column.is_range() && !column.whole)
      return false;
    size *=
        column.is_range() ? column.high - column.low + 1 : static_cast<double>(column.choices());
  }
  return size <= kMostSearched;
}

/// Adds a random sample of a space that is too large.
void search_some(const Space& space, const SuggestionRequest& request, Search& search) {
  if (!space.rows.empty()) {  // random values of runs can rarely be combined
    Space allowed = space;
    TextCodes codes = text_codes(space);
    for (const Wanted& wanted : wanted_of(space, request, codes))
      if (!wanted.is_of_figures)
        allowed.where.push_back(wanted.text);
    for (const Configuration& configuration : sample(allowed, kSampleOfRuns, request.seed))
      search.add(configuration);
    return;
  }
  RandomStream random(request.seed, "suggest");
  Configuration configuration(space.columns.size());
  for (std::size_t i = 0; i < kSampleSize; ++i) {
    for (std::size_t c = 0; c < configuration.size(); ++c)
      configuration[c] = space.columns[c].value_at(random.uniform());
    search.add(configuration);
  }
}

}  // namespace

Design design_of_space(const Space& space, const std::vector<Configuration>& configurations,
                       const ModelSpec& spec) {
  const Table table = table_of(space, configurations);
  refuse_unknown_levels(table, spec);
  return make_design(table, spec, Target::absent);
}

VectorXd times_within(const FittedModel& model, const Design& design, const std::string& source) {
  VectorXd times = predict(model, design);
  if (!std::all_of(times.begin(), times.end(), is_time)) {
    throw InputError(source +
                     ": for some configurations the model predicts no time > 0; the space "
                     "reaches too far from the measured ones");
  }
  return times;
}

AreLikelyToFail failing_of(const FittedModel& model, const Space& space) {
  if (!model.failures)
    return {};
  return [&](const std::vector<Configuration>& configurations) {
    return model.failures->are_likely(table_of(space, configurations));
  };
}

std::size_t erase_likely_to_fail(const AreLikelyToFail& are_likely,
                                 std::vector<Configuration>& configurations) {
  if (!are_likely || configurations.empty())
    return 0;
  const std::vector<bool> fails = are_likely(configurations);
  std::size_t row = 0;
  return std::erase_if(configurations, [&](const Configuration&) { return fails[row++]; });
}

VectorXd prices(const Space& space, const std::optional<std::string>& price,
                const std::vector<Configuration>& configurations) {
  VectorXd out = VectorXd::Ones(index(configurations.size()));
  if (!price)
    return out;
  TextCodes codes = text_codes(space);
  const Formula formula(*price, space.names(), codes, "--price");
  for (std::size_t i = 0; i < configurations.size(); ++i)
    out[index(i)] = checked_price(formula(formula_values(space, codes, configurations[i])), space);
  return out;
}

Suggestions suggest(const Space& space, const SuggestionRequest& request, const Predict& predict) {
  std::set<std::string> figures = {"time", "cost"};
  for (const BoundedTarget& target : request.bounded)
    figures.insert(target.name);
  for (const SpaceColumn& column : space.columns) {
    if (figures.contains(column.name))
      throw InputError(fmt::format(
          "{}: a column cannot be called '{}': conditions use this name for the predicted figure",
          space.source, column.name));
  }
  Search search(space, request, predict);
  if (space.is_listed()) {
    for (const Configuration& row : space.rows)
      search.add(row);
    return search.finish();
  }
  if (is_searchable(space)) {
    for_each_configuration(space,
                           [&](const Configuration& configuration) { search.add(configuration); });
    return search.finish();
  }
  search_some(space, request, search);
  Suggestions result = search.finish();
  result.complete = false;
  return result;
}

std::optional<Interval> maximised_interval(const Space& space, const SuggestionRequest& request,
                                           const Suggestion& suggestion) {
  const auto has_interval = [](const Estimate& estimate) { return estimate.interval.has_value(); };
  if (!suggestion.interval && std::ranges::none_of(suggestion.bounded, has_interval))
    return std::nullopt;
  TextCodes codes = text_codes(space);
  const Formula formula = formula_to_maximise(space, request, codes);
  return range_of_maximised(formula, formula_values(space, codes, suggestion.configuration),
                            suggestion, true);
}

Space space_of_rows(Space space, std::vector<Configuration> rows) {
  space.rows = std::move(rows);
  space.bonds.clear();
  space.orders.clear();
  return space;
}

}  // namespace perfmodel::plan

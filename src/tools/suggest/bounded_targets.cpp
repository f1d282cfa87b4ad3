#include "suggest/bounded_targets.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "cli/judged_runs.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "forms/scaling_belief.hpp"
#include "jobs/settings.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/predict.hpp"
#include "roles/left_out.hpp"
#include "suggest/suggest_documents.hpp"
#include "table/table.hpp"

namespace perfmodel::cli {
namespace {

std::set<std::string> names_in(const std::vector<std::string>& formulas,
                               const std::string& option = "--where") {
  std::set<std::string> names;
  for (const std::string& formula : formulas)
    for (const std::string& name : Formula::names_in(formula, option))
      names.insert(name);
  names.erase("time");  // the figures of the ranked model
  names.erase("cost");
  return names;
}

bool are_equal(const std::string& a, const std::string& b) {
  const auto number = parse_number(a);
  return a == b || (number && number == parse_number(b));
}

/// The rows that a model can predict: those of known levels whose other columns have the value that
/// they had in all runs of the model, if it had only one.
std::vector<std::size_t> predictable_rows(const FittedModel& model, const Table& table) {
  std::vector<std::size_t> rows = rows_of_known_levels(table, model.spec).rows;
  for (const LeftOut& item : model.provenance.left_out)
    if (const Column* column = table.find(item.column);
        column != nullptr && item.because == LeftOut::Because::constant)
      std::erase_if(rows,
                    [&](std::size_t row) { return !are_equal(column->text(row), item.value); });
  return rows;
}

std::vector<plan::Estimate> estimates_of(const FittedModel& model, const Table& table,
                                         std::optional<double> coverage, const std::string& file) {
  std::vector<plan::Estimate> out(table.rows(),
                                  {.value = std::numeric_limits<double>::quiet_NaN()});
  const std::vector<std::size_t> rows = predictable_rows(model, table);
  if (rows.empty())
    return out;
  const Design design = make_design(take_rows(table, rows), model.spec, Target::absent);
  const Eigen::VectorXd values = predict(model, design);
  const Certainty certainty = certainty_of(model, coverage, file, design);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double value = values[index(i)];
    if (!is_time(value))
      continue;
    out[rows[i]].value = value;
    if (certainty.intervals)
      out[rows[i]].interval = (*certainty.intervals)[i].around(value);
  }
  return out;
}

/// The models in a file; none if it is a space.
std::vector<ModelSetLine> models_in(const std::string& path) try {
  std::vector<ModelSetLine> out;
  if (is_document(path).value_or(false))
    picked_models(path, "").for_each([&](const auto& line) { out.push_back(line); });
  return out;
} catch (const InputError&) {
  return {};
}

}  // namespace

std::vector<Column> RankingModels::held_columns(const std::string& source,
                                                const std::vector<std::string>& there,
                                                Console& console) const {
  std::vector<Column> out;
  const auto hold = [&](const FittedModel& model) {
    const auto base = central_base(model);
    std::string held;
    for (const std::string& name : required_columns(model.spec)) {
      const auto follows = [&](const Tie& tie) {
        return tie.column == name && contains(there, tie.scale);
      };
      const Column* const column = base ? base->table.find(name) : nullptr;
      if (column == nullptr || contains(there, name) ||
          std::ranges::any_of(model.spec.ties, follows) ||
          std::ranges::find(out, name, &Column::name) != out.end())
        continue;
      held += " " + name + "=" + column->text(0);
      out.push_back(*column);
    }
    if (!held.empty())
      console.notice("inputs that " + source + " lacks are held at " + base->name + ":" + held);
  };
  hold(ranked);
  std::ranges::for_each(bounded, hold);
  return out;
}

std::vector<std::string> RankingModels::columns() const {
  std::vector<std::string> out = required_columns(ranked.spec);
  for (const FittedModel& model : bounded)
    for (const std::string& column : required_columns(model.spec))
      if (!contains(out, column))
        out.push_back(column);
  return out;
}

ModelSet models_of_files(const std::vector<std::string>& files, const std::string& pick,
                         std::string& space) {
  const auto first = picked_models(files.front(), pick);
  if (files.size() == 1)
    return first;
  std::vector<ModelSetLine> all;
  const auto add = [&](const auto& line) { all.push_back(line); };
  first.for_each(add);
  for (std::size_t k = 1; k + 1 < files.size(); ++k)
    picked_models(files[k], "").for_each(add);
  const auto last = models_in(files.back());
  const auto targets = mapped(all, [](const auto& line) { return line.target; });
  if (last.empty() || contains(targets, last.front().target))
    space = files.back();
  else
    std::ranges::for_each(last, add);
  return ModelSet(std::move(all), first.header());
}

RankingModels ranking_models(const ModelSet& set, const std::vector<std::string>& conditions,
                             const std::optional<std::string>& maximise) {
  const std::set<std::string> named = names_in(conditions);
  const std::set<std::string> sought =
      maximise ? names_in({*maximise}, "--maximise") : std::set<std::string>();
  std::set<std::vector<std::string>> keys;
  std::vector<std::string> targets;
  std::vector<std::string> free;
  const auto note = [&](const ModelSetLine& line) {
    keys.insert(line.key);
    if (contains(targets, line.target) && keys.size() == 1)
      throw UsageError("two of the models are of '" + line.target + "'");
    targets.push_back(line.target);
    if (!named.contains(line.target))
      free.push_back(line.target);
    return false;
  };
  set.for_each(note, [](const ModelSetLine&) {});
  const CommonRun common(set);
  if (targets.size() == 1 || keys.size() > 1)
    return {common.moved(model_of(set)), {}};
  const bool all_are_named = free.empty();
  if (free.size() > 1 && maximise)
    std::erase_if(free, [&](const std::string& target) { return !sought.contains(target); });
  if (free.empty() || (free.size() > 1 && !maximise)) {
    throw UsageError("the file holds models of " + quoted_list(targets) +
                     ": one is ranked, and --where has to " +
                     (all_are_named ? "leave out its name, which is 'time' there"
                                    : "name all others ('" + formula_name(targets.back()) +
                                          " < ...'); or choose by --pick 'target == " +
                                          formula_text(targets.front(), '"') + "'"));
  }
  RankingModels out;
  set.for_each([&](const ModelSetLine& line) {
    if (line.target != free.front() && !named.contains(line.target) &&
        !sought.contains(line.target))
      return;
    if (!line.model)
      throw InputError(words_of(line, set.header()) + " has no model: " + line.refused);
    out.are_limits = out.are_limits || named.contains(line.target);
    (line.target == free.front() ? out.ranked : out.bounded.emplace_back()) =
        common.moved(*line.model);
  });
  return out;
}

namespace {

/// Tells at which ends conditions on a target have to hold.
void tell_ends(const std::string& target, std::optional<double> level, Console& console) {
  const std::string bounded = "conditions on '" + target + "' have to hold ";
  if (level)
    console.notice(bounded + "at both ends of its " + short_number(100 * *level) + " % interval");
  else
    console.warning(bounded + "for its predicted value alone: its model has no intervals");
}

}  // namespace

std::optional<double> level_of_conditions(const FittedModel& ranked,
                                          const std::vector<std::string>& conditions,
                                          std::optional<double> coverage, const std::string& file,
                                          Console& console) {
  const auto level = interval_level(ranked, coverage, file);
  const auto is_of_time = [](const std::string& condition) {
    const auto names = Formula::names_in(condition, "--where");
    return contains(names, "time") || contains(names, "cost");
  };
  if (std::ranges::any_of(conditions, is_of_time))
    tell_ends(ranked.spec.target, level, console);
  return level;
}

std::vector<plan::BoundedTarget> bounded_targets(const std::vector<FittedModel>& models,
                                                 const plan::Space& space,
                                                 const std::vector<std::string>& conditions,
                                                 std::optional<double> coverage,
                                                 const std::string& file, Console& console) {
  std::vector<plan::BoundedTarget> out;
  const std::set<std::string> named = names_in(conditions);
  for (const FittedModel& model : models) {
    const auto level = interval_level(model, coverage, file);
    if (named.contains(model.spec.target))
      tell_ends(model.spec.target, level, console);
    out.push_back(
        {model.spec.target, level.has_value(),
         [&model, &space, coverage, file](const std::vector<plan::Configuration>& configurations) {
           return estimates_of(model, plan::table_of(space, configurations), coverage, file);
         }});
  }
  return out;
}

namespace {

/// The step ties that the space must keep. A column of a single value was set by the user, and is
/// not tied.
std::vector<Tie> steps_of(const ModelSpec& spec, const plan::Space& space, Console& console) {
  std::vector<Tie> steps;
  for (const Tie& tie : spec.ties)
    for (const plan::SpaceColumn& column : space.columns)
      if (tie.in_steps() && tie.column == column.name &&
          (column.is_range() || column.choices() > 1)) {
        steps.push_back(tie);
        if (tie.scale == tie.factors.front().column)  // once for several scales
          console.notice("'" + tie.column + "' is always " + law_of_step(tie));
      }
  return steps;
}

/// Adds the inputs that a space lacks.
void hold_missing(const RankingModels& models, plan::Space& space, Console& console) {
  for (const Column& held : models.held_columns(space.source, space.names(), console)) {
    space.columns.push_back({.name = held.name, .values = held.numbers, .levels = {}});
    if (!held.is_numeric())
      space.columns.back().levels = {held.text(0)};
    for (plan::Configuration& row : space.rows)
      row.push_back(held.is_numeric() ? held.numbers[0] : 0);
  }
}

/// The columns that conditions and formulas name. `conditions`: those of the space.
std::set<std::string> named_columns(const plan::SuggestionRequest& request,
                                    const std::vector<std::string>& conditions) {
  std::set<std::string> out = names_in(request.conditions);
  out.merge(names_in(conditions));
  if (request.price)
    out.merge(names_in({*request.price}, "--price"));
  if (request.maximise)
    out.merge(names_in({*request.maximise}, "--maximise"));
  if (request.each)
    out.insert(*request.each);
  return out;
}

/// Of choices with these columns: refuses one that may be a misspelt input, and tells of others
/// that no model and no formula uses, unless all choices have the value of all runs.
void check_columns(const RankingModels& models, const Table& choices, std::set<std::string> used,
                   bool tells_unused, Console& console) {
  std::vector<std::string> missing;
  const std::vector<std::string> ranked = input_columns(models.ranked.spec);
  std::set<std::string> inputs(ranked.begin(), ranked.end());
  for (const std::string& name : models.columns()) {
    inputs.insert(name);
    if (choices.find(name) == nullptr)
      missing.push_back(name);
  }
  used.insert({"time", "cost"});  // names of figures, which are refused where these are formed
  for (const Column& column : choices.columns) {
    const std::string& name = column.name;
    if (inputs.contains(name) || used.contains(name))
      continue;
    const std::vector<LeftOut>& left_out = models.ranked.provenance.left_out;
    const auto item = std::ranges::find(left_out, name, &LeftOut::column);
    const bool is_known = item != left_out.end();
    const std::string why = no_input(models.ranked, name, missing);
    if (!is_known && nearest(name, missing))
      throw UsageError(choices.source + ": the model has no input '" + name + "'" + why);
    const auto is_as_in_runs = [&](std::size_t row) { return column.text(row) == item->value; };
    if (tells_unused && !(is_known && item->because == LeftOut::Because::constant &&
                          std::ranges::all_of(indices(choices.rows()), is_as_in_runs)))
      console.notice("'" + name + "' of " + choices.source +
                     " is not used: the model has no such input" + (is_known ? why : ""));
  }
}

/// The combinations of a space with the columns of facts; the space itself if it has none of what
/// facts describe.
plan::Space with_facts(const plan::Space& space, const InputOptions& input,
                       const FittedModel& model) {
  const InputOptions& of_fit = model.provenance.reading.input;
  const auto names = space.names();
  if (input.facts.empty() && std::ranges::none_of(of_fit.facts, [&](const FactsFile& facts) {
        return contains(names, facts.column);
      }))
    return space;
  constexpr std::size_t most = 100'000;
  if (!plan::is_small(space, most, true))
    throw UsageError(space.source + ": facts go with at most " + std::to_string(most) +
                     " configurations; list fewer: perfmodel plan");
  std::vector<plan::Configuration> all;
  plan::for_each_configuration(space,
                               [&](const plan::Configuration& each) { all.push_back(each); });
  RunsFile rows{.path = {}, .bytes = {}, .table = plan::table_of(space, all)};
  rows.reading.input.facts = input.facts;
  rows.reading.input.of_fit = std::make_shared<const InputOptions>(of_fit);
  append_facts(categorical_columns(model.spec), rows);
  plan::Space out = plan::space_of_candidates(rows.table);
  out.where = space.where;
  return out;
}

plan::Space space_in(const std::string& path, const InputOptions& input,
                     const plan::SuggestionRequest& request, const RankingModels& models,
                     Console& console) {
  plan::Space space = with_facts(read_space(path), input, models.ranked);
  std::vector<plan::Configuration> ends(2);
  for (const plan::SpaceColumn& column : space.columns) {
    ends[0].push_back(column.value_at(0));
    ends[1].push_back(column.value_at(1));
  }
  check_columns(models, plan::table_of(space, ends), named_columns(request, space.where), true,
                console);
  hold_missing(models, space, console);
  if (!space.is_listed())
    space.steps = steps_of(models.ranked.spec, space, console);
  return space;
}

/// The columns of a table that stand beside the inputs: all or those that formulas name, but no
/// figures and no numbers that lack a cell.
std::vector<std::string> carried_columns(const RankingModels& models, const Table& table,
                                         const std::set<std::string>& named, bool all) {
  std::vector<std::string> taken = models.columns();
  taken.insert(taken.end(), {"time", "cost", models.ranked.spec.target});
  for (const FittedModel& model : models.bounded)
    taken.push_back(model.spec.target);
  std::vector<std::string> out;
  for (const Column& column : table.columns)
    if ((all || named.contains(column.name)) && !contains(taken, column.name) &&
        column.bad_cells.empty())
      out.push_back(column.name);
  return out;
}

SpaceChoices runs_in(const std::string& path, const InputOptions& input,
                     const plan::SuggestionRequest& request, bool next, const RankingModels& models,
                     Console& console) {
  const FittedModel& model = models.ranked;
  RunsFile file = read_further_runs({path}, categorical_columns(model.spec), {.input = input},
                                    model.provenance.reading);
  const bool are_runs = file.table.find(judged_column(file.table, model.spec)) != nullptr;
  check_columns(models, file.table, named_columns(request, {}), !are_runs, console);
  const std::vector<std::string> carried =
      carried_columns(models, file.table, named_columns(request, {}), !are_runs && !next);
  const RunsFile as_read = file;
  for (const Column& held : models.held_columns(file.table.source, file.table.names(), console))
    file.table.columns.push_back(take_rows(held, std::vector<std::size_t>(file.table.rows(), 0)));
  const Table all = file.table;
  leave_out_noted(file, model.spec, console);
  if (const auto unknown = plan::drop_unknown_levels(file.table, model.spec))
    console.warning(*unknown);
  make_design(file.table, model.spec, Target::absent);  // throws for cells that cannot be used
  std::vector<std::string> columns = models.columns();
  columns.insert(columns.end(), carried.begin(), carried.end());
  SpaceChoices out{plan::space_of_runs(file.table, all, columns)};
  if (are_runs)
    out.runs.emplace();
  if (next && are_runs) {
    out.runs = plan::known_runs(model, out.space, as_read, nullptr);
    out.space.steps = steps_of(model.spec, out.space, console);
    plan::bind_columns(out.space, file.table);
  }
  return out;
}

}  // namespace

std::vector<plan::Configuration> read_configurations(const plan::Space& space,
                                                     const std::string& path) {
  return plan::configurations_of(space, read_runs(path, space.text_columns()).table);
}

bool is_of_runs(const std::string& space) {
  return !space.empty() && !is_document(space).value_or(!space.ends_with(".csv"));
}

SpaceChoices choices_in(const std::string& path, const InputOptions& input,
                        const plan::SuggestionRequest& request, bool next,
                        const RankingModels& models, Console& console) {
  if (path.empty()) {
    plan::Space space = plan::space_around(models.ranked);
    hold_missing(models, space, console);
    return {space, plan::KnownRuns{models.ranked.belief->known(), space.rows, space.rows}};
  }
  if (is_of_runs(path) && !is_short_space(path, models.ranked.spec.target))
    return runs_in(path, input, request, next, models, console);
  return {space_in(path, input, request, models, console)};
}

}  // namespace perfmodel::cli

#include "suggest/bounded_targets.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "columns/design.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/table.hpp"
#include "report/documents.hpp"
#include "table/formula.hpp"

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

SetLines models_of_files(const std::vector<std::string>& files, const std::string& pick,
                         std::string& space) {
  const auto first = picked_models(files.front(), pick);
  if (files.size() == 1)
    return first;
  const auto all = std::make_shared<ModelSet>();
  all->header = first.header();
  const auto add = [&](const auto& line) { all->lines.push_back(line); };
  first.for_each(add);
  for (std::size_t k = 1; k + 1 < files.size(); ++k)
    picked_models(files[k], "").for_each(add);
  const auto last = models_in(files.back());
  const auto targets = mapped(all->lines, [](const auto& line) { return line.target; });
  if (last.empty() || contains(targets, last.front().target))
    space = files.back();
  else
    std::ranges::for_each(last, add);
  return SetLines(std::shared_ptr<const ModelSet>(all));
}

RankingModels ranking_models(const SetLines& set, const std::vector<std::string>& conditions,
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

std::vector<plan::BoundedTarget> bounded_targets(const std::vector<FittedModel>& models,
                                                 const plan::Space& space,
                                                 const std::vector<std::string>& conditions,
                                                 std::optional<double> coverage,
                                                 const std::string& file, Console& console) {
  std::vector<plan::BoundedTarget> out;
  const std::set<std::string> named = names_in(conditions);
  for (const FittedModel& model : models) {
    const auto level = interval_level(model, coverage, file);
    const std::string bounded = "conditions on '" + model.spec.target + "' have to hold ";
    const bool is_limit = named.contains(model.spec.target);
    if (is_limit && level)
      console.notice(bounded + "at both ends of its " + short_number(100 * *level) + " % interval");
    else if (is_limit)
      console.warning(bounded + "for its predicted value alone: its model has no intervals");
    out.push_back(
        {model.spec.target,
         [&model, &space, coverage, file](const std::vector<plan::Configuration>& configurations) {
           return estimates_of(model, plan::table_of(space, configurations), coverage, file);
         }});
  }
  return out;
}

}  // namespace perfmodel::cli

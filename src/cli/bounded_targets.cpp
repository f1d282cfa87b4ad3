#include "cli/bounded_targets.hpp"

#include <limits>
#include <set>

#include "base/text.hpp"
#include "cli/certainty.hpp"
#include "columns/design.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"
#include "table/formula.hpp"

namespace perfmodel::cli {
namespace {

std::set<std::string> names_in(const std::vector<std::string>& conditions) {
  std::set<std::string> names;
  for (const std::string& condition : conditions)
    for (const std::string& name : Formula::names_in(condition, "--where"))
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
  for (const LeftOut& item : model.left_out)
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

}  // namespace

std::vector<std::string> RankingModels::columns() const {
  std::vector<std::string> out = required_columns(ranked.spec);
  for (const FittedModel& model : bounded)
    for (const std::string& column : required_columns(model.spec))
      if (!contains(out, column))
        out.push_back(column);
  return out;
}

RankingModels ranking_models(const SetLines& set, const std::vector<std::string>& conditions) {
  const std::set<std::string> named = names_in(conditions);
  std::set<std::vector<std::string>> keys;
  std::vector<std::string> targets;
  std::vector<std::string> free;
  const auto note = [&](const ModelSetLine& line) {
    keys.insert(line.key);
    targets.push_back(line.target);
    if (!named.contains(line.target))
      free.push_back(line.target);
    return false;
  };
  set.for_each(note, [](const ModelSetLine&) {});
  if (targets.size() == 1 || keys.size() > 1)
    return {model_of(set), {}};
  if (free.size() != 1) {
    throw UsageError("the file holds models of " + quoted_list(targets) +
                     ": one is ranked, and --where has to " +
                     (free.empty() ? "leave out its name, which is 'time' there"
                                   : "name all others ('" + targets.back() +
                                         " < ...'); or choose by --pick 'target == \"" +
                                         targets.front() + "\"'"));
  }
  RankingModels out;
  set.for_each([&](const ModelSetLine& line) {
    if (!line.model)
      throw InputError(words_of(line, set.header()) + " has no model: " + line.refused);
    (named.contains(line.target) ? out.bounded.emplace_back() : out.ranked) = *line.model;
  });
  return out;
}

std::vector<plan::BoundedTarget> bounded_targets(const std::vector<FittedModel>& models,
                                                 const plan::Space& space,
                                                 std::optional<double> coverage,
                                                 const std::string& file, Console& console) {
  std::vector<plan::BoundedTarget> out;
  for (const FittedModel& model : models) {
    const auto level = interval_level(model, coverage, file);
    const std::string bounded = "conditions on '" + model.spec.target + "' have to hold ";
    if (level)
      console.notice(bounded + "at both ends of its " + short_number(100 * *level) + " % interval");
    else
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

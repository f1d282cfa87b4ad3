#include "cli/runs/model_sets.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "cli/options/option_set.hpp"
#include "data/formula.hpp"
#include "data/table_groups.hpp"
#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

/// What a condition on lines speaks of: a number where all texts of a column are numbers.
std::vector<std::vector<double>> pick_columns(const ModelSet& set, TextCodes& codes) {
  std::vector<std::vector<double>> out(set.header.by.size() + 1);
  for (std::size_t c = 0; c < out.size(); ++c) {
    std::vector<std::string> texts;
    for (const ModelSetLine& line : set.lines)
      texts.push_back(c < line.key.size() ? line.key[c] : line.target);
    const bool numeric = std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
      return parse_number(text).has_value();
    });
    for (const std::string& text : texts)
      out[c].push_back(numeric ? *parse_number(text) : codes.code(text));
  }
  return out;
}

void pick_lines(ModelSet& set, const std::string& pick) {
  std::vector<std::string> names = set.header.by;
  names.emplace_back("target");
  TextCodes codes;
  const Formula condition(pick, names, codes, Field{"pick"});
  const std::vector<double> holds = condition.of_rows(pick_columns(set, codes), set.lines.size());
  std::vector<ModelSetLine> picked;
  for (std::size_t i = 0; i < set.lines.size(); ++i)
    if (holds[i] != 0)
      picked.push_back(std::move(set.lines[i]));
  set.lines = std::move(picked);
}

}  // namespace

void add_pick(OptionSet& app, std::string& pick) {
  app.add_option("--pick", pick,
                 "of a file of many models those for which this holds,\n"
                 "over key columns and target: 'kernel == \"gemm\"'")
      .type_name("CONDITION");
}

bool has_keys(const ModelSet& set) {
  return !set.header.job.empty();
}

ModelSet picked_models(const std::string& path, const std::string& pick) {
  const std::string bytes = read_file(path);
  ModelSet set;
  if (is_model_set(bytes))
    set = parse_model_set(display_name(path), bytes);
  else
    set.lines.push_back(single_model(display_name(path), bytes));
  if (pick.empty())
    return set;
  if (!has_keys(set))
    throw UsageError("--pick goes with a file of many models, and " + display_name(path) +
                     " is one model");
  pick_lines(set, pick);
  if (set.lines.empty())
    throw InputError(display_name(path) + ": --pick '" + pick + "' holds for none of its models");
  return set;
}

FittedModel picked_model(const std::string& path, const std::string& pick) {
  return model_of(picked_models(path, pick));
}

FittedModel model_of(const ModelSet& set) {
  if (set.lines.size() != 1) {
    throw UsageError("the file holds " + std::to_string(set.lines.size()) +
                     " such models; one is needed: --pick '" +
                     (set.header.by.empty() ? "target" : set.header.by.front()) + " == \"...\"'");
  }
  const ModelSetLine& line = set.lines.front();
  if (!line.model)
    throw InputError(words_of(line, set.header) + " has no model: " + line.refused);
  return *line.model;
}

std::set<std::string> text_columns_of(const ModelSet& set) {
  std::set<std::string> out(set.header.by.begin(), set.header.by.end());
  if (set.header.target_name)
    out.insert(*set.header.target_name);
  for (const ModelSetLine& line : set.lines)
    if (line.model)
      out.merge(categorical_columns(line.model->spec));
  return out;
}

std::vector<LineRows> rows_of_lines(const ModelSet& set, const Table& table) {
  std::vector<std::string> columns = set.header.by;
  const bool is_long = set.header.target_name && table.find(*set.header.target_name) != nullptr;
  if (is_long)
    columns.push_back(*set.header.target_name);
  std::map<std::vector<std::string>, std::vector<std::size_t>> rows_of;
  for (TableGroup& group : groups_of(table, columns))
    rows_of[std::move(group.key)] = std::move(group.rows);
  std::vector<LineRows> out;
  for (const ModelSetLine& line : set.lines) {
    std::vector<std::string> key = line.key;
    if (is_long)
      key.push_back(line.target);
    const auto rows = rows_of.find(key);
    if (!line.model || rows == rows_of.end())
      continue;
    out.push_back({&line, rows->second, take_rows(table, rows->second)});
    if (is_long)
      for (Column& column : out.back().table.columns)
        if (column.name == set.header.target_value)
          column.name = line.target;
  }
  return out;
}

}  // namespace perfmodel::cli

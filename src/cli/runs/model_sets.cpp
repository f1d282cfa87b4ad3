#include "cli/runs/model_sets.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
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

/// The cells of a column of which a condition on lines speaks: numbers where all of them are.
std::vector<double> pick_column(const std::vector<std::string>& texts, TextCodes& codes) {
  const bool numeric = std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
    return parse_number(text).has_value();
  });
  std::vector<double> out;
  for (const std::string& text : texts)
    out.push_back(numeric ? *parse_number(text) : codes.code(text));
  return out;
}

/// For which lines it holds.
std::vector<bool> picked_lines(const SetLines& set, const std::string& pick) {
  std::vector<std::string> names = set.header().by;
  names.emplace_back("target");
  TextCodes codes;
  const Formula condition(pick, names, codes, Field{"pick"});
  std::vector<std::vector<std::string>> texts(names.size());
  const auto note = [&](const ModelSetLine& line) {
    for (std::size_t c = 0; c < names.size(); ++c)
      texts[c].push_back(c < line.key.size() ? line.key[c] : line.target);
    return false;
  };
  set.for_each(note, [](const ModelSetLine&) {});
  std::vector<std::vector<double>> columns;
  for (const auto& column : texts)
    columns.push_back(pick_column(column, codes));
  const std::vector<double> holds = condition.of_rows(columns, texts.front().size());
  std::vector<bool> out;
  for (const double each : holds)
    out.push_back(each != 0);
  return out;
}

SetLines lines_of_file(const std::string& path) {
  const TextLines file(path);
  std::string first;
  std::size_t lines = 0;
  file.for_each([&](const TextLine& line) {
    lines = line.number;
    if (lines > 1)
      return false;
    if (is_model_set(line.text) && !line.whole)
      refuse_torn_line(file.source(), line);
    require_header(file.source(), line.text);
    first = line.text;
    return is_model_set(first);
  });
  if (is_model_set(first)) {
    if (lines < 2)
      throw InputError(file.source() +
                       ": there is no model in it, only the header of a set; fit again with " +
                       Field{"resume"});
    return {file, parse_set_header(place_of_line(file.source(), 1), first)};
  }
  const auto set = std::make_shared<ModelSet>();
  set->lines.push_back(single_model(file.source(), file.bytes()));
  return SetLines(set);
}

}  // namespace

void add_pick(OptionSet& app, std::string& pick) {
  app.add_option("--pick", pick,
                 "of a file of many models those for which this holds,\n"
                 "over key columns and target: 'kernel == \"gemm\"'")
      .type_name("CONDITION");
}

bool has_keys(const SetLines& set) {
  return !set.header().job.empty();
}

SetLines picked_models(const std::string& path, const std::string& pick) {
  SetLines set = lines_of_file(path);
  if (pick.empty())
    return set;
  if (!has_keys(set))
    throw UsageError("--pick goes with a file of many models, and " + display_name(path) +
                     " is one model");
  set.keep(picked_lines(set, pick));
  if (set.size() == 0)
    throw InputError(display_name(path) + ": --pick '" + pick + "' holds for none of its models");
  return set;
}

FittedModel picked_model(const std::string& path, const std::string& pick) {
  return model_of(picked_models(path, pick));
}

FittedModel model_of(const SetLines& set) {
  if (const std::size_t size = set.size(); size != 1) {
    throw UsageError(
        "the file holds " + std::to_string(size) + " such models; one is needed: --pick '" +
        (set.header().by.empty() ? "target" : set.header().by.front()) + " == \"...\"'");
  }
  std::optional<FittedModel> out;
  set.for_each([&](const ModelSetLine& line) {
    if (!line.model)
      throw InputError(words_of(line, set.header()) + " has no model: " + line.refused);
    out = line.model;
  });
  return std::move(*out);
}

std::set<std::string> text_columns_of(const SetLines& set) {
  std::set<std::string> out(set.header().by.begin(), set.header().by.end());
  if (set.header().target_name)
    out.insert(*set.header().target_name);
  set.for_each([&](const ModelSetLine& line) {
    if (line.model)
      out.merge(categorical_columns(line.model->spec));
  });
  return out;
}

void for_each_with_rows(const SetLines& set, const Table& table,
                        const std::function<void(LineRows part)>& visit) {
  const ModelSetHeader& header = set.header();
  std::vector<std::string> columns = header.by;
  const bool is_long = header.target_name && table.find(*header.target_name) != nullptr;
  if (is_long)
    columns.push_back(*header.target_name);
  std::map<std::vector<std::string>, std::vector<std::size_t>> rows_of;
  for (TableGroup& group : groups_of(table, columns))
    rows_of[std::move(group.key)] = std::move(group.rows);
  const auto rows_of_line = [&](const ModelSetLine& line) {
    std::vector<std::string> key = line.key;
    if (is_long)
      key.push_back(line.target);
    return rows_of.find(key);
  };
  const auto has_rows = [&](const ModelSetLine& line) {
    return rows_of_line(line) != rows_of.end();
  };
  set.for_each(has_rows, [&](const ModelSetLine& line) {
    if (!line.model)
      return;
    const std::vector<std::size_t>& rows = rows_of_line(line)->second;
    LineRows part{line, rows, take_rows(table, rows)};
    if (is_long)
      for (Column& column : part.table.columns)
        if (column.name == header.target_value)
          column.name = line.target;
    visit(std::move(part));
  });
}

}  // namespace perfmodel::cli

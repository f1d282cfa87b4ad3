#include "cli/model_sets.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "columns/spec.hpp"
#include "perfmodel/fit.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel::cli {
namespace {

/// Per line: whether it satisfies the condition.
std::vector<bool> picked_lines(const ModelSet& set, const std::string& pick) {
  std::vector<std::string> names = set.header().by;
  names.emplace_back("target");
  std::vector<std::vector<std::string>> texts(names.size());
  const auto note = [&](const ModelSetLine& line) {
    for (std::size_t c = 0; c < names.size(); ++c)
      texts[c].push_back(c < line.key.size() ? line.key[c] : line.target);
    return false;
  };
  set.for_each(note, [](const ModelSetLine&) {});
  TextCodes codes;
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const bool numeric = std::ranges::all_of(
        texts[c], [](const std::string& text) { return parse_number(text).has_value(); });
    const std::set<std::string> levels(texts[c].begin(), texts[c].end());
    if (!numeric)
      codes.add_column(names[c], {levels.begin(), levels.end()});
    columns.push_back(mapped(texts[c], [&](const std::string& text) {
      return numeric ? *parse_number(text) : codes.code(text);
    }));
  }
  const Formula condition(pick, names, codes, "--pick");
  const std::vector<double> holds = condition.of_rows(columns, texts.front().size());
  return mapped(holds, [](double each) { return each != 0; });
}

/// The values of the central run by column, with the columns that are constant in all runs.
std::map<std::string, std::string> central_values(const FittedModel& model) {
  std::map<std::string, std::string> out;
  for (const LeftOut& item : model.provenance.left_out)
    if (item.because == LeftOut::Because::constant)
      out[item.column] = item.value;
  const auto base = central_base(model);
  for (const std::string& column : required_columns(model.spec))
    if (const Column* const known = base ? base->table.find(column) : nullptr)
      out[column] = known->text(0);
  return out;
}

}  // namespace

void add_pick(OptionSet& app, std::string& pick) {
  app.add("--pick CONDITION", pick,
          "use only the models for which this holds, over key columns and target: "
          "'kernel == \"gemm\"'");
}

ModelSet picked_models(const std::string& path, const std::string& pick) {
  ModelSet set = ModelSet::read(path);
  if (pick.empty())
    return set;
  if (!set.has_keys())
    throw UsageError("--pick needs a file of many models, but " + display_name(path) +
                     " is one model");
  set.keep(picked_lines(set, pick));
  if (set.size() == 0)
    throw InputError(display_name(path) + ": --pick '" + pick + "' holds for none of its models");
  return set;
}

CommonRun::CommonRun(ModelSet set, const std::vector<std::string>& settings)
    : keys_(set.header().by) {
  std::size_t most = 0;
  std::set<std::string> inputs;
  set.keep({});
  const auto see = [&](const ModelSetLine& line, const FittedModel& model) {
    if (!model.central)
      return;
    const std::vector<std::string> own = required_columns(model.spec);
    inputs.insert(own.begin(), own.end());
    if (line.rows <= most)
      return;
    most = line.rows;
    of_ = words_of(line, set.header());
    line_ = model.central->line;
    values_ = central_values(model);
  };
  if (set.has_keys())
    set.for_each_model(see);
  std::erase_if(values_, [&](const auto& value) { return !inputs.contains(value.first); });
  *this = with(settings);
}

CommonRun CommonRun::with(const std::vector<std::string>& settings) const {
  CommonRun out = *this;
  out.settings_.insert(out.settings_.end(), settings.begin(), settings.end());
  for (const std::string& setting : settings)
    out.values_.erase(setting.substr(0, setting.find('=')));
  return out;
}

FittedModel CommonRun::moved(FittedModel model) const {
  const auto base = central_base(model);
  if (!base || of_.empty())
    return model;
  std::vector<std::string> known;
  for (const auto& [column, value] : values_) {
    try {
      const std::string setting = column + "=" + value;
      configurations_of_settings({setting}, model, base);
      known.push_back(setting);
    } catch (const UsageError&) {
      continue;  // no input of this model, or a level that it does not have
    }
  }
  const Table table = configurations_of_settings(known, model, base).table;
  for (SourceColumn& source : model.spec.sources)
    source.typical = table.at(source.column).numbers[0];
  model.central->configuration =
      configuration_of(make_design(table, model.spec, Target::absent), 0);
  model.central->line = line_;
  return model;
}

std::optional<SetConfigurations> CommonRun::configurations(const FittedModel& moved) {
  const auto base = central_base(moved);
  if (!base)
    return std::nullopt;
  std::vector<std::string> own;
  for (const std::string& setting : settings_)
    if (base->table.find(setting.substr(0, setting.find('='))) != nullptr)
      own.push_back(setting);
  known_.insert(own.begin(), own.end());
  try {
    auto out = configurations_of_settings(own, moved, *base);
    any_ = true;
    return out;
  } catch (const UsageError& error) {
    wrong_ = error;
    return std::nullopt;
  }
}

std::string CommonRun::unlike(const FittedModel& moved,
                              const std::vector<std::string>& settings) const {
  const std::map<std::string, std::string> own = central_values(moved);
  std::map<std::string, std::string> common = values_;
  std::string lacks;
  for (const std::string& setting : settings) {
    const std::size_t name = std::min(setting.find('='), setting.size());
    const std::string column = setting.substr(0, name);
    if (!own.contains(column))
      lacks += (lacks.empty() ? "without " : ", ") + column;
    if (!contains(required_columns(moved.spec), column))
      common[column] = setting.substr(std::min(name + 1, setting.size()));
  }
  std::string out;
  for (const auto& [column, value] : own) {
    const auto other = common.find(column);
    const auto number = parse_number(value);
    if (other != common.end() && other->second != value &&
        !(number && number == parse_number(other->second)))
      out += (out.empty() ? "at " : " ") + column + "=" + value;
  }
  return out + (out.empty() || lacks.empty() ? "" : " ") + lacks;
}

std::string CommonRun::words() const {
  const std::vector<std::string> values =
      mapped(values_, [](const auto& each) { return each.first + "=" + each.second; });
  return of_.empty() ? "the central run of each"
                     : "the central run of " + of_ + " (line " + std::to_string(line_) + ")" +
                           (values.empty() ? "" : ": ") + joined(values, " ");
}

void CommonRun::check() const {
  for (const std::string& setting : settings_) {
    if (known_.contains(setting))
      continue;
    const std::string column = setting.substr(0, setting.find('='));
    const std::string value = setting.substr(std::min(column.size() + 1, setting.size()));
    const bool is_key = contains(keys_, column);
    throw UsageError(
        "--set '" + setting + "': " +
        (is_key ? "'" + column + "' tells the models apart; choose some of them: --pick '" +
                      formula_name(column) +
                      " == " + (parse_number(value) ? value : formula_text(value, '"')) + "'"
                : "no model has such an input"));
  }
  if (wrong_ && !any_)
    throw UsageError(wrong_->what());
}

FittedModel model_at_common_run(const ModelSet& set) {
  return CommonRun(set).moved(model_of(set));
}

ModelSetLine line_of(const ModelSet& set) {
  if (const std::size_t size = set.size(); size != 1) {
    throw UsageError("the file holds " + std::to_string(size) +
                     " such models; one is needed: --pick '" +
                     (set.header().by.empty() ? "target" : formula_name(set.header().by.front())) +
                     " == \"...\"'");
  }
  ModelSetLine out;
  set.for_each([&](const ModelSetLine& line) { out = line; });
  if (!out.model)
    throw InputError(words_of(out, set.header()) + " has no model: " + out.refused);
  return out;
}

FittedModel model_of(const ModelSet& set) {
  return *line_of(set).model;
}

std::set<std::string> text_columns_of(const ModelSet& set) {
  std::set<std::string> out(set.header().by.begin(), set.header().by.end());
  set.for_each_model([&](const ModelSetLine& /*line*/, const FittedModel& model) {
    out.merge(categorical_columns(model.spec));
  });
  return out;
}

ReadingRules reading_of(const ModelSet& set) {
  std::optional<ReadingRules> out;
  set.for_each([&](const ModelSetLine&) { return !out; },
               [&](const ModelSetLine& line) {
                 if (line.model)
                   out = line.model->provenance.reading;
               });
  return out.value_or(ReadingRules());
}

void for_each_with_rows(const ModelSet& set, const Table& table,
                        const std::function<void(ModelRows part)>& visit) {
  const std::vector<std::string>& by = set.header().by;
  std::map<std::vector<std::string>, std::vector<std::size_t>> rows_of;
  for (TableGroup& group : groups_of(table, by))
    rows_of[std::move(group.key)] = std::move(group.rows);
  const auto has_rows = [&](const ModelSetLine& line) { return rows_of.contains(line.key); };
  set.for_each(has_rows, [&](const ModelSetLine& line) {
    if (!line.model)
      return;
    const std::vector<std::size_t>& rows = rows_of.at(line.key);
    visit({line, *line.model, rows, by.empty() ? table : take_rows(table, rows)});
  });
}

}  // namespace perfmodel::cli

#include "cli/model_sets.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "columns/spec.hpp"
#include "perfmodel/fit.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel::cli {
namespace {

/// Per line: whether it satisfies the condition.
std::vector<bool> picked_lines(const SetLines& set, const std::string& pick) {
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
  const auto is_number = [](const std::string& text) { return parse_number(text).has_value(); };
  std::vector<bool> numeric;
  for (std::size_t c = 0; c < names.size(); ++c) {
    numeric.push_back(std::ranges::all_of(texts[c], is_number));
    const std::set<std::string> levels(texts[c].begin(), texts[c].end());
    if (!numeric[c])
      codes.add_column(names[c], {levels.begin(), levels.end()});
  }
  const Formula condition(pick, names, codes, "--pick");
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < names.size(); ++c)
    columns.push_back(mapped(texts[c], [&](const std::string& text) {
      return numeric[c] ? *parse_number(text) : codes.code(text);
    }));
  const std::vector<double> holds = condition.of_rows(columns, texts.front().size());
  return mapped(holds, [](double each) { return each != 0; });
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
      throw InputError(
          file.source() +
          ": there is no model in it, only the header of a set; fit again with --resume");
    return {file, parse_set_header(place_of_line(file.source(), 1), first)};
  }
  const auto set = std::make_shared<ModelSet>();
  set->lines.push_back(single_model(file.source(), file.bytes()));
  return SetLines(set);
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

/// A number per key, since the keys of a set may be larger than memory.
std::size_t hash_of_key(const ModelSetLine& line) {
  std::string text = line.target;
  for (const std::string& part : line.key)  // with lengths: keys may contain any character
    text += std::to_string(part.size()) + ':' + part;
  return std::hash<std::string>{}(text);
}

SetLines::ShowText lines_behind_header(const TextLines& file) {
  return [file](const std::function<void(std::string_view text)>& visit) {
    file.for_each([&](const TextLine& line) {
      if (!line.whole)
        refuse_torn_line(file.source(), line);
      if (line.number > 1) {
        refuse_second_header(place_of_line(file.source(), line.number), line.text);
        visit(line.text);
      }
      return true;
    });
  };
}

}  // namespace

void add_pick(OptionSet& app, std::string& pick) {
  app.add("--pick CONDITION", pick,
          "use only the models for which this holds, over key columns and target: "
          "'kernel == \"gemm\"'");
}

bool has_keys(const SetLines& set) {
  return !set.header().job.empty();
}

SetLines picked_models(const std::string& path, const std::string& pick) {
  SetLines set = lines_of_file(path);
  if (pick.empty())
    return set;
  if (!has_keys(set))
    throw UsageError("--pick needs a file of many models, but " + display_name(path) +
                     " is one model");
  set.keep(picked_lines(set, pick));
  if (set.size() == 0)
    throw InputError(display_name(path) + ": --pick '" + pick + "' holds for none of its models");
  return set;
}

CommonRun::CommonRun(SetLines set, const std::vector<std::string>& settings) {
  if (!has_keys(set))
    return;
  set.keep({});
  std::size_t most = 0;
  std::set<std::string> inputs;
  set.for_each([&](const ModelSetLine& line) {
    if (!line.model || !line.model->central)
      return;
    const std::vector<std::string> own = required_columns(line.model->spec);
    inputs.insert(own.begin(), own.end());
    if (line.rows <= most)
      return;
    most = line.rows;
    of_ = words_of(line, set.header());
    line_ = line.model->central->line;
    values_ = central_values(*line.model);
  });
  std::erase_if(values_, [&](const auto& value) { return !inputs.contains(value.first); });
  *this = without(settings);
}

CommonRun CommonRun::without(const std::vector<std::string>& settings) const {
  CommonRun out = *this;
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
    if (contains(required_columns(moved.spec), column))
      common.erase(column);
    else
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

std::optional<Table> SetPlaces::one_of(const FittedModel& model) {
  std::optional<SetConfigurations> set = of(model);
  if (!set)
    return std::nullopt;
  if (set->table.rows() != 1)
    throw UsageError("--set: models are ranked at one configuration; give one value each");
  return std::move(set->table);
}

std::optional<SetConfigurations> SetPlaces::of(const FittedModel& model) {
  const auto base = central_base(model);
  if (!base)
    return std::nullopt;
  std::vector<std::string> own;
  for (const std::string& setting : settings_)
    if (base->table.find(setting.substr(0, setting.find('='))) != nullptr)
      own.push_back(setting);
  known_.insert(own.begin(), own.end());
  try {
    auto out = configurations_of_settings(own, model, *base);
    any_ = true;
    return out;
  } catch (const UsageError& error) {
    wrong_ = error;
    return std::nullopt;
  }
}

void SetPlaces::check() const {
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

FittedModel picked_model(const std::string& path, const std::string& pick) {
  const SetLines set = picked_models(path, pick);
  return CommonRun(set).moved(model_of(set));
}

FittedModel model_of(const SetLines& set) {
  if (const std::size_t size = set.size(); size != 1) {
    throw UsageError("the file holds " + std::to_string(size) +
                     " such models; one is needed: --pick '" +
                     (set.header().by.empty() ? "target" : formula_name(set.header().by.front())) +
                     " == \"...\"'");
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
  set.for_each([&](const ModelSetLine& line) {
    if (line.model)
      out.merge(categorical_columns(line.model->spec));
  });
  return out;
}

ReadingRules reading_of(const SetLines& set) {
  std::optional<ReadingRules> out;
  set.for_each([&](const ModelSetLine&) { return !out; },
               [&](const ModelSetLine& line) {
                 if (line.model)
                   out = line.model->provenance.reading;
               });
  return out.value_or(ReadingRules());
}

void for_each_with_rows(const SetLines& set, const Table& table,
                        const std::function<void(LineRows part)>& visit) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> rows_of;
  for (TableGroup& group : groups_of(table, set.header().by))
    rows_of[std::move(group.key)] = std::move(group.rows);
  const auto has_rows = [&](const ModelSetLine& line) { return rows_of.contains(line.key); };
  set.for_each(has_rows, [&](const ModelSetLine& line) {
    if (!line.model)
      return;
    const std::vector<std::size_t>& rows = rows_of.at(line.key);
    visit({line, rows, take_rows(table, rows)});
  });
}

SetLines::SetLines(std::shared_ptr<const ModelSet> set)
    : set_(std::move(set)), header_(set_->header) {}

SetLines::SetLines(std::string source, ModelSetHeader header, ShowText text)
    : source_(std::move(source)), header_(std::move(header)), text_(std::move(text)) {}

SetLines::SetLines(const TextLines& file, ModelSetHeader header)
    : SetLines(file.source(), std::move(header), lines_behind_header(file)) {}

std::size_t SetLines::size() const {
  if (!kept_.empty())
    return static_cast<std::size_t>(std::ranges::count(kept_, true));
  if (set_)
    return set_->lines.size();
  std::size_t out = 0;
  text_([&](std::string_view) { ++out; });
  return out;
}

void SetLines::for_each(const std::function<void(const ModelSetLine&)>& visit) const {
  for_each({}, visit);
}

void SetLines::for_each(const std::function<bool(const ModelSetLine&)>& is_wanted,
                        const std::function<void(const ModelSetLine&)>& visit) const {
  if (set_) {
    for (std::size_t i = 0; i < set_->lines.size(); ++i)
      if (is_kept(i) && (!is_wanted || is_wanted(set_->lines[i])))
        visit(set_->lines[i]);
    return;
  }
  std::size_t i = 0;
  std::unordered_map<std::size_t, std::size_t> line_of;  // by the hash of the key
  text_([&](std::string_view text) {
    const std::size_t line = i++;
    if (!is_kept(line))
      return;
    const auto is_new_and_wanted = [&](const ModelSetLine& read) {
      const auto [known, is_new] = line_of.try_emplace(hash_of_key(read), line + 2);
      if (!is_new)
        throw InputError(place_of_line(source_, line + 2) + ": the model of " +
                         words_of(read, header_) + " stands in line " +
                         std::to_string(known->second) + ", too; leave one of them");
      return !is_wanted || is_wanted(read);
    };
    if (const auto read =
            parse_set_line(place_of_line(source_, line + 2), text, header_, is_new_and_wanted))
      visit(*read);
  });
}

}  // namespace perfmodel::cli

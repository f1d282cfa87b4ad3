#include "jobs/settings.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "roles/left_out.hpp"
#include "roles/quantities.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel {

/// A setting COL=TEXT.
struct Setting {
  std::string column;
  std::string text;
};

namespace {

constexpr std::size_t kMostValues = 1'000'000;
constexpr double kRounding = 1e-12;  // relative tolerance for the last value of a range

/// Reads the numbers of one setting: plain ones, or quantities in one unit ("s", "B", "%"; empty:
/// none).
class NumbersIn {
 public:
  explicit NumbersIn(const std::string& unit) : unit_(unit) {}

  std::optional<double> read(const std::string& text) {
    const auto quantity = parse_quantity(text);
    const bool has_unit = quantity && quantity->unit == unit_;
    const auto number = has_unit ? quantity->value : parse_number(text);
    if (number && *number != 0)
      (has_unit ? with_unit_ : plain_) = true;
    return number;
  }

  /// True if some numbers other than 0 have a unit and some have none: "1:4GiB:x2".
  bool are_mixed() const { return with_unit_ && plain_; }

 private:
  std::string unit_;
  bool with_unit_ = false;
  bool plain_ = false;
};

/// Values from the lower to the upper end, by a step or a factor.
std::optional<std::vector<double>> numbers_of_range(const std::vector<std::string>& parts,
                                                    NumbersIn& units) {
  const auto low = units.read(parts[0]);
  const auto high = units.read(parts[1]);
  if (!low || !high || parts[2].empty())
    return std::nullopt;
  const bool by_factor = parts[2].front() == 'x';
  const std::string length = parts[2].substr(1);
  const auto step = by_factor ? parse_number(length) : units.read(length);
  if (!step || (!by_factor && parts[2].front() != '+') ||
      !(by_factor ? *step > 1 && *low > 0 : *step > 0))
    return std::nullopt;
  std::vector<double> numbers;
  const double end = *high + kRounding * std::abs(*high);
  for (double value = *low; value <= end && numbers.size() <= kMostValues;) {
    numbers.push_back(value);
    const auto taken = static_cast<double>(numbers.size());
    value = by_factor ? value * *step : *low + taken * *step;
  }
  if (numbers.empty() || numbers.size() > kMostValues)
    return std::nullopt;
  return numbers;
}

/// "0.5" if "0,5" for an input measured from 0.1 to 0.8 is likely a decimal comma.
std::optional<std::string> read_as_decimal_comma(const std::string& text,
                                                 const std::vector<double>& values,
                                                 const NumericInput& input) {
  const auto measured = [&](double value) { return input.low <= value && value <= input.high; };
  if (values.size() != 2 || text.find_first_not_of("0123456789,") != std::string::npos)
    return std::nullopt;
  std::string with_point = text;
  with_point[with_point.find(',')] = '.';
  const bool has_fractions =
      input.low != std::floor(input.low) || input.high != std::floor(input.high) || input.high <= 1;
  return has_fractions && !measured(values[1]) && measured(*parse_number(with_point))
             ? std::optional(with_point)
             : std::nullopt;
}

Column number_column(const std::string& name, std::vector<double> values) {
  Column column;
  column.name = name;
  column.numbers = std::move(values);
  return column;
}

/// Values of a numeric column. They must be > 0 unless only derived columns use it.
Column numeric_column(const Setting& setting, const NumericInput* input) {
  const auto values = listed_numbers(setting.text, input == nullptr ? "" : input->unit);
  if (const auto with_point = values && input != nullptr
                                  ? read_as_decimal_comma(setting.text, *values, *input)
                                  : std::nullopt)
    throw UsageError("--set '" + setting.column + "=" + setting.text +
                     "': a comma separates two values, and " + to_text((*values)[1]) +
                     " is outside of the measured range " + to_text(input->low) + " .. " +
                     to_text(input->high) + "; write " + *with_point + " with a point");
  const bool is_one_word =
      !setting.text.empty() && setting.text.find_first_of(",:") == std::string::npos;
  if (!values || (input != nullptr && !std::all_of(values->begin(), values->end(),
                                                   [&](double v) { return input->allows(v); }))) {
    throw UsageError(
        "--set '" + setting.column + "=" + setting.text + "': expected a number" +
        (input == nullptr ? ""
         : input->zero    ? " >= 0"
                          : " > 0") +
        (input == nullptr || input->unit.empty()
             ? ""
             : " in " + input->unit + ", or all with a unit (" + spellings_of(input->unit) + ")") +
        (is_one_word ? "" : ", a list such as 1,2,4 or a range such as 1:64:x2 or 1:9:+2"));
  }
  return number_column(setting.column, *values);
}

/// The levels listed in the text. Throws UsageError for an unknown level.
Column text_column(const Setting& setting, const CategoricalInput& input) {
  Column column;
  column.name = input.column;
  column.kind = Column::Kind::text;
  const LevelMatcher matcher(input);
  const bool is_level = contains(input.levels, setting.text);  // else a list
  for (const std::string& level : is_level ? std::vector{setting.text} : split_list(setting.text)) {
    const auto known = matcher.match(level);
    if (!known)
      throw UsageError("--set '" + input.column + "=" + setting.text +
                       "': the model has no level '" + level + "'; it has " +
                       quoted_list(input.levels) + did_you_mean(level, input.levels));
    column.codes.push_back(static_cast<std::uint32_t>(column.codes.size()));
    column.levels.push_back(input.levels[*known]);
  }
  return column;
}

/// The levels or numbers listed in the text. Throws UsageError for values that the column cannot
/// have.
Column column_of(const Setting& setting, const ModelSpec& spec) {
  if (const auto c = place_of_input(spec.categorical, setting.column))
    return text_column(setting, spec.categorical[*c]);
  return numeric_column(setting, input_called(spec, setting.column));
}

using Values = std::vector<double>;

/// "global_batch=0" for each set column from which the derived one is computed.
std::vector<std::string> settings_behind(const std::string& derived, std::size_t row,
                                         const std::vector<Column>& set, const ModelSpec& spec) {
  std::vector<std::string> out;
  const std::vector<DerivedColumn> all = needed_columns(spec.derived, {derived});
  for (const Column& column : set) {
    const auto uses = [&](const DerivedColumn& item) { return contains(item.of, column.name); };
    if (std::ranges::any_of(all, uses))
      out.push_back(column.name + "=" + column.text(row));
  }
  return out;
}

/// Throws UsageError if the `set` columns give a derived input an invalid value, and names the
/// columns that the user has set.
void refuse_derived_values(const Table& configurations, const std::vector<Column>& set,
                           const ModelSpec& spec) {
  std::map<std::string, Values> known;
  for (const Column& column : configurations.columns)
    if (column.is_numeric())
      known[column.name] = column.numbers;
  for (const DerivedColumn& derived : spec.derived) {
    std::vector<Values> of;
    for (const std::string& name : derived.of)
      if (const auto found = known.find(name); found != known.end())
        of.push_back(found->second);
    if (of.size() < derived.of.size())
      continue;  // texts: reported by make_design()
    TextCodes codes;
    const Formula formula(derived.formula, derived.of, codes, quoted_formula(derived.definition()));
    Values values = formula.of_rows(of, configurations.rows());
    const NumericInput* const input = input_called(spec, derived.column);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (std::isfinite(values[row]) && (input == nullptr || input->allows(values[row])))
        continue;
      const auto settings = settings_behind(derived.column, row, set, spec);
      if (settings.empty())
        continue;  // not caused by the settings: make_design() reports the base
      throw UsageError("--set '" + joined(settings, " ") +
                       "': " + quoted_formula(derived.definition()) + " is " +
                       (std::isnan(values[row])   ? "no number"
                        : std::isinf(values[row]) ? "infinite"
                                                  : to_text(values[row])) +
                       " there" +
                       (input == nullptr ? ""
                        : input->zero    ? ", not >= 0"
                                         : ", not > 0"));
    }
    known[derived.column] = std::move(values);
  }
}

constexpr std::size_t kMostConfigurations = 1'000'000;

/// Splits the settings, in order. Throws UsageError for a malformed or repeated one, and for a
/// column that the model does not have.
std::vector<Setting> parsed(const std::vector<std::string>& settings, const FittedModel& model,
                            const std::vector<std::string>& names) {
  std::vector<Setting> out;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--set '" + setting + "': expected COL=VALUE");
    const std::string column = setting.substr(0, equals);
    const std::string value = setting.substr(equals + 1);
    const auto is_as_in_all_runs = [&](const LeftOut& item) {
      return item.because == LeftOut::Because::constant && item.column == column &&
             item.value == value;
    };
    if (std::ranges::any_of(model.provenance.left_out, is_as_in_all_runs))
      continue;
    if (!contains(names, column))
      throw UsageError("--set '" + setting + "': the model has no input '" + column + "'" +
                       no_input(model, column, names));
    if (std::ranges::any_of(out, [&](const Setting& other) { return other.column == column; }))
      throw UsageError("--set '" + setting + "': '" + column + "' is set twice");
    out.push_back({column, value});
  }
  return out;
}

std::size_t values_of(const Column& column) {
  return column.is_numeric() ? column.numbers.size() : column.codes.size();
}

/// All combinations; the last column varies fastest.
std::vector<Column> combined(const std::vector<Column>& columns) {
  std::size_t all = 1;
  for (const Column& column : columns) {
    if (values_of(column) > kMostConfigurations / all)
      throw UsageError("--set: these lists have more than " + std::to_string(kMostConfigurations) +
                       " combinations");
    all *= values_of(column);
  }
  std::vector<Column> out;
  std::size_t block = all;
  for (const Column& column : columns) {
    block /= values_of(column);
    std::vector<std::size_t> rows(all);
    for (std::size_t row = 0; row < all; ++row)
      rows[row] = row / block % values_of(column);
    out.push_back(take_rows(column, rows));
  }
  return out;
}

/// The numbers in a row.
SetValues numbers_in(const std::vector<Column>& columns, std::size_t row) {
  SetValues out;
  for (const Column& column : columns)
    if (column.is_numeric())
      out.emplace_back(column.name, column.numbers[row]);
  return out;
}

}  // namespace

std::string no_input(const FittedModel& model, const std::string& column,
                     const std::vector<std::string>& names) {
  for (const LeftOut& item : model.provenance.left_out)
    if (item.column == column)
      return "; in the runs behind the model it " + words_for(item);
  const std::string hint = did_you_mean(column, names);
  return hint.empty() ? "; it has " + quoted_list(names) : hint;
}

std::optional<std::vector<double>> listed_numbers(const std::string& text,
                                                  const std::string& unit) {
  std::vector<double> numbers;
  NumbersIn units(unit);
  for (const std::string& item : split_list(text)) {
    const std::vector<std::string> parts = split_list(item, ':');
    if (const auto number = units.read(item)) {
      numbers.push_back(*number);
    } else if (parts.size() == 3) {
      const auto range = numbers_of_range(parts, units);
      if (!range)
        return std::nullopt;
      numbers.insert(numbers.end(), range->begin(), range->end());
    } else {
      return std::nullopt;
    }
  }
  if (units.are_mixed())
    return std::nullopt;
  return numbers;
}

SetConfigurations configurations_of_settings(const std::vector<std::string>& settings,
                                             const FittedModel& model,
                                             const std::optional<BaseConfiguration>& base) {
  const ModelSpec& spec = model.spec;
  const std::vector<std::string> names = required_columns(spec);
  SetConfigurations out;
  std::vector<Column> set;
  for (const Setting& setting : parsed(settings, model, names)) {
    set.push_back(column_of(setting, spec));
    if (values_of(set.back()) > 1)
      out.varied.push_back(setting.column);
  }
  set = combined(set);
  const std::size_t rows = set.empty() ? 1 : values_of(set.front());
  const SetValues held = base ? numbers_in(base->table.columns, 0) : SetValues();
  const ColumnValues from(held.begin(), held.end());
  const std::vector<std::string> moving =
      mapped(moving_ties(spec, from, numbers_in(set, 0)), &Tie::column);
  out.table.source = base ? base->table.source : "settings";
  out.table.lines.assign(rows, base ? base->table.lines.front() : 1);
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const auto given = std::ranges::find(set, name, &Column::name);
    const Column* const known = base ? base->table.find(name) : nullptr;
    if (given != set.end()) {
      out.table.columns.push_back(*given);
    } else if (known != nullptr) {
      out.table.columns.push_back(take_rows(*known, std::vector<std::size_t>(rows, 0)));
      if (contains(moving, name))
        out.moved.push_back(name);
      else
        out.assumed.push_back(name + "=" + known->text(0));
    } else {
      missing.push_back(name);
    }
  }
  if (!missing.empty())
    throw UsageError((base ? base->name + " has no " : "the model also needs ") +
                     quoted_list(missing) + "; add --set " + missing.front() + "=VALUE" +
                     (missing.size() > 1 ? " and so on" : ""));
  for (std::size_t row = 0; row < rows && !out.moved.empty(); ++row)
    for (const auto& [name, value] : moved(spec, from, numbers_in(set, row)))
      if (contains(out.moved, name))
        std::ranges::find(out.table.columns, name, &Column::name)->numbers[row] = value;
  refuse_derived_values(out.table, set, spec);
  return out;
}

BaseConfiguration base_of(const Configuration& configuration, const ModelSpec& spec) {
  BaseConfiguration base;
  std::vector<Column>& columns = base.table.columns;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    columns.push_back(number_column(spec.intrinsic[i].column, {configuration.intrinsic[i]}));
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    columns.push_back(text_column({input.column, input.levels[configuration.levels[c]]}, input));
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    columns.push_back(number_column(spec.extrinsic[j].column, {configuration.extrinsic[j]}));
  return base;
}

std::optional<BaseConfiguration> central_base(const FittedModel& model) {
  if (!model.central)
    return std::nullopt;
  const std::string& file = model.provenance.file;
  BaseConfiguration base = base_of(model.central->configuration, model.spec);
  base.name = "the central run (line " + std::to_string(model.central->line) +
              (file.empty() ? ")" : " of " + file + ")");
  base.table.source = file.empty() ? "the runs" : file;
  base.table.lines = {model.central->line};
  for (const SourceColumn& source : model.spec.sources)
    base.table.columns.push_back(number_column(source.column, {source.typical}));
  return base;
}

BaseConfiguration base_of_line(const Table& table, std::uint32_t line, const ModelSpec& spec) {
  const auto found = std::ranges::find(table.lines, line);
  if (found == table.lines.end()) {
    throw UsageError(table.source + " has no run in line " + std::to_string(line) +
                     (table.lines.empty()
                          ? ""
                          : "; its runs are in lines " + std::to_string(table.lines.front()) +
                                " to " + std::to_string(table.lines.back())));
  }
  const auto row = static_cast<std::size_t>(found - table.lines.begin());
  BaseConfiguration base{{}, table.where(row)};
  base.table.source = table.source;
  base.table.lines = {line};
  for (const std::string& name : required_columns(spec))
    if (const Column* const column = table.find(name))
      base.table.columns.push_back(take_rows(*column, std::vector{row}));
  for (Column& column : base.table.columns)
    if (const NumericInput* const input = input_called(spec, column.name))
      if (auto converted = input->unit.empty() ? std::nullopt : in_unit(column, input->unit))
        column = std::move(*converted);
  return base;
}

}  // namespace perfmodel

#include "columns/design.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>

#include "base/numbering.hpp"
#include "base/text.hpp"
#include "table/cells.hpp"
#include "table/table.hpp"

namespace perfmodel {

/// Codes the values of a column (one per row, no NaN) if at most `NumericFactor::most_coded` are
/// distinct; otherwise stores them uncoded.
NumericFactor make_factor(std::vector<double> values) {
  Numbering numbering;
  std::vector<double> distinct;
  std::vector<std::uint32_t> codes;
  codes.reserve(values.size());
  for (const double value : values) {
    codes.push_back(
        numbering.number_of(std::bit_cast<std::uint64_t>(value),
                            [&](std::uint32_t code) { return distinct[code] == value; }));
    if (codes.back() == distinct.size())
      distinct.push_back(value);
    if (distinct.size() > NumericFactor::most_coded)
      return {.values = std::move(values), .codes = {}};
  }

  // In ascending order, so that the values do not depend on the order of the rows.
  const std::vector<std::uint32_t> ranks = ranks_of(distinct);
  for (std::uint32_t& code : codes)
    code = ranks[code];
  std::ranges::sort(distinct);
  return {.values = std::move(distinct), .codes = std::move(codes)};
}

KnownLevelRows rows_of_known_levels(const Table& table, const ModelSpec& spec) {
  KnownLevelRows out;
  std::vector<bool> known(table.rows(), true);
  for (const CategoricalInput& input : spec.categorical) {
    const Column* column = table.find(input.column);
    if (column == nullptr || column->is_numeric())
      continue;
    const LevelMatcher matcher(input);
    std::vector<std::optional<UnknownLevel>> unknown(column->levels.size());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const std::uint32_t code = column->codes[row];
      const std::string& level = column->levels[code];
      if (level.empty() || (!unknown[code] && matcher.match(level)))
        continue;
      if (!unknown[code])
        unknown[code] = UnknownLevel{input.column, level, 0, table.lines[row]};
      ++unknown[code]->rows;
      known[row] = false;
    }
    for (const auto& level : unknown)
      if (level)
        out.unknown.push_back(*level);
  }
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (known[row])
      out.rows.push_back(row);
  return out;
}

std::string because_of(const std::vector<UnknownLevel>& unknown) {
  constexpr std::size_t shown = 10;
  std::vector<std::string> levels;
  for (const UnknownLevel& level : std::span(unknown).first(std::min(unknown.size(), shown)))
    levels.push_back(fmt::format(
        "{} = {} ({})", level.column, quoted_cell(level.level),
        level.rows == 1 ? fmt::format("line {}", level.line)
                        : fmt::format("{} rows, from line {} on", level.rows, level.line)));
  return fmt::format(
      "the runs that the model is fitted to have no {}{}", joined(levels, ", "),
      unknown.size() > shown ? fmt::format(" and {} levels more", unknown.size() - shown) : "");
}

LevelMatcher::LevelMatcher(const CategoricalInput& input) : input_(input) {
  for (std::uint32_t i = 0; i < input.levels.size(); ++i)
    by_text_.emplace(input.levels[i], i);
}

namespace {

/// The only level that is read as this value; nullopt also if there are several: the number of
/// "1.1" and "1.10" is ambiguous.
template <class Value>
std::optional<std::uint32_t> only_level(const CategoricalInput& input, const Value& value,
                                        std::optional<Value> (*read)(std::string_view text)) {
  std::optional<std::uint32_t> match;
  for (std::uint32_t i = 0; i < input.levels.size(); ++i) {
    if (read(input.levels[i]) != value)
      continue;
    if (match)
      return std::nullopt;
    match = i;
  }
  return match;
}

/// The cells of a table whose levels a model does not know. Each level is reported once, with the
/// number of its rows: runs of another machine have the same unknown level in every row.
class UnknownLevelCells {
 public:
  /// `rows`: number of rows of the table that are examined.
  UnknownLevelCells(const Table& table, std::size_t rows) : table_(table), looked_at_(rows) {}

  /// Adds a cell that is not blank and matches no level of the input.
  void add(std::size_t row, const Column& column, const CategoricalInput& input) {
    const auto [entry, is_new] = levels_.try_emplace({column.name, column.text(row)});
    Level& level = entry->second;
    if (is_new)
      level = {row, &column, &input, 0};
    ++level.rows;
    is_unknown_.resize(table_.rows());
    if (!is_unknown_[row]) {
      is_unknown_[row] = true;
      ++unknown_rows_;
    }
  }

  bool empty() const { return levels_.empty(); }
  /// True if all are in one row, which needs no summary.
  bool are_of_one_row() const { return unknown_rows_ == 1; }

  void add_to(CellProblems& problems) const {
    for (const auto& [name, level] : levels_)
      problems.add(
          level.first_row, *level.column,
          [&, &text = name.second, &input = level.input] {
            return LevelMatcher(*input).reason(text, 1);
          });
  }

  /// The number of unusable rows and the remedy, then one line per level in the order of the file:
  /// the first 5, and "... and 35 more". No final newline.
  std::string text() const {
    constexpr std::size_t shown = 5;
    std::string out = fmt::format(
        "{}: {} of {} rows have levels that the model does not know; correct or remove them, or "
        "fit "
        "such runs too:",
        table_.source, unknown_rows_, looked_at_);
    std::vector<Level> levels;
    for (const auto& [name, level] : levels_)
      levels.push_back(level);
    std::ranges::sort(levels, {},
                      [](const Level& level) { return std::pair(level.first_row, level.column); });
    for (const Level& level : std::span(levels).first(std::min(levels.size(), shown)))
      out += fmt::format(
          "\n{}: column '{}': {}", table_.where(level.first_row), level.column->name,
          LevelMatcher(*level.input).reason(level.column->text(level.first_row), level.rows));
    if (levels.size() > shown)
      out += fmt::format("\n... and {} more", levels.size() - shown);
    return out;
  }

 private:
  struct Level {
    std::size_t first_row = 0;
    const Column* column = nullptr;
    const CategoricalInput* input = nullptr;
    std::size_t rows = 0;
  };

  const Table& table_;
  std::size_t looked_at_;
  std::size_t unknown_rows_ = 0;
  std::vector<bool> is_unknown_{};  ///< per row of the table; empty before the first
  std::map<std::pair<std::string, std::string>, Level> levels_{};  ///< by column and text
};

using RowChoice = std::span<const std::size_t>;

void require_columns(const Table& table, const ModelSpec& spec, Target target) {
  std::vector<std::string> missing;
  std::vector<std::string> columns = input_columns(spec);
  if (target == Target::required)
    columns.push_back(spec.target);
  std::ranges::copy_if(columns, std::back_inserter(missing),
                       [&](const std::string& name) { return table.find(name) == nullptr; });
  if (missing.size() == 1)
    throw InputError(table.no_column(missing.front()));
  if (!missing.empty())
    throw InputError(fmt::format("no columns {} in {}; there are {}", quoted_list(missing),
                                 table.source, quoted_list(table.names())));
}

/// The table with the columns of the model in its units, also those with cells that only a known
/// unit makes quantities ("16G"); nullopt if there is nothing to convert.
std::optional<Table> in_units_of(const ModelSpec& spec, const Table& table) {
  std::optional<Table> out;
  const auto convert = [&](const std::string& name, const std::string& unit) {
    const Column* const column = unit.empty() ? nullptr : table.find(name);
    std::optional<Column> converted = column ? in_unit(*column, unit) : std::nullopt;
    if (!converted)
      return;
    if (!out)
      out = table;
    out->columns[static_cast<std::size_t>(column - table.columns.data())] = std::move(*converted);
  };
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *inputs)
      convert(input.column, input.unit);
  convert(spec.target, spec.unit);
  return out;
}

bool has_plain_numbers_only(const Column& column) {
  return column.is_numeric() && column.unit.empty() && unit_beside(column).empty() &&
         column.bad_cells.empty() &&
         std::any_of(
             column.numbers.begin(), column.numbers.end(), [](double x) { return x > 0; });
}

/// How many seconds the time of a rate has: 1e-3 of "ops/ms".
std::optional<double> seconds_of_rate(const std::string& unit) {
  const std::size_t slash = unit.rfind('/');
  const auto one = parse_quantity(slash == unit.npos ? "" : "1 " + unit.substr(slash + 1));
  return one && one->unit == "s" ? std::optional(one->value) : std::nullopt;
}

/// Throws InputError for cells with units unless `unit` is that of the model's column, and for
/// columns of units that are of another kind.
void require_unit(const Table& table, const Column& column, const std::string& unit) {
  const std::string& beside = unit_beside(column);
  const auto written = parse_quantity("1 " + beside);
  const auto own = parse_quantity("1 " + unit);
  const auto seconds = seconds_of_rate(beside);
  if ((written && own && written->unit != own->unit) ||
      (seconds && seconds_of_rate(unit).value_or(*seconds) != *seconds))
    throw InputError(fmt::format("{}: column '{}' is in {}, but the model's is in {}", table.source,
                                 column.name, beside, unit));
  if (!column.unit.empty() && column.unit != unit)
    throw InputError(fmt::format(
        "{}: column '{}': its cells have units, such as {}, and are in {}, but the model's column "
        "{}",
        table.source, column.name, quoted_cell(column.with_unit), column.unit,
        unit.empty() ? "has no known unit: write numbers as in its runs" : "is in " + unit));
}

/// Writes the numbers of the chosen rows to `values`. A number that is not > 0 or, if it may be 0,
/// not >= 0 is a problem.
template <class Values>
void gather_numbers(const Column& column, RowChoice rows, bool may_be_zero, CellProblems& problems,
                    Values& values) {
  const std::vector<double> of_level = level_numbers(column);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    const double x = column.is_numeric() ? column.numbers[row] : of_level[column.codes[row]];
    problems.check(row, column, x, may_be_zero);
    values[static_cast<decltype(values.size())>(i)] = x;
  }
}

std::vector<NumericFactor> numeric_factors(const Table& table,
                                           const std::vector<NumericInput>& inputs, RowChoice rows,
                                           CellProblems& problems) {
  std::vector<NumericFactor> factors;
  for (const NumericInput& input : inputs) {
    std::vector<double> values(rows.size());
    require_unit(table, table.at(input.column), input.unit);
    gather_numbers(table.at(input.column), rows, input.zero.has_value(), problems, values);
    // After a problem the factor is not used, and NaN cannot be coded.
    factors.push_back(problems.empty() ? make_factor(std::move(values)) : NumericFactor{});
  }
  return factors;
}

/// Collects the limits of the runs.
void gather_limits(const Table& table, RowChoice rows, Design& design) {
  if (!table.limits.empty())
    design.limit.resize(design.time.size());
  for (std::size_t i = 0; i < rows.size() && !table.limits.empty(); ++i)
    design.limit[static_cast<Eigen::Index>(i)] = table.limits[rows[i]];
}

using Match = std::optional<std::uint32_t>;

/// Matches the cells of a column, each distinct text or number once.
class CachedMatcher {
 public:
  CachedMatcher(const Column& column, const CategoricalInput& input)
      : column_(column), matcher_(input) {
    for (const std::string& level : column.levels)
      by_code_.push_back(matcher_.match(level));
  }

  Match match(std::size_t row) {
    if (!column_.is_numeric())
      return by_code_[column_.codes[row]];
    const double number = column_.numbers[row];
    if (number != number)
      return matcher_.match(column_.text(row));
    const auto [entry, is_new] = by_number_.try_emplace(number);
    if (is_new)
      entry->second = matcher_.match(number);
    return entry->second;
  }

 private:
  const Column& column_;
  LevelMatcher matcher_;
  std::vector<Match> by_code_;
  std::unordered_map<double, Match> by_number_;
};

LevelFactor level_factor(const Column& column, const CategoricalInput& input, RowChoice rows,
                         CellProblems& problems, UnknownLevelCells& unknown) {
  LevelFactor factor{.levels = input.levels.size(),
                     .codes = std::vector<std::uint32_t>(rows.size())};
  CachedMatcher matcher(column, input);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    if (const Match match = matcher.match(row))
      factor.codes[i] = *match;
    else if (column.text(row).empty())
      problems.add_blank(row, column);
    else
      unknown.add(row, column, input);
  }
  return factor;
}

void refuse(const UnknownLevelCells& unknown, CellProblems& problems) {
  if (unknown.are_of_one_row())
    unknown.add_to(problems);
  else if (!unknown.empty())
    throw InputError(unknown.text() +
                     (problems.empty() ? std::string() : std::string("\n") + problems.text()));
  if (!problems.empty())
    throw InputError(problems.text());
}

}  // namespace

std::optional<std::uint32_t> LevelMatcher::match(const std::string& text) const {
  if (const auto found = by_text_.find(text); found != by_text_.end())
    return found->second;
  const auto number = parse_number(text);
  if (number && std::floor(*number) == *number)
    return only_level(input_, *number, parse_number);
  const auto truth = truth_value(text);
  return truth ? only_level(input_, *truth, truth_value) : std::nullopt;
}

std::optional<std::uint32_t> LevelMatcher::match(double number) const {
  if (const auto found = by_text_.find(to_text(number + 0.0)); found != by_text_.end())
    return found->second;
  return only_level(input_, number, parse_number);
}

std::string LevelMatcher::reason(const std::string& text, std::size_t rows) const {
  constexpr std::size_t shown = 10;
  const std::span<const std::string> levels(input_.levels);
  const std::size_t more = levels.size() - std::min(levels.size(), shown);
  return fmt::format("{}{} is not a level of the model, which has {}{}{}", quoted_cell(text),
                     rows == 1 ? "" : fmt::format(" ({} rows)", rows),
                     quoted_list(levels.first(levels.size() - more)),
                     more == 0 ? "" : fmt::format(", ... ({} more)", more),
                     did_you_mean(text, levels));
}

std::optional<std::string> notice_of_plain_numbers(const Table& table, const ModelSpec& spec) {
  std::vector<std::string> found;
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *inputs)
      if (const Column* const column = table.find(input.column);
          !input.unit.empty() && column != nullptr && has_plain_numbers_only(*column))
        found.push_back(fmt::format("'{}' has no units in {}: its numbers are taken as {}",
                                    input.column, table.source, input.unit));
  return found.empty() ? std::nullopt : std::optional(joined(found, "; "));
}

Design plain_design(const Table& source, const ModelSpec& spec, Target target,
                    std::optional<std::span<const std::size_t>> rows, const Remedy& remedy) {
  std::optional<Table> extended = in_units_of(spec, source);
  if (!spec.derived.empty())
    extended = with_derived_columns(extended ? *extended : source, spec.derived);
  if (spec.throughput && target == Target::required)
    extended =
        with_computed_time(extended ? *extended : source, *spec.throughput, spec.target, remedy);
  const Table& table = extended ? *extended : source;
  require_columns(table, spec, target);
  std::vector<std::size_t> all_rows = indices(rows ? 0 : table.rows());
  const RowChoice choice = rows.value_or(all_rows);
  CellProblems problems(table);
  UnknownLevelCells unknown(table, choice.size());

  Design design;
  design.rows = choice.size();
  design.intrinsic = numeric_factors(table, spec.intrinsic, choice, problems);
  for (const CategoricalInput& input : spec.categorical) {
    design.categorical.push_back(
        level_factor(table.at(input.column), input, choice, problems, unknown));
  }
  design.extrinsic = numeric_factors(table, spec.extrinsic, choice, problems);
  if (target == Target::required) {
    design.time.resize(static_cast<Eigen::Index>(choice.size()));
    require_unit(table, table.at(spec.target), spec.unit);
    gather_numbers(table.at(spec.target), choice, false, problems, design.time);
    if (!problems.empty())
      problems.set_remedy(table.at(spec.target), remedy("time", table, table.at(spec.target)));
    gather_limits(table, choice, design);
  }
  refuse(unknown, problems);
  return design;
}

Design take_rows(const Design& design, std::span<const std::size_t> rows) {
  Design out;
  out.rows = rows.size();
  const auto factors = [&](const std::vector<NumericFactor>& from) {
    std::vector<NumericFactor> taken;
    for (const NumericFactor& factor : from) {
      std::vector<double> values;
      values.reserve(rows.size());
      for (const std::size_t row : rows)
        values.push_back(factor.value(row));
      taken.push_back(make_factor(std::move(values)));
    }
    return taken;
  };
  out.intrinsic = factors(design.intrinsic);
  out.extrinsic = factors(design.extrinsic);
  for (const LevelFactor& factor : design.categorical) {
    LevelFactor taken{.levels = factor.levels, .codes = {}};
    for (const std::size_t row : rows)
      taken.codes.push_back(factor.codes[row]);
    out.categorical.push_back(std::move(taken));
  }
  if (design.time.size() > 0)
    out.time = design.time(rows);
  if (design.limit.size() > 0)
    out.limit = design.limit(rows);
  return out;
}

bool has_two_values(const NumericFactor& factor, std::size_t rows) {
  std::optional<double> other;
  for (std::size_t row = 1; row < rows; ++row) {
    const double value = factor.value(row);
    if (value == factor.value(0) || value == other)
      continue;
    if (other)
      return false;
    other = value;
  }
  return other.has_value();
}

}  // namespace perfmodel

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "columns/spec.hpp"
#include "forms/scaling_belief.hpp"
#include "perfmodel/error.hpp"
#include "roles/left_out.hpp"
#include "suggest/plan.hpp"

namespace perfmodel::plan {
namespace {

/// Six significant digits, which a reader of the plan can type again.
double rounded(double value) {
  return parse_number(fmt::format("{:.6g}", value)).value_or(value);
}

double in_range(const SpaceColumn& column, double u) {
  if (column.whole && !column.logarithmic)
    return std::min(column.low + std::floor(u * (column.high - column.low + 1)), column.high);
  const double value = column.logarithmic ? column.low * std::pow(column.high / column.low, u)
                                          : column.low + u * (column.high - column.low);
  return std::clamp(column.whole ? std::round(value) : rounded(value), column.low, column.high);
}

/// A row of a table; nullopt if the space does not contain a value of it.
std::optional<Configuration> configuration_in(const Space& space, const Table& table,
                                              std::size_t row) {
  Configuration out;
  for (const SpaceColumn& column : space.columns)
    if (const auto value = column.value_of(table.at(column.name).text(row)))
      out.push_back(*value);
  return out.size() == space.columns.size() ? std::optional(out) : std::nullopt;
}

std::string expectation(const SpaceColumn& column) {
  if (column.is_range())
    return fmt::format("a number from {} to {}", to_text(column.low), to_text(column.high));
  if (column.is_text())
    return "one of " + quoted_list(column.levels);
  const auto texts = mapped(column.values, [](double value) { return to_text(value); });
  return "one of " + joined(texts, ", ");
}

Configuration part_of(const Configuration& configuration, const std::vector<std::size_t>& columns) {
  return mapped(
      columns, [&](std::size_t column) { return configuration[column]; });
}

Bond bond_of(const Space& space, const std::vector<std::size_t>& columns) {
  Bond bond{columns, {}};
  for (const Configuration& row : space.rows)
    bond.known.insert(part_of(row, columns));
  return bond;
}

/// The strictest order in all runs; nullopt if there is none or it excludes no pair of values.
std::optional<Order> order_of(const Space& space, std::size_t less, std::size_t more) {
  for (const bool whole : {true, false}) {
    const Order order{less, more, whole};
    const auto is_kept = [&](const Configuration& row) {
      return order.holds(row[less], row[more]);
    };
    const auto excludes_some = [&](double a) {
      return std::ranges::any_of(space.columns[more].values,
                                 [&](double b) { return !order.holds(a, b); });
    };
    if (std::ranges::all_of(space.rows, is_kept) &&
        std::ranges::any_of(space.columns[less].values, excludes_some))
      return order;
  }
  return std::nullopt;
}

/// Whether one column determines another one, in at least twice as many rows as it has values, so
/// that it is no coincidence.
bool follows(const Space& space, std::size_t from, std::size_t to) {
  std::map<double, double> known;
  for (const Configuration& row : space.rows)
    if (known.try_emplace(row[from], row[to]).first->second != row[to])
      return false;
  return 2 * known.size() <= space.rows.size();
}

bool keeps_step(const Space& space, const Tie& tie, const Configuration& configuration) {
  const auto value_of = [&](const std::string& name) {
    for (std::size_t c = 0; c < space.columns.size(); ++c)
      if (space.columns[c].name == name)
        return configuration[c];
    return std::numeric_limits<double>::quiet_NaN();  // missing columns are reported elsewhere
  };
  return !std::islessgreater(value_of(tie.column), tie.step(value_of));
}

}  // namespace

bool Order::holds(double a, double b) const {
  return a <= b && (!whole || (a > 0 && std::fmod(b, a) == 0));
}

std::size_t SpaceColumn::choices() const {
  if (is_range())
    return static_cast<std::size_t>(high - low) + 1;
  return is_text() ? levels.size() : values.size();
}

double SpaceColumn::choice(std::size_t k) const {
  if (is_range())
    return low + static_cast<double>(k);
  return is_text() ? static_cast<double>(k) : values[k];
}

double SpaceColumn::value_at(double u) const {
  if (is_range())
    return in_range(*this, u);
  return choice(
      std::min(static_cast<std::size_t>(u * static_cast<double>(choices())), choices() - 1));
}

std::string SpaceColumn::text(double value) const {
  return is_text() ? levels[static_cast<std::size_t>(value)] : to_text(value);
}

std::optional<double> SpaceColumn::value_of(const std::string& text) const {
  if (is_text()) {
    const auto found = std::ranges::find(levels, text);
    return found == levels.end() ? std::nullopt
                                 : std::optional(static_cast<double>(found - levels.begin()));
  }
  const auto number = parse_number(text);
  if (!number)
    return std::nullopt;
  return (is_range() ? *number >= low && *number <= high : contains(values, *number))
             ? number
             : std::nullopt;
}

std::vector<std::string> Space::names() const {
  return mapped(columns, &SpaceColumn::name);
}

std::set<std::string> Space::text_columns() const {
  std::set<std::string> out;
  for (const SpaceColumn& column : columns)
    if (column.is_text())
      out.insert(column.name);
  return out;
}

std::vector<std::string> Space::cells(const std::vector<double>& configuration) const {
  return mapped(
      indices(columns.size()), [&](std::size_t c) { return columns[c].text(configuration[c]); });
}

std::string Space::words(const std::vector<double>& configuration) const {
  std::vector<std::string> out = cells(configuration);
  for (std::size_t c = 0; c < columns.size(); ++c)
    out[c].insert(0, columns[c].name + "=");
  return joined(out, " ");
}

std::optional<double> Space::size(bool counts_ranges) const {
  if (is_listed())
    return static_cast<double>(rows.size());
  double size = 1;
  for (const SpaceColumn& column : columns) {
    if (column.is_range() && !(column.whole && counts_ranges))
      return std::nullopt;
    size *=
        column.is_range() ? column.high - column.low + 1 : static_cast<double>(column.choices());
  }
  return size <= 0x1p53 ? std::optional(size) : std::nullopt;
}

Space space_of_runs(const Table& runs, const Table& all, const std::vector<std::string>& columns) {
  Space space;
  space.source = runs.source;
  std::vector<Configuration> rows(runs.rows());
  for (const std::string& name : columns) {
    const Column& cells = runs.at(name);
    SpaceColumn column;
    column.name = name;
    if (cells.is_numeric()) {
      const std::set<double> values(cells.numbers.begin(), cells.numbers.end());
      column.values.assign(values.begin(), values.end());
    } else {
      column.levels = cells.levels;
      std::ranges::sort(column.levels);
    }
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row].push_back(cells.is_numeric() ? cells.numbers[row]
                                             : *column.value_of(cells.text(row)));
    space.columns.push_back(std::move(column));
  }
  const std::set<Configuration> known(rows.begin(), rows.end());
  space.rows.assign(known.begin(), known.end());
  const std::set<std::uint32_t> lines(runs.lines.begin(), runs.lines.end());
  for (std::size_t row = 0; row < all.rows(); ++row)
    if (!lines.contains(all.lines[row]))
      if (const auto failed = configuration_in(space, all, row); failed && !known.contains(*failed))
        space.failed.insert(*failed);
  return space;
}

Space space_of_candidates(const Table& table) {
  CellProblems problems(table);
  for (const Column& column : table.columns)
    for (const BadCell& cell : column.bad_cells)
      problems.add_not_a_number(cell.row, column);
  if (!problems.empty())
    throw InputError(problems.text());
  return space_of_runs(table, table, table.names());
}

void bind_columns(Space& space, const Table& runs) {
  const std::vector<std::string> names = space.names();
  std::vector<std::size_t> unit = indices(names.size());
  const auto join = [&](std::size_t a, std::size_t b) {
    std::ranges::replace(unit, std::size_t{unit[b]}, std::size_t{unit[a]});
  };
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  std::vector<ColumnPart> parts;
  for (std::size_t a = 0; a < names.size(); ++a) {
    const Column& column = runs.at(names[a]);
    parts.push_back({.column = &column, .part = Part::intrinsic, .facts = facts_of(column)});
    for (std::size_t b = 0; b < names.size(); ++b)
      if (a != b && follows(space, a, b))
        join(a, b);
  }
  for (const LeftOut& identity : find_identities(parts))
    for (const Factor& factor : identity.factors)
      join(place(identity.column), place(factor.column));
  for (const Tie& tie : space.steps)
    for (const Factor& factor : tie.factors)
      join(place(tie.column), place(factor.column));
  for (std::size_t a = 0; a < names.size(); ++a) {
    std::vector<std::size_t> together;
    for (std::size_t b = 0; b < names.size(); ++b) {
      if (unit[b] == a)
        together.push_back(b);
      if (a < b && space.columns[a].is_text() && space.columns[b].is_text())
        space.bonds.push_back(bond_of(space, {a, b}));
      if (a != b && !space.columns[a].is_text() && !space.columns[b].is_text())
        if (const auto order = order_of(space, a, b))
          space.orders.push_back(*order);
    }
    space.bonds.push_back(bond_of(space, together));
  }
}

namespace {

constexpr std::array kBeyond = {2.0, 4.0};  ///< times the largest value of a scale

/// A configuration in the order of the inputs.
Configuration in_order(const perfmodel::Configuration& at) {
  Configuration out = at.intrinsic;
  out.insert(out.end(), at.levels.begin(), at.levels.end());
  out.insert(out.end(), at.extrinsic.begin(), at.extrinsic.end());
  return out;
}

}  // namespace

Space space_around(const FittedModel& model) {
  const ModelSpec& spec = model.spec;
  if (!model.belief || !model.central || !spec.derived.empty())
    throw UsageError(
        "this model does not know which runs are possible; name SPACE.json or the "
        "runs, RUNS.csv");
  Space space{.source = "the runs of the model", .columns = {}, .extrinsic = {}, .where = {}};
  for (const std::string& name : input_columns(spec)) {
    space.columns.push_back({.name = name, .values = {}, .levels = {}});
    if (const auto c = place_of_input(spec.categorical, name))
      space.columns.back().levels = spec.categorical[*c].levels;
  }
  const Design& known = model.belief->known();
  for (std::size_t row = 0; row < known.rows; ++row)
    space.rows.push_back(in_order(configuration_of(known, row)));
  for (std::size_t c = 0; c < space.columns.size(); ++c)
    if (!space.columns[c].is_text())
      space.columns[c].values =
          sorted_unique(mapped(space.rows, [c](const Configuration& run) { return run[c]; }));
  for (const Tie& tie : spec.ties)
    if (tie.in_steps())
      space.steps.push_back(tie);
  bind_columns(space, table_of(space, space.rows));
  const auto is_possible = [&](const Configuration& configuration) {
    for (std::size_t c = 0; c < space.columns.size(); ++c) {
      const auto is_whole = [](double value) { return value == std::round(value); };
      if (std::ranges::all_of(space.columns[c].values, is_whole) && !is_whole(configuration[c]))
        return false;
    }
    return !contains(space.beyond, configuration) && !contains(space.rows, configuration);
  };
  // Where the model has laws, at the configuration that they are told of.
  const perfmodel::Configuration& at =
      model.known.laws ? *model.typical : model.central->configuration;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    for (const double multiple : kBeyond)
      if (!spec.follows(spec.extrinsic[j].column))
        if (const auto moved = with_scale(spec, at, j, multiple * spec.extrinsic[j].high);
            moved && is_possible(in_order(*moved)))
          space.beyond.push_back(in_order(*moved));
  return space;
}

bool can_exist(const Space& space, const Configuration& configuration) {
  return !space.failed.contains(configuration) &&
         std::ranges::all_of(
             space.bonds,
             [&](const Bond& bond) {
               return bond.known.contains(part_of(configuration, bond.columns));
             }) &&
         std::ranges::all_of(
             space.orders,
             [&](const Order& order) {
               return order.holds(configuration[order.less], configuration[order.more]);
             }) &&
         std::ranges::all_of(
             space.steps, [&](const Tie& tie) { return keeps_step(space, tie, configuration); });
}

TextCodes text_codes(const Space& space) {
  TextCodes out;
  for (const SpaceColumn& column : space.columns)
    if (column.is_text())
      out.add_column(column.name, column.levels);
  return out;
}

std::vector<double> formula_values(const Space& space, TextCodes& codes,
                                   const Configuration& configuration) {
  std::vector<double> values = configuration;
  for (std::size_t c = 0; c < space.columns.size(); ++c)
    if (space.columns[c].is_text())
      values[c] = codes.code(space.columns[c].text(configuration[c]));
  return values;
}

Conditions conditions_of(const Space& space) {
  TextCodes codes = text_codes(space);
  std::vector<Formula> formulas;
  for (const std::string& text : space.where)
    formulas.emplace_back(text, space.names(), codes, space.source + ": where");
  std::set<Configuration> listed;
  if (space.is_listed())
    listed.insert(space.rows.begin(), space.rows.end());
  return [&space, codes, formulas,
          listed = std::move(listed)](const Configuration& configuration) mutable {
    if (!can_exist(space, configuration) || (!listed.empty() && !listed.contains(configuration)))
      return false;
    if (formulas.empty())
      return true;
    const auto values = formula_values(space, codes, configuration);
    return std::ranges::all_of(formulas, [&](const Formula& formula) {
      const double value = formula(values);
      return value != 0 && !std::isnan(value);
    });
  };
}

Table table_of(const Space& space, const std::vector<Configuration>& configurations) {
  Table table;
  table.source = space.source;
  for (std::size_t row = 0; row < configurations.size(); ++row)
    table.lines.push_back(static_cast<std::uint32_t>(row + 2));
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const SpaceColumn& from = space.columns[c];
    Column column;
    column.name = from.name;
    column.kind = from.is_text() ? Column::Kind::text : Column::Kind::numeric;
    column.levels = from.levels;
    for (const Configuration& configuration : configurations)
      if (from.is_text())
        column.codes.push_back(static_cast<std::uint32_t>(configuration[c]));
      else
        column.numbers.push_back(configuration[c]);
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::vector<Configuration> configurations_of(const Space& space, const Table& table) {
  std::vector<Configuration> configurations(table.rows(), Configuration(space.columns.size()));
  CellProblems problems(table);
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const SpaceColumn& column = space.columns[c];
    const Column& cells = table.at(column.name);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto value = column.value_of(cells.text(row));
      if (value) {
        configurations[row][c] = *value;
      } else {
        problems.add(
            row, cells,
            [&] {
              return fmt::format("{} is not in the space, which has {}",
                                 quoted_cell(cells.text(row)), expectation(column));
            });
      }
    }
  }
  if (!problems.empty())
    throw InputError(problems.text());
  return configurations;
}

std::vector<Configuration> contained_configurations(const Space& space, const Table& table) {
  std::vector<Configuration> out;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (auto configuration = configuration_in(space, table, row))
      out.push_back(*std::move(configuration));
  return out;
}

}  // namespace perfmodel::plan

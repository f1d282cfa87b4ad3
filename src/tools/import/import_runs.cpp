#include "import/readers.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/columns.hpp"
#include "roles/evidence.hpp"
#include "roles/quantities.hpp"
#include "roles/roles.hpp"
#include "sources/csv.hpp"

namespace perfmodel {
namespace {

using CsvCells = std::vector<std::string>;

bool are_equal(const std::vector<BadCell>& a, const std::vector<BadCell>& b) {
  return std::ranges::equal(
      a, b, [](const BadCell& x, const BadCell& y) { return x.row == y.row && x.text == y.text; });
}

/// Whether two columns have the same numbers and texts.
bool are_alike(const Column& a, const Column& b) {
  return a.name == b.name && a.kind == b.kind && a.unit == b.unit && a.codes == b.codes &&
         a.levels == b.levels && are_equal(a.bad_cells, b.bad_cells) &&
         std::ranges::equal(
             a.numbers, b.numbers,
             [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// Whether the first cell with a unit shows the same of a column: numbers with digits behind the
/// point are results, and memory that was measured is shown in the unit in which it is written.
bool show_the_same(const Column& a, const Column& b, bool is_result, bool is_measured) {
  return (is_result || contains(a.with_unit, '.') == contains(b.with_unit, '.')) &&
         (!is_measured || unit_of_cell(a.with_unit) == unit_of_cell(b.with_unit));
}

/// The cells of a column with a unit in that unit: "90s".
CsvCells in_one_unit(const Column& column) {
  CsvCells cells;
  for (std::size_t row = 0; row < column.numbers.size(); ++row)
    cells.push_back(column.text(row) + (std::isnan(column.numbers[row]) ? "" : column.unit));
  return cells;
}

/// Whether a column with these cells is read as this one, which has a unit: "2048B" may be a name.
bool are_read_as(const Column& column, const CsvCells& cells, bool is_result, bool is_measured) {
  ColumnBuilder builder(column.name, ColumnBuilder::Kind::first_cell_decides);
  for (const std::string& cell : cells)
    builder.add(cell);
  const auto again = in_prevailing_unit(std::move(builder).take());
  return again && are_alike(*again, column) &&
         show_the_same(*again, column, is_result, is_measured);
}

/// What is written of a column.
struct WrittenColumn {
  const Column* column = nullptr;       ///< with its cells, unless they are in one unit
  std::optional<CsvCells> converted{};  ///< those

  std::string cell(std::size_t row) const {
    return converted ? (*converted)[row] : column->text(row);
  }
};

std::vector<WrittenColumn> columns_to_write(const WrittenRuns& written) {
  const Table& table = written.runs.table;
  const auto measured = measured_column(table, {});
  // Units that stood in a column of their own stand in the cells, as that column is gone.
  const bool lacks_units = std::ranges::any_of(
      written.cells, [&](const Column& cells) { return table.find(cells.name) == nullptr; });
  std::vector<WrittenColumn> out;
  for (const Column& column : table.columns) {
    const auto cells_of = std::ranges::find(written.cells, column.name, &Column::name);
    const bool is_fact = cells_of == written.cells.end();
    WrittenColumn& to_write = out.emplace_back();
    to_write.column = is_fact ? &column : &*cells_of;
    if (column.unit.empty())
      continue;
    CsvCells cells = in_one_unit(column);
    if (is_fact || lacks_units ||
        are_read_as(column, cells, contains(written.runs.results, column.name),
                    measured && column.name == measured->name))
      to_write.converted = std::move(cells);
  }
  return out;
}

/// A header or a row. Blanks at the ends of a cell belong to it; a line that begins with a mark of
/// JSON or of a comment is neither; and a single column is not split at another separator.
std::string line_of_cells(const CsvCells& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    const bool is_plain =
        cell.empty() ||
        (cell.find_first_of(cells.size() == 1 ? ",;|\t\"" : ",\"") == cell.npos &&
         cell.front() != ' ' && cell.front() != '\t' && cell.back() != ' ' && cell.back() != '\t' &&
         (!line.empty() || std::string_view("#{[").find(cell.front()) == std::string_view::npos));
    line += (&cell == &cells.front() ? "" : ",") + (is_plain ? cell : csv_field(cell, cell[0]));
  }
  return (line.empty() ? "\"\"" : line) + "\n";
}

/// The table that is read of a file with this content; nullopt if there is none.
std::optional<Table> table_in(const std::string& csv, const Table& table) try {
  const SourceText text = read_source_bytes(csv, table.source, {});
  return parse_csv(std::array{CsvText{text.csv, text.source}}, {}, std::nullopt);
} catch (const InputError&) {
  return std::nullopt;
}

/// Whether a CSV is read as a table with these columns: if it is plain, as every one of its cells.
bool is_read_as(const Table& table, const std::string& csv) try {
  if (is_plain_csv(csv, {}))
    return true;
  const auto again = table_in(csv, table);
  return again && std::ranges::equal(again->columns, table.columns, are_alike);
} catch (const InputError&) {
  return false;  // it looks like a damaged table
}

/// The roles of the columns of runs, and how many runs there are, as text; blank if there are none.
std::string roles_text(RunsFile runs, const std::optional<std::string>& target) try {
  RoleRequest request;
  request.target = target;
  const LabelledRuns labelled = label_runs(std::move(runs), request);
  const Roles& roles = labelled.roles;
  std::string out = csv_line(std::array{roles.target, roles.unit});
  for (const auto& columns : {roles.intrinsic, roles.categorical, roles.extrinsic})
    out += csv_line(columns);
  return out + std::to_string(labelled.rows.size());
} catch (const Error&) {
  return "";
}

/// Whether columns of the CSV would have other roles if the results and the described columns were
/// not known, whichever result is modelled.
bool needs_results(const RunsFile& runs, const std::string& csv) {
  if (runs.results.empty() && runs.described.empty())
    return false;
  auto table = table_in(csv, runs.table);
  if (!table)
    return true;
  const RunsFile without{.path = runs.path, .bytes = {}, .table = *std::move(table)};
  const auto differ = [&](const std::optional<std::string>& target) {
    return roles_text(runs, target) != roles_text(without, target);
  };
  return differ(std::nullopt) || std::ranges::any_of(runs.results, differ);
}

/// Names of files, as short as they differ.
std::vector<std::string> distinct_names(const std::vector<std::string>& paths) {
  const auto are_distinct = [](const std::vector<std::string>& names) {
    return std::set(names.begin(), names.end()).size() == names.size();
  };
  std::vector<std::string> names = mapped(paths, base_name);
  std::vector<std::string> stems = mapped(
      paths, [](const std::string& path) { return std::filesystem::path(path).stem().string(); });
  return are_distinct(stems) ? stems : are_distinct(names) ? names : paths;
}

}  // namespace

void add_file_column(const std::string& name, const std::vector<std::string>& paths,
                     RunsFile& runs) {
  Table& table = runs.table;
  if (table.find(name) != nullptr)
    throw UsageError(
        fmt::format("--file-column: the runs have a column '{}'; choose another name", name));
  Column column;
  column.name = name;
  column.kind = Column::Kind::text;
  column.levels = distinct_names(paths);
  column.codes = table.file;
  column.codes.resize(table.rows());  // of a single file
  table.columns.push_back(std::move(column));
}

namespace {

/// What says most for or against the likelier of result and label: "c bits +1.2; n head:time +0.9".
std::string strongest_evidence(const RoleOdds& odds, const Evidence& evidence,
                               const Weights& weights) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<double, std::string>> effects;
  for (const auto& [name, value] : evidence)
    if (const auto of = weights.second.find(name); of != weights.second.end())
      effects.emplace_back(
          value * (odds.result >= odds.label ? of->second.result : of->second.label), name);
  std::ranges::stable_sort(effects, std::greater(),
                           [](const auto& effect) { return std::abs(effect.first); });
  effects.resize(std::min(effects.size(), most));
  return joined(mapped(effects,
                       [](const auto& effect) {
                         return fmt::format("{} {:+.1f}", effect.second, effect.first);
                       }),
                "; ");
}

}  // namespace

std::string csv_of_roles(const RunsFile& runs) {
  const Sample sample = sample_of(runs.table);
  const Weights& weights = learnt_weights();
  const std::vector<Told> told = mapped(runs.table.columns, [&](const Column& column) {
    return contains(runs.results, column.name) ? Told::result : Told::nothing;
  });
  const Classified found = classify(sample, told, weights);
  const std::vector<std::size_t> taken = taken_inputs(sample, found, told, weights);
  std::string csv =
      line_of_cells({"column", "taken as", "input", "result", "label", "target", "evidence"});
  for (std::size_t i = 0; i < told.size(); ++i) {
    const RoleOdds& odds = found.odds[i];
    const std::string role = sample.columns[i].distinct() < 2 ? "constant"
                             : contains(taken, i)             ? "input"
                             : odds.result >= odds.label      ? "result"
                                                              : "label";
    CsvCells cells = {sample.columns[i].name(), role};
    for (const double odd :
         {odds.input, odds.result, odds.label, found.as_target.empty() ? 0 : found.as_target[i]})
      cells.push_back(fmt::format("{:.2f}", odd));
    cells.push_back(strongest_evidence(odds, found.evidence[i], weights));
    csv += line_of_cells(cells);
  }
  return csv;
}

std::string csv_of_runs(const WrittenRuns& written) {
  const RunsFile& runs = written.runs;
  const std::vector<WrittenColumn> columns = columns_to_write(written);
  std::string csv = line_of_cells(runs.table.names());
  for (std::size_t row = 0; row < runs.table.rows(); ++row)
    csv += line_of_cells(
        mapped(columns, [&](const WrittenColumn& column) { return column.cell(row); }));
  if (is_read_as(runs.table, csv) && !needs_results(runs, csv))
    return csv;
  return csv + import_line(runs.results, runs.described);
}

}  // namespace perfmodel

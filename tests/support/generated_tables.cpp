#include "support/generated_tables.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "support/generated_runs.hpp"

namespace perfmodel::test {
namespace {

enum class Layout { aligned, ragged, markdown, tabs, commas, semicolons };

using Cells = std::vector<std::string>;

/// A column while a table is made of it.
struct TableColumn {
  std::string name;
  std::string unit{};  ///< in a line of its own
  bool is_text = false;
  int decimals = 0;
  std::vector<double> numbers{};
  Cells cells{};
};

struct TablePlan {
  Layout layout = Layout::aligned;
  bool has_wide_gaps = false;  ///< two blanks or more between all columns
  std::vector<TableColumn> columns{};
  std::size_t rows = 0;

  bool may_have_blanks() const { return layout != Layout::ragged; }
  bool may_have_words() const {
    return layout != Layout::ragged && (layout != Layout::aligned || has_wide_gaps);
  }
};

std::string number_text(double value, int decimals) {
  return fmt::format("{:.{}f}", value, decimals);
}

TableColumn text_column(RandomStream& random, const TablePlan& plan, std::string name) {
  static constexpr std::array<const char*, 8> one_word = {"a100", "V100", "h100-sxm", "total",
                                                          "x",    "fast", "4090",     "b7"};
  static constexpr std::array<const char*, 4> words = {"RTX 4090", "A100 SXM 80", "max pool", "T4"};
  TableColumn out{.name = std::move(name), .is_text = true};
  const bool has_words = plan.may_have_words() && happens(random, 0.4);
  for (std::size_t row = 0; row < plan.rows; ++row)
    out.cells.emplace_back(has_words ? words[random.below(words.size())]
                                     : one_word[random.below(one_word.size() - 2)]);
  out.cells[0] = has_words ? words[0] : one_word[0];
  return out;
}

/// Numbers over several decades, or counts.
TableColumn number_column(RandomStream& random, const TablePlan& plan, std::string name) {
  TableColumn out{.name = std::move(name)};
  const bool is_count = happens(random, 0.5);
  out.decimals = is_count ? 0 : static_cast<int>(random.below(4));
  const double low = is_count ? 0 : random.uniform(-out.decimals, 2);
  const double high = low + random.uniform(0.5, is_count ? 5 : 4);
  for (std::size_t row = 0; row < plan.rows; ++row) {
    const std::string cell = number_text(std::pow(10, random.uniform(low, high)), out.decimals);
    out.numbers.push_back(*parse_number(cell));
    out.cells.push_back(cell);
  }
  return out;
}

void make_columns(RandomStream& random, TablePlan& plan) {
  Cells names = {"n", "gpus", "batch", "nodes", "input_size", "W", "ram", "lr"};
  if (plan.may_have_words())
    names.insert(names.end(), {"batch size", "Step count", "Peak of memory"});
  random.shuffle(std::span(names));
  const std::size_t count = 2 + random.below(4);
  for (std::size_t i = 0; i + 1 < count; ++i)
    plan.columns.push_back(happens(random, i == 0 ? 0.35 : 0.15)
                               ? text_column(random, plan, i == 0 ? "device" : names[i])
                               : number_column(random, plan, names[i]));
  static constexpr std::array<const char*, 4> times = {"time_s", "ms", "time", "step_time"};
  static constexpr std::array<const char*, 3> with_units = {"time (ms)", "Time [s]",
                                                            "Step time (us)"};
  plan.columns.push_back(number_column(random, plan,
                                       plan.may_have_words() && happens(random, 0.4)
                                           ? with_units[random.below(with_units.size())]
                                           : times[random.below(times.size())]));
}

/// Runs without a value, and runs that ran out of memory.
void make_gaps(RandomStream& random, TablePlan& plan) {
  const bool has_blanks = plan.may_have_blanks() && happens(random, 0.3);
  const bool has_failures = happens(random, 0.1);
  // Each run keeps a number.
  const auto keeps =
      to_size(std::ranges::find(plan.columns, false, &TableColumn::is_text) - plan.columns.begin());
  for (std::size_t i = 1; i < plan.columns.size(); ++i) {
    TableColumn& column = plan.columns[i];
    if (i == keeps)
      continue;
    for (std::size_t row = 0; row < plan.rows; ++row) {
      const bool is_blank = has_blanks && happens(random, 0.15);
      if (!is_blank && !(has_failures && i + 1 == plan.columns.size() && happens(random, 0.2)))
        continue;
      column.cells[row] = is_blank ? "" : "OOM";
      if (!column.is_text)
        column.numbers[row] = std::nan("");
    }
  }
}

/// Totals of the rows in all columns of numbers; none where a level may be meant as well.
Cells totals_row(RandomStream& random, const TablePlan& plan) {
  static constexpr std::array<const char*, 9> words = {
      "Total", "Summe", "Gesamt", "Mittelwert", "Moyenne", "sum", "Mean:", "\u5408\u8a08", "All"};
  const bool has_text = plan.columns[0].is_text;
  const auto numeric = std::ranges::count(plan.columns, false, &TableColumn::is_text);
  Cells out = {words[random.below(words.size())]};
  const std::size_t kind = random.below(has_text ? 2 : 4);
  for (std::size_t i = 1; i < plan.columns.size(); ++i) {
    const TableColumn& column = plan.columns[i];
    std::vector<double> numbers = column.numbers;
    std::erase_if(numbers, [](double x) { return std::isnan(x); });
    if (column.is_text || numbers.size() < 3) {
      out.emplace_back();
      continue;
    }
    double sum = 0;
    for (const double number : numbers)
      sum += number;
    const double mean = sum / static_cast<double>(numbers.size());
    out.push_back(
        kind == 0   ? number_text(sum, column.decimals)
        : kind == 1 ? number_text(mean, column.decimals + 2)
                    : number_text(kind == 2 ? std::ranges::max(numbers) : std::ranges::min(numbers),
                                  column.decimals));
  }
  const auto given = std::ranges::count_if(out, std::not_fn(&std::string::empty)) - 1;
  return given < 1 || (has_text && (numeric < 2 || given < numeric)) ? Cells{} : out;
}

/// Lines of cells, padded to the widths of their columns.
std::string aligned_lines(RandomStream& random, const std::vector<Cells>& rows,
                          bool has_wide_gaps) {
  const std::size_t width = rows[0].size();
  const bool is_right = happens(random, 0.5);
  const bool is_mixed = happens(random, 0.4);
  const std::size_t usual_gap = (has_wide_gaps ? 2 : 1) + random.below(3) * random.below(2);
  const std::size_t indent = random.below(3) * random.below(2);
  const bool has_rule = happens(random, 0.15);
  std::vector<bool> right(width);
  std::vector<std::size_t> gaps(width);
  std::vector<std::size_t> widths(width);
  for (std::size_t i = 0; i < width; ++i) {
    right[i] = is_mixed ? happens(random, 0.5) : is_right;
    gaps[i] = i == 0 ? indent : is_mixed ? usual_gap + random.below(2) : usual_gap;
    for (const Cells& row : rows)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::string line;
    for (std::size_t i = 0; i < width; ++i) {
      const std::string pad(widths[i] - display_width(rows[row][i]), ' ');
      line +=
          std::string(gaps[i], ' ') + (right[i] ? pad : "") + rows[row][i] + (right[i] ? "" : pad);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (row == 0 && has_rule)
      out += std::string(line.size(), '-') + "\n";
  }
  return out;
}

std::string line_of(const Cells& cells, const std::string& separator) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i)
    out += (i == 0 ? "" : separator) + cells[i];
  return out;
}

std::string separated_lines(const std::vector<Cells>& rows, const std::string& separator) {
  std::string out;
  for (const Cells& row : rows)
    out += line_of(row, separator) + "\n";
  return out;
}

std::string markdown_lines(const std::vector<Cells>& rows) {
  std::string out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    out += "| " + line_of(rows[row], " | ") + " |\n";
    if (row == 0)
      out += "|" + line_of(Cells(rows[0].size(), "---"), "|") + "|\n";
  }
  return out;
}

std::string lines_of_table(RandomStream& random, const TablePlan& plan,
                           const std::vector<Cells>& rows) {
  switch (plan.layout) {
    case Layout::aligned:
      return aligned_lines(random, rows, plan.has_wide_gaps);
    case Layout::ragged:
      return separated_lines(rows, " ");
    case Layout::markdown:
      return markdown_lines(rows);
    case Layout::tabs:
      return separated_lines(rows, "\t");
    case Layout::commas:
      return separated_lines(rows, ",");
    case Layout::semicolons:
      return separated_lines(rows, ";");
  }
  return "";
}

/// A line of units below the names of an aligned table or of CSV.
Cells units_row(RandomStream& random, TablePlan& plan) {
  static constexpr std::array<const char*, 3> units = {"ms", "s", "us"};
  TableColumn& time = plan.columns.back();
  if (plan.layout == Layout::ragged || plan.layout == Layout::markdown || time.name != "time" ||
      happens(random, 0.5))
    return {};
  time.unit = units[random.below(units.size())];
  return mapped(plan.columns, [](const TableColumn& column) {
    return column.unit.empty() ? "" : "(" + column.unit + ")";
  });
}

}  // namespace

GeneratedTable generated_table(RandomStream& random) {
  TablePlan plan{
      .layout = happens(random, 0.5) ? Layout::aligned : static_cast<Layout>(1 + random.below(5)),
      .has_wide_gaps = happens(random, 0.5),
      .rows = 4 + random.below(9)};
  make_columns(random, plan);
  make_gaps(random, plan);
  GeneratedTable out;
  std::vector<Cells> rows = {mapped(plan.columns, [](const auto& column) { return column.name; })};
  if (const Cells units = units_row(random, plan); !units.empty())
    rows.push_back(units);
  for (const TableColumn& column : plan.columns)
    out.names.push_back(column.unit.empty() ? column.name
                                            : fmt::format("{} ({})", column.name, column.unit));
  for (std::size_t row = 0; row < plan.rows; ++row)
    out.cells.push_back(
        mapped(plan.columns, [&](const auto& column) { return column.cells[row]; }));
  if (rows.size() == 1 && happens(random, 0.1)) {
    out.names.insert(out.names.begin(), "row index");
    rows[0].insert(rows[0].begin(), "");
    for (std::size_t row = 0; row < plan.rows; ++row)
      out.cells[row].insert(out.cells[row].begin(), std::to_string(row));
  }
  rows.insert(rows.end(), out.cells.begin(), out.cells.end());
  if (rows[0][0] != "" && happens(random, 0.2))
    if (const Cells totals = totals_row(random, plan);
        !totals.empty() && (plan.may_have_blanks() || !contains(totals, "")))
      rows.push_back(totals);
  static constexpr std::array<const char*, 5> titles = {
      "Results of March", "Run on node 7", "The new build:", "Throughput", "Times of 3 runs"};
  static constexpr std::array<const char*, 4> notes = {
      "measured on one node", "* with a warm cache", "took 12 minutes", "Done."};
  const std::string gap = happens(random, 0.5) ? "\n" : "";
  if (happens(random, 0.2))
    out.text += titles[random.below(titles.size())] + ("\n" + gap);
  out.text += lines_of_table(random, plan, rows);
  if (happens(random, 0.2))
    out.text += gap + notes[random.below(notes.size())] + "\n";
  return out;
}

}  // namespace perfmodel::test

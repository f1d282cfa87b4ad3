#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/knowledge.hpp"

namespace perfmodel {

/// junit and github are formats for CI; only commands with conditions write them.
enum class OutputFormat { text, json, csv, markdown, latex, junit, github };

/// Unit that makes values readable: "16.6 ms", not "0.0166 s". It is the values' own unit if they
/// lie between 0.1 and 10,000, or if that unit is unknown.
class ShownTime {
 public:
  /// `typical`: the largest value, in `unit`.
  ShownTime(const Unit& unit, double typical);
  explicit ShownTime(TimeUnit unit) : unit_(std::move(unit)) {}

  const std::string& unit() const { return unit_.name; }
  /// Returns "MAE [ms]", or "MSE [ms^2]" for power 2.
  std::string heading(const std::string& name, int power = 1) const;
  /// Formats a time, or a power of a time, that is given in its own unit.
  std::string number(double time, int power = 1) const;

 private:
  TimeUnit unit_;
};

}  // namespace perfmodel

/// Output of commands and pages: a document is a list of blocks of five types, rendered as terminal
/// text, Markdown, LaTeX, HTML or CSV.
namespace perfmodel::doc {

/// Formats a number of a column for people.
using Format = std::function<std::string(double)>;

enum class Align { left, right };

struct Column {
  std::string heading;  ///< for people, with the unit
  Align align = Align::left;
  Format format = short_number;
  std::string name = {};  ///< in the CSV header; empty: not in CSV
  bool hidden = false;    ///< in CSV only
};

/// Returns a column of texts.
Column words(std::string heading, std::string name = {});
/// Returns a column of numbers.
Column numbers(std::string heading, std::string name = {}, Format format = short_number);
/// Returns a column that appears only in CSV.
Column for_programs(std::string name);
/// Formats with enough digits to read the same number back.
std::string all_digits(double number);
/// Formats a share from 0 to 1 as a percentage.
std::string percent_of_share(double share);
Format time_in(const Unit& unit);  ///< each value in the unit that fits it best
Format format_of(const ShownTime& time, int power = 1);

/// A text, number or interval, converted implicitly; the column formats numbers. NaN and nullopt
/// are shown as "-" and are empty in CSV; an absent interval is empty.
struct Cell {
  enum class Style { plain, doubtful, code };

  Cell() = default;
  Cell(const char* words) : value(std::string(words)) {}
  Cell(std::string words) : value(std::move(words)) {}
  Cell(std::string_view words) : value(std::string(words)) {}
  Cell(double number) : value(number) {}
  Cell(std::size_t count) : value(std::to_string(count)) {}
  Cell(std::uint32_t count) : value(std::to_string(count)) {}
  Cell(const std::optional<double>& number);
  Cell(const Interval& interval) : value(interval) {}
  Cell(const std::optional<Interval>& interval);
  Cell(bool) = delete;

  std::variant<std::string, double, Interval> value;
  std::string shown = {};  ///< overrides the column's format for people
  Style style = Style::plain;
  std::string folded = {};  ///< a formula that a page shows on demand
};

/// Returns the cell, emphasised on a page.
Cell doubtful(Cell cell);
/// Returns a cell in a monospaced font.
Cell code(std::string text);
/// Returns the cell, with a different text for people.
Cell shown_as(Cell cell, std::string shown);
/// Returns "true" or "false".
std::string_view truth(bool value);

/// Rows of cells under columns; the first `keys` columns identify a row.
struct Table {
  std::vector<Column> columns;
  std::size_t keys = 1;
  std::size_t indentation = 0;        ///< on a terminal
  std::string caption = {};           ///< shown on pages only
  std::vector<std::string> csv = {};  ///< column names in CSV order; empty: table order
  std::vector<std::vector<Cell>> rows = {};
  /// Headings, each before the row with this index.
  std::vector<std::pair<std::size_t, std::string>> groups = {};

  /// Appends a row; missing cells at the end are blank.
  void add(std::vector<Cell> cells) { rows.push_back(std::move(cells)); }
  /// Appends a column to the rows, with the cell of each.
  void add_column(Column column, const std::function<Cell(std::size_t row)>& cell) {
    columns.push_back(std::move(column));
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row].push_back(cell(row));
  }
  void add_group(std::string name) { groups.emplace_back(rows.size(), std::move(name)); }
  /// Returns the text of a cell as shown to people.
  std::string text(const std::vector<Cell>& row, std::size_t column) const;
};

/// The metrics of tables of errors.
inline constexpr std::array<std::string_view, 7> kErrorMetrics = {
    "rows", "mae", "mape_percent", "smape_percent", "mse", "rmse", "r2"};
/// Returns the named columns out of rows, mae, mape_percent, smape_percent, mse, rmse and r2.
std::vector<Column> metric_columns(std::span<const std::string_view> names, const ShownTime& time);
/// A table of these columns with a row per part that has metrics; its name is in the first column.
Table metrics_table(const std::string& first, std::span<const std::string_view> names,
                    const ShownTime& time,
                    const std::vector<std::pair<std::string, std::optional<Metrics>>>& parts);
/// Appends the cells of metric_columns().
void add_metrics(std::vector<Cell>& cells, std::span<const std::string_view> names,
                 const Metrics& metrics);

/// Returns columns for a scale, its time, the interval at `level`, speedup and efficiency.
std::vector<Column> scale_columns(const std::string& scale, const std::string& time, Format format,
                                  std::optional<double> level);

struct Heading {
  std::string text;
};

/// Complete lines; leading and trailing blank lines appear on a terminal only.
struct Paragraph {
  std::string lines;
};

struct List {
  std::vector<std::string> items;
};

/// A reader's question and its answer.
struct Answer {
  std::string question;
  std::string figure;  ///< short answer
  std::vector<std::string> lines;
  bool is_alarming = false;  ///< shown as an alarm
};

using Block = std::variant<Heading, Paragraph, List, Table, Answer>;

struct Document {
  std::vector<Block> blocks = {};
  /// Table for CSV, if it is none of the blocks.
  std::optional<Table> data = {};
  std::function<std::string()> json = {};
  /// True if texts come from untrusted files, so that Markdown must escape them.
  bool escapes_markup = false;

  void add(Block block) { blocks.push_back(std::move(block)); }
  void add(std::string lines) { blocks.emplace_back(Paragraph{std::move(lines)}); }
  void add(Table table, std::size_t indentation) {
    table.indentation = indentation;
    blocks.emplace_back(std::move(table));
  }

  /// Returns the whole document in a format other than those of CI, with a final newline. `width`:
  /// maximum width of text.
  std::string in(OutputFormat format, std::optional<std::size_t> width = std::nullopt) const;
};

/// Returns one line per row, indented, without trailing blanks, two spaces between columns, control
/// characters masked. To fit into `width`, texts wrap onto further lines; columns that still do not
/// fit follow below, next to the repeated keys.
std::vector<std::string> text_lines(const Table& table,
                                    std::optional<std::size_t> width = std::nullopt);
std::string text(const Table& table, std::optional<std::size_t> width = std::nullopt);

/// Returns the text as one line of Markdown with all markup escaped.
std::string markdown_words(const std::string& text);

/// Returns the HTML of a block; empty if there is nothing to show, such as a table without rows.
std::string html(const Block& block);

}  // namespace perfmodel::doc

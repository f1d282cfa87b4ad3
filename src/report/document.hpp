#pragma once

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
#include "perfmodel/model.hpp"

namespace perfmodel {

/// junit and github are what CI takes; only commands with conditions have them.
enum class OutputFormat { text, json, csv, markdown, latex, junit, github };

/// A unit in which times are numbers that people read: "16.6 ms", not "0.0166 s". The times' own
/// unit where they are from 0.1 to 10,000 of it, and where it is unknown.
class ShownTime {
 public:
  /// `typical`: the largest of the times, in `unit`.
  ShownTime(const std::string& unit, double typical);
  explicit ShownTime(TimeUnit unit) : unit_(std::move(unit)) {}

  const std::string& unit() const { return unit_.name; }
  /// "MAE [ms]"; with a power of 2, "MSE [ms^2]".
  std::string heading(const std::string& name, int power = 1) const;
  /// Of a time in its own unit, or of its power.
  std::string number(double time, int power = 1) const;

 private:
  TimeUnit unit_;
};

}  // namespace perfmodel

/// What commands and pages say: a document is a list of blocks, each of one of six types, which
/// renderers write as text for a terminal, as Markdown, LaTeX, HTML and CSV.
namespace perfmodel::doc {

/// How people read a number of a column.
using Format = std::function<std::string(double)>;

enum class Align { left, right };

struct Column {
  std::string heading;  ///< for people, with the unit
  Align align = Align::left;
  Format format = short_number;
  std::string name = {};  ///< for programs: in the header of CSV; empty: not there
  bool hidden = false;    ///< from people
};

/// A column of texts.
Column words(std::string heading, std::string name = {});
/// A column of numbers.
Column numbers(std::string heading, std::string name = {}, Format format = short_number);
/// A column that CSV alone has.
Column for_programs(std::string name);
/// As it is read back.
std::string all_digits(double number);
/// Of shares from 0 to 1.
std::string percent_of_share(double share);
Format time_in(const std::string& unit);  ///< each time in the unit that fits it best
Format format_of(const ShownTime& time, int power = 1);

/// A text or a number, which its column formats; made of either without further words. A number
/// that is none is a "-" to people and empty in CSV, and so is an absent one; an absent interval is
/// empty.
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
  std::string shown = {};  ///< to people, where it is not what the column makes of the value
  Style style = Style::plain;
  std::string folded = {};  ///< a formula that a page shows when asked
};

/// Emphasised on a page.
Cell doubtful(Cell cell);
/// In the letters of programs.
Cell code(std::string text);
/// People read something else than programs.
Cell shown_as(Cell cell, std::string shown);
/// "true" or "false".
std::string_view truth(bool value);

/// Rows of cells under columns; the first `keys` columns tell the rows apart.
struct Table {
  std::vector<Column> columns;
  std::size_t keys = 1;
  std::size_t indentation = 0;        ///< on a terminal
  std::string caption = {};           ///< of a page
  std::vector<std::string> csv = {};  ///< names of the columns in the order of CSV; empty: theirs
  std::vector<std::vector<Cell>> rows = {};
  /// Headings before a row.
  std::vector<std::pair<std::size_t, std::string>> groups = {};

  /// Missing cells at the end are blank.
  void add(std::vector<Cell> cells) { rows.push_back(std::move(cells)); }
  void add_group(std::string name) { groups.emplace_back(rows.size(), std::move(name)); }
  /// The text of a cell as people read it.
  std::string text(const std::vector<Cell>& row, std::size_t column) const;
};

/// Columns of rows, mae, mape_percent, smape_percent, mse, rmse and r2, as many of them as are
/// named.
std::vector<Column> metric_columns(std::span<const std::string_view> names, const ShownTime& time);
/// Their cells behind others.
void add_metrics(std::vector<Cell>& cells, std::span<const std::string_view> names,
                 const Metrics& metrics);

/// Columns of a scale, the time there, its interval of this level, speedup and efficiency.
std::vector<Column> scale_columns(const std::string& scale, const std::string& time, Format format,
                                  std::optional<double> level);

struct Heading {
  std::string text;
};

/// Whole lines; blank ones around them are for a terminal alone.
struct Paragraph {
  std::string lines;
};

struct List {
  std::vector<std::string> items;
};

/// A drawing with what there is to see; programs that show no pictures leave it out.
struct Figure {
  std::string svg;
  std::string caption;  ///< empty: none
};

/// A question that readers come with, and what there is to say.
struct Answer {
  std::string question;
  std::string figure;  ///< the answer in a few words
  std::vector<std::string> lines;
  bool is_alarming = false;  ///< not to be overlooked
};

using Block = std::variant<Heading, Paragraph, List, Table, Figure, Answer>;

struct Document {
  std::vector<Block> blocks = {};
  /// What CSV holds, where that is no table of the blocks.
  std::optional<Table> data = {};
  std::function<std::string()> json = {};
  /// Whether texts may come from anybody, so that Markdown must not take them for markup.
  bool escapes_markup = false;

  void add(Block block) { blocks.push_back(std::move(block)); }
  void add(std::string lines) { blocks.emplace_back(Paragraph{std::move(lines)}); }
  void add(Table table, std::size_t indentation) {
    table.indentation = indentation;
    blocks.emplace_back(std::move(table));
  }

  /// Everything, with the end of its last line; text within a width, if there is one. Not of the
  /// formats of CI.
  std::string in(OutputFormat format, std::optional<std::size_t> width = std::nullopt) const;
};

/// One line per row, each after the indentation and without trailing blanks, two spaces between
/// columns, controls masked. Where they would be wider than `width`, texts go on in further lines,
/// and columns that still find no room stand below the others, beside the keys again.
std::vector<std::string> text_lines(const Table& table,
                                    std::optional<std::size_t> width = std::nullopt);
std::string text(const Table& table, std::optional<std::size_t> width = std::nullopt);

/// The columns that have names, in full precision.
std::string csv(const Table& table);

/// The text as a CSV field, with quotes where it needs them.
std::string csv_field(const std::string& text, char separator = ',');

/// A text on one line of Markdown in which nothing is markup.
std::string markdown_words(const std::string& text);

/// A block as a part of a page; empty where there is nothing to show, such as a table without rows.
std::string html(const Block& block);

}  // namespace perfmodel::doc

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace perfmodel::cli {

/// The lines of a CSV file as they stand in it, without their line ends; for output that repeats
/// its input byte for byte. The file has been parsed before, so its shape is known to be sound.
class LineEcho {
 public:
  explicit LineEcho(std::string_view bytes);

  /// The first line that is not blank.
  std::string_view header();
  /// The line with this number (from 1); each call asks for a later one.
  std::string_view line(std::uint32_t number);

 private:
  std::string_view rest_;
  std::uint32_t next_number_ = 1;

  std::string_view next();
};

/// The text as a CSV field, with quotes where it needs them.
std::string csv_field(const std::string& text, char separator = ',');

/// A unit in which times are numbers that people read: "16.6 ms", not "0.0166 s". The times' own
/// unit where they are from 0.1 to 10,000 of it, and where it is unknown.
class ShownTime {
 public:
  /// `typical`: the largest of the times, in `unit`.
  ShownTime(const std::string& unit, double typical);

  const std::string& unit() const { return unit_; }
  /// "MAE [ms]"; with a power of 2, "MSE [ms^2]".
  std::string heading(const std::string& name, int power = 1) const;
  /// Of a time in its own unit, or of its power.
  std::string number(double time, int power = 1) const;

 private:
  std::string unit_;
  double factor_ = 1;
};

enum class Align { left, right };

/// Rows of cells, the first of which is the header. For people they stand in aligned columns, two
/// spaces apart, with controls masked; OutputTables has the other formats.
class TextTable {
 public:
  /// The first `keys` columns tell the rows apart.
  explicit TextTable(std::vector<Align> columns, std::size_t keys = 1)
      : columns_(std::move(columns)), keys_(keys) {}

  /// Missing cells at the end are blank.
  void add(std::vector<std::string> cells);
  /// One line per row, each after `indentation` spaces and without trailing ones. Where they would
  /// be wider than `width`, texts go on in further lines, and columns that still find no room stand
  /// below the others, beside the keys again.
  std::vector<std::string> lines(std::size_t indentation,
                                 std::optional<std::size_t> width = std::nullopt) const;
  /// The lines as one text, each with its end.
  std::string text(std::size_t indentation, std::optional<std::size_t> width = std::nullopt) const;

  const std::vector<Align>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<Align> columns_;
  std::size_t keys_;
  std::vector<std::vector<std::string>> rows_;

  std::vector<std::size_t> widths() const;
  void add_lines(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths,
                 std::size_t indentation, std::vector<std::string>& lines) const;
};

/// junit and github are what CI takes; only commands with conditions have them.
enum class OutputFormat { text, json, csv, markdown, latex, junit, github };

/// What a command prints, in every format: tables with lines around them for people, one table in
/// full precision and a document for programs.
class OutputTables {
 public:
  /// `data` is the CSV; its header has the names of the document's fields.
  OutputTables(TextTable data, std::function<std::string()> json)
      : data_(std::move(data)), json_(std::move(json)) {}

  /// Whole lines before, between or after tables; blank ones are for `text` alone.
  void add(const std::string& lines) { parts_.push_back({lines, TextTable({}), 0}); }
  void add(TextTable table, std::size_t indentation = 0) {
    parts_.push_back({"", std::move(table), indentation});
  }

  /// Everything, with the end of its last line; text within a width, if there is one. Not of the
  /// formats of CI.
  std::string in(OutputFormat format, std::optional<std::size_t> width = std::nullopt) const;

 private:
  struct Part {
    std::string lines;  ///< or a table
    TextTable table;
    std::size_t indentation = 0;
  };
  TextTable data_;
  std::function<std::string()> json_;
  std::vector<Part> parts_;

  std::string text(std::optional<std::size_t> width) const;
  /// The parts with a blank line between them.
  std::string joined_parts(std::string (*of_lines)(const std::string&),
                           std::string (*of_table)(const TextTable&)) const;
};

}  // namespace perfmodel::cli

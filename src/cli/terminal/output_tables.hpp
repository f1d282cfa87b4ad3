#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {

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

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace perfmodel::page {

enum class CellKind { text, number };

struct Heading {
  std::string text;
  CellKind kind = CellKind::text;
};

/// Rows of markup under their headings; the first cell of a row is its own heading.
class Table {
 public:
  Table(std::string caption, std::vector<Heading> headings)
      : caption_(std::move(caption)), headings_(std::move(headings)) {}

  void add(const std::vector<std::string>& cells);
  /// A heading of the rows that follow.
  void add_group(const std::string& name);
  /// Empty without rows.
  std::string html() const;

 private:
  std::string caption_;
  std::vector<Heading> headings_;
  std::string body_;
};

/// A number as it is read, with all its digits for programs.
std::string figure_of(double value, const std::string& text);
std::string number_cell(double value);
/// A time in the unit that fits it.
std::string time_cell(double time, const std::string& unit);
/// Emphasised, for what is to be doubted.
std::string doubtful_cell(const std::string& markup);

}  // namespace perfmodel::page

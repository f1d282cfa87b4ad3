#include "perfmodel/io/csv/csv.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "base/problem_list.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "io/csv/column_builder.hpp"
#include "io/csv/csv_fields.hpp"
#include "io/csv/csv_lines.hpp"
#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// More are no settings of a run: a table that was written with rows and columns exchanged, or the
/// samples of a profile.
constexpr std::size_t kMostColumns = 1000;

/// Builds the table line by line. A line of the wrong shape is noted and the reading goes on, so
/// that one message tells of all of them.
class TableReader {
 public:
  TableReader(std::string source, const std::set<std::string>& text_columns)
      : text_columns_(text_columns) {
    table_.source = std::move(source);
  }

  void read_line(std::span<char> line, std::uint32_t number) {
    const std::string_view text(line.data(), line.size());
    if (columns_.empty())
      refuse_other_separators(text);
    if (!split(line, number))
      return;
    if (columns_.empty())
      read_header(number);
    else if (fields_.size() != columns_.size())
      note_field_count(number);
    else
      read_row(number);
  }

  Table take() && {
    if (!problems_.empty())
      throw InputError(problems_.text());
    if (columns_.empty()) {
      throw InputError(table_.source +
                       " is empty; expected a header with the column names and one line per run");
    }
    if (table_.lines.empty())
      throw InputError(table_.source + " has a header, but no rows");
    for (ColumnBuilder& column : columns_)
      table_.columns.push_back(std::move(column).take());
    return std::move(table_);
  }

 private:
  void refuse_other_separators(std::string_view header) const;
  bool split(std::span<char> line, std::uint32_t number);
  void read_header(std::uint32_t number);
  void check_names(std::uint32_t number) const;
  void read_row(std::uint32_t number);
  void note_field_count(std::uint32_t number);

  std::string at_line(std::uint32_t number) const {
    return table_.source + ":" + std::to_string(number) + ": ";
  }

  const std::set<std::string>& text_columns_;
  Table table_;
  std::vector<ColumnBuilder> columns_;
  std::vector<std::string_view> fields_;  // of the current line
  ProblemList problems_;
};

void TableReader::refuse_other_separators(std::string_view header) const {
  if (header.find(',') != header.npos)
    return;
  for (const auto& [separator, name] :
       {std::pair(';', "';'"), std::pair('\t', "tabs"), std::pair('|', "'|'")}) {
    if (header.find(separator) != header.npos) {
      throw InputError(table_.source + ": the columns are separated by " + name +
                       "; save it with ',' between the columns and '.' as decimal point");
    }
  }
}

/// False where the quotes of the line are wrong, which is noted.
bool TableReader::split(std::span<char> line, std::uint32_t number) {
  const FieldsEnd end = split_fields(line, fields_);
  if (end == FieldsEnd::complete)
    return true;
  problems_.add(number, fields_.size(), [&] {
    return at_line(number) + "field " + std::to_string(fields_.size()) +
           (end == FieldsEnd::open_quote
                ? ": the quote is not closed on this line; line breaks inside quotes are not "
                  "supported"
                : ": text after the closing quote; a quote inside a quoted field is written \"\"");
  });
  // After an open quote nobody knows where the next field begins.
  if (end == FieldsEnd::open_quote || columns_.empty())
    throw InputError(problems_.text());
  return false;
}

void TableReader::read_header(std::uint32_t number) {
  check_names(number);
  for (const std::string_view field : fields_) {
    std::string name(field);
    const auto kind = text_columns_.contains(name) ? ColumnBuilder::Kind::text
                                                   : ColumnBuilder::Kind::first_cell_decides;
    columns_.emplace_back(std::move(name), kind);
  }
}

void TableReader::check_names(std::uint32_t number) const {
  if (fields_.size() > kMostColumns) {
    throw InputError(at_line(number) + "the header has " + std::to_string(fields_.size()) +
                     " columns, but at most " + std::to_string(kMostColumns) +
                     " are read; one line per run and one column per setting is expected: keep "
                     "the time and the settings, or transpose the table");
  }
  if (std::all_of(fields_.begin(), fields_.end(),
                  [](std::string_view field) { return parse_number(field).has_value(); })) {
    throw InputError(at_line(number) +
                     "the first line must be a header with the column names, but it holds only "
                     "numbers");
  }
  ProblemList problems;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::string ordinal = std::to_string(i + 1);
    const auto first = std::find(fields_.begin(), fields_.end(), fields_[i]);
    const auto first_ordinal = std::to_string(first - fields_.begin() + 1);
    if (fields_[i].empty()) {
      problems.add(
          number, i,
          [&] {
            return at_line(number) + "column " + ordinal + " has no name; name it in the header";
          });
    } else if (!is_utf8(fields_[i])) {
      problems.add(
          number, i,
          [&] {
            return at_line(number) + "the name of column " + ordinal +
                   " is not UTF-8 text; save the file as UTF-8";
          });
    } else if (first_ordinal != ordinal) {
      problems.add(
          number, i,
          [&] {
            return at_line(number) + "columns " + first_ordinal + " and " + ordinal +
                   " are both named '" + std::string(fields_[i]) + "'; rename one";
          });
    }
  }
  if (!problems.empty())
    throw InputError(problems.text());
}

void TableReader::read_row(std::uint32_t number) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    columns_[i].add(fields_[i]);
    if (columns_[i].new_level() && !is_utf8(fields_[i])) {
      problems_.add(
          number, i,
          [&] {
            return at_line(number) + "column '" + columns_[i].name() +
                   "': the text is not UTF-8; save the file as UTF-8";
          });
    }
  }
  table_.lines.push_back(number);
}

void TableReader::note_field_count(std::uint32_t number) {
  problems_.add(
      number, fields_.size(),
      [&] {
        const bool too_many = fields_.size() > columns_.size();
        return at_line(number) + std::to_string(fields_.size()) +
               (fields_.size() == 1 ? " field" : " fields") + ", but the header has " +
               std::to_string(columns_.size()) + (columns_.size() == 1 ? " column" : " columns") +
               (too_many ? "; is there a decimal comma, or a text with a comma that needs quotes?"
                         : "");
      });
}

}  // namespace

Table parse_csv(std::string_view bytes, const std::string& source,
                const std::set<std::string>& text_columns) {
  TableReader reader(source, text_columns);
  for_each_line(bytes, source, [&](std::span<char> line, std::uint32_t number) {
    reader.read_line(line, number);
  });
  return std::move(reader).take();
}

Table read_csv(const std::string& path, const std::set<std::string>& text_columns) {
  return parse_csv(read_file(path), display_name(path), text_columns);
}

}  // namespace perfmodel

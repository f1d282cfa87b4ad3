#include "sources/csv.hpp"

#include <fmt/core.h>
// The reader thread of csv.h does not pay: reading the bytes is not the bottleneck.
#define CSV_IO_NO_THREAD
// GCC warns about the strncpy of csv.h if it is inlined here, although the header is a system
// header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#include <csv.h>
#pragma GCC diagnostic pop

#include <algorithm>

#include "base/text.hpp"
#include "roles/quantities.hpp"
#include "roles/unit_columns.hpp"
#include "sources/number_marks.hpp"
#include "storage/files.hpp"

namespace perfmodel {

namespace {

/// "runs.csv:41" for the line of a byte.
std::string line_of(std::string_view bytes, std::size_t at, const std::string& source) {
  return fmt::format("{}:{}", source, 1 + std::ranges::count(bytes.substr(0, at), '\n'));
}

[[noreturn]] void refuse_nul(const std::string& place) {
  throw InputError(place + ": a NUL byte; the file is damaged or not a text file");
}

[[noreturn]] void refuse_return(const std::string& place) {
  throw InputError(place + ": a carriage return that is not part of a line end (CRLF); remove it");
}

/// Throws InputError if the bytes are not text with LF or CRLF line ends, with the kind of file and
/// the remedy.
void check_bytes(std::string_view bytes, const std::string& source) {
  if (const std::string verdict = verdict_on(bytes); !verdict.empty())
    throw InputError(fmt::format("{} {}", source, verdict));
  // Find() is memchr: a clean file costs one fast pass for each of the two bytes.
  if (const std::size_t nul = bytes.find('\0'); nul != bytes.npos)
    refuse_nul(line_of(bytes, nul, source));
  for (std::size_t at = bytes.find('\r'); at != bytes.npos; at = bytes.find('\r', at + 1)) {
    if (bytes.substr(at + 1).starts_with('\n'))
      continue;
    if (bytes.find('\n') == bytes.npos)
      throw InputError(source +
                       ": the lines end in bare carriage returns (old Macintosh style); save it "
                       "with LF or CRLF line ends, for example: tr '\\r' '\\n'");
    refuse_return(line_of(bytes, at, source));
  }
}

/// The bytes that LineReader reads.
class BytesInMemory : public io::ByteSourceBase {
 public:
  BytesInMemory(std::string_view bytes, const std::function<void(std::size_t)>& handed_on)
      : bytes_(bytes), handed_on_(handed_on) {}

  /// Fills the whole buffer if possible: LineReader takes a short read for the end.
  int read(char* buffer, int size) override {
    if (ended_)
      return 0;
    if (handed_on_)
      handed_on_(at_);
    const std::size_t capacity = to_size(size);
    std::size_t count = bytes_.copy(buffer, capacity, at_);
    at_ += count;
    ended_ = count < capacity;
    // LineReader reads the byte after a last line without line end, which may be a line end of an
    // earlier block. So a missing last line end is added here.
    if (ended_ && !bytes_.empty() && !bytes_.ends_with('\n'))
      buffer[count++] = '\n';
    return static_cast<int>(count);
  }

 private:
  std::string_view bytes_;
  const std::function<void(std::size_t)>& handed_on_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

/// Calls `visit` with every line of a text file that is not blank, without its line end, and its
/// number from 1. A byte-order mark is skipped. The visitor may change the characters of the line,
/// which are valid until it returns.
///
/// `source` names the file in messages. Throws InputError if the bytes are not text with LF or CRLF
/// line ends: UTF-16, NUL bytes, bare carriage returns, a spreadsheet or an archive, a line that is
/// too long. `handed_on`, if given, is called before the lines of each block of bytes, with the
/// number of bytes before it.
void for_each_line(std::string_view bytes, const std::string& source,
                   const std::function<void(std::span<char> line, std::uint32_t number)>& visit,
                   const std::function<void(std::size_t bytes)>& handed_on) {
  try {
    io::LineReader reader(source, std::make_unique<BytesInMemory>(bytes, handed_on));
    while (char* const line = reader.next_line()) {
      const std::string_view text = line;
      if (text.find_first_not_of(" \t") != text.npos)
        visit({line, text.size()}, reader.get_file_line());
    }
  } catch (const io::error::line_length_limit_exceeded& error) {
    throw InputError(fmt::format("{}:{}: the line is longer than 16 MiB; is this a CSV file?",
                                 source, error.file_line));
  }
}

constexpr std::size_t kMostFilesNamed = 3;
constexpr std::size_t kMostColumnsNamed = 6;
constexpr std::uint32_t kFirstRow = 2;  // line number

/// Data frames are often written with their index: an unnamed first column that counts the rows of
/// the file. Its name here marks it as a label of rows, not of configurations.
constexpr std::string_view kRowIndex = "row index";

/// The name of a column with this header field.
std::string_view column_name(std::string_view field) {
  return field.empty() ? kRowIndex : field;
}

/// Builds the table line by line. Malformed lines are collected, so that one message reports all of
/// them.
class TableReader {
 public:
  /// `keeps_cells`: also as texts.
  TableReader(const std::set<std::string>& text_columns, bool keeps_cells)
      : text_columns_(text_columns), keeps_cells_(keeps_cells) {}

  /// Reads the files, and before them the marks of their numbers if these may have some.
  void read_files(std::span<const MarkedFile> files, bool has_marks) {
    std::vector<NumberMarks> marks;
    if (has_marks || std::ranges::any_of(files, [](const MarkedFile& file) {
          return file.style.separator != ',' || file.style.decimal;
        }))
      marks = marks_of_files(files, text_columns_);
    for (std::size_t i = 0; i < files.size(); ++i)
      read_file(files[i], marks.empty() ? nullptr : &marks[i]);
  }

  TableAndCells take() && {
    if (!problems_.empty())
      throw InputError(problems_.text());
    for (ColumnBuilder& column : columns_)
      table_.columns.push_back(std::move(column).take());
    check_index();
    check_header();
    take_unit_columns(table_, text_columns_);
    convert_quantities(table_, text_columns_);
    table_.source = enumerated(sources_, kMostFilesNamed);
    if (sources_.size() > 1)
      table_.sources = std::move(sources_);
    else
      table_.file.clear();
    TableAndCells out{std::move(table_)};
    for (ColumnBuilder& column : cells_)
      out.cells.push_back(std::move(column).take());
    return out;
  }

 private:
  void read_file(const MarkedFile& file, const NumberMarks* marks) {
    source_ = file.source;
    marks_ = marks;
    style_ = marks == nullptr ? file.style : marks->style();
    place_of_.clear();
    sources_.push_back(source_);
    lines_before_ += last_line_;
    rows_before_ = table_.lines.size();
    file.each_line([&](std::span<char> line, std::uint32_t number) { read_line(line, number); });
    end_file();
  }

  void read_line(std::span<char> line, std::uint32_t number) {
    last_line_ = number;
    const auto is_between_cells = [&](char c) { return c == style_.separator || c == ' '; };
    if (std::ranges::all_of(line, is_between_cells))
      return;  // as spreadsheets write a blank row
    if (place_of_.empty() && line.front() == '{')
      throw InputError(source_ + " is JSON, as models are, and no CSV of runs");
    if (!split(line, number))
      return;
    if (place_of_.empty())
      read_header(number);
    else if (fields_.size() != columns_.size())
      note_field_count(number);
    else
      read_row(line, number);
  }

  void end_file() {
    if (place_of_.empty() && problems_.empty()) {
      throw InputError(source_ +
                       " is empty; expected a header with the column names and one line per run");
    }
    if (table_.lines.size() == rows_before_ && problems_.empty())
      throw InputError(source_ + " has a header, but no rows");
    table_.file.resize(table_.lines.size(), static_cast<std::uint32_t>(sources_.size() - 1));
    if (sources_.size() == 1)
      table_.style = style_;
    else
      table_.style.thousands.insert(table_.style.thousands.end(), style_.thousands.begin(),
                                    style_.thousands.end());
  }

  bool split(std::span<char> line, std::uint32_t number);
  void read_header(std::uint32_t number);
  void match_header();
  void check_names(std::uint32_t number) const;
  void read_row(std::span<char> line, std::uint32_t number);
  void note_field_count(std::uint32_t number);
  void check_index() const;
  void check_header() const;

  std::string at_line(std::uint32_t number) const { return fmt::format("{}:{}", source_, number); }
  /// A line number that continues through all files, so that problems are sorted by file.
  std::size_t place(std::uint32_t number) const { return lines_before_ + number; }

  const std::set<std::string>& text_columns_;
  const bool keeps_cells_;
  Table table_;
  std::vector<ColumnBuilder> columns_;
  std::vector<ColumnBuilder> cells_;  // of the same columns, if they are kept
  std::vector<std::string> sources_;
  std::string source_;  // of the current file, as the members up to fields_
  CellStyle style_;
  const NumberMarks* marks_ = nullptr;
  std::vector<std::size_t> place_of_;     // field -> column; empty before the header
  std::vector<std::string_view> fields_;  // of the current line
  std::size_t lines_before_ = 0;
  std::size_t rows_before_ = 0;
  std::uint32_t last_line_ = 0;
  bool has_index_ = false;
  ProblemList problems_;
};

/// Returns false, and adds a problem, if the quotes of the line are malformed.
bool TableReader::split(std::span<char> line, std::uint32_t number) {
  const FieldsEnd end = split_fields(line, style_.separator, fields_);
  if (end == FieldsEnd::complete)
    return true;
  problems_.add(place(number), fields_.size(), [&] {
    return fmt::format(
        "{}: field {}: {}", at_line(number), fields_.size(),
        end == FieldsEnd::open_quote
            ? "the quote is not closed on this line; line breaks inside quotes are not supported"
            : "text after the closing quote; a quote inside a quoted field is written \"\"");
  });
  // After an open quote it is unknown where the next field begins.
  if (end == FieldsEnd::open_quote || place_of_.empty())
    throw InputError(problems_.text());
  return false;
}

void TableReader::read_header(std::uint32_t number) {
  check_names(number);
  if (!columns_.empty()) {
    match_header();
    return;
  }
  for (std::string_view& field : fields_) {
    while (field.ends_with("\u00a0"))  // of a web page
      field.remove_suffix(2);
    std::string name(column_name(field));
    has_index_ = has_index_ || field.empty();
    const auto kind = text_columns_.contains(name) ? ColumnBuilder::Kind::text
                                                   : ColumnBuilder::Kind::first_cell_decides;
    place_of_.push_back(columns_.size());
    if (keeps_cells_)
      cells_.emplace_back(name, ColumnBuilder::Kind::text);
    columns_.emplace_back(std::move(name), kind);
  }
}

/// Further files must have the columns of the first, in any order.
void TableReader::match_header() {
  std::vector<std::string> missing;
  std::vector<std::string> further;
  for (const ColumnBuilder& column : columns_)
    if (std::ranges::none_of(
            fields_, [&](std::string_view field) { return column_name(field) == column.name(); }))
      missing.push_back(column.name());
  for (const std::string_view field : fields_) {
    const auto column = std::ranges::find_if(columns_, [&](const ColumnBuilder& candidate) {
      return candidate.name() == column_name(field);
    });
    if (column == columns_.end())
      further.emplace_back(field);
    else
      place_of_.push_back(static_cast<std::size_t>(column - columns_.begin()));
  }
  if (missing.empty() && further.empty())
    return;
  throw InputError(fmt::format(
      "{}: the columns are not those of {}: it {}{}{}; files that are one table need the same "
      "columns, in any order",
      source_, sources_.front(),
      missing.empty() ? "" : "lacks " + quoted_list(missing, kMostColumnsNamed),
      missing.empty() || further.empty() ? "" : " and ",
      further.empty() ? ""
                      : fmt::format("has {} besides", quoted_list(further, kMostColumnsNamed))));
}

void TableReader::check_names(std::uint32_t number) const {
  if (fields_.size() > kMostColumns)
    throw InputError(
        fmt::format("{}: the header has {} columns, but at most {} are read; one line per run and "
                    "one column per setting is expected: keep the time and the settings, or "
                    "transpose the table",
                    at_line(number), fields_.size(), kMostColumns));
  if (std::ranges::all_of(fields_,
                          [](std::string_view field) { return parse_number(field).has_value(); })) {
    throw InputError(fmt::format(
        "{}: the first line must be a header with the column names, but it holds only numbers",
        at_line(number)));
  }
  ProblemList problems;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const auto first =
        static_cast<std::size_t>(std::ranges::find(fields_, fields_[i]) - fields_.begin());
    const auto add = [&](const std::string& problem) {
      problems.add(number, i, [&] { return fmt::format("{}: {}", at_line(number), problem); });
    };
    if (fields_[i].empty() && i == 0 && fields_.size() > 1 && !contains(fields_, kRowIndex))
      continue;  // may be an index
    if (fields_[i].empty()) {
      add(fmt::format("column {} has no name; name it in the header", i + 1));
    } else if (!is_utf8(fields_[i])) {
      add(fmt::format("the name of column {} is not UTF-8 text; save the file as UTF-8", i + 1));
    } else if (first != i) {
      add(fmt::format("columns {} and {} are both named '{}'; rename one", first + 1, i + 1,
                      fields_[i]));
    }
  }
  if (!problems.empty())
    throw InputError(problems.text());
}

void TableReader::read_row(std::span<char> line, std::uint32_t number) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    ColumnBuilder& column = columns_[place_of_[i]];
    if (marks_ != nullptr && !text_columns_.contains(column.name()))
      fields_[i] =
          marks_->read(i, line.subspan(static_cast<std::size_t>(fields_[i].data() - line.data()),
                                       fields_[i].size()));
    column.add(fields_[i]);
    if (keeps_cells_)
      cells_[place_of_[i]].add(fields_[i]);
    if (column.new_level() && !is_utf8(fields_[i])) {
      problems_.add(
          place(number), i,
          [&] {
            return fmt::format("{}: column '{}': the text is not UTF-8; save the file as UTF-8",
                               at_line(number), column.name());
          });
    }
  }
  table_.lines.push_back(number);
}

void TableReader::note_field_count(std::uint32_t number) {
  problems_.add(
      place(number), fields_.size(),
      [&] {
        const bool too_many = fields_.size() > columns_.size();
        return fmt::format(
            "{}: {}, but the header has {}{}", at_line(number),
            counted_noun(fields_.size(), "field"), counted_noun(columns_.size(), "column"),
            too_many && style_.separator == ','
                ? "; is there a decimal comma, or a text with a comma that needs quotes?"
            : too_many ? ""
                       : "; add what is missing or remove the line");
      });
}

/// Each of several files may count its own rows.
void TableReader::check_index() const {
  if (!has_index_)
    return;
  const Column& index = table_.columns.front();
  const double first = index.is_numeric() && index.numbers[0] == 1 ? 1 : 0;  // R counts from 1
  double next = first;
  for (std::size_t row = 0; row < table_.lines.size(); ++row, ++next) {
    const double value = index.is_numeric() ? index.numbers[row] : -1;
    if (value == first && row > 0 && table_.file[row] != table_.file[row - 1])
      next = first;
    if (value != next) {
      throw InputError(sources_.front() +
                       ": column 1 has no name, and does not count the rows from 0 or 1 on either; "
                       "name it in the header");
    }
  }
}

/// A first line of numbers, and of texts that stand in their columns below, is a row.
void TableReader::check_header() const {
  bool has_text = false;
  bool has_number = false;
  for (const Column& column : table_.columns) {
    const bool is_number = parse_number(column.name).has_value();
    if (is_number ? !column.is_numeric() : !contains(column.levels, column.name))
      return;
    (is_number ? has_number : has_text) = true;
  }
  if (has_text && has_number)
    throw InputError(
        fmt::format("{}: the first line must be a header with the column names, but it is like the "
                    "rows below",
                    sources_.front()));
}

/// Reads the files with the numbers as they are, or with their marks if a cell of the table that
/// was read has some: where commas separate, few have any.
TableAndCells read_marked(std::span<const MarkedFile> files,
                          const std::set<std::string>& text_columns, bool keeps_cells = false,
                          bool has_marks = false) {
  TableReader reader(text_columns, keeps_cells);
  reader.read_files(files, has_marks);
  TableAndCells out = std::move(reader).take();
  const bool lacks_marks =
      !has_marks && std::ranges::any_of(out.table.columns, [&](const Column& column) {
        return !text_columns.contains(column.name) &&
               (std::ranges::any_of(column.levels, has_number_marks) ||
                std::ranges::any_of(column.bad_cells, has_number_marks, &BadCell::text));
      });
  return lacks_marks ? read_marked(files, text_columns, keeps_cells, true) : out;
}

TableAndCells parse_files(std::span<const CsvText> files, const std::set<std::string>& text_columns,
                          std::optional<char> separator, bool keeps_cells,
                          const ReadProgress& progress) {
  std::size_t all = 0;
  for (const CsvText& file : files)
    all += file.bytes.size();
  std::vector<MarkedFile> marked;
  std::size_t before = 0;
  for (const CsvText& file : files) {
    check_bytes(file.bytes, file.source);
    const auto told =
        progress ? std::function<void(std::size_t)>([&progress, before, all](std::size_t bytes) {
          progress(before + bytes, all);
        })
                 : nullptr;
    const CellStyle style{.separator = separator        ? *separator
                                       : file.separator ? *file.separator
                                                        : separator_of(file.bytes),
                          .decimal = file.decimal};
    marked.push_back({file.source, style, [&file, told](const auto& visit) {
                        for_each_line(
                            file.bytes, file.source,
                            [&](std::span<char> line, std::uint32_t number) {
                              visit(line, number > kFirstRow ? number + file.left_out : number);
                            },
                            told);
                      }});
    before += file.bytes.size();
  }
  return read_marked(marked, text_columns, keeps_cells);
}

}  // namespace

Table parse_csv(std::span<const CsvText> files, const std::set<std::string>& text_columns,
                std::optional<char> separator, const ReadProgress& progress) {
  return parse_files(files, text_columns, separator, false, progress).table;
}

TableAndCells parse_csv_with_cells(std::span<const CsvText> files, std::optional<char> separator) {
  return parse_files(files, {}, separator, true, {});
}

Table table_of_lines(std::span<const NumberedLine> lines, const std::string& source,
                     const std::set<std::string>& text_columns, const CellStyle& of_beginning) {
  const CellStyle style{.separator = of_beginning.separator, .decimal = of_beginning.decimal};
  for (const NumberedLine& line : lines) {
    if (line.text.find('\0') != std::string::npos)
      refuse_nul(fmt::format("{}:{}", source, line.number));
    if (line.text.find('\r') != std::string::npos)
      refuse_return(fmt::format("{}:{}", source, line.number));
  }
  const MarkedFile marked{source, style, [&](const auto& visit) {
                            for (const NumberedLine& line : lines) {
                              std::string copy = line.text;
                              visit(copy, line.number);
                            }
                          }};
  return read_marked(std::array{marked}, text_columns).table;
}

Table parse_csv(std::string_view bytes, const std::string& source,
                const std::set<std::string>& text_columns, std::optional<char> separator) {
  return parse_csv(std::array{CsvText{bytes, source}}, text_columns, separator);
}

Table read_csv(const std::string& path, const std::set<std::string>& text_columns,
               std::optional<char> separator) {
  return parse_csv(read_file(path), display_name(path), text_columns, separator);
}

}  // namespace perfmodel

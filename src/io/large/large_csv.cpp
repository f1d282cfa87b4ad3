#include "io/large/large_csv.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/tasks/parallel.hpp"
#include "io/csv/table_of_lines.hpp"
#include "io/file/input_file.hpp"
#include "io/large/line_blocks.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"

namespace perfmodel {
namespace {

constexpr std::uint64_t kBeginning = std::uint64_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// What no reader of whole files lets pass.
void check_characters(const NumberedLine& line, const std::string& source) {
  if (line.text.find('\0') != std::string::npos)
    throw InputError(source + ":" + std::to_string(line.number) +
                     ": a NUL byte; the file is damaged or not a text file");
  if (line.text.find('\r') != std::string::npos)
    throw InputError(source + ":" + std::to_string(line.number) +
                     ": a carriage return that is not part of a line end (CRLF); remove it");
}

/// The header, the lines in their order, and what they are a table of.
class Lines {
 public:
  explicit Lines(const CsvBeginning& beginning) : beginning_(beginning) {
    lines_.push_back({beginning.header, beginning.header_line});
  }

  std::uint32_t number_of(std::uint64_t row_line) const {
    return line_of_file(beginning_, row_line);
  }

  void add(std::string_view text, std::uint64_t row_line) {
    lines_.push_back({std::string(text), number_of(row_line)});
    check_characters(lines_.back(), beginning_.source);
  }

  Table table() {
    std::stable_sort(
        lines_.begin() + 1, lines_.end(),
        [](const NumberedLine& a, const NumberedLine& b) { return a.number < b.number; });
    return table_of_lines(lines_, beginning_.source, beginning_.text_columns,
                          beginning_.table.style);
  }

 private:
  const CsvBeginning& beginning_;
  std::vector<NumberedLine> lines_;
};

}  // namespace

CsvBeginning read_beginning(const std::string& path, const std::set<std::string>& text_columns,
                            std::optional<char> separator) {
  CsvBeginning out;
  out.path = path;
  out.text_columns = text_columns;
  out.source = display_name(path);
  std::string bytes;
  if (is_pipe(path)) {
    out.pipe = std::make_shared<PipedLines>(path, kBeginning);
    bytes = out.pipe->beginning();
  } else {
    out.size = regular_file_size(path);
    for_each_block(path, 0, std::min(kBeginning, out.size),
                   [&](std::string_view lines, std::uint64_t) { bytes.append(lines); });
  }
  out.table = parse_csv(bytes, out.source, text_columns, separator);
  std::string_view rest = bytes;
  if (rest.starts_with(kByteOrderMark))
    rest.remove_prefix(kByteOrderMark.size());
  for (out.header_line = 0; out.header.find_first_not_of(" \t\r") == std::string::npos;) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out.header = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++out.header_line;
  }
  if (out.header.ends_with('\r'))
    out.header.pop_back();
  out.rows_at = bytes.size() - rest.size();
  return out;
}

void LargePart::add(std::string_view lines, std::uint64_t offset) {
  if (merged)
    merged->add(lines);
  else
    sample.add(lines, offset);
}

void LargePart::append(const LargePart& next) {
  if (merged)
    merged->append(*next.merged);
  else
    sample.append(next.sample);
}

namespace {

LargePart read_pipe(const CsvBeginning& beginning, const LargePart& empty) {
  LargePart out = empty;
  beginning.pipe->for_each_block(
      beginning.rows_at,
      [&](std::string_view lines, std::uint64_t offset) { out.add(lines, offset); });
  return out;
}

}  // namespace

LargePart read_lines(const CsvBeginning& beginning, const LargePart& empty, std::size_t threads,
                     const ReadProgress& progress) {
  if (beginning.pipe)
    return read_pipe(beginning, empty);
  const std::uint64_t bytes = beginning.size - beginning.rows_at;
  const auto share_begin = [&](std::size_t share) {
    return beginning.rows_at + bytes / threads * share + bytes % threads * share / threads;
  };
  std::mutex one_at_a_time;
  std::uint64_t read = 0;
  const auto tell = [&](std::size_t more) {
    if (!progress)
      return;
    const std::lock_guard lock(one_at_a_time);
    read += more;
    progress(std::min(read, bytes), bytes);
  };
  std::vector<LargePart> own(threads, empty);
  parallel_for(threads, threads, [&](std::size_t t) {
    for_each_block(beginning.path, share_begin(t), share_begin(t + 1),
                   [&](std::string_view lines, std::uint64_t offset) {
                     own[t].add(lines, offset);
                     tell(lines.size());
                   });
  });
  for (std::size_t t = 1; t < threads; ++t) {
    own[0].append(own[t]);
    own[t] = empty;
  }
  return std::move(own[0]);
}

std::uint32_t line_of_file(const CsvBeginning& beginning, std::uint64_t row_line) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      beginning.header_line + 1 + row_line, std::numeric_limits<std::uint32_t>::max()));
}

Table table_of(const CsvBeginning& beginning, const MergedLines& merged, std::size_t time) {
  Lines lines(beginning);
  for (std::size_t i = 0; i < merged.configurations(); ++i)
    lines.add(merged.configuration(i).line, merged.configuration(i).number);
  for (const MergedLines::OddLine& odd : merged.odd_lines())
    lines.add(odd.line, odd.number);
  Table table = lines.table();
  if (!merged.odd_lines().empty() || !table.columns[time].is_numeric())
    return table;
  std::vector<std::size_t> rows;
  rows.reserve(merged.times().size());
  for (const MergedLines::Times& times : merged.times())
    rows.push_back(times.configuration);
  Table out = take_rows(table, rows);
  out.runs.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MergedLines::Times& times = merged.times()[i];
    out.columns[time].numbers[i] = times.time;
    out.lines[i] = lines.number_of(times.line);
    out.runs.push_back(times.runs);
  }
  return out;
}

Table table_of(const CsvBeginning& beginning, const LineSample& sample) {
  Lines lines(beginning);
  for (const LineSample::Line& line : sample.drawn())
    lines.add(line.text, line.number);
  return lines.table();
}

}  // namespace perfmodel

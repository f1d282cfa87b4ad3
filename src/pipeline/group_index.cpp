#include "pipeline/group_index.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "io/file/digest.hpp"
#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 21;
constexpr std::uint32_t kHeaderLines = 2;  // the header and the first row

/// The bytes of a part of a file; fewer where it ends before.
std::string bytes_of(int descriptor, std::uint64_t begin, std::uint64_t end) {
  std::string out(end - begin, '\0');
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        ::pread(descriptor, out.data() + done, out.size() - done, static_cast<off_t>(begin + done));
    if (count <= 0)
      break;
    done += static_cast<std::size_t>(count);
  }
  out.resize(done);
  return out;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ino == b.st_ino;
}

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::optional<GroupIndex> GroupIndex::of(const std::string& path,
                                         const std::vector<std::string>& by,
                                         const std::set<std::string>& texts,
                                         std::optional<char> separator,
                                         std::uintmax_t most_bytes_as_a_whole) {
  GroupIndex out;
  out.path_ = path;
  out.texts_ = texts;
  if (path == "-" || separator.value_or(',') != ',' || ::stat(path.c_str(), &out.status_) != 0 ||
      !S_ISREG(out.status_.st_mode))
    return std::nullopt;
  Sha256 digest;
  std::string open;  // lines that are not looked at yet, the last one perhaps cut
  std::uint64_t begin = 0;
  std::uint32_t line = 1;
  bool goes = true;
  const auto take = [&](std::size_t bytes) {
    const std::string_view lines = std::string_view(open).substr(0, bytes);
    goes = goes && out.add(lines, begin, line, by);
    line += static_cast<std::uint32_t>(std::count(lines.begin(), lines.end(), '\n'));
    begin += bytes;
    open.erase(0, bytes);
  };
  for_each_block(path, [&](std::string_view block) {
    digest.add(block);
    if (!goes)
      return;
    open += block;
    if (open.size() >= kBlockBytes)
      if (const std::size_t end = open.rfind('\n'); end != std::string::npos)
        take(end + 1);
  });
  if (goes && !open.empty())
    take(open.size());
  if (!goes || out.spans_.empty()) {
    if (static_cast<std::uintmax_t>(out.status_.st_size) <= most_bytes_as_a_whole)
      return std::nullopt;
    throw InputError(path + ": rows of a group stand apart in a file of more than " +
                     std::to_string(most_bytes_as_a_whole >> 30) +
                     " GiB, or it is not one of commas; sort it by " + quoted_list(by) +
                     ", below its header, with sort -t, -k");
  }
  out.digest_ = digest.text();
  out.seen_.clear();
  return out;
}

bool GroupIndex::add(std::string_view lines, std::uint64_t begin, std::uint32_t line,
                     const std::vector<std::string>& by) {
  if (begin == 0) {
    const std::size_t first = lines.find('\n');
    const std::size_t second =
        first == std::string_view::npos ? first : lines.find('\n', first + 1);
    if (second == std::string_view::npos)
      return false;
    header_ = lines.substr(0, first + 1);
    first_row_ = lines.substr(first + 1, second - first);
    if (is_blank_line(header_) || is_blank_line(first_row_))
      return false;
  }
  Table table = begin == 0 ? parse_csv(lines, path_, texts_, std::nullopt) : parsed(lines, line);
  if (begin == 0 && (table.style.separator != ',' || !table.style.decimal_comma.empty()))
    return false;
  std::vector<std::uint64_t> line_begins{begin};
  for (std::size_t at = lines.find('\n'); at != std::string_view::npos;
       at = lines.find('\n', at + 1))
    line_begins.push_back(begin + at + 1);
  if (line_begins.back() != begin + lines.size())
    line_begins.push_back(begin + lines.size());  // the last line has no end
  std::vector<const Column*> columns;
  for (const std::string& name : by) {
    if (table.find(name) == nullptr)
      return false;  // whoever reads it as a whole says so
    columns.push_back(table.find(name));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> key;
    for (const Column* column : columns)
      key.push_back(column->text(row));
    if (spans_.empty() || spans_.back().key != key) {
      std::string joined_key;
      for (const std::string& text : key)
        joined_key += std::to_string(text.size()) + ":" + text;
      if (!seen_.insert(std::move(joined_key)).second)
        return false;
      spans_.push_back(
          {std::move(key), line_begins[table.lines[row] - line], 0, table.lines[row], 0});
    }
    spans_.back().end = line_begins[table.lines[row] - line + 1];
    ++spans_.back().rows;
  }
  if (begin == 0)
    first_rows_ = std::move(table);
  return true;
}

Table GroupIndex::parsed(std::string_view lines, std::uint32_t line) const {
  const std::string text = header_ + first_row_ + std::string(lines);
  const Table table =
      parse_csv(std::array{CsvText{text, path_, line - kHeaderLines - 1}}, texts_, ',');
  std::vector<std::size_t> rows(table.rows() - 1);
  std::iota(rows.begin(), rows.end(), std::size_t{1});
  return take_rows(table, rows);
}

Table GroupIndex::table(std::size_t group) const {
  const Span& span = spans_[group];
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat now = {};
  const bool is_same =
      descriptor != -1 && ::fstat(descriptor, &now) == 0 && is_same_file(now, status_);
  const std::string bytes = is_same ? bytes_of(descriptor, span.begin, span.end) : std::string();
  if (descriptor != -1)
    ::close(descriptor);
  if (bytes.size() != span.end - span.begin)
    throw InputError(path_ + ": somebody wrote to the file while it was read; run again");
  return span.line == kHeaderLines ? parse_csv(header_ + bytes, path_, texts_, ',')
                                   : parsed(bytes, span.line);
}

}  // namespace perfmodel

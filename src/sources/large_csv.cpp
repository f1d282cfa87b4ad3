#include "sources/large_csv.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/parallel.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"
#include "sources/csv.hpp"
#include "sources/source.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

[[noreturn]] void fail_to_read(const std::string& path, int error) {
  throw InputError(fmt::format("cannot read {}: {}", display_name(path),
                               std::generic_category().message(error)));
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ == -1)
      fail_to_read(path, errno);
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::uint64_t size() const {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0)
      fail_to_read(path_, errno);
    if (!S_ISREG(status.st_mode))
      throw InputError(path_ + " is no regular file, and only such a file can be read in parts");
    return static_cast<std::uint64_t>(status.st_size);
  }

  /// Appends up to one block of bytes from `offset`; none at the end of the file.
  std::size_t read(std::uint64_t offset, std::string& bytes) const {
    const std::size_t before = bytes.size();
    bytes.resize(before + kBlock);
    ssize_t count = -1;
    do {
      count = ::pread(descriptor_, bytes.data() + before, kBlock, static_cast<off_t>(offset));
    } while (count == -1 && errno == EINTR);
    if (count == -1)
      fail_to_read(path_, errno);
    bytes.resize(before + static_cast<std::size_t>(count));
    return static_cast<std::size_t>(count);
  }

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace

std::uint64_t regular_file_size(const std::string& path) {
  return OpenFile(path).size();
}

void for_each_block(
    const std::string& path, std::uint64_t begin, std::uint64_t end,
    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit) {
  const OpenFile file(path);
  // Reading starts a byte earlier: the byte before `begin` decides whether a line begins there.
  bool between_lines = begin == 0;
  std::uint64_t read_to = between_lines ? 0 : begin - 1;
  std::string bytes;
  std::uint64_t offset = read_to;  // of bytes
  for (bool ended = false; !ended && offset < end;) {
    const std::size_t count = file.read(read_to, bytes);
    read_to += count;
    ended = count == 0;
    if (!between_lines) {
      const std::size_t first_end = bytes.find('\n');
      if (first_end == std::string::npos) {
        offset += bytes.size();
        bytes.clear();
        continue;
      }
      bytes.erase(0, first_end + 1);
      offset += first_end + 1;
      between_lines = true;
    }
    std::size_t whole = ended ? bytes.size() : bytes.rfind('\n') + 1;  // npos + 1 is 0
    if (offset + whole > end) {
      // The line that contains `end` is the last; it is complete unless it continues in the next
      // block.
      const std::size_t inside = end > offset ? static_cast<std::size_t>(end - offset) : 0;
      const std::size_t last = inside == 0 ? 0 : bytes.find('\n', inside - 1);
      whole = inside == 0 ? 0 : last == std::string::npos ? bytes.size() : last + 1;
    }
    if (whole > 0)
      visit(std::string_view(bytes).substr(0, whole), offset);
    bytes.erase(0, whole);
    offset += whole;
    if (bytes.size() > kLongestLine)
      throw InputError(path + ": a line is longer than 16 MiB; is this a CSV file?");
  }
}

namespace {

/// SplitMix64 (Steele, Lea and Flood 2014): a bijection that removes patterns of the offsets.
std::uint64_t scattered(std::uint64_t place) {
  place += 0x9e3779b97f4a7c15U;
  place = (place ^ (place >> 30)) * 0xbf58476d1ce4e5b9U;
  place = (place ^ (place >> 27)) * 0x94d049bb133111ebU;
  return place ^ (place >> 31);
}

}  // namespace

void LineSample::add(std::string_view lines, std::uint64_t offset) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      ++filled_;
      const std::uint64_t hash = scattered(scattered(seed_) ^ offset);
      if (hash < least_refused_)
        keep({hash, lines_, std::string(line.ends_with('\r') ? line.substr(0, end - 1) : line)});
    }
    const std::size_t whole = std::min(end + 1, lines.size());
    lines.remove_prefix(whole);
    offset += whole;
    ++lines_;
  }
}

void LineSample::keep(Line line) {
  kept_.push_back(std::move(line));
  if (kept_.size() >= 2 * size_ + 1)
    shrink();
}

void LineSample::shrink() {
  if (kept_.size() <= size_)
    return;
  const auto first_refused = kept_.begin() + static_cast<std::ptrdiff_t>(size_);
  std::nth_element(kept_.begin(), first_refused, kept_.end(),
                   [](const Line& a, const Line& b) { return a.hash < b.hash; });
  least_refused_ = first_refused->hash;
  kept_.erase(first_refused, kept_.end());
}

void LineSample::append(const LineSample& next) {
  for (Line line : next.kept_) {
    line.number += lines_;
    if (line.hash < least_refused_)
      keep(std::move(line));
  }
  lines_ += next.lines_;
  filled_ += next.filled_;
}

std::vector<LineSample::Line> LineSample::drawn() const {
  LineSample out = *this;
  out.shrink();
  std::ranges::sort(out.kept_, [](const Line& a, const Line& b) { return a.number < b.number; });
  return std::move(out.kept_);
}

namespace {

constexpr std::size_t kPipedBlock = std::size_t{1} << 20;

}  // namespace

bool is_pipe(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::is_fifo(path, error);
}

PipedLines::PipedLines(const std::string& path, std::size_t beginning)
    : path_(path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ == -1)
    fail_to_read(path_, errno);
  bool ended = false;
  while (!ended && bytes_.size() < beginning)
    ended = !read_more();
  find_whole_lines(ended);
}

PipedLines::~PipedLines() {
  if (descriptor_ > STDIN_FILENO)
    ::close(descriptor_);
}

bool PipedLines::read_more() {
  const std::size_t before = bytes_.size();
  bytes_.resize(before + kPipedBlock);
  ssize_t count = -1;
  do {
    count = ::read(descriptor_, bytes_.data() + before, kPipedBlock);
  } while (count == -1 && errno == EINTR);
  if (count == -1)
    fail_to_read(path_, errno);
  bytes_.resize(before + static_cast<std::size_t>(count));
  digest_.add(std::string_view(bytes_).substr(before));
  return count > 0;
}

void PipedLines::find_whole_lines(bool ended) {
  whole_ = ended ? bytes_.size() : bytes_.rfind('\n') + 1;  // npos + 1 is 0
  if (bytes_.size() - whole_ > kLongestLine)
    throw InputError(display_name(path_) + ": a line is longer than 16 MiB; is this a CSV file?");
}

void PipedLines::for_each_block(
    std::uint64_t begin,
    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit) {
  bytes_.erase(0, begin);
  whole_ -= begin;
  std::uint64_t offset = begin;
  for (bool ended = false; !ended;) {
    if (whole_ > 0)
      visit(beginning(), offset);
    bytes_.erase(0, whole_);
    offset += whole_;
    ended = !read_more();
    find_whole_lines(ended);
  }
  if (whole_ > 0)
    visit(beginning(), offset);
}

namespace {

constexpr std::uint64_t kBeginning = std::uint64_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The checks of characters that readers of whole files make.
void check_characters(const NumberedLine& line, const std::string& source) {
  if (line.text.find('\0') != std::string::npos)
    throw InputError(fmt::format("{}:{}: a NUL byte; the file is damaged or not a text file",
                                 source, line.number));
  if (line.text.find('\r') != std::string::npos)
    throw InputError(
        fmt::format("{}:{}: a carriage return that is not part of a line end (CRLF); remove it",
                    source, line.number));
}

/// The header and lines of a table, in order.
class Lines {
 public:
  explicit Lines(const CsvBeginning& beginning) : beginning_(beginning) {
    lines_.push_back({beginning.header, beginning.header_line});
  }

  /// `row_line`: its index among the lines after the header, from 0.
  void add(std::string_view text, std::uint64_t row_line) {
    const std::uint64_t number = beginning_.header_line + 1 + row_line;
    constexpr std::uint64_t last = std::numeric_limits<std::uint32_t>::max();
    lines_.push_back({std::string(text), static_cast<std::uint32_t>(std::min(number, last))});
    check_characters(lines_.back(), beginning_.source);
  }

  Table table() const {
    return table_of_lines(lines_, beginning_.source, beginning_.text_columns,
                          beginning_.table.style);
  }

 private:
  const CsvBeginning& beginning_;
  std::vector<NumberedLine> lines_;
};

}  // namespace

CsvBeginning read_beginning(const std::string& path, const std::set<std::string>& text_columns,
                            const InputOptions& input) {
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
  if (!is_plain_csv(bytes, input))
    throw InputError(
        out.source +
        " is not plain CSV, the only format whose rows are drawn while they are read; write it as "
        "CSV first, with perfmodel import");
  out.table = parse_csv(std::array{CsvText{bytes, out.source, 0, input.decimal}}, text_columns,
                        input.separator);
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

LineSample draw_lines(const CsvBeginning& beginning, const LineSample& empty, std::size_t threads,
                      const ReadProgress& progress) {
  if (beginning.pipe) {
    LineSample out = empty;
    beginning.pipe->for_each_block(
        beginning.rows_at,
        [&](std::string_view lines, std::uint64_t offset) { out.add(lines, offset); });
    return out;
  }
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
  std::vector<LineSample> own(threads, empty);
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

Table table_of(const CsvBeginning& beginning, const LineSample& sample) {
  Lines lines(beginning);
  for (const LineSample::Line& line : sample.drawn())
    lines.add(line.text, line.number);
  return lines.table();
}

}  // namespace perfmodel

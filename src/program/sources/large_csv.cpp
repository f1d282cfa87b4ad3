#include "sources/large_csv.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <mutex>
#include <system_error>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "sources/csv.hpp"
#include "sources/source.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{1} << 24;  // in bytes

/// The number of bytes up to the end of the line that contains byte `at` of some lines.
std::size_t end_of_line(std::string_view lines, std::size_t at) {
  return std::min(lines.find('\n', at), lines.size() - 1) + 1;
}

}  // namespace

/// Reads a file or a pipe from front to back, in whole lines.
class LineBlocks {
 public:
  /// Reads from this offset of a file on. The path "-" is standard input.
  explicit LineBlocks(std::string path, std::uint64_t offset = 0)
      : path_(std::move(path)), source_(open_to_read(path_)), offset_(offset) {
    if (offset > 0 && ::lseek(source_.number(), static_cast<off_t>(offset), SEEK_SET) == -1)
      fail_to_read(path_, errno);
  }

  /// Throws InputError for anything but a regular file.
  std::uint64_t file_size() const {
    struct stat status = {};
    if (::fstat(source_.number(), &status) != 0)
      fail_to_read(path_, errno);
    if (!S_ISREG(status.st_mode))
      throw InputError(path_ + " is no regular file, and only such a file can be read in parts");
    return static_cast<std::uint64_t>(status.st_size);
  }

  /// The lines that were read and not dropped, and their offset.
  std::string_view lines() const { return std::string_view(bytes_).substr(0, whole_); }
  std::uint64_t offset() const { return offset_; }

  void drop(std::size_t bytes) {
    bytes_.erase(0, bytes);
    whole_ -= bytes;
    offset_ += bytes;
  }

  /// Reads on until there are lines, and at least so many bytes. Returns false at the end, if there
  /// are no lines. Throws InputError if reading fails or a line is longer than 16 MiB.
  bool read(std::size_t least = 0) {
    for (bool ended = false; !ended && (whole_ == 0 || bytes_.size() < least);) {
      ended = !read_block();
      whole_ = ended ? bytes_.size() : bytes_.rfind('\n') + 1;  // npos + 1 is 0
      if (bytes_.size() - whole_ > kLongestLine)
        throw InputError(display_name(path_) +
                         ": a line is longer than 16 MiB; is this a CSV file?");
    }
    return whole_ > 0;
  }

 private:
  std::string path_;
  Descriptor source_;
  std::uint64_t offset_;  // of bytes_
  std::string bytes_;
  std::size_t whole_ = 0;  // number of bytes in whole lines

  /// Appends the next bytes; false at the end.
  bool read_block() {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + kBlock);
    ssize_t count = -1;
    do {
      count = ::read(source_.number(), bytes_.data() + before, kBlock);
    } while (count == -1 && errno == EINTR);
    if (count == -1)
      fail_to_read(path_, errno);
    bytes_.resize(before + static_cast<std::size_t>(count));
    return count > 0;
  }
};

void for_each_block(
    const std::string& path, std::uint64_t begin, std::uint64_t end,
    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit) {
  // Reading starts a byte earlier: the byte before `begin` decides whether a line begins there.
  LineBlocks blocks(path, begin == 0 ? 0 : begin - 1);
  if (begin > 0 && blocks.read())
    blocks.drop(end_of_line(blocks.lines(), 0));
  while (blocks.offset() < end && blocks.read()) {
    std::string_view lines = blocks.lines();
    if (blocks.offset() + lines.size() > end)
      lines = lines.substr(0, end_of_line(lines, end - blocks.offset() - 1));
    visit(lines, blocks.offset());
    blocks.drop(blocks.lines().size());
  }
}

void LineSample::add(std::string_view lines, std::uint64_t offset) {
  while (!lines.empty()) {
    const std::size_t before = lines.size();
    const std::string_view line = take_csv_line(lines);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos &&
        !line.starts_with(kImportLine)) {
      ++filled_;
      const std::uint64_t hash = splitmix64(splitmix64(seed_) ^ offset);
      if (hash < least_refused_)
        keep({hash, lines_, std::string(line)});
    }
    offset += before - lines.size();
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

constexpr std::uint64_t kBeginning = std::uint64_t{1} << 20;

/// Whether the path is standard input or a named pipe.
bool is_pipe(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::is_fifo(path, error);
}

}  // namespace

CsvBeginning read_beginning(const std::string& path, const std::set<std::string>& text_columns,
                            const InputOptions& input) {
  CsvBeginning out;
  out.path = path;
  out.text_columns = text_columns;
  out.source = display_name(path);
  SourceText beginning{.csv = {}, .source = out.source};
  std::string& bytes = beginning.csv;
  if (is_pipe(path)) {
    out.pipe = std::make_shared<LineBlocks>(path);
    out.pipe->read(kBeginning);
    bytes = out.pipe->lines();
    out.piped = std::make_shared<Sha256>();
  } else {
    out.size = LineBlocks(path).file_size();
    for_each_block(path, 0, std::min(kBeginning, out.size),
                   [&](std::string_view lines, std::uint64_t) { bytes.append(lines); });
  }
  SourceText end = beginning;  // import writes its line there
  if (!out.pipe && out.size > bytes.size())
    for_each_block(path, out.size - kBeginning, out.size,
                   [&](std::string_view lines, std::uint64_t) { end.csv.append(lines); });
  take_import_lines(beginning);
  if (!take_import_lines(end) && !is_plain_csv(bytes, input))
    throw InputError(
        out.source +
        " is not plain CSV, the only format whose rows are drawn while they are read; write it as "
        "CSV first, with perfmodel import");
  out.results = end.results;
  out.described = end.described;
  out.table = parse_csv(std::array{CsvText{bytes, out.source, 0, input.decimal}}, text_columns,
                        input.separator);
  std::string_view rest = without_byte_order_mark(bytes);
  for (out.header_line = 0; out.header.find_first_not_of(" \t\r") == std::string::npos;) {
    out.header = take_csv_line(rest);
    ++out.header_line;
  }
  out.rows_at = bytes.size() - rest.size();
  return out;
}

LineSample draw_lines(const CsvBeginning& beginning, const LineSample& empty, std::size_t threads,
                      const ReadProgress& progress) {
  if (beginning.pipe) {
    LineSample out = empty;
    LineBlocks& pipe = *beginning.pipe;
    for (std::size_t header = beginning.rows_at; pipe.read(); header = 0) {
      out.add(pipe.lines().substr(header), pipe.offset() + header);
      beginning.piped->add(pipe.lines());
      pipe.drop(pipe.lines().size());
    }
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
  std::vector<NumberedLine> lines = {{beginning.header, beginning.header_line}};
  for (const LineSample::Line& line : sample.drawn()) {
    const std::uint64_t number = beginning.header_line + 1 + line.number;
    constexpr std::uint64_t last = std::numeric_limits<std::uint32_t>::max();
    lines.push_back({line.text, static_cast<std::uint32_t>(std::min(number, last))});
  }
  return table_of_lines(lines, beginning.source, beginning.text_columns, beginning.table.style);
}

}  // namespace perfmodel

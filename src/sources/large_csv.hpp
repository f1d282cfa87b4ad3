#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// Maximum length of a line, in bytes.
constexpr std::size_t kLongestLine = std::size_t{1} << 24;

/// The size of a regular file; throws InputError for anything else.
std::uint64_t regular_file_size(const std::string& path);

/// Calls `visit` with the lines of a file that begin at offsets in [begin, end), in blocks of whole
/// lines with the offset of the block. Adjacent ranges visit each line once, wherever they are cut.
/// Throws InputError if the file cannot be read or a line is longer than 16 MiB.
void for_each_block(const std::string& path, std::uint64_t begin, std::uint64_t end,
                    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit);

/// A random sample of the lines of a file, chosen by a hash of the offset of each line, so that the
/// sample does not depend on how the file is split.
class LineSample {
 public:
  LineSample(std::size_t size, std::uint64_t seed) : size_(size), seed_(seed) {}

  struct Line {
    std::uint64_t hash = 0;
    std::uint64_t number = 0;  ///< from 0 in this section
    std::string text;
  };

  /// Adds whole lines that begin at this offset of the file.
  void add(std::string_view lines, std::uint64_t offset);
  /// The part that follows.
  void append(const LineSample& next);

  /// The sample in the order of the file.
  std::vector<Line> drawn() const;
  /// Number of lines that are not blank.
  std::uint64_t lines_to_draw_from() const { return filled_; }

 private:
  std::size_t size_;
  std::uint64_t seed_;
  std::uint64_t lines_ = 0;
  std::uint64_t filled_ = 0;
  std::uint64_t least_refused_ = ~std::uint64_t{0};
  std::vector<Line> kept_;  ///< the lines with the smallest hashes, and some others until shrink()

  void keep(Line line);
  void shrink();
};

/// The lines of standard input or of a pipe, which can be read only once: the beginning is kept,
/// the rest is read in blocks.
class PipedLines {
 public:
  /// Reads the first `beginning` bytes; the path "-" is standard input. Throws InputError if
  /// reading fails.
  PipedLines(const std::string& path, std::size_t beginning);
  ~PipedLines();
  PipedLines(const PipedLines&) = delete;
  PipedLines& operator=(const PipedLines&) = delete;

  /// The whole lines of the beginning; empty if its first line is incomplete.
  std::string_view beginning() const { return std::string_view(bytes_).substr(0, whole_); }

  /// Calls `visit` with all lines from offset `begin`, which lies in the beginning, as
  /// for_each_block() does for a file. Can be called once.
  void for_each_block(
      std::uint64_t begin,
      const std::function<void(std::string_view lines, std::uint64_t offset)>& visit);

  /// Digest of all bytes; valid after all have been read.
  std::string sha256() { return digest_.text(); }

 private:
  std::string path_;
  int descriptor_;
  std::string bytes_;
  std::size_t whole_ = 0;  ///< number of bytes in whole lines
  Sha256 digest_;

  /// Appends the next bytes; false at the end.
  bool read_more();
  void find_whole_lines(bool ended);
};

/// True if the path is standard input or a named pipe.
bool is_pipe(const std::string& path);

/// The beginning of a file that is too large to be held in memory.
struct CsvBeginning {
  std::string path;    ///< "-": standard input
  std::string source;  ///< name in messages
  std::set<std::string> text_columns;
  Table table;  ///< of the first rows
  std::string header;
  std::uint32_t header_line = 1;
  std::uint64_t rows_at = 0;              ///< offset of the line after the header
  std::uint64_t size = 0;                 ///< size of the file; unknown for a pipe
  std::shared_ptr<PipedLines> pipe = {};  ///< if not a file: the pipe with the remaining lines
};

/// Throws what parse_csv() throws for the first rows, and InputError if the path is neither a
/// regular file nor a pipe.
CsvBeginning read_beginning(const std::string& path, const std::set<std::string>& text_columns,
                            const InputOptions& input);

/// Draws `size` of the lines after the header, on `threads` threads. A pipe is read by one thread,
/// and only once.
LineSample draw_lines(const CsvBeginning& beginning, const LineSample& empty, std::size_t threads,
                      const ReadProgress& progress = {});

/// The table of the lines in the sample.
Table table_of(const CsvBeginning& beginning, const LineSample& sample);

}  // namespace perfmodel

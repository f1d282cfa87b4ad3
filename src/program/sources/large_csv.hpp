#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/reading.hpp"
#include "storage/files.hpp"

namespace perfmodel {

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

class LineBlocks;

/// The beginning of a file that is too large to be held in memory.
struct CsvBeginning {
  std::string path;    ///< "-": standard input
  std::string source;  ///< name in messages
  std::set<std::string> text_columns;
  Table table;  ///< of the first rows
  std::string header;
  std::uint32_t header_line = 1;
  std::uint64_t rows_at = 0;                ///< offset of the line after the header
  std::uint64_t size = 0;                   ///< size of the file; unknown for a pipe
  std::shared_ptr<LineBlocks> pipe = {};    ///< if not a file: standard input or a pipe
  std::shared_ptr<Sha256> piped = {};       ///< of a pipe: of all bytes, once lines were drawn
  std::vector<std::string> results = {};    ///< the columns that its last line declares as such,
  std::vector<std::string> described = {};  ///< and those that facts describe
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

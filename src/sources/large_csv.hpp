#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/files.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// Which fields of a line make it another row.
struct LineKey {
  char separator = ',';
  std::vector<std::string> names;  ///< of all fields
  std::vector<bool> counts;        ///< by field; where all do, a line is known as it is written
};

/// The lines of a part of a table, equal ones counted. Nothing depends on how a table is cut into
/// parts if these are appended in their order.
class CountedLines {
 public:
  explicit CountedLines(LineKey key, std::size_t most = 4'000'000);

  /// Whole lines; blank ones are skipped. Throws InputError where more than `most` of them differ.
  void add(std::string_view lines, std::uint64_t offset);
  /// The part that follows.
  void append(const CountedLines& next);

  struct Line {
    std::string text{};        ///< where it is not its key
    std::uint64_t number = 0;  ///< of the first such line, from 0 in this part
    std::uint64_t runs = 0;
  };
  /// A line with the key by which it is known.
  using Counted = std::pair<const std::string, Line>;

  static const std::string& text_of(const Counted& counted) {
    return counted.second.text.empty() ? counted.first : counted.second.text;
  }
  /// In the order in which they first appear; until something is added.
  std::vector<const Counted*> in_order() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  LineKey key_;
  std::size_t most_;
  bool as_written_;  ///< whether the key of a line is the line
  std::unordered_map<std::string, Line, Hash, std::equal_to<>> known_;
  std::uint64_t lines_ = 0;
  std::string copy_;  ///< of a line, to be split
  std::string joined_;
  std::vector<std::string_view> fields_;

  /// Until the next line.
  std::string_view key_of(std::string_view line);
  void count(std::string_view key, std::string_view line, std::uint64_t number, std::uint64_t runs);
  std::string most_different_column() const;
};

/// In bytes, beyond which a file has no lines.
constexpr std::size_t kLongestLine = std::size_t{1} << 24;

/// The size of a regular file; throws InputError for anything else.
std::uint64_t regular_file_size(const std::string& path);

/// Hands the lines of a file that begin at `begin` or behind it and before `end` to `visit`, in
/// blocks of whole lines, with the place of the block in the file. Ranges that follow each other
/// have each line once, wherever they are cut. Throws InputError where the file cannot be read, and
/// for a line of more than 16 MiB.
void for_each_block(const std::string& path, std::uint64_t begin, std::uint64_t end,
                    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit);

/// Lines of a file drawn at random, by a hash of the place at which each begins: the same ones
/// however the file is cut into parts.
class LineSample {
 public:
  LineSample(std::size_t size, std::uint64_t seed) : size_(size), seed_(seed) {}

  struct Line {
    std::uint64_t hash = 0;
    std::uint64_t number = 0;  ///< from 0 in this part
    std::string text;
  };

  /// Whole lines that begin at this place of the file.
  void add(std::string_view lines, std::uint64_t offset);
  /// The part that follows.
  void append(const LineSample& next);

  /// In the order of the file.
  std::vector<Line> drawn() const;
  /// That are not blank.
  std::uint64_t lines_to_draw_from() const { return filled_; }

 private:
  std::size_t size_;
  std::uint64_t seed_;
  std::uint64_t lines_ = 0;
  std::uint64_t filled_ = 0;
  std::uint64_t least_refused_ = ~std::uint64_t{0};
  std::vector<Line> kept_;  ///< those of the least hashes, and more that came before these

  void keep(Line line);
  void shrink();
};

/// The lines of standard input or of a pipe, which can be read once: a beginning that is kept, and
/// what follows in blocks.
class PipedLines {
 public:
  /// "-" is standard input. Reads a beginning of so many bytes. Throws InputError where it cannot.
  PipedLines(const std::string& path, std::size_t beginning);
  ~PipedLines();
  PipedLines(const PipedLines&) = delete;
  PipedLines& operator=(const PipedLines&) = delete;

  /// Whole lines, unless there is but one.
  std::string_view beginning() const { return std::string_view(bytes_).substr(0, whole_); }

  /// Hands the lines from a place in the beginning on to `visit`, in blocks of whole lines with
  /// their place, as for_each_block() does of a file; once.
  void for_each_block(
      std::uint64_t begin,
      const std::function<void(std::string_view lines, std::uint64_t offset)>& visit);

  /// Of all bytes, when they have been read.
  std::string sha256() { return digest_.text(); }

 private:
  std::string path_;
  int descriptor_;
  std::string bytes_;
  std::size_t whole_ = 0;  ///< of them, in whole lines
  Sha256 digest_;

  /// Appends what comes next; false where nothing does.
  bool read_more();
  void find_whole_lines(bool ended);
};

/// Whether the path is standard input, or a pipe in a folder.
bool is_pipe(const std::string& path);

/// The beginning of a file that is too large to be read as a whole.
struct CsvBeginning {
  std::string path;    ///< "-": standard input
  std::string source;  ///< how messages call it
  std::set<std::string> text_columns;
  Table table;  ///< of the first rows
  std::string header;
  std::uint32_t header_line = 1;
  std::uint64_t rows_at = 0;              ///< where the line behind the header begins
  std::uint64_t size = 0;                 ///< of the file; of a pipe nobody knows
  std::shared_ptr<PipedLines> pipe = {};  ///< where the rest is read from, in place of a file
};

/// Throws what parse_csv() throws of the first rows, InputError for what is no regular file and no
/// pipe.
CsvBeginning read_beginning(const std::string& path, const std::set<std::string>& text_columns,
                            std::optional<char> separator);

/// What is kept of a part of a large file: its lines counted, or some of them drawn.
using LineSink = std::variant<CountedLines, LineSample>;

/// Reads the lines behind the header on so many threads; `empty` is a sink without lines. A pipe is
/// read by one thread, once.
LineSink read_lines(const CsvBeginning& beginning, const LineSink& empty, std::size_t threads,
                    const ReadProgress& progress = {});

/// The table of the lines that differ, each with how many runs it stands for.
Table table_of(const CsvBeginning& beginning, const CountedLines& counted);

/// The table of the lines that were drawn.
Table table_of(const CsvBeginning& beginning, const LineSample& sample);

}  // namespace perfmodel

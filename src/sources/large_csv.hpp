#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// What each line of a table has where.
struct LineLayout {
  CellStyle style;
  std::vector<std::string> names;   ///< by field, as all
  std::size_t time = 0;             ///< the measured one
  std::vector<bool> plays_no_part;  ///< whose cells make no two rows different
  /// Of a cell of the time that is none: whether its run failed and is to be left out. Empty: all
  /// such rows are odd.
  std::function<bool(const std::string& cell)> is_failure = {};
};

/// How much of a table may be left.
struct MergeLimits {
  std::size_t configurations = 2'000'000;
  std::size_t distinct = 2'000'000;  ///< pairs of a configuration and a time
};

/// A line as the key of its configuration and its time.
struct CutRow {
  std::string_view key;  ///< of all cells that play a part; until the next row
  double time = 0;
  bool odd = false;  ///< not as many fields as the header, or no time > 0
  /// Of as many fields, that of the time without blanks around it; until the next row.
  std::optional<std::string_view> time_cell = {};
};

/// Cuts lines without looking at more than it must: a file of 4 GB has them by the hundred million.
class RowCutter {
 public:
  explicit RowCutter(LineLayout layout);

  CutRow cut(std::string_view line);
  /// A field of a line that is not odd, or all; until the next row.
  std::string_view cell(std::string_view line, std::size_t field);
  const std::vector<std::string_view>& cells(std::string_view line);
  /// Of a cell; nothing where it is no number.
  std::optional<double> number(std::string_view cell) const;
  const LineLayout& layout() const { return layout_; }

 private:
  LineLayout layout_;
  bool all_play_a_part_ = true;
  std::string key_;
  std::string copy_;
  std::vector<std::string_view> fields_;

  CutRow cut_quoted(std::string_view line);
  CutRow with_time(std::string_view cell) const;
};

/// The lines of a part of a table with equal ones merged. Nothing depends on how a table is cut
/// into parts, if these are put together in their order: configurations are known by their cells as
/// they are written and stand in the order in which they first appear.
class MergedLines {
 public:
  explicit MergedLines(LineLayout layout, MergeLimits limits = {});

  /// Whole lines. Throws InputError where more is left than the limits allow.
  void add(std::string_view lines);
  /// The part that follows.
  void append(const MergedLines& next);

  /// A configuration: the first line that has it.
  struct Configuration {
    std::string_view line;
    std::uint64_t number = 0;  ///< of that line, from 0 in this part
  };
  /// Runs of one configuration and time.
  struct Times {
    double time = 0;
    std::uint64_t runs = 0;
    std::uint64_t line = 0;  ///< the first of theirs
    std::uint32_t configuration = 0;
  };
  /// A line that is no row with a time > 0: what is wrong with it is for others to say.
  struct OddLine {
    std::string line;
    std::uint64_t number = 0;
  };

  /// Runs that failed with the same cell.
  struct Failed {
    std::uint64_t runs = 0;
    std::vector<std::uint64_t> lines;  ///< the first of theirs
  };

  std::size_t configurations() const { return known_.size(); }
  Configuration configuration(std::size_t i) const;
  const std::deque<Times>& times() const { return times_; }
  /// The first of them.
  const std::vector<OddLine>& odd_lines() const { return odd_; }
  /// By their cells.
  const std::map<std::string, Failed>& failed() const { return failed_; }
  std::uint64_t lines() const { return lines_; }

 private:
  struct Known {
    std::uint64_t hash = 0;
    std::uint64_t number = 0;
    std::size_t key = 0;  ///< where it begins in texts_; the line follows
    std::uint32_t key_size = 0;
    std::uint32_t line_size = 0;
  };
  RowCutter cutter_;
  MergeLimits limits_;
  std::string texts_;
  std::vector<Known> known_;
  std::vector<std::uint32_t> slots_;  ///< of known_, + 1
  std::deque<Times> times_;
  std::vector<std::uint32_t> time_slots_;  ///< of times_, + 1
  std::vector<OddLine> odd_;
  std::map<std::string, Failed> failed_;
  std::uint64_t lines_ = 0;
  /// Rows on their way into the tables, so many at once that memory answers in the meantime.
  struct Waiting {
    std::string_view line;
    std::size_t key = 0;  ///< where it begins in keys_
    std::size_t key_size = 0;
    std::uint64_t hash = 0;
    Times times;
  };
  std::vector<Waiting> waiting_;
  std::string keys_;

  void add_line(std::string_view line);
  void add_waiting();
  void add_odd(std::string_view line, std::uint64_t number);
  void add_failed(const std::string& cell, const Failed& failed, std::uint64_t before);
  std::uint32_t find_or_add(std::string_view key, std::uint64_t hash, std::string_view line,
                            std::uint64_t number);
  void grow_slots();
  void add_times(const Times& times);
  void grow_time_slots();
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

/// What is kept of a part of a large file: its lines merged, or some of them as they stand there.
struct LargePart {
  std::optional<MergedLines> merged;
  LineSample sample;

  void add(std::string_view lines, std::uint64_t offset);
  void append(const LargePart& next);
};

/// Reads the lines behind the header on so many threads; `empty` is a part without lines. A pipe is
/// read by one thread, once.
LargePart read_lines(const CsvBeginning& beginning, const LargePart& empty, std::size_t threads,
                     const ReadProgress& progress = {});

/// The line of the file that has this number among those behind the header.
std::uint32_t line_of_file(const CsvBeginning& beginning, std::uint64_t row_line);

/// The table of distinct rows, each with how many runs it stands for; of odd lines alone, beside a
/// row of each configuration, where there are any.
Table table_of(const CsvBeginning& beginning, const MergedLines& merged, std::size_t time);

/// The table of the lines that were drawn.
Table table_of(const CsvBeginning& beginning, const LineSample& sample);

}  // namespace perfmodel

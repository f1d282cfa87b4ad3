#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "io/large/line_layout.hpp"
#include "io/large/line_sample.hpp"
#include "io/large/merged_lines.hpp"
#include "io/large/piped_lines.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/io/csv/read_progress.hpp"

namespace perfmodel {

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

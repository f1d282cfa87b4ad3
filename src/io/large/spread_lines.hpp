#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tasks/processes.hpp"
#include "io/large/large_csv.hpp"
#include "io/large/line_layout.hpp"
#include "io/large/line_sample.hpp"
#include "io/large/merged_lines.hpp"

namespace perfmodel {

/// What a process of a job has of a file that none of them holds as a whole.
struct SpreadLines {
  /// Its blocks (see base/tasks/blocks): a configuration is in the one that its cells say, with all
  /// its runs, whoever has read them.
  std::vector<MergedLines> blocks;
  /// The same in every process.
  std::vector<LineSample::Line> drawn;
  /// What columns are and between which values: lines beside those that are drawn.
  std::vector<LineSample::Line> corners;
  std::uint64_t lines_to_draw_from = 0;
  bool has_odd_lines = false;  ///< some of them are among the corners
};

/// Reads a file together with the other processes, some MiB of the share of each at a time.
/// `sample`: a sample without lines; `before_moments`: as MergeLimits, of a block. What cannot be
/// read is an InputError in all of them.
SpreadLines read_spread(const CsvBeginning& beginning, const LineLayout& layout, MergedTimes times,
                        std::size_t before_moments, const LineSample& sample, Processes& processes,
                        const ReadProgress& progress = {});

/// Throws the InputError that a process has met, the first of them, in all.
void agree(Processes& processes, const std::string& failure);

}  // namespace perfmodel

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/large/line_layout.hpp"
#include "io/large/row_cutter.hpp"

namespace perfmodel {

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

}  // namespace perfmodel

#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "storage/files.hpp"

namespace perfmodel {

/// The shards of a job merged into one file, with the same bytes as the job without shards. Only
/// the position of each line is in memory.
class MergedParts {
 public:
  /// Throws InputError, naming the shards to run again, for a shard of another job, a truncated
  /// line, and a task that is in two shards or in none.
  explicit MergedParts(const std::vector<TextLines>& parts);

  /// The first line, with its newline.
  const std::string& header() const { return header_; }
  std::size_t tasks() const { return places_.size(); }
  /// Visits the other lines in the order of their tasks, with their newlines.
  void for_each_line(const std::function<void(std::string_view line)>& visit) const;

 private:
  struct Place {
    std::size_t part = 0;
    std::size_t offset = 0;
    std::size_t size = 0;  ///< 0: missing
  };
  std::vector<TextLines> parts_;
  std::string header_;
  std::size_t shards_ = 1;
  std::vector<Place> places_;  ///< by task

  /// Reads the first line of a part and returns its shard.
  Shard begin(const std::string& place, const TextLines& part, std::string_view line);
  /// Notes the places of the lines of a part, what is wrong with it, and its shard if that has to
  /// run again.
  void read(std::size_t part, std::vector<std::string>& problems, std::set<std::size_t>& again);
};

}  // namespace perfmodel

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/runs/model_sets.hpp"
#include "perfmodel/model/columns/failed_runs.hpp"

namespace perfmodel::cli {

/// Takes failed runs away from the rows of each model, where that is asked for, and knows of all.
class FailedOfSet {
 public:
  explicit FailedOfSet(bool drop) : drop_(drop) {}

  /// Whether a run is left.
  bool take_away(LineRows& part);

  /// A sentence per measured column.
  std::vector<std::string> words() const;

 private:
  struct OfColumn {
    std::map<std::pair<std::string, std::string>, FailedRuns> by_cell;
    std::size_t rows = 0;  ///< with those that went well
  };
  bool drop_;
  std::map<std::string, OfColumn> columns_;
};

}  // namespace perfmodel::cli

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// Puts a TimeList together. Copies share what they have in common.
class TimeCollector {
 public:
  void add(double time, std::uint64_t runs);
  void add(const TimeList& list);

  /// Sorts in what was added last.
  void settle();
  /// All that was added; the same in whatever order that was.
  SharedTimes list() const;
  /// How many different times there are, beside those that were added last.
  std::size_t size() const { return sorted_ ? sorted_->times.size() : 0; }

 private:
  using Runs = std::pair<double, std::uint64_t>;

  SharedTimes sorted_;
  std::vector<Runs> waiting_;
};

}  // namespace perfmodel

#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "cli/terminal/console.hpp"
#include "perfmodel/optimise/evolution/progress.hpp"

namespace perfmodel::cli {

/// A line that shows that the work is alive, at most ten times a second; gone at the end.
class SearchProgress {
 public:
  explicit SearchProgress(Console& console) : console_(console) {}
  ~SearchProgress() { console_.progress({}); }
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  /// Inside of one search.
  void show(const optimise::Progress& progress);
  /// "fitting: 3 of 10 done"
  void show(const std::string& work, std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  Clock::time_point next_ = Clock::now();
  std::mutex mutex_;  ///< searches that run side by side may all report here

  bool is_due();
};

}  // namespace perfmodel::cli

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/terminal/console.hpp"
#include "cli/terminal/progress_text.hpp"
#include "perfmodel/optimise/evolution/progress.hpp"

namespace perfmodel::cli {

/// A line that shows how far the work is: from its third second on, on a terminal only, gone at the
/// end.
class SearchProgress {
 public:
  explicit SearchProgress(Console& console);
  ~SearchProgress();
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  /// Work of which nobody knows how long it takes: "reading runs.csv".
  void begin(const std::string& work);
  /// Begins work that tells how much of all is done: of the returned function's calls.
  std::function<void(std::size_t done, std::size_t all)> watch(const std::string& work);
  /// Inside of one search.
  void show(const optimise::Progress& progress);
  /// "fitting", 3 of 10 parts done; `even`: each takes about as long as another.
  void show(const std::string& work, std::size_t done, std::size_t all, bool even = true);

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point work_start_ = start_;
  WorkState state_;
  std::mutex mutex_;  ///< searches that run side by side may all report here
  std::condition_variable_any end_;
  std::jthread watcher_;  ///< draws the line anew as time goes by

  double seconds_of_work() const;
  void change_work(const std::string& work);
  void draw(const std::stop_token& end_of_work);
};

}  // namespace perfmodel::cli

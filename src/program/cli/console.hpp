#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "perfmodel/progress.hpp"

namespace spdlog {
class logger;
}

namespace perfmodel::cli {

/// Progress of one work item, and of all work planned with it.
struct WorkState {
  std::string work;         ///< "folds"
  std::size_t done = 0;     ///< number of finished parts
  std::size_t all = 0;      ///< number of parts; 0: unknown
  std::size_t before = 0;   ///< parts that were done when the clock started
  bool even = true;         ///< the parts take about equally long
  double seconds = 0;       ///< since the clock started
  double seconds_done = 0;  ///< until the last finished part
  std::string detail{};     ///< further text for the line
  double earlier = 0;       ///< share of all work done before this item
  double share = 1;         ///< share of all work in this item
  double seconds_earlier = 0;
  std::optional<double> last_left{};  ///< the previous estimate of seconds_left()
};

/// Estimates the seconds left of all work from the pace of this item. Returns nullopt before two
/// parts are done and if parts take unequally long. The estimate grows only if it was far too low.
std::optional<double> seconds_left(const WorkState& state);

/// Returns "folds  [########------------]  40 %, about 12 s left", with the share of all work; if
/// the share is unknown, "choosing the form, 8 s". At most `width` characters.
std::string progress_text(const WorkState& state, std::size_t width);

enum class ColorChoice { automatic, always, never };

struct ConsoleOptions {
  bool quiet = false;
  ColorChoice color = ColorChoice::automatic;
};

/// Line width if standard error is not a terminal.
constexpr std::size_t kUsualWidth = 100;

/// Width of the terminal, clamped to 60 to 200 columns, if the result goes to it (`output` is "-").
/// Returns nullopt if standard output is no terminal.
std::optional<std::size_t> output_width(const std::string& output = "-");

/// Output for people, all on standard error: errors, warnings, notices, the summary and the
/// progress line. `--quiet` keeps only warnings and errors. Control characters are masked. Each
/// message is one write, so that processes sharing a terminal or a log do not split each other's
/// lines.
class Console {
 public:
  explicit Console(const ConsoleOptions& options);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void error(std::string_view message);
  void warning(std::string_view message);
  void notice(std::string_view message);
  /// Writes formatted lines, which may contain the escape sequences of strong().
  void summary(std::string_view text);
  /// Replaces the progress line; an empty text removes it. Has no effect unless shows_progress().
  void progress(std::string_view text);

  /// True on a terminal without --quiet.
  bool shows_progress() const { return terminal_ && !quiet_; }
  bool quiet() const { return quiet_; }
  /// Width of the terminal of standard error, clamped to 60 to 200 columns; nullopt if it is none.
  std::optional<std::size_t> width() const;
  /// Returns the text as a heading if colours are enabled, else unchanged.
  std::string strong(std::string_view text) const;

 private:
  bool quiet_;
  bool terminal_;
  bool color_;
  bool progress_shown_ = false;
  std::mutex mutex_;  ///< the progress line is drawn by another thread

  std::shared_ptr<spdlog::logger> logger_;

  /// Replaces the progress line by `text`, and writes `progress_line` behind it.
  void write(std::string text, const std::string& progress_line = {});
};

/// A progress line for all work, with one clock; shown on a terminal after two seconds, and removed
/// at the end.
class SearchProgress {
 public:
  explicit SearchProgress(Console& console);
  ~SearchProgress();
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  /// Announces work items in order, with their weights, so that progress is shown as a share of all
  /// of them. An item that is not announced is shown on its own.
  void plan(std::vector<std::pair<std::string, double>> works);
  /// Begins work of unknown length, such as "reading runs.csv".
  void begin(const std::string& work);
  /// Begins work whose progress is reported through the returned function.
  std::function<void(std::size_t done, std::size_t all)> watch(const std::string& work);
  /// Shows the progress of one search.
  void show(const optimise::Progress& progress);
  /// Shows that `done` of `all` parts of the work are finished. `even`: the parts take about
  /// equally long.
  void show(const std::string& work, std::size_t done, std::size_t all, bool even = true);

 private:
  using Clock = std::chrono::steady_clock;

  Console& console_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point work_start_ = start_;
  WorkState state_;
  std::vector<std::pair<std::string, double>> plan_;
  std::mutex mutex_;  ///< concurrent searches may report here
  std::condition_variable_any end_;
  std::jthread watcher_;  ///< redraws the line periodically

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void change_work(const std::string& work);
  void draw(const std::stop_token& end_of_work);
};

/// While an instance exists, SIGINT and SIGTERM request a stop instead of ending the program; a
/// second signal ends it at once.
///
/// Threads inherit the blocked signals, so it must be created before the worker threads.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t previous_mask_;
  std::stop_source stop_;
  std::jthread watcher_;

  void watch(const std::stop_token& end_of_watch);
};

/// The signal that requested the stop, if any.
std::optional<int> received_signal();

/// Exit code by which a shell reports a program ended by a signal.
inline int exit_code_of_signal(int signal) {
  return 128 + signal;
}

}  // namespace perfmodel::cli

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

/// How far a piece of work is.
struct WorkState {
  std::string work;         ///< "folds"
  std::size_t done = 0;     ///< of `all` equal parts
  std::size_t all = 0;      ///< 0: nobody knows how long it takes
  std::size_t before = 0;   ///< of those that are done, when the clock began
  bool even = true;         ///< whether each part takes about as long as another
  double seconds = 0;       ///< on the clock
  double seconds_done = 0;  ///< of these, until the last part was done
  std::string detail{};     ///< what else there is to say
  double earlier = 0;       ///< share of all work that was done before this one
  double share = 1;         ///< of all work that this one is
  double seconds_earlier = 0;
  std::optional<double> last_left{};  ///< what was said to be left the last time
};

/// What is left of all work, from the pace of what is done of this one; nothing before two parts
/// are done, and where parts differ. It grows only where it was wrong by far.
std::optional<double> seconds_left(const WorkState& state);

/// "folds  [########------------]  40 %, about 12 s left", of all work; without a bar where no
/// share is known: "choosing the form, 8 s". At most `width` characters.
std::string progress_text(const WorkState& state, std::size_t width);

enum class ColorChoice { automatic, always, never };

struct ConsoleOptions {
  bool quiet = false;
  ColorChoice color = ColorChoice::automatic;
};

/// Of lines where nothing tells how wide they may be.
constexpr std::size_t kUsualWidth = 100;

/// Whether standard output is a terminal, where nobody wants files.
bool is_terminal_output();

/// Columns of that terminal, 60 to 200, where the result goes there: `output` is "-". Nothing where
/// it is none.
std::optional<std::size_t> output_width(const std::string& output = "-");

/// Everything meant for people, all of it on standard error: errors, warnings, notices, the summary
/// and the progress line. `--quiet` keeps warnings and errors only. Controls in the texts are
/// masked. Each goes out in one piece, so that processes that share a terminal or a log do not cut
/// each other's lines.
class Console {
 public:
  explicit Console(const ConsoleOptions& options);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void error(std::string_view message);
  void warning(std::string_view message);
  void notice(std::string_view message);
  /// Ready-made lines, with what strong() made of them.
  void summary(std::string_view text);
  /// Replaces the progress line; an empty text removes it. Only where somebody watches.
  void progress(std::string_view text);

  /// Whether the progress line is of any use: a terminal, and not --quiet.
  bool shows_progress() const { return terminal_ && !quiet_; }
  bool quiet() const { return quiet_; }
  /// Columns of the terminal that the messages go to, 60 to 200; nothing where it is none.
  std::optional<std::size_t> width() const;
  /// The text as a heading where colours are wanted, plain otherwise.
  std::string strong(std::string_view text) const;

 private:
  bool quiet_;
  bool terminal_;
  bool color_;
  bool progress_shown_ = false;
  std::mutex mutex_;  ///< the progress line is drawn beside the work

  std::shared_ptr<spdlog::logger> logger_;

  /// In place of the progress line, with another one behind it.
  void write(std::string text, const std::string& progress_line = {});
};

/// One line that shows how far all work is, with one clock: from its third second on, on a terminal
/// only, gone at the end.
class SearchProgress {
 public:
  explicit SearchProgress(Console& console);
  ~SearchProgress();
  SearchProgress(const SearchProgress&) = delete;
  SearchProgress& operator=(const SearchProgress&) = delete;

  /// What will be told of, in this order, and what each weighs: from now on a share of it is a
  /// share of the whole. Of what is not in it, the whole is that alone.
  void plan(std::vector<std::pair<std::string, double>> works);
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
  std::vector<std::pair<std::string, double>> plan_;
  std::mutex mutex_;  ///< searches that run side by side may all report here
  std::condition_variable_any end_;
  std::jthread watcher_;  ///< draws the line anew as time goes by

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void change_work(const std::string& work);
  void draw(const std::stop_token& end_of_work);
};

/// While one of these lives, SIGINT and SIGTERM ask the work to stop instead of ending the program;
/// a second one ends it at once.
///
/// Threads inherit the blocked signals, so create it before those that work.
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

/// The signal that asked the program to stop, if one did.
std::optional<int> received_signal();

/// What a program that a signal ended returns to its shell.
inline int exit_code_of_signal(int signal) {
  return 128 + signal;
}

}  // namespace perfmodel::cli

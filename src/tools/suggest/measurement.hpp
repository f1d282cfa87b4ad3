#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// A line of output that states a time: the texts before and after the number.
struct TimePattern {
  std::string before;
  std::string after;
};

/// "step_time: {}"; throws UsageError unless the text has exactly one {}.
TimePattern parse_time_pattern(const std::string& text);

/// The last time that matches, in seconds. A unit may follow the number ("12.5 ms", "1m 30s"),
/// otherwise it is in seconds. Returns nullopt if there is none, and NaN if the last number is no
/// time: "5 it/s", "5 GB", "1:30", which may be minutes or hours, "1,234.5".
std::optional<double> time_in(std::string_view output, const TimePattern& pattern);

/// A command as a vector of arguments, and how to know when the work is done and where its output
/// is.
struct RunCommand {
  std::vector<std::string> words;
  /// For a command that hands over a job and prints its name last: prints something to standard
  /// output until the job {job} has ended. Empty: the work ends with the command.
  std::vector<std::string> poll;
  std::vector<std::string> cancel;  ///< ends the job {job}; may be empty
  std::string log;                  ///< file with the output; empty: what the command prints
  std::string question = {};        ///< for a worker: the configuration as a line of JSON
};

using Clock = std::chrono::steady_clock;

/// When a run is ended early: at `end` as if there had been no run, after `timeout` seconds as a
/// failed one.
struct RunLimits {
  std::optional<double> timeout;
  std::optional<Clock::time_point> end;
  std::stop_token stop;
};

/// The result of a run. `seconds`: from its start to its end, by the clock.
struct TimedRun {
  enum class Result { time, failed, timeout, stopped };

  Result result = Result::failed;
  double time = 0;  ///< in seconds, if there is one
  double seconds = 0;
  std::string reason;     ///< of a failure: "exit code 1: out of memory"
  std::string note = {};  ///< about ignored lines of a worker, once
};

/// Runs a command once. The time is that of the clock, or the one in its output. The command has a
/// process group of its own, no input, and the environment of this program; the group is killed as
/// a whole when the run ends, but not if it handed over a job.
TimedRun time_run(const RunCommand& command, const std::optional<TimePattern>& pattern,
                  const RunLimits& limits);

class Process;

/// A program that stays up: it reads one configuration per line, and answers each with a line that
/// has its time. It is started when it is first needed, and again after it has ended.
class Worker {
 public:
  Worker();
  /// Closes the input of the program, and ends it if it stays.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Asks for a run. The line is passed on in two parts: its limits hold from when the program has
  /// read the first, so that they do not include its start, and what it has printed before is no
  /// answer. The first line after it is, unless another answer follows. The program is ended at a
  /// limit, after a line that is no answer and after two that are, since later lines could be the
  /// answers to earlier configurations.
  TimedRun run(const RunCommand& command, const RunLimits& limits);

 private:
  std::unique_ptr<Process> process_;
  bool has_told_ = false;  ///< of ignored lines

  /// Takes what was printed. Fails the run, and returns false, if an answer is among it where there
  /// was one already.
  bool ignores_lines(bool after_answer, TimedRun& run);
};

}  // namespace perfmodel

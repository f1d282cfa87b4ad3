#include "jobs/measurement.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "columns/quantities.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {
namespace {

using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::size_t kMostOutput = std::size_t{1} << 20;  ///< bytes kept of the end of an output
constexpr milliseconds kStopDelay(50);   ///< after which a request to stop is noticed
constexpr milliseconds kGrace(2000);     ///< between SIGTERM and SIGKILL
constexpr milliseconds kFirstPoll(100);  ///< time until a job is polled first; it doubles
constexpr milliseconds kLongestPoll(5000);
/// A poll that fails and prints nothing may be out of reach of the queue, not of the job.
constexpr int kBelievedFailures = 2;

/// Whether a number that ends before `rest` is part of more: "1,234", "1_000", "1:30", "5x", "5%".
bool goes_on(std::string_view rest) {
  const auto is = [&](std::size_t at, int (*kind)(int)) {
    return at < rest.size() && kind(static_cast<unsigned char>(rest[at])) != 0;
  };
  return is(0, std::isalnum) || rest.starts_with('_') || rest.starts_with('%') ||
         (rest.find_first_of(",.:-/") == 0 && is(1, std::isdigit));
}

/// Whether the word after a number is a unit of something else: "GB", "%", "it/s".
bool is_no_time(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string word(rest.substr(0, rest.find_first_of(" \t,;)]")));
  const auto unit = [](const std::string& text) {
    const auto quantity = parse_quantity("1" + text);
    return quantity ? quantity->unit : "";
  };
  const auto per = word.rfind('/');
  return per == word.npos ? unit(word) == "B" || unit(word) == "%"
                          : unit(word.substr(per + 1)) == "s";
}

/// A quantity of time or a number of seconds that a text begins with, and its length; NaN: a number
/// that is no time.
std::optional<std::pair<double, std::size_t>> leading_time(std::string_view text,
                                                           std::string_view after) {
  constexpr std::size_t longest = 32;
  std::optional<std::pair<double, std::size_t>> number;
  for (std::size_t size = std::min(longest, text.size()); size > 0; --size) {
    const std::string_view part = text.substr(0, size);
    const auto quantity = parse_quantity(part);
    if (quantity && quantity->unit == "s" && !goes_on(text.substr(size)))
      return std::pair(quantity->value, size);
    if (!number)
      if (const auto value = parse_number(part))
        number = std::pair(*value, size);
  }
  const std::string_view rest = text.substr(number ? number->second : 0);
  const bool ends = !goes_on(rest) || (!after.empty() && rest.starts_with(after));
  if (number && (!ends || is_no_time(rest)))
    return std::pair(NAN, std::min(text.find(' '), text.size()));
  return number;
}

/// The number in the last place of a line that has one.
std::optional<double> time_in_line(std::string_view line, const TimePattern& pattern) {
  std::optional<double> found;
  for (std::size_t at = 0; (at = line.find(pattern.before, at)) != std::string_view::npos;) {
    std::string_view rest = line.substr(at + pattern.before.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto time = leading_time(rest, pattern.after);
    // The text after the number may be its unit, which is part of the time then.
    if (time && rest.find(pattern.after) != std::string_view::npos)
      found = time->first;
    at = time ? line.size() - rest.size() + time->second : at + 1;
  }
  return found;
}

/// The end of a process and the ends of what it printed.
struct Ended {
  std::optional<TimedRun::Result> limit;  ///< for which it was ended; nullopt: it ended by itself
  int status = 0;
  double seconds = 0;
  std::string output;
  std::string errors;  ///< if they are kept apart
};

[[noreturn]] void cannot_start(const std::string& program, int error) {
  throw InputError("cannot start '" + program + "': " + std::generic_category().message(error));
}

/// In the new process: becomes the program. Only async-signal-safe calls, since other threads of
/// the parent may have held locks.
[[noreturn]] void become(char* const* words, int output, int errors, pid_t parent) {
  ::setpgid(0, 0);
  // A program that outlives a killed parent would disturb the runs of its successor.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(1);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = ::open("/dev/null", O_RDONLY);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execvp(words[0], words);
  constexpr int cannot_execute = 126;
  ::_exit(cannot_execute);
}

pid_t start(const std::vector<std::string>& words, int output, int errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));  // execvp() does not change them
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == -1)
    cannot_start(words.front(), errno);
  if (process == 0)
    become(arguments.data(), output, errors, parent);
  ::setpgid(process, process);  // whichever of the two processes is first
  return process;
}

/// Reads what is there without waiting; false at the end of the output.
bool read_some(int descriptor, std::string& output) {
  std::array<char, 65536> block;
  const ssize_t count = ::read(descriptor, block.data(), block.size());
  if (count > 0) {
    output.append(block.data(), static_cast<std::size_t>(count));
    if (output.size() > 2 * kMostOutput)
      output.erase(0, output.size() - kMostOutput);
  }
  return count > 0 || (count == -1 && (errno == EINTR || errno == EAGAIN));
}

milliseconds left_until(Clock::time_point time) {
  return std::max(milliseconds(0), duration_cast<milliseconds>(time - Clock::now()));
}

/// The limit that holds now, if any.
std::optional<TimedRun::Result> limit_reached(const RunLimits& limits, Clock::time_point start) {
  if (limits.stop.stop_requested() || (limits.end && Clock::now() >= *limits.end))
    return TimedRun::Result::stopped;
  if (limits.timeout && duration<double>(Clock::now() - start).count() >= *limits.timeout)
    return TimedRun::Result::timeout;
  return std::nullopt;
}

/// Time until limit_reached() has to be asked again.
milliseconds wait_of(const RunLimits& limits, Clock::time_point start) {
  milliseconds out = limits.stop.stop_possible() ? kStopDelay : kLongestPoll;
  if (limits.end)
    out = std::min(out, left_until(*limits.end));
  if (limits.timeout)
    out = std::min(
        out, left_until(start + duration_cast<Clock::duration>(duration<double>(*limits.timeout))));
  return out + milliseconds(1);
}

/// `keeps_rest`: for a command that handles a job. What it left running when it ended by itself
/// goes on, and its errors are kept apart from its output, which says what the job is.
Ended run_to_end(const std::vector<std::string>& words, const RunLimits& limits, bool keeps_rest) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    cannot_start(words.front(), errno);
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  ::fcntl(output.number(), F_SETFL, O_NONBLOCK);
  Ended out;
  const Clock::time_point begin = Clock::now();
  const Descriptor errors(keeps_rest ? ::memfd_create("errors", MFD_CLOEXEC) : -1);
  const pid_t process =
      start(words, input.number(), errors.number() == -1 ? input.number() : errors.number());
  input.close();
  const Descriptor watch(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (watch.number() == -1)
    cannot_start(words.front(), errno);
  std::optional<Clock::time_point> kill_at;  // since it has been asked to end
  std::array<pollfd, 2> events{{{watch.number(), POLLIN, 0}, {output.number(), POLLIN, 0}}};
  while (true) {
    const milliseconds wait = kill_at ? left_until(*kill_at) : wait_of(limits, begin);
    ::poll(events.data(), events.size(), static_cast<int>(wait.count()));
    if (events[1].revents != 0 && !read_some(output.number(), out.output))
      events[1].fd = -1;
    if (events[0].revents != 0)
      break;
    const auto limit = limit_reached(limits, begin);
    if (kill_at && Clock::now() >= *kill_at) {
      ::kill(-process, SIGKILL);
    } else if (limit && !kill_at) {
      out.limit = limit;
      ::kill(-process, SIGTERM);
      kill_at = Clock::now() + kGrace;
    }
  }
  out.seconds = duration<double>(Clock::now() - begin).count();
  if (!keeps_rest || out.limit)
    ::kill(-process, SIGKILL);  // its number is its own until waitpid()
  ::waitpid(process, &out.status, 0);
  for (std::size_t size = 0; events[1].fd != -1 && (size == 0 || out.output.size() > size);) {
    size = out.output.size();
    if (!read_some(output.number(), out.output))
      break;
  }
  if (errors.number() != -1)
    out.errors = read_file("/proc/self/fd/" + std::to_string(errors.number()));
  return out;
}

std::vector<std::string> with_job(std::vector<std::string> words, const std::string& job) {
  constexpr std::string_view placeholder = "{job}";
  for (std::string& word : words)
    for (auto at = word.find(placeholder); at != std::string::npos;
         at = word.find(placeholder, at + job.size()))
      word.replace(at, placeholder.size(), job);
  return words;
}

/// The last word that a command printed, without the cluster that Slurm may add: "17;main".
std::string job_of(const std::string& output) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto end = output.find_last_not_of(blanks);
  if (end == std::string::npos)
    return "";
  const auto before = output.find_last_of(blanks, end);
  const std::string word = output.substr(before + 1, end - before);
  return word.substr(0, word.find(';'));
}

std::string last_line(const std::string& output) {
  const auto end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos)
    return "";
  const std::string line = output.substr(0, end + 1);
  constexpr std::size_t most_shown = 120;
  return ": " + clipped(printable_word(line.substr(line.find_last_of("\r\n") + 1)), most_shown);
}

/// Why a process that ended by itself failed; empty if it did not.
std::string failure_of(const Ended& ended) {
  const std::string last = last_line(ended.errors.empty() ? ended.output : ended.errors);
  if (WIFSIGNALED(ended.status))
    return "signal " + std::to_string(WTERMSIG(ended.status)) + last;
  return WEXITSTATUS(ended.status) == 0
             ? ""
             : "exit code " + std::to_string(WEXITSTATUS(ended.status)) + last;
}

/// Waits for the end of a job that was handed over, and cancels it at a limit.
void await_job(const RunCommand& command, const std::string& job, const RunLimits& limits,
               Clock::time_point begin, Ended& ended) {
  const RunLimits unlimited;
  int failed = 0;
  for (milliseconds pause = kFirstPoll;; pause = std::min(2 * pause, kLongestPoll)) {
    const Clock::time_point next = Clock::now() + pause;
    while (!ended.limit && Clock::now() < next) {
      std::this_thread::sleep_for(std::min(wait_of(limits, begin), left_until(next)));
      ended.limit = limit_reached(limits, begin);
    }
    if (ended.limit) {
      if (!command.cancel.empty())
        run_to_end(with_job(command.cancel, job), unlimited, true);
      break;
    }
    const Ended answer = run_to_end(with_job(command.poll, job), unlimited, true);
    failed = failure_of(answer).empty() ? 0 : failed + 1;
    if (job_of(answer.output).empty() && (failed == 0 || failed >= kBelievedFailures))
      break;
  }
  ended.seconds = duration<double>(Clock::now() - begin).count();
}

}  // namespace

TimePattern parse_time_pattern(const std::string& text) {
  const auto at = text.find("{}");
  if (at == std::string::npos || text.find("{}", at + 2) != std::string::npos)
    throw UsageError("--time-from: '" + text + "' does not have one {}, as in 'step_time: {}'");
  return {text.substr(0, at), text.substr(at + 2)};
}

std::optional<double> time_in(std::string_view output, const TimePattern& pattern) {
  std::optional<double> found;
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find_first_of("\r\n"));
    if (const auto time = time_in_line(line, pattern))
      found = time;
    output.remove_prefix(std::min(line.size() + 1, output.size()));
  }
  return found;
}

TimedRun time_run(const RunCommand& command, const std::optional<TimePattern>& pattern,
                  const RunLimits& limits) {
  const Clock::time_point begin = Clock::now();
  Ended ended = run_to_end(command.words, limits, !command.poll.empty());
  std::string job;
  const std::string failure = ended.limit ? "" : failure_of(ended);
  if (!ended.limit && failure.empty() && !command.poll.empty()) {
    job = job_of(ended.output);
    if (job.empty())
      return {TimedRun::Result::failed, 0, ended.seconds, "it printed no job"};
    await_job(command, job, limits, begin, ended);
  }
  TimedRun out{ended.limit.value_or(TimedRun::Result::failed), ended.seconds, ended.seconds,
               failure};
  if (ended.limit || !failure.empty())
    return out;
  if (pattern) {
    try {
      if (!command.log.empty())
        ended.output = read_file(with_job({command.log}, job).front());
    } catch (const InputError& error) {
      out.reason = error.what();
      return out;
    }
    const auto time = time_in(ended.output, *pattern);
    if (!time || !(*time > 0)) {
      out.reason = !time               ? "no time in its output" + last_line(ended.output)
                   : std::isnan(*time) ? "its number is no time, as 1.5, 1.5 ms or 0:01:30 are" +
                                             last_line(ended.output)
                                       : "its time is not > 0";
      return out;
    }
    out.time = *time;
  }
  out.result = TimedRun::Result::time;
  return out;
}

bool can_be_started(const std::string& program) {
  const auto is_program = [](const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos)
    return is_program(program);
  const char* const list = std::getenv("PATH");
  std::string_view rest = list == nullptr ? "/usr/bin:/bin" : list;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (is_program(std::filesystem::path(folder.empty() ? "." : folder) / program))
      return true;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return false;
}

}  // namespace perfmodel

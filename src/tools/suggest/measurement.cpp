#include "suggest/measurement.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
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
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "roles/quantities.hpp"
#include "storage/files.hpp"

namespace perfmodel {
namespace {

using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::size_t kMostOutput = std::size_t{1} << 20;  ///< bytes kept of the end of an output
constexpr milliseconds kStopDelay(50);   ///< after which a request to stop is noticed
constexpr milliseconds kGrace(2000);     ///< between SIGTERM and SIGKILL
constexpr double kLongestStart = 600;    ///< seconds in which a worker reads its first line
constexpr milliseconds kFirstPoll(100);  ///< time until a job is polled first; it doubles
constexpr milliseconds kLongestPoll(5000);
constexpr milliseconds kFirstPause(1);  ///< until it is seen whether a worker reads; it doubles
constexpr milliseconds kLate(20);       ///< in which a worker may print more after its answer
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
[[noreturn]] void become(char* const* words, int input, int output, int errors, pid_t parent) {
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
  ::dup2(input == -1 ? ::open("/dev/null", O_RDONLY) : input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execvp(words[0], words);
  constexpr int cannot_execute = 126;
  ::_exit(cannot_execute);
}

pid_t start(const std::vector<std::string>& words, int input, int output, int errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));  // execvp() does not change them
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == -1)
    cannot_start(words.front(), errno);
  if (process == 0)
    become(arguments.data(), input, output, errors, parent);
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

}  // namespace

/// A pipe whose ends are not passed on to programs.
struct Pipe {
  explicit Pipe(const std::string& program) : Pipe(ends_for(program)) {}

  Descriptor out;
  Descriptor in;

 private:
  explicit Pipe(const std::array<int, 2>& ends) : out(ends[0]), in(ends[1]) {}

  static std::array<int, 2> ends_for(const std::string& program) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      cannot_start(program, errno);
    return ends;
  }
};

/// A process with a group of its own, and what it prints.
class Process {
 public:
  /// `is_asked`: its standard input is for ask(); otherwise it has none. `errors_apart`: its errors
  /// are kept apart from its output.
  Process(const std::vector<std::string>& words, bool is_asked, bool errors_apart);
  ~Process() { end(true); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits until it has ended or `done` holds, which is asked after output and a pause that
  /// doubles. At a limit, which is returned, it is asked to end, and killed if it does not.
  std::optional<TimedRun::Result> wait(const RunLimits& limits, Clock::time_point begin,
                                       const std::function<bool()>& done,
                                       milliseconds pause = kLongestPoll);
  /// Passes on the beginning of a line, forgets earlier errors, and waits until it has read that:
  /// a new process, until it is ready.
  std::optional<TimedRun::Result> begin_question(std::string_view beginning, RunLimits limits,
                                                 bool is_new);
  /// Passes on a text.
  void ask(std::string_view text);
  void ask_no_more() { questions_->in.close(); }
  /// Whether it has read what it was asked.
  bool has_heard() const;
  /// Reads what it has printed so far.
  void read_output();
  /// What it has printed so far, which is forgotten, in lines.
  std::vector<std::string> take_lines();
  /// Waits for its end. `with_group`: kills it, and all that it started.
  Ended end(bool with_group);

  std::string output;

 private:
  Pipe printed_;
  std::unique_ptr<Pipe> questions_;
  Descriptor errors_;
  pid_t process_;
  Descriptor watch_;
  bool prints_ = true;  ///< until the end of its output
  bool hears_ = true;   ///< until it has closed its input
};

Process::Process(const std::vector<std::string>& words, bool is_asked, bool errors_apart)
    : printed_(words.front()),
      questions_(is_asked ? std::make_unique<Pipe>(words.front()) : nullptr),
      errors_(errors_apart ? ::memfd_create("errors", MFD_CLOEXEC) : -1),
      process_(start(words, is_asked ? questions_->out.number() : -1, printed_.in.number(),
                     errors_.number() == -1 ? printed_.in.number() : errors_.number())),
      watch_(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0))) {
  if (watch_.number() == -1)
    cannot_start(words.front(), errno);
  ::fcntl(printed_.out.number(), F_SETFL, O_NONBLOCK);
  ::fcntl(errors_.number(), F_SETFL, O_APPEND);  // so that they can be forgotten
  printed_.in.close();
  if (is_asked)
    questions_->out.close();
}

std::optional<TimedRun::Result> Process::wait(const RunLimits& limits, Clock::time_point begin,
                                              const std::function<bool()>& done,
                                              milliseconds pause) {
  std::optional<TimedRun::Result> out;
  std::optional<Clock::time_point> kill_at;  // since it has been asked to end
  while (true) {
    std::array<pollfd, 2> events{
        {{watch_.number(), POLLIN, 0}, {prints_ ? printed_.out.number() : -1, POLLIN, 0}}};
    const milliseconds wait =
        kill_at ? left_until(*kill_at) : std::min(pause, wait_of(limits, begin));
    pause = std::min(2 * pause, kLongestPoll);
    ::poll(events.data(), events.size(), static_cast<int>(wait.count()));
    if (events[1].revents != 0)
      prints_ = read_some(printed_.out.number(), output);
    if (events[0].revents != 0 || (!kill_at && done()))
      return out;
    const auto limit = limit_reached(limits, begin);
    if (kill_at && Clock::now() >= *kill_at) {
      ::kill(-process_, SIGKILL);
    } else if (limit && !kill_at) {
      out = limit;
      ::kill(-process_, SIGTERM);
      kill_at = Clock::now() + kGrace;
    }
  }
}

std::optional<TimedRun::Result> Process::begin_question(std::string_view beginning,
                                                        RunLimits limits, bool is_new) {
  if (is_new && limits.timeout)
    limits.timeout = std::max(*limits.timeout, kLongestStart);
  ::ftruncate(errors_.number(), 0);
  ask(beginning);
  return wait(
      limits, Clock::now(), [&] { return has_heard(); }, kFirstPause);
}

void Process::ask(std::string_view text) {
  hears_ = ::write(questions_->in.number(), text.data(), text.size()) != -1;
  if (!hears_ && errno != EPIPE)
    throw InputError(std::string("cannot write to the worker: ") +
                     std::generic_category().message(errno));
}

bool Process::has_heard() const {
  int unread = 0;
  return hears_ && ::ioctl(questions_->in.number(), FIONREAD, &unread) == 0 && unread == 0;
}

void Process::read_output() {
  for (std::size_t size = output.size() + 1; prints_ && size != output.size();) {
    size = output.size();
    prints_ = read_some(printed_.out.number(), output);
  }
}

std::vector<std::string> Process::take_lines() {
  read_output();
  std::vector<std::string> out;
  for (std::string_view rest = output; !rest.empty();)
    out.emplace_back(take_line(rest));
  output.clear();
  return out;
}

Ended Process::end(bool with_group) {
  Ended out;
  if (process_ == -1)
    return out;
  if (with_group)
    ::kill(-process_, SIGKILL);  // its number is its own until waitpid()
  ::waitpid(process_, &out.status, 0);
  process_ = -1;
  read_output();
  out.output = output;
  if (errors_.number() != -1)
    out.errors = read_file("/proc/self/fd/" + std::to_string(errors_.number()));
  return out;
}

namespace {

/// `keeps_rest`: for a command that handles a job. What it left running when it ended by itself
/// goes on, and its errors are kept apart from its output, which says what the job is.
Ended run_to_end(const std::vector<std::string>& words, const RunLimits& limits, bool keeps_rest) {
  const Clock::time_point begin = Clock::now();
  Process process(words, false, keeps_rest);
  const auto limit = process.wait(limits, begin, [] { return false; });
  const double seconds = duration<double>(Clock::now() - begin).count();
  Ended out = process.end(!keeps_rest || limit);
  out.limit = limit;
  out.seconds = seconds;
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
  const std::string_view words = trimmed(output, blanks);
  const std::string_view last = words.substr(words.find_last_of(blanks) + 1);
  return std::string(last.substr(0, last.find(';')));
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

/// Enters what the answer of a worker says. Returns false if it is none.
bool understand(const std::string& line, TimedRun& run) {
  std::string text = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  if (text.starts_with('{')) {
    try {
      const JsonCursor answer = JsonCursor::parse("its answer", text, true);
      const auto cell = [&](const char* name) {
        const auto member = answer.optional_member(name);
        return member ? member->cell() : "";
      };
      run.reason = cell("failed");
      if (!run.reason.empty() && run.reason != "false")
        return true;
      text = cell("time").empty() ? cell("time_s") : cell("time");
    } catch (const InputError&) {
      text.clear();
    }
  }
  const auto time = leading_time(text, "");
  if (!time || time->second != text.size() || std::isnan(time->first)) {
    run.reason = "its answer has no time" + last_line(line);
    return false;
  }
  run.reason = time->first > 0 ? "" : "its time is not > 0";
  run.result = time->first > 0 ? TimedRun::Result::time : TimedRun::Result::failed;
  run.time = time->first;
  run.seconds = std::max(run.seconds, run.time);
  return true;
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

Worker::Worker() = default;

Worker::~Worker() {
  if (!process_)
    return;
  process_->ask_no_more();
  process_->wait({duration<double>(kGrace).count(), std::nullopt, {}}, Clock::now(),
                 [] { return false; });
}

bool Worker::ignores_lines(bool after_answer, TimedRun& run) {
  std::vector<std::string> lines = process_->take_lines();
  std::erase_if(lines, [](const std::string& line) { return trimmed(line, " \t\r").empty(); });
  for (const std::string& line : lines) {
    TimedRun second;
    if (after_answer && understand(line, second)) {
      run.result = TimedRun::Result::failed;
      run.reason = "a second answer" + last_line(line);
      return false;
    }
  }
  if (!lines.empty() && !std::exchange(has_told_, true))
    run.note =
        "lines of the worker that are no answers are ignored; they belong on standard error" +
        last_line(lines[0]);
  return true;
}

TimedRun Worker::run(const RunCommand& command, const RunLimits& limits) {
  const bool is_new = !process_;
  if (is_new)
    process_ = std::make_unique<Process>(command.words, true, true);
  TimedRun out;
  std::string& output = process_->output;
  const auto has_line = [&] {
    output.erase(0, output.find_first_not_of(" \t\r\n"));
    return output.find('\n') != std::string::npos;
  };
  // When it reads the beginning of the question, nothing that it has printed is an answer to it.
  const std::string_view question = command.question;
  std::optional<TimedRun::Result> limit =
      process_->begin_question(question.substr(0, 1), limits, is_new);
  const bool is_ready = !limit && process_->has_heard();
  if (is_ready) {
    if (!ignores_lines(!is_new, out)) {
      process_.reset();
      return out;
    }
    process_->ask(question.substr(1));
    const Clock::time_point begin = Clock::now();
    limit = process_->wait(limits, begin, has_line);
    process_->read_output();
    out.seconds = duration<double>(Clock::now() - begin).count();
  }
  if (!limit && !(is_ready && has_line())) {
    const bool was_heard = process_->has_heard();
    const Ended ended = process_->end(true);
    process_.reset();
    if (!is_new && !was_heard)
      return run(command, limits);
    out.reason = failure_of(ended);
    if (out.reason.empty())
      out.reason = "it ended without an answer" + last_line(ended.output + ended.errors);
    return out;
  }
  if (limit) {
    out.result = *limit;
    process_.reset();
    return out;
  }
  const std::string line = output.substr(0, output.find('\n'));
  output.erase(0, line.size());
  bool is_clear = understand(line, out);
  if (is_clear) {
    std::this_thread::sleep_for(kLate);
    is_clear = ignores_lines(true, out);
  }
  if (!is_clear)
    process_.reset();
  return out;
}

}  // namespace perfmodel

#include "cli/console.hpp"

#include <pthread.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/text.hpp"

namespace perfmodel::cli {

namespace {

constexpr std::size_t kFewestPartsOfPace = 2;

/// "8 s", "3 min", "2 h 5 min": as exact as an estimate is.
std::string duration_text(double seconds) {
  const auto whole = [](double x) { return std::to_string(std::lround(x)); };
  if (seconds < 90)
    return whole(std::ceil(seconds)) + " s";
  if (seconds < 5400)
    return whole(seconds / 60) + " min";
  const double hours = std::floor(seconds / 3600);
  return whole(hours) + " h " + whole((seconds - 3600 * hours) / 60) + " min";
}

std::string bar(double share, std::size_t width) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "]";
}

}  // namespace

std::optional<double> seconds_left(const WorkState& state) {
  const std::size_t timed = state.done - state.before;
  if (!state.even || timed < kFewestPartsOfPace || state.done >= state.all)
    return std::nullopt;
  const double pace = state.seconds_done / static_cast<double>(timed);
  const double since = state.seconds - state.seconds_done;
  return std::max(0.0, pace * static_cast<double>(state.all - state.done) - since);
}

std::string progress_text(const WorkState& state, std::size_t width) {
  std::string end = ", " + duration_text(state.seconds);
  if (!state.detail.empty())
    end = ", " + state.detail + end;
  if (state.all == 0)
    return clipped(state.work + end, width);
  const double share =
      std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.all));
  const std::string percentage = std::to_string(static_cast<int>(100 * share)) + " %";
  if (const auto left = seconds_left(state))
    end = ", about " + duration_text(*left) + " left";
  const std::size_t taken = display_width(state.work) + percentage.size() + end.size() + 8;
  std::string text = state.work + "  ";
  if (taken + 10 <= width)
    text += bar(share, std::min<std::size_t>(width - taken, 30)) + "  ";
  return clipped(text + percentage + end, width);
}

namespace {

constexpr std::chrono::milliseconds kQuietTime{2000};  // what is done by then needs no line
constexpr std::chrono::milliseconds kInterval{250};

}  // namespace

SearchProgress::SearchProgress(Console& console) : console_(console) {
  if (console_.shows_progress())
    watcher_ = std::jthread([this](const std::stop_token& end_of_work) { draw(end_of_work); });
}

SearchProgress::~SearchProgress() {
  if (watcher_.joinable()) {
    watcher_.request_stop();
    watcher_.join();
  }
  console_.progress({});
}

void SearchProgress::begin(const std::string& work) {
  const std::lock_guard lock(mutex_);
  change_work(work);
}

std::function<void(std::size_t, std::size_t)> SearchProgress::watch(const std::string& work) {
  begin(work);
  return [this, work](std::size_t done, std::size_t all) { show(work, done, all); };
}

void SearchProgress::show(const optimise::Progress& progress) {
  const std::lock_guard lock(mutex_);
  state_.detail = "generation " + std::to_string(progress.generation) + ", best cost " +
                  short_number(progress.best_cost);
}

void SearchProgress::show(const std::string& work, std::size_t done, std::size_t all, bool even) {
  const std::lock_guard lock(mutex_);
  if (work != state_.work || all != state_.all) {
    change_work(work);
    state_.before = done;  // nobody told when these began
  }
  state_.done = done;
  state_.all = all;
  state_.even = even;
  state_.seconds_done = seconds_of_work();
}

double SearchProgress::seconds_of_work() const {
  return std::chrono::duration<double>(Clock::now() - work_start_).count();
}

void SearchProgress::change_work(const std::string& work) {
  state_ = {};
  state_.work = work;
  work_start_ = Clock::now();
}

void SearchProgress::draw(const std::stop_token& end_of_work) {
  sigset_t all_signals;
  sigfillset(&all_signals);
  pthread_sigmask(SIG_BLOCK, &all_signals, nullptr);  // they are for the thread that works
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, end_of_work, kInterval, [] { return false; }) &&
         !end_of_work.stop_requested()) {
    if (Clock::now() - start_ < kQuietTime || state_.work.empty())
      continue;
    state_.seconds = seconds_of_work();
    console_.progress(progress_text(state_, console_.width().value_or(kUsualWidth) - 1));
  }
}

namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

/// Who starts a program in the background of a script has it ignore SIGINT; that is to stay so.
bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Signals come to the whole program, so this belongs to it and not to one watch.
std::atomic<int> received{0};

}  // namespace

SignalWatch::SignalWatch() {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &previous_mask_);
  watcher_ = std::jthread([this](const std::stop_token& end_of_watch) { watch(end_of_watch); });
}

SignalWatch::~SignalWatch() {
  watcher_.request_stop();
  // Wakes the watcher from its wait; no timeout, so ending costs nothing.
  pthread_kill(watcher_.native_handle(), SIGTERM);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

void SignalWatch::watch(const std::stop_token& end_of_watch) {
  const sigset_t signals = watched_signals();
  while (true) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0)
      continue;
    if (end_of_watch.stop_requested())
      return;
    if (is_ignored(signal))
      continue;
    if (received != 0)
      _exit(exit_code_of_signal(signal));  // asked twice: no more tidying up
    received = signal;
    stop_.request_stop();
  }
}

std::optional<int> received_signal() {
  const int signal = received;
  return signal == 0 ? std::nullopt : std::optional(signal);
}

namespace {

/// spdlog's own names of the levels are made for log files.
class Label final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    std::string_view label = "note";
    if (message.level == spdlog::level::err)
      label = "error";
    else if (message.level == spdlog::level::warn)
      label = "warning";
    out.append(label.data(), label.data() + label.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<Label>();
  }
};

constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMostWidth = 200;

/// A terminal that does not tell its width has the usual one.
std::optional<std::size_t> width_of(int descriptor) {
  if (::isatty(descriptor) != 1)
    return std::nullopt;
  winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kUsualWidth;
  return std::clamp<std::size_t>(size.ws_col, kLeastWidth, kMostWidth);
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool wants_color(ColorChoice choice, bool terminal) {
  switch (choice) {
    case ColorChoice::always:
      return true;
    case ColorChoice::never:
      return false;
    case ColorChoice::automatic:
      break;
  }
  const char* kind = std::getenv("TERM");
  return terminal && !is_set("NO_COLOR") && kind != nullptr && std::string_view(kind) != "dumb";
}

std::shared_ptr<spdlog::logger> make_logger(bool color) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<Label>('*').set_pattern("perfmodel: %^%*:%$ %v");
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_st>(
      color ? spdlog::color_mode::always : spdlog::color_mode::never);
  sink->set_formatter(std::move(formatter));
  // Not registered anywhere: the program has one console and hands it on.
  auto logger = std::make_shared<spdlog::logger>("perfmodel", std::move(sink));
  logger->flush_on(spdlog::level::info);
  return logger;
}

/// The message in lines of the terminal, cut between words; a command to paste stays whole.
std::string wrapped(std::string_view message, std::string_view label,
                    const std::optional<std::size_t>& width) {
  const std::string head = "perfmodel: " + std::string(label) + ": ";
  const std::string shown = head + printable(message);
  const std::size_t end = std::min(shown.find("\n  "), shown.size());
  std::string out = width ? paragraphs_within(shown.substr(0, end), *width) : shown;
  if (width)
    out = out.substr(0, out.size() - 1) + shown.substr(end);
  return out.substr(head.size());
}

const std::string heading_begin = "\x1b[1m";
const std::string heading_end = "\x1b[0m";

/// The text with the codes of headings as the only controls that it keeps.
std::string with_headings(std::string_view text) {
  std::string out;
  for (std::size_t heading = 0; !text.empty();) {
    const std::string& code = heading == 0 ? heading_begin : heading_end;
    const std::size_t at = std::min(text.find(code), text.size());
    out += printable(text.substr(0, at));
    text.remove_prefix(at);
    if (!text.empty()) {
      out += code;
      text.remove_prefix(code.size());
      heading = 1 - heading;
    }
  }
  return out;
}

}  // namespace

std::optional<std::size_t> output_width(const std::string& output) {
  return output == "-" ? width_of(STDOUT_FILENO) : std::nullopt;
}

std::optional<std::size_t> Console::width() const {
  return width_of(STDERR_FILENO);
}

bool is_terminal_output() {
  return ::isatty(STDOUT_FILENO) == 1;
}

Console::Console(const ConsoleOptions& options)
    : quiet_(options.quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      color_(wants_color(options.color, terminal_)),
      logger_(make_logger(color_)) {}

void Console::error(std::string_view message) {
  const std::lock_guard lock(mutex_);
  progress({});
  logger_->error("{}", wrapped(message, "error", width()));
}

void Console::warning(std::string_view message) {
  const std::lock_guard lock(mutex_);
  progress({});
  logger_->warn("{}", wrapped(message, "warning", width()));
}

void Console::notice(std::string_view message) {
  const std::lock_guard lock(mutex_);
  if (!quiet_) {
    progress({});
    logger_->info("{}", wrapped(message, "note", width()));
  }
}

void Console::summary(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!quiet_) {
    progress({});
    const std::string shown = color_ ? with_headings(text) : printable(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
    std::fflush(stderr);
  }
}

void Console::progress(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!shows_progress() || (text.empty() && !progress_shown_))
    return;
  std::string line = "\r\x1b[K";  // back to the left and erase the line
  line += printable_word(text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  progress_shown_ = !text.empty();
}

std::string Console::strong(std::string_view text) const {
  const std::string shown = printable_word(text);
  return color_ ? heading_begin + shown + heading_end : shown;
}

}  // namespace perfmodel::cli

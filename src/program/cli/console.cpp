#include "cli/console.hpp"

#include <pthread.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "base/text.hpp"

namespace perfmodel::cli {

namespace {

constexpr std::size_t kFewestPartsOfPace = 2;

/// "8 s", "3 min", "2 h 5 min": as precise as an estimate can be.
std::string rough_duration(double seconds) {
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

constexpr std::chrono::milliseconds kQuietTime{2000};  // shorter work shows no line
constexpr std::chrono::milliseconds kInterval{250};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

/// True if the signal is ignored, as SIGINT is in background jobs of scripts; it stays ignored.
bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Signals are sent to the process, so this is not a member of a watch.
std::atomic<int> received{0};

}  // namespace

std::optional<double> seconds_left(const WorkState& state) {
  const std::size_t timed = state.done - state.before;
  const bool is_last = state.earlier + state.share >= 1;
  if (!state.even || timed < kFewestPartsOfPace || (is_last && state.done >= state.all))
    return std::nullopt;
  const double pace = state.seconds_done / static_cast<double>(timed);
  const double since = state.seconds - state.seconds_done;
  // Later work is converted to parts of this work by its weight.
  const double later =
      static_cast<double>(state.all) * (1 - state.earlier - state.share) / state.share;
  const double left =
      std::max(0.0, pace * (static_cast<double>(state.all - state.done) + later) - since);
  constexpr double by_far = 1.5;
  constexpr double few_seconds = 5;
  return state.last_left && left < by_far * *state.last_left + few_seconds
             ? std::min(left, *state.last_left)
             : left;
}

std::string progress_text(const WorkState& state, std::size_t width) {
  std::string end = ", " + rough_duration(state.seconds_earlier + state.seconds);
  if (!state.detail.empty())
    end = ", " + state.detail + end;
  if (state.all == 0)
    return clipped(state.work + end, width);
  const double share =
      state.earlier +
      state.share * std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.all));
  const std::string percentage = std::to_string(static_cast<int>(100 * share)) + " %";
  if (const auto left = seconds_left(state))
    end = ", about " + rough_duration(*left) + " left";
  const std::size_t taken = display_width(state.work) + percentage.size() + end.size() + 8;
  std::string text = state.work + "  ";
  if (taken + 10 <= width)
    text += bar(share, std::min<std::size_t>(width - taken, 30)) + "  ";
  return clipped(text + percentage + end, width);
}

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

void SearchProgress::plan(std::vector<std::pair<std::string, double>> works) {
  const std::lock_guard lock(mutex_);
  plan_ = std::move(works);
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
    state_.before = done;  // the start of these parts is unknown
  }
  state_.done = done;
  state_.all = all;
  state_.even = even;
  state_.seconds_done = seconds_since(work_start_);
}

void SearchProgress::change_work(const std::string& work) {
  state_ = {.work = work, .last_left = state_.last_left};
  state_.seconds_earlier = seconds_since(start_);
  work_start_ = Clock::now();
  const auto planned = std::find_if(plan_.begin(), plan_.end(),
                                    [&](const auto& each) { return each.first == work; });
  double all = 0;
  for (const auto& [name, weight] : plan_)
    all += weight;
  if (planned == plan_.end() || !(planned->second > 0))
    return;
  state_.share = planned->second / all;
  for (auto each = plan_.begin(); each != planned; ++each)
    state_.earlier += each->second / all;
}

void SearchProgress::draw(const std::stop_token& end_of_work) {
  sigset_t all_signals;
  sigfillset(&all_signals);
  pthread_sigmask(SIG_BLOCK, &all_signals, nullptr);  // left to the working thread
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, end_of_work, kInterval, [] { return false; }) &&
         !end_of_work.stop_requested()) {
    if (Clock::now() - start_ < kQuietTime || state_.work.empty())
      continue;
    state_.seconds = seconds_since(work_start_);
    state_.last_left = seconds_left(state_);
    console_.progress(progress_text(state_, console_.width().value_or(kUsualWidth) - 1));
  }
}

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
      _exit(exit_code_of_signal(signal));  // second request: exit without clean-up
    received = signal;
    stop_.request_stop();
  }
}

std::optional<int> received_signal() {
  const int signal = received;
  return signal == 0 ? std::nullopt : std::optional(signal);
}

namespace {

constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMostWidth = 200;

/// Width of a terminal, or the usual width if unknown; nullopt if the descriptor is no terminal.
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
  if (choice != ColorChoice::automatic)
    return choice == ColorChoice::always;
  const char* kind = std::getenv("TERM");
  return terminal && !is_set("NO_COLOR") && kind != nullptr && std::string_view(kind) != "dumb";
}

/// Wraps a message between words to the width of the terminal; commands to paste are not split.
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

/// Masks all control characters except the escape sequences of headings.
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

/// Writes each message with its newline at once; spdlog's own sinks split coloured messages.
class WholeMessages final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit WholeMessages(std::function<void(std::string)> write) : write_(std::move(write)) {}

 private:
  std::function<void(std::string)> write_;

  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    write_(std::string(text.data(), text.size()));
  }
  void flush_() override {}
};

std::shared_ptr<spdlog::logger> make_logger(bool quiet, std::function<void(std::string)> write) {
  // Not registered with spdlog: the program passes on its only console.
  auto logger = std::make_shared<spdlog::logger>("perfmodel",
                                                 std::make_shared<WholeMessages>(std::move(write)));
  logger->set_pattern("perfmodel: %v");
  logger->set_level(quiet ? spdlog::level::warn : spdlog::level::info);
  return logger;
}

/// The coloured label and the wrapped message.
std::string labelled(std::string_view label, std::string_view colour, std::string_view message,
                     const std::optional<std::size_t>& width) {
  const std::string end = colour.empty() ? ": " : ":\x1b[m ";
  return std::string(colour) + std::string(label) + end + wrapped(message, label, width);
}

}  // namespace

std::optional<std::size_t> output_width(const std::string& output) {
  return output == "-" ? width_of(STDOUT_FILENO) : std::nullopt;
}

std::optional<std::size_t> Console::width() const {
  return width_of(STDERR_FILENO);
}

Console::Console(const ConsoleOptions& options)
    : quiet_(options.quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      color_(wants_color(options.color, terminal_)),
      logger_(make_logger(quiet_, [this](std::string text) { write(std::move(text)); })) {}

void Console::error(std::string_view message) {
  logger_->error("{}", labelled("error", color_ ? "\x1b[31m\x1b[1m" : "", message, width()));
}

void Console::warning(std::string_view message) {
  logger_->warn("{}", labelled("warning", color_ ? "\x1b[33m\x1b[1m" : "", message, width()));
}

void Console::notice(std::string_view message) {
  logger_->info("{}", labelled("note", color_ ? "\x1b[32m" : "", message, width()));
}

void Console::summary(std::string_view text) {
  if (!quiet_)
    write(color_ ? with_headings(text) : printable(text));
}

void Console::progress(std::string_view text) {
  if (shows_progress())
    write({}, printable_word(text));
}

void Console::write(std::string text, const std::string& progress_line) {
  const std::lock_guard lock(mutex_);
  if (progress_shown_ || !progress_line.empty())
    text = "\r\x1b[K" + text;  // return to column 0 and erase the line
  text += progress_line;
  progress_shown_ = !progress_line.empty();
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno != EINTR)
      return;  // standard error is closed; there is nowhere to report it
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

std::string Console::strong(std::string_view text) const {
  const std::string shown = printable_word(text);
  return color_ ? heading_begin + shown + heading_end : shown;
}

}  // namespace perfmodel::cli

#include "cli/terminal/console.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "base/printable.hpp"
#include "cli/terminal/lines_within.hpp"

namespace perfmodel::cli {
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

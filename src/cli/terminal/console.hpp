#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace perfmodel::cli {

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
/// masked.
class Console {
 public:
  explicit Console(const ConsoleOptions& options);

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
  std::shared_ptr<spdlog::logger> logger_;
  std::recursive_mutex mutex_;  ///< the progress line is drawn beside the work
};

}  // namespace perfmodel::cli

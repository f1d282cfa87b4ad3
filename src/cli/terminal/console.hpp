#pragma once

#include <cstddef>
#include <memory>
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

/// Whether standard output is a terminal, where nobody wants files.
bool is_terminal_output();

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
  /// The text as a heading where colours are wanted, plain otherwise.
  std::string strong(std::string_view text) const;

 private:
  bool quiet_;
  bool terminal_;
  bool color_;
  bool progress_shown_ = false;
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace perfmodel::cli

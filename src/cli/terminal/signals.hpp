#pragma once

#include <csignal>
#include <optional>
#include <stop_token>
#include <thread>

namespace perfmodel::cli {

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

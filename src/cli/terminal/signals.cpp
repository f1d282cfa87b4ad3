#include "cli/terminal/signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace perfmodel::cli {
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

}  // namespace perfmodel::cli

#include "cli/terminal/search_progress.hpp"

#include <pthread.h>

#include <csignal>

#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {
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

}  // namespace perfmodel::cli

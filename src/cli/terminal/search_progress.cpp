#include "cli/terminal/search_progress.hpp"

#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {

void SearchProgress::show(const optimise::Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (is_due()) {
    console_.progress("searching: generation " + std::to_string(progress.generation) + ", " +
                      std::to_string(progress.evaluations) + " evaluations, best cost " +
                      short_number(progress.best_cost));
  }
}

void SearchProgress::show(const std::string& work, std::size_t done, std::size_t all) {
  const std::lock_guard lock(mutex_);
  if (is_due())
    console_.progress(work + ": " + std::to_string(done) + " of " + std::to_string(all) + " done");
}

bool SearchProgress::is_due() {
  const auto now = Clock::now();
  if (now < next_)
    return false;
  next_ = now + std::chrono::milliseconds(100);
  return true;
}

}  // namespace perfmodel::cli

#include "io/large/time_collector.hpp"

#include <algorithm>
#include <limits>

namespace perfmodel {
namespace {

/// Sorting in a few at a time costs little, and they take no memory beside the list.
constexpr std::size_t kFewestAtOnce = 64;
constexpr std::size_t kShareAtOnce = 4;

constexpr std::uint64_t kMostRuns = std::numeric_limits<std::uint32_t>::max();

/// Appends times in ascending order; one of more runs than a number holds stands more than once.
class ListEnd {
 public:
  explicit ListEnd(TimeList& list) : list_(list) {}

  void add(double time, std::uint64_t runs) {
    if (runs_ > 0 && time != time_)
      close();
    time_ = time;
    runs_ += runs;
  }

  void close() {
    for (; runs_ > 0; runs_ -= std::min(runs_, kMostRuns)) {
      list_.times.push_back(time_);
      list_.runs.push_back(static_cast<std::uint32_t>(std::min(runs_, kMostRuns)));
    }
  }

 private:
  TimeList& list_;
  double time_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace

void TimeCollector::add(double time, std::uint64_t runs) {
  waiting_.emplace_back(time, runs);
  if (waiting_.size() >= std::max(kFewestAtOnce, size() / kShareAtOnce))
    settle();
}

void TimeCollector::add(const TimeList& list) {
  for (std::size_t i = 0; i < list.times.size(); ++i)
    waiting_.emplace_back(list.times[i], list.runs[i]);
  settle();
}

SharedTimes TimeCollector::list() const {
  TimeCollector out = *this;
  out.settle();
  return out.sorted_;
}

void TimeCollector::settle() {
  if (waiting_.empty() && sorted_)
    return;
  std::sort(waiting_.begin(), waiting_.end());
  TimeList merged;
  merged.times.reserve(size() + waiting_.size());
  merged.runs.reserve(size() + waiting_.size());
  ListEnd end(merged);
  auto next = waiting_.begin();
  for (std::size_t i = 0; i < size(); ++i) {
    for (; next != waiting_.end() && next->first < sorted_->times[i]; ++next)
      end.add(next->first, next->second);
    end.add(sorted_->times[i], sorted_->runs[i]);
  }
  for (; next != waiting_.end(); ++next)
    end.add(next->first, next->second);
  end.close();
  merged.times.shrink_to_fit();
  merged.runs.shrink_to_fit();
  sorted_ = std::make_shared<const TimeList>(std::move(merged));
  std::vector<Runs>().swap(waiting_);
}

}  // namespace perfmodel

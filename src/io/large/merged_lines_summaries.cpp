#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "io/large/merged_lines.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {

void MergedLines::check_pairs(std::size_t pairs) const {
  if (pairs > limits_.distinct) {
    throw InputError("more than " + std::to_string(limits_.distinct) +
                     " different pairs of a configuration and a time are too many: Eq. (4) under "
                     "squared losses needs less (" +
                     Field{"loss", {"rmsle"}} + "); or use " + Field{"sample_rows"});
  }
}

void MergedLines::summarise() {
  if (is_summarised())
    return;
  if (kept_ == MergedTimes::lists)
    lists_.resize(known_.size());
  else
    sums_.resize(known_.size());
  for (const Times& times : times_)
    add_times(times);
  std::deque<Times>().swap(times_);
  std::vector<std::uint32_t>(1024).swap(time_slots_);
}

void MergedLines::add_to_list(const Times& times) {
  TimeCollector& list = lists_[times.configuration];
  const std::size_t before = list.size();
  list.add(times.time, times.runs);
  count_list(before, list.size());
}

void MergedLines::settle() {
  for (TimeCollector& list : lists_) {
    const std::size_t before = list.size();
    list.settle();
    count_list(before, list.size());
  }
}

void MergedLines::count_list(std::size_t before, std::size_t after) {
  in_lists_ += after - before;
  check_pairs(in_lists_);
}

void MergedLines::add_to_sums(const Times& times) {
  Sums& sums = sums_[times.configuration];
  const auto add_number = [&](double x, ExactSum& sum, ExactSum& squares) {
    if (times.runs == 1) {
      sum.add(x);
      squares.add_product(x, x);
      return;
    }
    ExactSum one;
    one.add(x);
    sum.add(one, static_cast<std::int64_t>(times.runs));
    ExactSum square;
    square.add_product(x, x);
    squares.add(square, static_cast<std::int64_t>(times.runs));
  };
  sums.runs += times.runs;
  add_number(times.time, sums.sum, sums.squares);
  if (kept_ == MergedTimes::logarithmic_moments)
    add_number(std::log(times.time), sums.log_sum, sums.log_squares);
}

}  // namespace perfmodel

#include "fit/task/condensed_times.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace perfmodel {

using Eigen::VectorXd;

CondensedTimes::CondensedTimes(const Design& design, Loss loss, std::size_t groups)
    : design_(design), loss_(loss) {
  for (const SharedTimes& list : design.time_lists) {
    const std::size_t size = list->times.size();
    const std::size_t own = std::min(std::max<std::size_t>(groups, 1), size);
    std::vector<std::size_t>& begins = begins_.emplace_back();
    for (std::size_t group = 0; group < own; ++group)
      begins.push_back(size * group / own);
  }
}

WeightedRows CondensedTimes::rows() const {
  std::vector<std::size_t> rows;
  std::vector<double> times;
  std::vector<double> runs;
  for (std::size_t row = 0; row < design_.rows; ++row) {
    const TimeList& list = *design_.time_lists[row];
    for (std::size_t group = 0; group < begins_[row].size(); ++group) {
      const bool last = group + 1 == begins_[row].size();
      const std::size_t end = last ? list.times.size() : begins_[row][group + 1];
      const double first_time = list.times[begins_[row][group]];
      double weight = 0;
      double pull = 0;   // of each time as far as the loss has it: w, or w / t
      double shift = 0;  // of these, from the first: exactly 0 for one time
      for (std::size_t i = begins_[row][group]; i < end; ++i) {
        const double own = loss_ == Loss::mape ? list.runs[i] / list.times[i] : list.runs[i];
        weight += list.runs[i];
        pull += own;
        shift += own * (list.times[i] - first_time);
      }
      rows.push_back(row);
      times.push_back(first_time + shift / pull);
      runs.push_back(weight);
    }
  }
  Design condensed = take_rows(design_, rows);
  condensed.runs.clear();
  condensed.time_lists.clear();
  condensed.time = Eigen::Map<const VectorXd>(times.data(), index(times.size()));
  return WeightedRows::standing_for(design_, std::move(condensed),
                                    Eigen::Map<const VectorXd>(runs.data(), index(runs.size())));
}

bool CondensedTimes::part_around(const VectorXd& predicted) {
  constexpr std::size_t kApart = 2;  // times on either side that become rows of their own
  bool any = false;
  for (std::size_t row = 0; row < design_.rows; ++row) {
    const std::vector<double>& times = design_.time_lists[row]->times;
    std::vector<std::size_t>& begins = begins_[row];
    const double y = predicted[index(row)];
    const auto at = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), y) -
                                             times.begin());  // the first time above y
    if (at == 0 || at == times.size())
      continue;
    const auto next = std::upper_bound(begins.begin(), begins.end(), at - 1);
    const std::size_t begin = *(next - 1);
    const std::size_t end = next == begins.end() ? times.size() : *next;
    if (times[begin] >= y || times[end - 1] <= y)
      continue;
    any = true;
    std::vector<std::size_t> parts = {at};
    for (std::size_t off = 1; off < end - begin; off = off < kApart ? off + 1 : 2 * off) {
      if (at + off < end)
        parts.push_back(at + off);
      if (at > begin + off)
        parts.push_back(at - off);
    }
    begins.insert(begins.end(), parts.begin(), parts.end());
    std::sort(begins.begin(), begins.end());
  }
  return any;
}

}  // namespace perfmodel

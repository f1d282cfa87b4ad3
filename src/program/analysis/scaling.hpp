#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfmodel/predict.hpp"
#include "roles/column_facts.hpp"

namespace perfmodel::scaling {

/// The columns other than a scale, by what happens to them as it grows.
struct WorkColumns {
  std::string scale;
  std::string target;
  std::vector<std::string> held;    ///< fixed while the scale grows
  std::vector<ColumnProduct> tied;  ///< in the order that MovingColumns needs
  std::string throughput = {};      ///< whose inverse times fixed work is the target; else empty
  double least_share = 1;           ///< the shortest time as a share of that at the first scale
};

/// Whether the work grows with the scale.
struct KindOfWork {
  Kind kind = Kind::strong;
  std::string because;     ///< "'local_batch' is of one worker and stays the same"
  bool is_open = false;    ///< the kind is a mere assumption; `because` says what is unknown
  bool holds_all = false;  ///< the total work of all workers is fixed
};

/// Whether a scale is named as a count of workers: a batch size or token count has no efficiency.
bool counts_workers(const std::string& scale);

/// Decides by names. The time of an epoch or a sample, or a fixed total batch, means a fixed amount
/// of work; fixed work per worker, or a total batch that grows with the scale, means growing work,
/// as is assumed of any other size that does. Times that fall below half are of a fixed amount:
/// with more work, they would at best stay the same.
KindOfWork kind_of_work(const WorkColumns& columns);

/// WorkColumns::least_share of times by ascending scale.
double least_share(const std::vector<double>& times);

/// The columns of a model other than the scale, including those that were constant in its runs.
/// `moved`: inputs that move with the scale.
WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved);

/// By bisection, the last whole scale at which a condition holds that holds at `low`, but not at
/// `high`; `low` if there is no other.
double last_whole_scale(double low, double high, const std::function<bool(double)>& holds);

}  // namespace perfmodel::scaling

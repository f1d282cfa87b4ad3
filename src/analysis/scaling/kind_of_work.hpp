#pragma once

#include <string>
#include <vector>

#include "model/columns/facts/products.hpp"
#include "perfmodel/analysis/scaling/study.hpp"

namespace perfmodel::scaling {

/// What is known of the columns beside a scale.
struct WorkColumns {
  std::string scale;
  std::string target;
  std::vector<std::string> held;    ///< that stay the same while the scale grows
  std::vector<ColumnProduct> tied;  ///< ordered as MovingColumns takes them
  std::string throughput = {};      ///< that the target is fixed work over; empty where it is not
};

/// Whether the work grows with the scale.
struct KindOfWork {
  Kind kind = Kind::strong;
  std::string because;     ///< "'local_batch' is of one worker and stays the same"
  bool is_open = false;    ///< no column tells: strong is assumed, `because` says what is not known
  bool holds_all = false;  ///< the work of all workers together stays the same
};

/// Whether a scale counts workers by its name: a batch or a number of tokens has no efficiency.
bool counts_workers(const std::string& scale);

/// Decides by names: the time of an epoch or of one sample is of a fixed amount of work; a batch of
/// all workers that stays the same is one, too. Work per worker that stays the same, or a batch of
/// all workers that grows with the scale, is work that grows.
KindOfWork kind_of_work(const WorkColumns& columns);

}  // namespace perfmodel::scaling

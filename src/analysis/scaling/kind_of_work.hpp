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
};

/// Whether the work grows with the scale.
struct KindOfWork {
  Kind kind = Kind::strong;
  std::string because;     ///< "'local_batch' is of one worker and stays the same"
  bool is_open = false;    ///< no column tells: strong is assumed, `because` says what is not known
  bool holds_all = false;  ///< the batch of all workers stays the same
  bool is_scale = false;   ///< the scale is the work itself: more of it speeds nothing up
};

/// Decides by names: the time of an epoch is of a fixed amount of work; a batch of all workers that
/// stays the same is one, too. Work per worker that stays the same, or a batch of all workers that
/// grows with the scale, is work that grows.
KindOfWork kind_of_work(const WorkColumns& columns);

}  // namespace perfmodel::scaling

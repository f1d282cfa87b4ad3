#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/table.hpp"
#include "table/column_facts.hpp"

namespace perfmodel {

/// The value of an input as people read it: all digits of short ones, four of others.
std::string setting_text(double value);

/// The predicted time of a configuration; nothing where the model gives no time.
std::optional<double> time_of(const FittedModel& model, const Configuration& configuration);

/// A configuration that is moved along one extrinsic column, and what is tied to it or derived from
/// it along with it.
class MovedConfiguration {
 public:
  MovedConfiguration(const FittedModel& model, const Configuration& typical, std::size_t extrinsic)
      : model_(model), typical_(typical), extrinsic_(extrinsic) {}

  /// Whether other columns move along.
  bool moves_others() const;
  /// Nothing where a derived column cannot be computed or is no input there.
  std::optional<Configuration> at(double scale) const;
  std::optional<double> time_at(double scale) const;

 private:
  const FittedModel& model_;
  const Configuration& typical_;
  std::size_t extrinsic_;
};

/// Where a model's answers are given, and what that is called.
struct Centre {
  Configuration configuration;
  std::string place;  ///< "the run of line 212"
};

/// The central run, or what older files have in its place; nothing where they have nothing.
std::optional<Centre> centre_of(const FittedModel& model);

/// Which rows of a design lie within what a model was fitted on.
struct RangeCheck {
  std::vector<bool> in_range;         ///< per row
  std::vector<std::string> findings;  ///< a sentence per column or combination that leaves it
};

/// ", beyond which the model grows as gpus^3.9, ..." of an extrinsic column beyond whose largest
/// value a model is not to be trusted; else empty.
std::string growth_beyond(const FittedModel& model, const NumericInput& input);

/// A row is in range where every number lies within its column's measured range and the row in none
/// of the regions where nothing was measured.
RangeCheck check_range(const FittedModel& model, const Design& design);

}  // namespace perfmodel

namespace perfmodel::scaling {

/// Measured runs as one curve over a column of scales.
struct Curve {
  std::vector<Timing> timings;  ///< ascending scales
  /// Of several configurations: times are geometric means of t(G) / t(G0) over those that were
  /// measured at both, so the first is 1.
  bool relative = false;
};

struct CurveColumns {
  std::string scale;
  std::string target;
  bool target_is_throughput = false;  ///< work per time
  std::set<std::string> ignore;
};

/// Rows that agree in all other columns are one configuration; of repeated runs the median counts.
/// Throws InputError where a scale or a time is not a number > 0, where there is one scale only, or
/// where no configuration was measured at another scale than the first.
Curve curve_of(const Table& table, const CurveColumns& columns);

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

/// The columns of a model beside the scale, those that stayed the same in its runs among them.
/// `moved` are inputs that move along with the scale.
WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved);

}  // namespace perfmodel::scaling

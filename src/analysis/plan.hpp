#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "table/formula.hpp"

namespace perfmodel::plan {

/// One column of a space: a list of values, a list of texts, or a range of numbers.
struct SpaceColumn {
  std::string name;
  std::vector<double> values;       ///< of a list of numbers
  std::vector<std::string> levels;  ///< of a list of texts
  double low = 0;                   ///< of a range
  double high = 0;
  bool logarithmic = false;  ///< a range that is even in the logarithm
  bool whole = false;        ///< a range of whole numbers

  bool is_text() const { return !levels.empty(); }
  bool is_range() const { return values.empty() && levels.empty(); }
  /// How many values a list has.
  std::size_t choices() const { return is_text() ? levels.size() : values.size(); }
  /// The value at u in [0, 1): every value of a list has an equal share.
  double value_at(double u) const;
  /// As it is written to a file.
  std::string text(double value) const;
};

/// Columns of runs and which of their values are known to go together.
struct Bond {
  std::vector<std::size_t> columns;
  std::set<std::vector<double>> known;
};

/// Two columns of numbers of which runs never have more in one; or the other is a whole multiple.
struct Order {
  std::size_t less, more;
  bool whole;

  bool holds(const std::vector<double>& configuration) const;
};

/// What can be configured. A configuration is one number per column: the value, or the index of the
/// level.
struct Space {
  std::string source;  ///< for messages
  std::vector<SpaceColumn> columns;
  std::vector<std::string> extrinsic;          ///< columns of scale, as the file says; may be empty
  std::vector<std::string> where;              ///< conditions, all of which have to hold
  std::vector<std::vector<double>> rows = {};  ///< of runs: those that went well, each once
  std::set<std::vector<double>> failed = {};   ///< of runs: where all failed
  std::vector<Bond> bonds = {};  ///< of runs after bind_columns(): every column is in one
  std::vector<Order> orders = {};
  std::vector<Tie> steps = {};  ///< what moves in steps with a scale is never otherwise

  std::vector<std::string> names() const;
  /// A configuration as it is written to a file, column by column.
  std::vector<std::string> cells(const std::vector<double>& configuration) const;
  /// Product of the choices; nothing where a column is a range or there are more than 2^53.
  std::optional<double> size() const;
};

using Configuration = std::vector<double>;

/// The values that these columns have in runs; `all`: those that failed among them.
Space space_of_runs(const Table& runs, const Table& all, const std::vector<std::string>& columns);

/// Restricts such a space to what can exist as far as the runs tell: columns that follow from
/// others there do, two texts stand together where they do in a run, and of two numbers the one
/// that is never larger there, or divides the other, stays so.
void bind_columns(Space& space, const Table& runs);

/// Whether a configuration keeps to what the runs of a space tell.
bool is_known_to_exist(const Space& space, const Configuration& configuration);

/// The numbers of a configuration as formulas see them: texts by their codes.
std::vector<double> formula_values(const Space& space, TextCodes& codes,
                                   const Configuration& configuration);

/// The conditions of a space.
class Conditions {
 public:
  /// Throws UsageError with file and expression.
  explicit Conditions(const Space& space);
  bool hold(const Configuration& configuration) const;

 private:
  const Space& space_;
  mutable TextCodes codes_;
  std::vector<Formula> formulas_;
};

/// The configurations as a table; `source` and lines are made up.
Table table_of(const Space& space, const std::vector<Configuration>& configurations);

/// Rows of a file as configurations of the space; further columns are not looked at. Throws
/// InputError with file, line and column for a value that the space does not have.
std::vector<Configuration> configurations_of(const Space& space, const Table& table);

/// A plan and what there is to say about it.
struct Plan {
  std::vector<Configuration> configurations;  ///< the existing ones first
  std::size_t off_balance = 0;  ///< Latin hypercube: new ones that had to leave their strata
};

/// Random configurations, none twice and every column even over its values, on top of `existing`
/// up to `n` in all. The same seed extends a plan of its own to what a longer plan would have been.
///
/// Throws InputError where the space has not got so many configurations that fulfil its conditions.
Plan random_plan(const Space& space, std::size_t n, std::uint64_t seed,
                 const std::vector<Configuration>& existing);

/// A Latin hypercube: the new configurations have every value of a list equally often, up to one,
/// and one value from each of as many equal parts of a range. Where conditions rule out what was
/// drawn, values are swapped between configurations, which keeps the counts.
Plan latin_hypercube_plan(const Space& space, std::size_t n, std::uint64_t seed,
                          const std::vector<Configuration>& existing);

/// Hands every configuration of a space of lists to `visit`, in the order of its lists with the
/// last column fastest. The conditions of the space are not looked at.
void for_each_configuration(const Space& space,
                            const std::function<void(const Configuration&)>& visit);

/// Configurations as a Belief sees them.
struct Places {
  Design design;
  Eigen::MatrixXd prior;    ///< covariance of ln t by the constants: prior' prior
  Eigen::MatrixXd learned;  ///< what the known runs take off it: learned' learned
};

/// What a model and the runs that it knows say about ln t of configurations: its covariances where
/// the model is linearised in its constants, and its process, if it has one, keeps its
/// hyper-parameters (Rasmussen and Williams 2006, eq. 2.26 and 2.42).
///
/// Constants are normal about their values; beforehand each may change ln t over the space by as
/// much as ln t differs there, and moves no farther than by 2 (of ln a, or of a power).
class Belief {
 public:
  /// `space`: a sample of the configurations of interest, more than one. `known`: runs that were
  /// measured; where they are absent, those of the process, or of a model without one as many
  /// average configurations of the space as it had runs.
  Belief(const FittedModel& model, const Design& space, const std::optional<Design>& known);

  Places at(const Design& design) const;
  Eigen::MatrixXd covariance(const Places& a, const Places& b) const;
  /// At one place each.
  Eigen::VectorXd variances(const Places& places) const;
  /// Variance of ln t of one more run about its configuration's.
  double noise() const { return noise_; }

 private:
  const FittedModel& model_;
  std::optional<ProcessBelief> process_;
  double noise_ = 0;
  Eigen::RowVectorXd middle_;     ///< of the slopes over the space
  Eigen::VectorXd deviations_;    ///< of constants and level
  Eigen::MatrixXd constants_;     ///< root of their covariance: without a process, with the runs
  Eigen::MatrixXd known_factor_;  ///< Cholesky factor of the covariance of the known runs
  std::optional<Places> known_;   ///< of a model with a process

  Eigen::MatrixXd slopes(const Design& design) const;
  void learn(const Eigen::MatrixXd& slopes, double weight);
  void learn(const Design& known, const Eigen::VectorXd& runs);
};

/// A form and constants to linearise it at.
struct Linearisation {
  ModelSpec spec;
  std::shared_ptr<const Form> form;
  Eigen::VectorXd constants;  ///< in the order of form->constants()
};

/// Eq. (4) where nothing is known yet: every input has the same share of the scalable part at the
/// middle of its values, powers are 1, scaling powers -0.5, and C is a fifth of the time.
Linearisation default_linearisation(const Space& space);

/// Where the exchanges of one start ended.
struct PlanStart {
  std::vector<std::size_t> candidates;  ///< that the plan takes, the existing ones first
  double information = 0;               ///< the criterion
};

/// Chooses `n` configurations, the existing ones among them, that say as much about the constants
/// as exchanges of one configuration can make them (Fedorov 1972, in the form of Cook and
/// Nachtsheim 1980), among random candidates. Half of the criterion is D-optimality, ln det(X'X)
/// per constant, the other half the same for the scaling powers alone (D_s), which are what most
/// plans are made for. Of constants it is the logarithm that counts, where they are no powers: the
/// noise of measured times is proportional to them. Levels of several categorical columns are
/// determined only up to a constant each: a small ridge keeps the determinants above 0.
///
/// Exchanges begin at `starts` random choices of candidates; the best end is the plan, of equal
/// ones the first.
struct DOptimalRequest {
  const Space& space;
  std::size_t n = 0;
  std::uint64_t seed = 1;
  const std::vector<Configuration>& existing;
  const Linearisation& linearisation;
  std::size_t starts = 1;
  std::size_t threads = 1;  ///< they change no result
};

/// Nothing where `hooks` leave all starts to others.
std::optional<Plan> d_optimal_plan(const DOptimalRequest& request,
                                   const TaskHooks<PlanStart>& hooks = {});

/// A configuration to be measured, and what that is good for, those before it being measured.
struct NextRun {
  std::size_t candidate = 0;
  double deviation_gain = 0;   ///< by how much the mean deviation over the space falls
  double log_determinant = 0;  ///< of the information about ln t that it adds: ln(1 + v / noise)
};

struct NextRuns {
  /// Mean standard deviation of ln t of a new run of the space, before: how far predictions will be
  /// off.
  double deviation = 0;
  std::vector<NextRun> runs;
};

/// The candidates that, one after another, take most off the mean deviation over the space per
/// unit of their cost, each at most once (of variances: Cohn 1996; of linear models: V-optimality).
NextRuns next_runs(const Belief& belief, const Design& space, const Design& candidates,
                   const Eigen::VectorXd& costs, std::size_t count);

/// A configuration with what a model predicts for it.
struct Suggestion {
  Configuration configuration;
  double time = 0;
  double cost = 0;                        ///< time * price
  std::optional<Interval> interval = {};  ///< of the time, where the model has intervals
};

struct SuggestionRequest {
  std::optional<std::string> price;     ///< per unit of time, over the columns; 1 where not given
  std::vector<std::string> conditions;  ///< over the columns, `time` and `cost`
  std::size_t most = 10;
  std::uint64_t seed = 1;  ///< of the sample where the space is too large to be searched as a whole
};

struct Suggestions {
  std::vector<Suggestion> fastest;   ///< ascending times
  std::vector<Suggestion> cheapest;  ///< ascending costs; only with a price
  std::vector<Suggestion> pareto;    ///< ascending times, falling costs; only with a price
  std::size_t searched = 0;          ///< configurations that the space allows and were looked at
  std::size_t without_time = 0;      ///< of them, those that the model gives no time
  std::size_t allowed = 0;           ///< of them, those that fulfil the conditions
  bool complete = true;              ///< the whole space was searched
};

/// The price of each configuration, 1 where none is given. Throws UsageError where one is no number
/// >= 0.
Eigen::VectorXd prices(const Space& space, const std::optional<std::string>& price,
                       const std::vector<Configuration>& configurations);

/// Predicted times of many configurations at once.
using Predict = std::function<std::vector<double>(const std::vector<Configuration>&)>;

/// Ranks the rows of a space of runs. Searches another of at most ten million configurations as a
/// whole, of others a random sample. Times that are not finite and > 0 are no times: such
/// configurations are left out.
Suggestions suggest(const Space& space, const SuggestionRequest& request, const Predict& predict);

}  // namespace perfmodel::plan

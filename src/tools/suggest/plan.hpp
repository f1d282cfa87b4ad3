#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/model.hpp"
#include "table/formula.hpp"
#include "trust/next_runs.hpp"

namespace perfmodel {
struct RunsFile;
}

namespace perfmodel::plan {

/// One column of a space: a list of numbers, a list of texts, or a range of numbers.
struct SpaceColumn {
  std::string name;
  std::vector<double> values;       ///< if it is a list of numbers
  std::vector<std::string> levels;  ///< if it is a list of texts
  double low = 0;                   ///< if it is a range
  double high = 0;
  bool logarithmic = false;  ///< a range that is uniform in the logarithm
  bool whole = false;        ///< a range of whole numbers

  bool is_text() const { return !levels.empty(); }
  bool is_range() const { return values.empty() && levels.empty(); }
  /// Number of values of a list, or of a range of whole numbers.
  std::size_t choices() const;
  /// The value of this index, below choices().
  double choice(std::size_t k) const;
  /// The value at u in [0, 1): all values of a list have equal probability.
  double value_at(double u) const;
  /// The value as it is written to a file.
  std::string text(double value) const;
  /// The number or index of a level in a cell of a file; nullopt if the column does not contain it.
  std::optional<double> value_of(const std::string& text) const;
};

/// Columns whose values occur only in known combinations.
struct Bond {
  std::vector<std::size_t> columns;
  std::set<std::vector<double>> known;
};

/// Two numeric columns of which, in all runs, `less` is never larger than `more`; with `whole`,
/// `more` is an integer multiple of `less`.
struct Order {
  std::size_t less, more;
  bool whole;

  /// `a`, `b`: values of `less` and of `more`.
  bool holds(double a, double b) const;
};

/// What can be configured. A configuration is one number per column: the value, or the index of the
/// level.
struct Space {
  std::string source;  ///< for messages
  std::vector<SpaceColumn> columns;
  std::vector<std::string> extrinsic;          ///< scales, as given in the file; may be empty
  std::vector<std::string> where;              ///< conditions, all of which have to hold
  std::vector<std::vector<double>> rows = {};  ///< distinct successful runs, or candidates
  std::set<std::vector<double>> failed = {};   ///< a space of runs: where all runs failed
  std::vector<Bond> bonds = {};  ///< a space of runs after bind_columns(): each column is in one
  std::vector<Order> orders = {};
  std::vector<Tie> steps = {};  ///< configurations must satisfy these ties
  /// Further configurations, beyond the values of the columns.
  std::vector<std::vector<double>> beyond = {};

  /// Whether the rows are its only configurations.
  bool is_listed() const { return !rows.empty() && bonds.empty(); }
  std::vector<std::string> names() const;
  std::set<std::string> text_columns() const;
  /// A configuration as it is written to a file, column by column.
  std::vector<std::string> cells(const std::vector<double>& configuration) const;
  /// "gpus=8 batch=64"
  std::string words(const std::vector<double>& configuration) const;
  /// Number of rows if these are listed, else of combinations; nullopt if a column is a range, but
  /// of one of whole numbers only without `counts_ranges`, or there are more than 2^53.
  std::optional<double> size(bool counts_ranges = false) const;
};

using Configuration = std::vector<double>;

/// The space of the values that these columns have in runs. `all`: the table including failed runs.
Space space_of_runs(const Table& runs, const Table& all, const std::vector<std::string>& columns);

/// The space of these rows and no others. Throws InputError for texts in columns of numbers.
Space space_of_candidates(const Table& table);

/// The space of the values that the inputs have in the runs that the model remembers, in
/// combinations that can exist, and for every scale the central run at 2 and 4 times its largest
/// value. Throws UsageError for a model that does not remember its runs, or that computes inputs
/// from columns that it does not.
Space space_around(const FittedModel& model);

/// Restricts a space of runs to configurations that can exist, judged by the runs: columns that
/// others determine keep doing so, two texts occur together only if they do in a run, and a number
/// that is never larger than another one, or divides it, stays so.
void bind_columns(Space& space, const Table& runs);

/// Knows the columns of texts of a space.
TextCodes text_codes(const Space& space);

/// The numbers of a configuration as formulas use them: texts by their codes.
std::vector<double> formula_values(const Space& space, TextCodes& codes,
                                   const Configuration& configuration);

/// Whether a configuration satisfies the restrictions of a space of runs.
bool can_exist(const Space& space, const Configuration& configuration);

/// Whether a configuration satisfies the restrictions and conditions of a space.
using Conditions = std::function<bool(const Configuration&)>;

/// Refers to the space. Throws UsageError, which names file and expression.
Conditions conditions_of(const Space& space);

/// The configurations as a table with artificial `source` and lines.
Table table_of(const Space& space, const std::vector<Configuration>& configurations);

/// Rows of a file as configurations of the space; further columns are ignored. Throws InputError
/// with file, line and column for a value that the space does not contain.
std::vector<Configuration> configurations_of(const Space& space, const Table& table);

/// As configurations_of(), but leaves out rows with a value that the space does not contain.
std::vector<Configuration> contained_configurations(const Space& space, const Table& table);

/// A plan of runs.
struct Plan {
  std::vector<Configuration> configurations;  ///< the existing ones first
  std::size_t off_balance = 0;                ///< Latin hypercube: new ones that left their strata
};

/// Random distinct configurations, uniform over the values of every column, added to `existing` up
/// to `n` in all. With the same seed, a plan that extends an earlier one is what a longer plan
/// would have been.
///
/// Throws InputError if the space has fewer configurations that fulfil its conditions.
Plan random_plan(const Space& space, std::size_t n, std::uint64_t seed,
                 const std::vector<Configuration>& existing);

/// A Latin hypercube: in the new configurations, all values of a list occur equally often (up to
/// one), and each of as many equal parts of a range has one value. If conditions rule out a drawn
/// configuration, values are swapped between configurations, which keeps the counts.
Plan latin_hypercube_plan(const Space& space, std::size_t n, std::uint64_t seed,
                          const std::vector<Configuration>& existing);

/// Calls `visit` with every row of a space that lists them, else with every configuration of its
/// lists and ranges of whole numbers, the last column varying fastest. The conditions of the space
/// are not checked.
void for_each_configuration(const Space& space,
                            const std::function<void(const Configuration&)>& visit);

/// Whether a space has at most so many combinations; `counts_ranges` as for Space::size().
bool is_small(const Space& space, std::size_t most, bool counts_ranges = false);

/// Random distinct configurations like those of random_plan(): `most` further than the existing
/// ones, or about as many as the space has. Throws InputError if these are fewer than `least`.
std::vector<Configuration> random_configurations(const Space& space, std::size_t least,
                                                 std::size_t most, std::uint64_t seed,
                                                 const std::vector<Configuration>& existing);

inline constexpr std::size_t kMostCandidates = 4000;  ///< of which the next runs are chosen
inline constexpr std::size_t kMostOfSpace = 1000;     ///< over which uncertainty is averaged

/// All configurations of a small space, or a random sample of a large one.
std::vector<Configuration> sample(const Space& space, std::size_t most, std::uint64_t seed);

/// Configurations of a space as inputs of a model. Throws InputError for unknown levels.
Design design_of_space(const Space& space, const std::vector<Configuration>& configurations,
                       const ModelSpec& spec);

/// Eq. (4) before anything is measured: every input has the same share of the scalable part at the
/// middle of its values, powers are 1, scaling powers -0.5, and C is a fifth of the time. Plans use
/// its spec, form and constants.
FittedModel default_linearisation(const Space& space);

/// Chooses `n` configurations, including the existing ones, that are as informative about the
/// constants as exchanges of single configurations can make them (Fedorov 1972, in the form of Cook
/// and Nachtsheim 1980), among random candidates. Half of the criterion is D-optimality, ln
/// det(X'X) per constant; the other half is the same for the scaling powers alone (D_s), for which
/// most plans are made. Constants other than powers enter as logarithms, since the noise of
/// measured times is proportional to them. Levels of several categorical columns are identifiable
/// only up to a constant each; a small ridge keeps the determinants above 0.
///
/// Exchanges start from `starts` random choices of candidates; the best result is the plan, the
/// first one in case of a tie.
struct DOptimalRequest {
  const Space& space;
  std::size_t n = 0;
  std::uint64_t seed = 1;
  const std::vector<Configuration>& existing;
  const FittedModel& model;  ///< linearised in its constants
  std::size_t starts = 1;
  std::size_t threads = 1;  ///< the result does not depend on it
};

Plan d_optimal_plan(const DOptimalRequest& request);

/// Which configurations are measured next: those from which predictions over the space gain most,
/// or those that may be faster than the fastest.
enum class Goal { accuracy, fastest };

constexpr auto texts_of(Goal) {
  using enum Goal;
  return std::to_array<EnumText<Goal>>({{accuracy, "accuracy"}, {fastest, "fastest"}});
}

/// A quantity that a model predicts for a configuration.
struct Estimate {
  double value = 0;                       ///< NaN: it cannot be predicted
  std::optional<Interval> interval = {};  ///< if the model has intervals
};

/// A quantity besides the time, with its estimates for many configurations at once.
struct BoundedTarget {
  std::string name;
  bool with_intervals = false;
  std::function<std::vector<Estimate>(const std::vector<Configuration>&)> estimates;
};

/// A configuration with its predicted time.
struct Suggestion {
  Configuration configuration;
  double time = 0;
  double cost = 0;                        ///< time * price
  std::optional<Interval> interval = {};  ///< of the time, if the model has intervals
  std::vector<Estimate> bounded = {};     ///< of the request's bounded targets
  std::optional<double> p_fails = {};     ///< if the model says how likely runs fail
  std::optional<double> p_in_time = {};   ///< if there is a deadline
  Estimate maximised = {};                ///< the value of the formula that is maximised
};

/// A configuration to measure, and its value.
struct NextSuggestion {
  Suggestion suggestion;
  NextRun run;
};

/// A time that new runs are to keep with a probability.
struct Deadline {
  std::optional<std::string> text = {};  ///< "30m"; nullopt: there is none
  double time = 0;                       ///< in the unit of the model
  double chance = 0.9;                   ///< at least 0.5
};

struct SuggestionRequest {
  std::optional<std::string> price;  ///< formula of the columns, per unit of time; 1 if not given
  /// Formulas of the columns, `time`, `cost` and the bounded targets. A configuration has to
  /// fulfil them at both ends of the interval of the time and of every bounded target.
  std::vector<std::string> conditions;
  std::size_t most = 10;
  std::uint64_t seed = 1;  ///< of the sample, if the space is too large for an exhaustive search
  std::vector<BoundedTarget> bounded = {};
  /// Configurations that fail with a larger probability are left out, if the model says which.
  double most_p_fails = 1;
  std::optional<double> level = {};  ///< of the interval of the time; nullopt: its value alone
  Deadline deadline = {};
  /// Formula of the columns, `time` (also by the name of the target) and the bounded targets.
  std::optional<std::string> maximise = {};
  std::optional<std::string> each = {};  ///< a column: lists have the best of each of its values
  std::vector<std::string> within = {};  ///< columns beyond whose measured ranges there is no time
  std::function<void(std::size_t done)> begins = {};  ///< how many have been searched
};

struct Suggestions {
  std::vector<Suggestion> fastest;   ///< ascending times
  std::vector<Suggestion> cheapest;  ///< ascending costs; only with a price
  std::vector<Suggestion> pareto;    ///< ascending times, falling costs; only with a price
  std::vector<Suggestion> best;      ///< falling values of the formula that is maximised, if any
  std::size_t searched = 0;          ///< configurations of the space that were evaluated
  std::size_t without_time = 0;      ///< of these, without a valid time
  std::size_t without_bounded = 0;   ///< of the others, without an estimate of a bounded target
  /// Of these, fulfilling the conditions, but likely to fail; nullopt: it is not known.
  std::optional<std::size_t> likely_to_fail = {};
  std::vector<Suggestion> failing = {};  ///< the fastest of these
  /// Conditions on predicted figures, and how many configurations fulfil those before it alone.
  std::vector<std::pair<std::string, std::size_t>> unmet = {};
  std::size_t late = 0;     ///< of those, without the wanted probability of keeping the deadline
  std::size_t allowed = 0;  ///< the others that fulfil the conditions
  bool complete = true;     ///< whether the search was exhaustive
};

/// Which of the configurations fail with a probability above `most`; none unless the model says it.
std::vector<bool> are_likely_to_fail(const FittedModel& model, const Space& space,
                                     const std::vector<Configuration>& configurations, double most);

/// Erases these configurations, and returns their number. `most` is FailureModel::most_accepted
/// unless given.
std::size_t erase_likely_to_fail(const FittedModel& model, const Space& space,
                                 std::vector<Configuration>& configurations, double most = 0.25);

/// The price of each configuration, 1 if none is given. Throws UsageError unless all are >= 0.
Eigen::VectorXd prices(const Space& space, const std::optional<std::string>& price,
                       const std::vector<Configuration>& configurations);

/// Ranks the configurations of a space: the rows of a space of rows, all of another space of at
/// most ten million, else a random sample. Configurations without a valid time are omitted.
Suggestions suggest(const FittedModel& model, const Space& space, const SuggestionRequest& request);

/// The probability that a run of the configuration takes at most `time`, 0.5 or more: half of what
/// the interval that ends there leaves out lies beyond it.
double probability_in_time(const FittedModel& model, const Space& space,
                           const Suggestion& suggestion, double time);

/// The values of the formula that is maximised at all ends of the intervals of `time` and of the
/// bounded targets, from the lowest to the highest; nullopt if there are none.
std::optional<Interval> maximised_interval(const FittedModel& model, const Space& space,
                                           const SuggestionRequest& request,
                                           const Suggestion& suggestion);

/// What is known of a space before its next runs.
struct KnownRuns {
  std::optional<Design> design = {};         ///< nullopt: nothing, as on a new machine
  std::vector<Configuration> tried = {};     ///< configurations with a run, also a failed one
  std::vector<Configuration> measured = {};  ///< of these, with a successful run
};

/// Runs of a space, read as further runs of the model are. `warn` is told which do not count.
KnownRuns known_runs(const FittedModel& model, const Space& space, RunsFile runs,
                     const std::function<void(const std::string&)>& warn);

/// Removes rows with levels that the model does not know. Returns a sentence about them, or nullopt
/// if there are none. Throws InputError if no row is left.
std::optional<std::string> drop_unknown_levels(Table& runs, const ModelSpec& spec);

struct NextRequest {
  std::size_t count = 1;  ///< runs at most
  Goal goal = Goal::accuracy;
  /// Price, and conditions and bounded targets that the next runs fulfil; those that are likely to
  /// fail are left out.
  SuggestionRequest ranking = {};
  /// The configurations that can be measured; nullopt: those of the space that were not tried.
  std::optional<std::vector<Configuration>> among = {};
  /// Time of a run beyond the predicted one; nullopt: the mean predicted time or, if nothing is
  /// known, three times the longest.
  std::optional<double> overhead = {};
  std::function<void(std::size_t done)> told = nullptr;  ///< how many are chosen
};

/// The configurations to measure next, the most valuable for its cost first.
struct NextPlan {
  std::vector<NextSuggestion> runs;  ///< empty: all that are left are likely to fail
  double deviation = 0;              ///< mean standard deviation of ln t of a new run in the space
  double deviation_after = 0;        ///< the same once these runs are measured
  Suggestions found;                 ///< without lists of what to run: what was looked at
  bool are_repeats = false;          ///< every configuration was tried
  /// The lowest time that the goal `fastest` improves on: of a measured configuration that fulfils
  /// the conditions or, without one, of a candidate.
  std::optional<double> best = {};
  bool best_is_measured = false;
};

/// The next step of a campaign: which configurations of a space are worth measuring, given a model
/// and the runs so far (see next_runs() for the value of a run):
///
///     const FittedModel model = read_model("model.json");
///     const plan::Space space = read_space("space.json");
///     const plan::KnownRuns known = plan::known_runs(
///         model, space, read_further_runs({"runs.csv"}, {}, {}, model.provenance.reading),
///         nullptr);
///     for (const auto& next : plan::next_to_measure(model, space, known, {.count = 3}).runs)
///       run(space.cells(next.suggestion.configuration));
///
/// Throws InputError if no configuration fulfils the conditions, if the fastest is sought and all
/// were measured, and for configurations whose time cannot be predicted.
NextPlan next_to_measure(const FittedModel& model, const Space& space, const KnownRuns& known,
                         const NextRequest& request);

}  // namespace perfmodel::plan

#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

class Fields;
struct FieldRule;

/// Which of the given columns each column of a canonical order is, and which of its levels each.
struct ColumnOrder {
  std::vector<std::size_t> intrinsic;
  std::vector<std::size_t> categorical;
  std::vector<std::size_t> extrinsic;
  std::vector<std::vector<std::size_t>> levels;  ///< by categorical column of the canonical order
};

/// Items of a canonical order, back where they came from: item i at origin[i].
template <class Items>
Items put_back(const Items& items, const std::vector<std::size_t>& origin) {
  Items out = items;
  using Place = decltype(items.size());  // Eigen's is signed
  for (std::size_t i = 0; i < origin.size(); ++i)
    out[static_cast<Place>(origin[i])] = items[static_cast<Place>(i)];
  return out;
}

/// Of what is predicted: runs that are off by less are no outliers, however near the others are.
constexpr double kLeastShareOff = 0.01;

inline bool is_far_off(double measured, double predicted) {
  return !(std::abs(measured - predicted) < kLeastShareOff * predicted);
}

/// What the constants of a sum of product terms were made to minimise: with its terms, all that
/// fitting it again takes.
struct SumEstimate {
  /// Of the powers and of the logarithms of factors, beside the penalty that was asked for; 0 where
  /// the loss was.
  double ridge = 0;
  bool intercept = true;                 ///< C is among the constants
  std::vector<std::size_t> shared = {};  ///< numeric columns whose power all terms share
};

/// The fields `range` and, where 0 is among its values, `zero` of a numeric column. `in_products`:
/// else a term of the column is absent at 0.
void describe_range(Fields& f, NumericInput& input, bool in_products);

/// Puts the levels of a categorical column in the object `f` that was read into their own order: a
/// file that was edited by hand may have them in any. Throws InputError for levels that are none.
void settle_levels(const Fields& f, const ModelSpec& spec, CategoricalInput& input);

/// Throws InputError for a column that has two parts in a model that was read; `f` has its inputs.
void refuse_repeated_columns(const Fields& f, const ModelSpec& spec);

/// Rule of fields that exist only if the identifiability of the constants is known.
FieldRule if_identified(const Fields& f);

/// What a constant does in its form.
enum class ConstantRole {
  coefficient,      ///< a of a numeric column or of a term
  level,            ///< what a level adds, or multiplies by
  step,             ///< a factor at or below, or above a threshold
  intrinsic_power,  ///< p
  scaling_power,    ///< q
  intercept         ///< C
};

/// Which values a constant can take: decides how an interval of it is widened.
enum class ConstantRange {
  any,           ///< powers
  not_negative,  ///< a time
  factor         ///< changes by factors
};

/// An entry of the table of a form's constants.
struct ConstantInfo {
  std::string name;  ///< "p[filters]", "a[1]", "C"
  ConstantRole role = ConstantRole::coefficient;
  ConstantRange range = ConstantRange::any;
  std::size_t group = 0;    ///< of Form::groups(): the input or the term that it belongs to
  std::string level = {};   ///< of a level's constant
  std::string column = {};  ///< of a power: what it raises
};

/// Two constants of which the runs can only tell the difference: a level and the first of its
/// column.
struct ConstantDifference {
  std::string column;
  std::string level;
  std::string first_level;
  std::size_t constant = 0;
  std::size_t first = 0;
};

/// A part of the predicted time.
struct TimePart {
  std::string name;     ///< an input, "term 1", "C"
  std::string formula;  ///< of a term, with some of many levels; empty where the name says it all
  bool exists = true;   ///< a C of 0 is no part of a sum
  std::string title{};  ///< of a term what it depends on; empty where the name says it all
};

/// What people are told about a form.
struct FormWords {
  std::string_view noun;           ///< "sum of product terms"
  std::string_view title;          ///< opens a sentence
  std::string_view share_caption;  ///< of the figure of time shares
  std::string_view scaled_part;    ///< what a scaling power speaks of: "the time"
  char level_letter = 'a';         ///< of a level's constant: a[...], g[...]
  bool lists_terms = false;        ///< is read term by term: each part has a formula of its own
};

/// What a residual process knows of ln t, beside the constants.
struct ProcessBelief {
  /// Between the rows of two designs, as if no run were known.
  std::function<Eigen::MatrixXd(const Design& a, const Design& b)> covariance;
  double noise = 0;          ///< variance of one run about the process
  double near_variance = 0;  ///< at most that of ln t where runs are near, see ProcessReach
  Design known;              ///< the configurations that it was fitted to
  Eigen::VectorXd runs;      ///< of each of them
  /// Of each intrinsic, then each extrinsic input: of larger values the process says what it says
  /// of this one.
  std::vector<double> most;
};

/// How far a residual process reaches to some rows.
struct ProcessReach {
  Eigen::VectorXd deviations;  ///< standard deviation of ln(time) of a run
  /// Whether runs are near, so that the process speaks: it is as sure there as of 19 in 20 of the
  /// runs from all others, and no number is larger than any that it looks at, or outside of its
  /// measured range where the trend goes on. Elsewhere the trend speaks alone.
  std::vector<bool> near;
};

class Form;

/// What other runs of the same kind make of a model.
struct Refitted {
  std::shared_ptr<const Form> form;  ///< another only where a residual process knows the runs
  Eigen::VectorXd constants;         ///< in the order of the model's
};

/// Fits a model again to other runs of the same kind, with its form as it is.
class Refit {
 public:
  virtual ~Refit() = default;
  virtual Refitted operator()(const Design& runs) const = 0;
  /// How many constants the runs have to determine.
  virtual std::size_t free_constants() const = 0;
};

/// A kind of formula for the time of a configuration: Eq. (4), a sum of product terms. All that
/// fits, predicts, prints, stores and judges models goes through this type; a new form is a class
/// that derives from it and an entry in form_kinds().
///
/// A form says what is made of the constants of a model, in the units of the data; C, the part of
/// the time that depends on nothing, is the last of them. It is immutable and shared by copies of a
/// model.
class Form {
 public:
  virtual ~Form() = default;

  /// In model.json: "generic", "multi", "process".
  virtual std::string_view name() const = 0;
  /// Of model.json: what an older program would misread has a newer one.
  virtual unsigned schema_version() const { return 1; }
  virtual const FormWords& words() const = 0;
  /// Moves constants that were estimated without bounds to where the form has values.
  virtual void keep_in_bounds(const ModelSpec&, Eigen::VectorXd&) const {}

  /// One per constant, in their order.
  virtual std::vector<ConstantInfo> constants(const ModelSpec& spec) const = 0;
  /// What the constants are grouped by.
  virtual std::vector<std::string> groups(const ModelSpec& spec) const = 0;
  /// Column by column, level by level, the first of a column included. None where the constants of
  /// levels speak for themselves.
  virtual std::vector<ConstantDifference> differences(const ModelSpec& spec) const;

  /// One time per row.
  virtual Eigen::VectorXd predict(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                  const Design& design) const = 0;
  /// How ln t changes with the constants, row by row: by the logarithm of a constant that is not
  /// negative or a factor, by a power itself.
  virtual Eigen::MatrixXd log_slopes(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                     const Design& design) const = 0;
  /// The form without its residual process, of the same constants.
  virtual const Form& trend() const { return *this; }
  /// By what a residual process multiplies the time of each row. Nothing where the form has none.
  virtual std::optional<Eigen::VectorXd> process_factors(const Design& design) const;
  /// What it knows of ln t. Nothing where the form has none.
  virtual std::optional<ProcessBelief> process_belief(const ModelSpec& spec) const;
  /// How far the process reaches to each row. Nothing where the form has none.
  virtual std::optional<ProcessReach> process_reach(const ModelSpec&, const Eigen::VectorXd&,
                                                    const Design&) const {
    return std::nullopt;
  }
  /// The parts of the time, C the last. `mark`, where it is given, is what stands behind the number
  /// of a constant.
  virtual std::vector<TimePart> parts(
      const ModelSpec& spec, const Eigen::VectorXd& constants,
      const std::function<std::string(std::size_t)>& mark = nullptr) const = 0;
  /// Share of each of the parts in the predicted time, summed over the rows, in percent.
  virtual std::vector<double> shares(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                     const Design& design) const = 0;

  /// Whether the scaling powers depend on the configuration.
  virtual bool has_local_powers() const = 0;
  /// Which constant is the scaling power of an extrinsic column, where they do not.
  virtual std::optional<std::size_t> scaling_constant(const ModelSpec& spec,
                                                      std::size_t extrinsic) const;
  /// d ln t / d ln E of each extrinsic column at a configuration, or those constants. `at` is null
  /// only where they are constants.
  virtual std::vector<double> scaling_powers(const ModelSpec& spec,
                                             const Eigen::VectorXd& constants,
                                             const Configuration* at) const = 0;
  /// The part of the time that scaling powers do not speak of.
  virtual double unscaled_time(const Eigen::VectorXd& constants) const = 0;
  /// Values of an extrinsic column at which the time jumps: up to each, and above it.
  virtual std::vector<double> steps(const ModelSpec& spec, std::size_t extrinsic) const;

  /// As model.json has it, on one line.
  virtual std::string formula(const ModelSpec& spec, const Eigen::VectorXd& constants) const = 0;
  /// The whole model in a language; throws what the writers of model/formula_code throw.
  virtual std::string code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                           FormulaLanguage language) const = 0;

  /// The same form and its constants where the columns of a spec stand in another order.
  struct Reordered {
    std::shared_ptr<const Form> form;
    std::vector<std::size_t> origin;  ///< place of each constant in the new order
  };
  virtual Reordered reordered(const ModelSpec& from, const ModelSpec& to,
                              const ColumnOrder& order) const = 0;

  /// How many of the constants of a fitted model play a part.
  virtual std::size_t constants_in_use(const FittedModel& model) const = 0;
  /// `options` are those of the fit, and outlive the result, as the model does. Throws UsageError
  /// where the model does not know how it was fitted, as one with a process from a file.
  virtual std::unique_ptr<Refit> refit(const FittedModel& model, const Design& training,
                                       const FitOptions& options) const = 0;
  /// Gives constants of levels that no row has a value that means something.
  virtual void settle_unseen_levels(const Design& training, FittedModel& model) const;

  /// Writes the field `constants` of model.json, with what is known of each constant; the context
  /// of `f` is the model. What reads it is in form_kinds().
  virtual void describe_constants(Fields& f, FittedModel& model) const = 0;
};

/// Whether a formula is multiplied by a residual process.
inline bool has_process(const Form& form) {
  return &form.trend() != &form;
}

/// Whether numbers of a row are outside of their measured ranges and a formula depends on one of
/// them, as a power does that goes on and a step that does not. `form`: without a residual process.
Eigen::Array<bool, Eigen::Dynamic, 1> depends_beyond(const Form& form, const ModelSpec& spec,
                                                     const Eigen::VectorXd& constants,
                                                     const Design& design);

/// Whether the form says of numbers beyond the largest measured one what it says of that, at some
/// of the runs.
bool is_flat_beyond(const Form& form, const ModelSpec& spec, const Eigen::VectorXd& constants,
                    const Design& runs, std::size_t numeric);

}  // namespace perfmodel

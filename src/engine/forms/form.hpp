#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/design.hpp"

namespace perfmodel {

class Fields;
struct CodeLanguage;
struct FieldRule;
struct FitOptions;
struct FittedModel;

/// Per column of a canonical order its index among the given columns, and likewise of levels.
struct ColumnOrder {
  std::vector<std::size_t> intrinsic;
  std::vector<std::size_t> categorical;
  std::vector<std::size_t> extrinsic;
  std::vector<std::vector<std::size_t>> levels;  ///< by categorical column of the canonical order
};

/// The chosen items, in this order.
template <class Items>
Items taken(const Items& items, const std::vector<std::size_t>& which) {
  Items out;
  for (const std::size_t item : which)
    out.push_back(items[item]);
  return out;
}

/// Undoes a reordering: item i is put at origin[i].
template <class Items>
Items put_back(const Items& items, const std::vector<std::size_t>& origin) {
  Items out = items;
  using Place = decltype(items.size());  // Eigen's is signed
  for (std::size_t i = 0; i < origin.size(); ++i)
    out[static_cast<Place>(origin[i])] = items[static_cast<Place>(i)];
  return out;
}

/// Share of the predicted time: a run with a smaller error is never an outlier.
constexpr double kLeastShareOff = 0.01;

inline bool is_far_off(double measured, double predicted) {
  return !(std::abs(measured - predicted) < kLeastShareOff * predicted);
}

/// The objective that the constants of a sum of product terms minimise. With the terms, it suffices
/// to refit the sum.
struct SumEstimate {
  /// Ridge penalty of the powers and of the logarithms of factors, added to the requested penalty;
  /// 0 if the requested loss was minimised.
  double ridge = 0;
  bool intercept = true;                 ///< C is among the constants
  std::vector<std::size_t> shared = {};  ///< numeric columns whose power all terms share
};

/// Reads or writes the field `range` of a numeric column and, if the column contains 0, `zero`.
/// `in_products`: whether the column is a factor of products; if not, its term is absent at 0.
void describe_range(Fields& f, NumericInput& input, bool in_products);

/// Reads or writes the inputs of a model whose scaling powers are local.
void describe_inputs(Fields& f, FittedModel& model, bool in_products);

/// Sorts the levels of a categorical column read from the object `f`: a file edited by hand may
/// have them in any order. Throws InputError for invalid levels.
void settle_levels(const Fields& f, const ModelSpec& spec, CategoricalInput& input);

/// Which levels occur in the rows.
std::vector<bool> seen_levels(const LevelFactor& rows);

/// Sets the constants of levels that occur in no row to the mean of the others': fits leave them at
/// their initial values.
void settle_unseen(const LevelFactor& rows, Eigen::Ref<VectorXd> constants);

/// Throws InputError if a column of a model that was read has two roles; `f` contains its inputs.
void refuse_repeated_columns(const Fields& f, const ModelSpec& spec);

/// Rule of fields that exist only if the identifiability of the constants is known.
FieldRule if_identified(const Fields& f);

enum class ConstantRole {
  coefficient,      ///< a of a numeric column or of a term
  level,            ///< addend or factor of a level
  step,             ///< factor at or below a threshold, or above it
  intrinsic_power,  ///< p
  scaling_power,    ///< q
  intercept,        ///< C
  named             ///< of a user's formula
};

/// The values that a constant can take, which decide how its interval is widened.
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
  std::size_t group = 0;    ///< index into Form::groups(): its input or term
  std::string level = {};   ///< if the constant belongs to a level
  std::string column = {};  ///< of a power: the column it is applied to
};

/// Two constants of which only the difference is identifiable: those of a level and of the first
/// level of its column.
struct ConstantDifference {
  std::string column;
  std::string level;
  std::string first_level;
  std::size_t constant = 0;
  std::size_t first = 0;
};

struct TimePart {
  std::string name;     ///< an input, "term 1", "C"
  std::string formula;  ///< of a term, long lists of levels cut; empty if the name suffices
  bool exists = true;   ///< false: C of a sum is 0
  std::string title{};  ///< what a term depends on; empty if the name suffices
};

/// The words for a form in output.
struct FormWords {
  std::string noun;           ///< "sum of product terms"
  std::string title;          ///< opens a sentence
  std::string share_caption;  ///< caption of the figure of time shares
  std::string scaled_part;    ///< what a scaling power applies to: "the time"
  char level_letter = 'a';    ///< symbol of a level's constant: a[...], g[...]
  bool lists_terms = false;   ///< each component has its own formula
};

/// Prior of the Gaussian process (GP) of the residuals of ln t, and the runs it is conditioned on.
struct GpBelief {
  /// Prior covariance between the rows of two designs, a.rows x b.rows.
  std::function<MatrixXd(const Design& a, const Design& b)> covariance;
  double noise = 0;          ///< variance of one run about the GP
  double near_variance = 0;  ///< largest variance at a row near runs, see GpReach
  Design known;              ///< the configurations that the GP was fitted to
  VectorXd runs;             ///< number of runs per configuration
  /// Per intrinsic, then per extrinsic input: larger values are clamped to this one.
  std::vector<double> most;
};

/// How informative the GP is at some rows.
struct GpReach {
  VectorXd deviations;  ///< standard deviation of ln(time) of a single run
  /// True if the GP is informative at this row: its variance is at most the 95th percentile of the
  /// leave-one-out variances, no number is clamped, and no number that the trend depends on is
  /// outside its measured range.
  std::vector<bool> near;
};

class Form;

/// A model refitted to other runs with the same columns.
struct Refitted {
  std::shared_ptr<const Form> form;  ///< a new one if it has a GP, else the model's
  VectorXd constants;                ///< in the order of the model's constants
};

/// Refits a model to other runs with the same columns; its form is fixed.
class Refit {
 public:
  virtual ~Refit() = default;
  virtual Refitted operator()(const Design& runs) const = 0;
  /// Number of constants that are estimated from the runs.
  virtual std::size_t free_constants() const = 0;
};

/// What the search of a form knows of its models; it stands beside the search, so that a form needs
/// none.
struct Fitter {
  /// Number of constants of a fitted model that are in use.
  std::size_t (*constants_in_use)(const FittedModel& model);
  /// `options`: those of the fit. Model and options must outlive the result. Throws UsageError if
  /// the model lacks the settings of its fit, such as one with a GP that was read from a file.
  std::unique_ptr<Refit> (*refit)(const FittedModel& model, const Design& training,
                                  const FitOptions& options);
};

/// A Fitter::refit of this class.
template <class OfForm>
std::unique_ptr<Refit> refit_as(const FittedModel& model, const Design& training,
                                const FitOptions& options) {
  return std::make_unique<OfForm>(model, training, options);
}

/// The times of a model. The last of its constants is C, the constant part of the time.
class Predictor {
 public:
  virtual ~Predictor() = default;

  /// Returns one time per row.
  virtual VectorXd predict(const ModelSpec& spec, const VectorXd& constants,
                           const Design& design) const = 0;
  /// Derivatives of ln t, rows x constants: with respect to the logarithm of a constant with range
  /// not_negative or factor, and to a power itself.
  virtual MatrixXd log_slopes(const ModelSpec& spec, const VectorXd& constants,
                              const Design& design) const = 0;
  /// Percentage of the predicted time, summed over the rows, per component.
  virtual std::vector<double> shares(const ModelSpec& spec, const VectorXd& constants,
                                     const Design& design) const = 0;
  /// The form with all its times multiplied by `factor`, for a form whose constants do not suffice
  /// for that; else null.
  virtual std::shared_ptr<const Form> multiplied(double /*factor*/) const { return nullptr; }

  /// The factor of the GP, per row. nullopt if the form has no GP.
  virtual std::optional<VectorXd> gp_factors(const Design& design) const;
  /// nullopt if the form has no GP.
  virtual std::optional<GpBelief> gp_belief(const ModelSpec& spec) const;
  /// nullopt if the form has no GP.
  virtual std::optional<GpReach> gp_reach(const ModelSpec&, const VectorXd&, const Design&) const {
    return std::nullopt;
  }

  /// True if the scaling powers depend on the configuration.
  virtual bool has_local_powers() const { return true; }
  /// The scaling power of each extrinsic column: d ln t / d ln E at a configuration or, unless
  /// has_local_powers(), the constants; only then `at` may be null.
  virtual std::vector<double> scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                             const Configuration* at) const = 0;
};

/// What a model consists of: its constants, and the text of its formula.
class Composition {
 public:
  virtual ~Composition() = default;

  /// Its name in model.json: "generic", "multi", "process".
  virtual std::string_view name() const = 0;
  virtual FormWords words() const = 0;

  /// One per constant, in their order.
  virtual std::vector<ConstantInfo> constants(const ModelSpec& spec) const = 0;
  /// Names of the groups of constants: inputs or terms.
  virtual std::vector<std::string> groups(const ModelSpec& spec) const = 0;
  /// The components of the time, C last. `mark`, if given, returns a mark to write after the number
  /// of a constant.
  virtual std::vector<TimePart> parts(
      const ModelSpec& spec, const VectorXd& constants,
      const std::function<std::string(std::size_t)>& mark = nullptr) const = 0;
  /// The formula as in model.json, on one line.
  virtual std::string formula(const ModelSpec& spec, const VectorXd& constants) const = 0;
  /// Reads or writes the field `constants` of model.json, the inputs included; the context of `f`
  /// is the model, which gets the form that was read. A form with a GP is read by form_kinds().
  virtual void describe_constants(Fields& f, FittedModel& model) const = 0;
};

/// A kind of formula for the time of a configuration, such as Eq. (4) or a sum of product terms.
/// Prediction, output, storage and validation of models all use this interface. A new form is a
/// derived class and an entry in form_kinds(); what fits it again is its Fitter.
///
/// A form computes times from the constants of a model, in the units of the data. Forms are
/// immutable and shared by copies of a model.
class Form : public Predictor, public Composition {
 public:
  /// The form without its GP; it has the same constants, steps and differences.
  virtual const Form& trend() const { return *this; }
  /// The differences between levels, column by column, the first level of a column included. Empty
  /// if the constants of levels are identifiable by themselves.
  virtual std::vector<ConstantDifference> differences(const ModelSpec& spec) const;
  /// Index of the constant that is the scaling power of an extrinsic column; nullopt if the scaling
  /// powers depend on the configuration.
  virtual std::optional<std::size_t> scaling_constant(const ModelSpec& spec,
                                                      std::size_t extrinsic) const;
  /// Thresholds of a numeric column above which the time jumps.
  virtual std::vector<double> steps(const ModelSpec& spec, std::size_t numeric) const;
  /// The part of the time that scaling powers do not apply to: C, or nothing if they are local.
  double unscaled_time(const VectorXd& constants) const;

  /// The same form for another order of the columns of a spec.
  virtual std::shared_ptr<const Form> reordered(const ColumnOrder& order) const = 0;
  /// Gives the constants of levels that occur in no row a meaningful value.
  virtual void settle_unseen_levels(const Design& training, FittedModel& model) const;
  /// The fitter of a form that is not in form_kinds(); see fitter_of().
  virtual const Fitter* fitter() const { return nullptr; }
};

inline bool has_gp(const Form& form) {
  return &form.trend() != &form;
}

/// Per row, true if numbers are outside their measured ranges and the formula depends on one of
/// them, as powers and steps do. `form` has no GP.
Eigen::Array<bool, Eigen::Dynamic, 1> depends_beyond(const Form& form, const ModelSpec& spec,
                                                     const VectorXd& constants,
                                                     const Design& design);

/// True if the predicted time is constant in a numeric column beyond its largest measured value,
/// judged at a sample of the runs.
bool is_flat_beyond(const Form& form, const ModelSpec& spec, const VectorXd& constants,
                    const Design& runs, std::size_t numeric);

}  // namespace perfmodel

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/objective.hpp"
#include "perfmodel/progress.hpp"

namespace perfmodel {

enum class Method {
  scaled,  ///< standardised columns, log coefficients, local refinement
  paper,   ///< scipy's defaults in the unscaled box of the paper
};

/// The form that is fitted.
enum class Expression {
  eq4,        ///< Eq. (4)
  sum,        ///< a sum of product terms
  automatic,  ///< selected by cross-validation
  formula,    ///< a user's own
};

/// How the residuals of the expression are modelled.
enum class Residual {
  none,
  gp,      ///< by a Gaussian process of ln t
  chosen,  ///< selected together with an automatic expression
};

constexpr auto texts_of(Method) {
  using enum Method;
  return std::to_array<EnumText<Method>>({{scaled, "scaled"}, {paper, "paper"}});
}
constexpr auto texts_of(Expression) {
  using enum Expression;
  return std::to_array<EnumText<Expression>>(
      {{eq4, "generic"}, {sum, "multi"}, {automatic, "auto"}, {formula, "formula"}});
}
constexpr auto texts_of(Residual) {
  using enum Residual;
  return std::to_array<EnumText<Residual>>({{none, "none"}, {gp, "process"}, {chosen, "auto"}});
}
/// A user's bound on one kind of constant of Eq. (4) ("a", "p", "q" or "C"), for one column or all,
/// or on a constant of a user's formula.
struct BoundOverride {
  std::string constant;
  std::optional<std::string> column;
  double low = 0;
  double high = 0;
};

/// Parses "p=-2:2", "p.filters=0:3", and "p=1", which fixes the constant. Throws UsageError.
BoundOverride parse_bound(const std::string& text);

/// The settings of a search that a method uses unless the user gives others.
struct SearchDefaults {
  std::size_t starts;
  std::size_t exploration_rows;
  optimise::Updating updating;
  std::size_t population;  ///< members per free constant
  std::size_t generations;
  double tolerance;
};

SearchDefaults search_defaults(Method method);

/// The stages of a long fit, in this order; the first two only if a form is selected.
enum class FitStage { sums, corrections, fits, bootstrap, folds };

constexpr auto texts_of(FitStage) {
  using enum FitStage;
  return std::to_array<EnumText<FitStage>>({{sums, "choosing among sums of terms"},
                                            {corrections, "choosing the form"},
                                            {fits, "fitting"},
                                            {bootstrap, "bootstrap"},
                                            {folds, "folds"}});
}

/// Called with the number of parts of a stage that are done, by one thread at a time.
using FitProgress = std::function<void(FitStage stage, std::size_t done, std::size_t all)>;

struct FittedModel;

/// The box of the constants, and the differential evolution in it; settings that are not given are
/// search_defaults() of the method.
struct SearchSettings {
  std::vector<BoundOverride> bounds = {};
  /// Number of rows of a random sample on which the search explores if there are more, with numeric
  /// columns rounded to 128 values; local refinement uses all rows as they are. Equal rows are
  /// merged. 0: explore on all rows.
  std::optional<std::size_t> exploration_rows = {};
  std::optional<optimise::Strategy> strategy = {};  ///< otherwise best1bin
  std::optional<std::size_t> population = {};
  std::optional<std::size_t> generations = {};
  std::optional<double> tolerance = {};
};

struct Eq4Options {
  Method method = Method::scaled;
  SearchSettings search = {};
};

struct SumOptions {
  std::optional<std::size_t> terms = {};  ///< chosen by cross-validation if not given
  bool signed_terms = false;              ///< of chosen terms: candidates include negative ones
};

/// Of the form that is chosen by cross-validation.
struct AutomaticOptions {
  bool signed_terms = false;
};

struct OwnOptions {
  OwnFormula formula = {};
  SearchSettings search = {};
  bool positive = false;  ///< constants without bounds are not negative, but for exponents
};

/// An earlier model keeps its form and is adapted to the runs; most common settings have no effect.
struct AdaptedOptions {
  std::shared_ptr<const FittedModel> model = {};
};

/// The form that is fitted, and what only this form has; the first ones in the order of Expression.
using FormOptions =
    std::variant<Eq4Options, SumOptions, AutomaticOptions, OwnOptions, AdaptedOptions>;

struct FitOptions {
  FormOptions form;
  Residual residual = Residual::none;
  Loss loss = Loss::mae;
  /// If set, the model predicts bounds: a formula minimises the pinball loss of this quantile, for
  /// which `loss` is mae or mape, and held-out rows correct its level.
  std::optional<double> quantile;
  Penalty penalty;
  std::uint64_t seed = 1;
  std::optional<std::size_t> starts;  ///< independent searches, the best one is kept
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();  ///< of kernels; no result depends on it
  std::stop_token stop;
  std::function<void(const optimise::Progress&)> observer;
  FitProgress progress;  ///< of the selection of a form; may be empty

  /// The options of this form, null if another one is fitted.
  template <class Options>
  const Options* as() const {
    return std::get_if<Options>(&form);
  }
  /// The earlier model that is adapted, if any.
  const FittedModel* earlier() const {
    const auto* const adapted = as<AdaptedOptions>();
    return adapted == nullptr ? nullptr : adapted->model.get();
  }
  /// For one fit of several: removes observer and progress.
  void be_silent();
};

/// True if the terms of a sum are chosen by held-out runs, not given.
bool chooses_terms(const FitOptions& options);

/// The default loss: mae, as in the paper, but for a sum whose terms are selected by
/// cross-validation soft_l1, of a bound mape. Run times scatter in proportion to their size, so
/// that absolute errors would rest on the few longest runs and predict others worse.
Loss default_loss(const FitOptions& options);

}  // namespace perfmodel

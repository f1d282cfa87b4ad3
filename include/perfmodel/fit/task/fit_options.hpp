#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfmodel/fit/simd/instruction_set.hpp"
#include "perfmodel/fit/task/shared_form.hpp"
#include "perfmodel/optimise/evolution/progress.hpp"

namespace perfmodel {

/// What is minimised over the training rows.
enum class Loss {
  mae,      ///< Eq. (8): mean |t - y|
  mape,     ///< mean |t - y| / t
  mse,      ///< mean (t - y)^2
  rmsle,    ///< sqrt(mean (ln t - ln y)^2); no +1 inside the logarithm, so that the time unit does
            ///< not matter
  soft_l1,  ///< mean sqrt(x^2 + 0.1^2) - 0.1 of x = ln t - ln y: large errors count by their size,
            ///< not its square; of sums of product terms alone
};

enum class Method {
  scaled,  ///< normalised columns, log coefficients, exact finish
  paper,   ///< scipy's defaults in the raw box of the paper
};

/// The expression that is fitted.
enum class Expression {
  generic,    ///< Eq. (4)
  multi,      ///< a sum of product terms
  automatic,  ///< chosen by cross-validation
};

/// What becomes of what the expression leaves.
enum class Residual {
  none,
  process,  ///< a Gaussian process of ln t beside it
  chosen,   ///< with the expression, where that is automatic
};

/// Which form of the constants a penalty sums.
enum class Penalise {
  raw,     ///< as in model.json and the paper; what a lambda means depends on the units
  scaled,  ///< of normalised columns, in units of the median time: free of units
};

std::string_view to_text(Loss loss);
std::string_view to_text(Method method);
std::string_view to_text(Expression expression);
std::string_view to_text(Residual residual);
std::string_view to_text(Penalise constants);

/// Eqs. (10) and (11): lambda times the sum of |x| or x^2 over the constants without C.
struct Penalty {
  double l1 = 0;
  double l2 = 0;
  Penalise constants = Penalise::raw;
};

/// A user's bound on one kind of constant ('a', 'p', 'q' or 'C'), for all columns or one.
struct BoundOverride {
  char constant = 'a';
  std::optional<std::string> column;
  double low = 0;
  double high = 0;
};

/// "p=-2:2", "p.filters=0:3". Throws UsageError.
BoundOverride parse_bound(const std::string& text);

/// The settings of a search that a method uses where the user gives none.
struct SearchDefaults {
  std::size_t starts;
  std::size_t exploration_rows;
  optimise::Strategy strategy;
  optimise::Updating updating;
  std::size_t population;  ///< members per free constant
  std::size_t generations;
  double tolerance;
  std::pair<double, double> differential_weight;
  double crossover_rate;
};

SearchDefaults search_defaults(Method method);

/// What takes long, in this order: first two where a form is chosen.
enum class FitStage { sums, processes, fits, bootstrap, folds };

/// Told how many parts of a stage are done, from one thread at a time.
using FitProgress = std::function<void(FitStage stage, std::size_t done, std::size_t all)>;

struct FitOptions {
  Expression expression = Expression::generic;
  bool signed_terms = false;  ///< of `multi`: terms that are taken away are among the candidates
  std::optional<std::size_t> terms;  ///< of `multi`; chosen by cross-validation where not given
  /// A form that is given, whatever the expression, with what its constants lie near.
  std::shared_ptr<const SharedForm> shared_form;
  Residual residual = Residual::none;
  Loss loss = Loss::mae;
  Method method = Method::scaled;
  Penalty penalty;
  std::vector<BoundOverride> bounds;
  std::uint64_t seed = 1;
  /// Settings of the search; where one is not given, the method's default holds.
  std::optional<std::size_t>
      starts;  ///< independent searches, each with its exact finish; the best is kept
  /// Rows of a random sample on which the search explores where there are more, with numeric
  /// columns rounded to 128 values; the exact finish uses all rows as they are. Equal ones count as
  /// one. 0: explore on them, too.
  std::optional<std::size_t> exploration_rows;
  std::optional<optimise::Strategy> strategy;
  std::optional<std::size_t> population;
  std::optional<std::size_t> generations;
  std::optional<double> tolerance;
  std::optional<std::pair<double, double>> differential_weight;
  std::optional<double> crossover_rate;
  bool polish = true;
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();  ///< of the kernel; no result depends on it
  std::stop_token stop;
  std::function<void(const optimise::Progress&)> observer;
  FitProgress progress;  ///< of the choice of a form; may be empty

  /// Of a fit beside others: nobody hears of it.
  void be_silent();
};

/// The loss where none is asked for: mae, as in the paper; of a sum whose form is chosen by
/// cross-validation soft_l1, since run times scatter in proportion to their size: a loss of
/// absolute errors then rests on the few longest runs, and its minimum predicts others worse.
Loss default_loss(const FitOptions& options);

}  // namespace perfmodel

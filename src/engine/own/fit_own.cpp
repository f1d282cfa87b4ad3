#include "own/own_space.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "forms/fit_options.hpp"
#include "optimise/newton.hpp"
#include "search/finish.hpp"
#include "search/global_search.hpp"
#include "search/losses.hpp"
#include "search/sensitivity.hpp"

namespace perfmodel {
namespace {

using optimise::Bounds;

/// Damping that only guards the normal equations of the linear constants against rounding.
constexpr double kLeastDamping = 1e-13;
constexpr std::size_t kMembersPerConstant = 15;
constexpr double kFinalGap = 1e-16;   // so that flat directions are exact to many digits, too
constexpr double kDifference = 6e-6;  // step of central differences, relative

/// A user's formula for local refinement, in constants divided by `units`.
class OwnModel : public SmoothModel {
 public:
  OwnModel(const OwnProgram& program, const Design& design, const OwnSpace& space,
           const VectorXd& start)
      : rows_(program, design), space_(space), units_(start.cwiseAbs()) {
    for (Index k = 0; k < units_.size(); ++k)
      if (units_[k] == 0)
        units_[k] = space.sizes()[k];
    box_ = {space.box().lower.cwiseQuotient(units_), space.box().upper.cwiseQuotient(units_)};
  }

  VectorXd raw(const VectorXd& at) const {
    return at.cwiseProduct(units_).cwiseMax(space_.box().lower).cwiseMin(space_.box().upper);
  }
  VectorXd scaled(const VectorXd& constants) const { return constants.cwiseQuotient(units_); }
  const VectorXd& units() const { return units_; }

  VectorXd predict(const VectorXd& at) const override { return rows_.predict(raw(at)); }
  std::unique_ptr<LinearisedModel> linearised(const VectorXd& at) const override;
  OwnRows::Linear derivatives(const VectorXd& at) const {
    OwnRows::Linear out = rows_.linearise(raw(at), std::vector<bool>(to_size(at.size()), true));
    out.slopes *= units_.asDiagonal();
    return out;
  }

  const Bounds& box() const override { return box_; }
  VectorXd reach(const VectorXd& at, double radius, bool curved_penalty) const override {
    VectorXd out = radius * at.cwiseAbs().cwiseMax(1);
    for (Index k = 0; k < at.size() && !curved_penalty; ++k)
      if (space_.linear()[to_size(k)])
        out[k] = std::numeric_limits<double>::infinity();
    return out;
  }
  double length(const VectorXd& step) const override {
    double out = 0;
    for (const Index k : space_.searched())
      out = std::max(out, std::abs(step[k]));
    return out;
  }
  bool holds_all_curved(bool curved_penalty) const override { return !curved_penalty; }
  VectorXd inside(const VectorXd& at, const VectorXd& effects, double cost) const override {
    constexpr double rounding = 1e-13;
    VectorXd out = at.cwiseMax(box_.lower).cwiseMin(box_.upper);
    for (Index k = 0; k < out.size(); ++k)
      if (effects[k] > 0 && (out[k] - box_.lower[k]) * effects[k] < rounding * cost)
        out[k] = box_.lower[k];
    return out;
  }

 private:
  OwnRows rows_;
  const OwnSpace& space_;
  VectorXd units_;
  Bounds box_;
};

class LinearisedOwn : public LinearisedModel {
 public:
  LinearisedOwn(const OwnModel& model, const VectorXd& at) : model_(model), at_(at) {
    OwnRows::Linear found = model.derivatives(at);
    predicted_ = std::move(found.value);
    jacobian_ = std::move(found.slopes);
  }

  /// Central differences of the slopes; derivatives that are not finite count as 0.
  SymmetricMatrix bend(const VectorXd& weights) const override {
    MatrixXd out(at_.size(), at_.size());
    for (Index k = 0; k < at_.size(); ++k) {
      const double step = kDifference * std::max(std::abs(at_[k]), kDifference);
      const VectorXd unit = step * VectorXd::Unit(at_.size(), k);
      const auto slopes_at = [&](const VectorXd& place) -> VectorXd {
        return model_.derivatives(place).slopes.transpose() * weights;
      };
      out.col(k) = (slopes_at(at_ + unit) - slopes_at(at_ - unit)) / (2 * step);
    }
    out = out.unaryExpr([](double x) { return std::isfinite(x) ? x : 0; }).eval();
    return MatrixXd(0.5 * (out + out.transpose()));
  }

 private:
  const OwnModel& model_;
  VectorXd at_;
};

std::unique_ptr<LinearisedModel> OwnModel::linearised(const VectorXd& at) const {
  return std::make_unique<LinearisedOwn>(*this, at);
}

/// The constants, except those that are an addend of the formula by themselves, as C of Eq. (4);
/// `scaled`: divided by the sizes at which they matter.
class OwnPenalty : public PenaltyTerms {
 public:
  OwnPenalty(const OwnProgram& program, const OwnSpace& space, const Design& runs,
             const FitOptions& options)
      : PenaltyTerms(options.penalty.l1, options.penalty.l2),
        factors_(VectorXd::Ones(space.sizes().size())) {
    if (options.penalty.constants == Penalise::scaled) {
      const double unit = loss_of_time(options.loss, median(runs.time));
      factors_ = space.sizes().cwiseInverse();
      l1_ *= unit;
      l2_ *= unit;
    }
    const FormulaProgram& formula = program.formula().program();
    for (const auto& [last, subtracted] : program.addends()) {
      const FormulaStep& step = formula.steps[last];
      if (step.operation != Operation::name)
        continue;
      const OwnProgram::Place& place = program.places()[step.name];
      factors_.segment(index(place.first), index(place.count)).setZero();
    }
  }

  /// The same penalty of constants divided by `units`.
  OwnPenalty in(const VectorXd& units) const {
    OwnPenalty out = *this;
    out.factors_ = factors_.cwiseProduct(units);
    return out;
  }

  PenalisedConstants linearise(const VectorXd& at) const override {
    return {values(at), optimise::RowMajorMatrix(factors_.asDiagonal())};
  }

 private:
  VectorXd factors_;

  VectorXd values(const VectorXd& at) const override { return at.cwiseProduct(factors_); }
};

/// The cost of searched constants, with the linear ones at their optimum for squared errors.
class OwnObjective {
 public:
  OwnObjective(const OwnProgram& program, const WeightedRows& rows, const OwnSpace& space,
               const OwnPenalty& penalty, const SignedLoss& loss)
      : rows_(program, rows.design()),
        measured_(rows),
        space_(space),
        penalty_(penalty),
        loss_(loss),
        weights_(measured_.shares) {
    if (facts_of(loss.loss).of != ErrorOf::time)
      weights_ = weights_.cwiseQuotient(measured_.time.cwiseAbs2());
    for (std::size_t k = 0; k < space.linear().size(); ++k)
      if (space.linear()[k])
        linear_.push_back(index(k));
  }

  VectorXd constants_at(const VectorXd& coordinates) const {
    VectorXd out = VectorXd::Zero(space_.sizes().size())
                       .cwiseMax(space_.box().lower)
                       .cwiseMin(space_.box().upper);
    space_.put(coordinates, out);
    if (linear_.empty())
      return out;
    const OwnRows::Linear at = rows_.linearise(out, space_.linear());
    if (!at.value.allFinite() || !at.slopes.allFinite())
      return out;
    const MatrixXd columns = at.slopes(Eigen::all, linear_);
    const VectorXd slope = weights_.cwiseProduct(at.value - measured_.time);
    CostParabola parabola{columns.transpose() * slope,
                          MatrixXd(columns.transpose() * weights_.asDiagonal() * columns),
                          {}};
    parabola.gauss_newton = parabola.hessian;
    const Bounds box{space_.box().lower(linear_), space_.box().upper(linear_)};
    VectorXd found = out(linear_);
    // A step decides once which constants stay at a bound; the next one may let them go.
    for (std::size_t round = 0; round < 2 * linear_.size(); ++round) {
      const auto step = damped_step(parabola, parabola.hessian, kLeastDamping, found, box, {});
      if (!step || (step->array().abs() <= kLeastDamping * found.array().abs()).all())
        break;
      found += *step;
      parabola.gradient += parabola.hessian * *step;
    }
    out(linear_) = found;
    return out;
  }

  double cost(const VectorXd& constants) const {
    return mean_loss(measured_, loss_, rows_.predict(constants), is_logarithmic(loss_.loss)) +
           penalty_(constants);
  }

 private:
  OwnRows rows_;
  MeasuredRows measured_;
  const OwnSpace& space_;
  const OwnPenalty& penalty_;
  SignedLoss loss_;
  VectorXd weights_;
  std::vector<Index> linear_;
};

struct OwnProblem {
  const OwnProgram& program;
  const OwnSpace& space;
  const OwnPenalty& penalty;
  const FitOptions& options;
};

Optimum refined(const OwnProblem& problem, const WeightedRows& rows, const VectorXd& start,
                double gap) {
  const OwnModel model(problem.program, rows.design(), problem.space, start);
  Optimum out = finish(model, rows, SignedLoss(problem.options), problem.penalty.in(model.units()),
                       model.scaled(start), gap, problem.options.stop);
  out.at = model.raw(out.at);
  return out;
}

Start run_start(const OwnProblem& problem, const WeightedRows& rows, std::size_t number) {
  const FitOptions& options = problem.options;
  const OwnObjective objective(problem.program, rows, problem.space, problem.penalty,
                               SignedLoss(options));
  optimise::DifferentialEvolutionOptions search = search_options(options, number);
  search.population = search_settings(options).population.value_or(kMembersPerConstant);
  Start out;
  if (problem.space.searched().empty()) {
    out.search.termination = optimise::Termination::converged;
  } else {
    out.search = optimise::minimise(optimise::batch_of([&](const VectorXd& at) {
                                      return objective.cost(objective.constants_at(at));
                                    }),
                                    problem.space.coordinates(), search);
  }
  out.of_search = objective.constants_at(out.search.best);
  out.search.cost = objective.cost(out.of_search);
  if (!std::isfinite(out.search.cost)) {
    out.finish.at = out.of_search;
    out.finish.cost = out.search.cost;
  } else {
    out.finish = refined(problem, rows, out.of_search, kLooseGap);
  }
  return out;
}

/// Throws InputError for a constant on which no time depends, whatever the constants are, and if
/// the formula has no finite value.
void refuse_idle_constants(const OwnProgram& program, const OwnSpace& space, const Design& runs) {
  constexpr std::size_t kTrials = 64;
  const OwnRows rows(program, runs);
  RandomStream random(1, "effects of constants");
  const auto drawn = [&] {
    VectorXd out = space.sizes().cwiseMax(space.box().lower).cwiseMin(space.box().upper);
    for (Index k = 0; k < out.size(); ++k)
      if (space.linear()[to_size(k)])
        out[k] =
            std::clamp(random.uniform(-2, 2) * out[k], space.box().lower[k], space.box().upper[k]);
    VectorXd at(space.coordinates().size());
    for (Index s = 0; s < at.size(); ++s)
      at[s] = random.uniform(space.coordinates().lower[s], space.coordinates().upper[s]);
    space.put(at, out);
    return out;
  };
  std::vector<bool> acts(program.constants().size(), false);
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const VectorXd at = drawn();
    const VectorXd other = drawn();
    const VectorXd predicted = rows.predict(at);
    for (std::size_t k = 0; k < acts.size(); ++k) {
      VectorXd moved = at;
      moved[index(k)] = other[index(k)];
      acts[k] = acts[k] || space.box().lower[index(k)] == space.box().upper[index(k)] ||
                ((rows.predict(moved) - predicted).array() != 0).any();
    }
  }
  for (std::size_t k = 0; k < acts.size(); ++k)
    if (!acts[k] && program.constants()[k].level.empty())
      throw InputError(
          fmt::format("the runs do not determine the constant '{}': no time of the {} depends "
                      "on it, whatever its value; leave it out or pass {} {}",
                      program.constants()[k].name, spelled("formula"), spelled("bounds"),
                      shell_word(program.constants()[k].name + "=1")));
}

[[noreturn]] void refuse_without_times(const OwnFormula& own) {
  throw InputError(fmt::format(
      "the formula {} has no valid time for some run, such as a division by 0 or a logarithm of a "
      "negative number, for all constants that were tried; pass {}",
      quoted_formula(own.text), spelled("bounds")));
}

/// Why constants can or cannot be quoted.
class OwnFindings {
 public:
  OwnFindings(const FittedModel& model, const Design& training, const OwnProblem& problem)
      : model_(model),
        program_(problem.program),
        space_(problem.space),
        smooth_(program_, training, space_, model.constants),
        at_(smooth_.scaled(model.constants)),
        sensitivity_(sensitivity_of(training, problem.options)),
        constants_(sensitivity_, judged(), [&](std::size_t k) {
          return VectorXd(smooth_.units()[index(k)] * VectorXd::Unit(at_.size(), index(k)));
        }) {}

  Findings findings() const {
    Findings out;
    out.identifiability = constants_.identifiability();
    for (std::size_t j = 0; j < model_.spec.extrinsic.size(); ++j)
      out.identifiability.scaling_powers.push_back(
          constants_.is_narrow(gradient_of_power(j), kWidestPower));
    const MatrixXd directions =
        sensitivity_.flat_directions(std::vector<bool>(constants_.size(), false));
    for (const auto& direction : directions.colwise())
      out.warnings.push_back(
          {"flat_direction", "", together_sentence(constants_.moved_by(direction).columns, "")});
    for (std::size_t k = 0; k < constants_.size(); ++k)
      warn_of(k, out.warnings);
    return out;
  }

 private:
  const FittedModel& model_;
  const OwnProgram& program_;
  const OwnSpace& space_;
  OwnModel smooth_;
  VectorXd at_;
  Sensitivity sensitivity_;
  IdentifiedConstants constants_;

  Standing standing_of(std::size_t k) const {
    constexpr double margin = 1e-9;
    const double low = space_.box().lower[index(k)];
    const double high = space_.box().upper[index(k)];
    const double value = model_.constants[index(k)];
    if (low == high)
      return Standing::fixed;
    if (low == 0 && value == 0)
      return Standing::at_zero;
    return value >= high - margin * (high - low) || value <= low + margin * (high - low)
               ? (low < 0 && value == 0 ? Standing::free : Standing::at_bound)
               : Standing::free;
  }

  Sensitivity sensitivity_of(const Design& training, const FitOptions& options) const {
    std::vector<Standing> standings;
    std::vector<bool> left_out;
    for (std::size_t k = 0; k < program_.constants().size(); ++k) {
      standings.push_back(standing_of(k));
      left_out.push_back(standings.back() == Standing::fixed);
    }
    return {std::move(standings), std::move(left_out), *smooth_.linearised(at_), options.loss,
            training};
  }

  std::vector<JudgedConstant> judged() const {
    std::vector<JudgedConstant> out;
    for (const OwnProgram::Constant& constant : program_.constants()) {
      const double value = model_.constants[index(out.size())];
      out.push_back(
          {.name = constant.name,
           .column = constant.name,
           .value = value,
           .widest = constant.is_exponent ? kWidestPower : kWidestShareOfValue * std::abs(value)});
    }
    return out;
  }

  VectorXd gradient_of_power(std::size_t scale) const {
    VectorXd out(at_.size());
    const auto power_at = [&](Index k, double step) {
      VectorXd at = at_;
      at[k] += step;
      return model_.form->scaling_powers(model_.spec, smooth_.raw(at), &*model_.typical)[scale];
    };
    for (Index k = 0; k < at_.size(); ++k) {
      const double step = kDifference * std::max(std::abs(at_[k]), kDifference);
      out[k] = (power_at(k, step) - power_at(k, -step)) / (2 * step);
    }
    return sensitivity_.of_coordinates(out);
  }

  void warn_of(std::size_t k, std::vector<Warning>& out) const {
    const std::string& name = constants_[k].name;
    const bool without_level = program_.constants()[k].level.empty();
    if (constants_.standing(k) == Standing::at_bound)
      out.push_back(
          {"at_bound", name,
           fmt::format("{} is at its bound {}: the data do not determine it, or {} is too narrow",
                       name, short_number(model_.constants[index(k)]), spelled("bounds"))});
    else if (constants_.standing(k) == Standing::at_zero)
      out.push_back({"negligible_term", name, name + " is 0, its lower bound"});
    else if (constants_.standing(k) == Standing::untrained && without_level)
      out.push_back({"negligible_term", name,
                     name + " has no effect on the times of the fitted formula, so that the runs "
                            "do not determine it"});
    constants_.warn_of_width(k, out);
  }
};

const OwnFormula& own_of(const FittedModel& model) {
  return dynamic_cast<const OwnForm&>(*model.form).own();
}

/// Refits a user's formula by local refinement.
class OwnRefit final : public Refit {
 public:
  OwnRefit(const FittedModel& model, const Design& training, const FitOptions& options)
      : form_(std::make_shared<OwnForm>(own_of(model))),
        options_(options),
        program_(own_of(model), model.spec),
        space_(program_, training, options),
        penalty_(program_, space_, training, options),
        start_(model.constants) {}

  Refitted operator()(const Design& runs) const override {
    const WeightedRows rows = WeightedRows::merged(runs, options_.loss);
    return {form_, refined({program_, space_, penalty_, options_}, rows, start_, kExactGap).at};
  }

  std::size_t free_constants() const override {
    return static_cast<std::size_t>(
        (space_.box().lower.array() < space_.box().upper.array()).count());
  }

 private:
  std::shared_ptr<const Form> form_;
  const FitOptions& options_;
  OwnProgram program_;
  OwnSpace space_;
  OwnPenalty penalty_;
  VectorXd start_;
};

}  // namespace

FittedModel fit_own(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (facts_of(options.loss).of_sums)
    throw UsageError("the loss soft-l1 is for sums of product terms");
  const OwnFormula& own = options.as<OwnOptions>()->formula;
  const OwnProgram program(own, spec);
  const OwnSpace space(program, training, options);
  refuse_idle_constants(program, space, training);
  const OwnPenalty penalty(program, space, training, options);
  const OwnProblem problem{program, space, penalty, options};
  const WeightedRows all = WeightedRows::merged(training, options.loss);
  const auto sample = random_sample(all, exploration_rows_of(options), options.seed);
  const WeightedRows& explored = sample ? *sample : all;
  Explored found =
      best_start(options, [&](std::size_t k) { return run_start(problem, explored, k); });
  Optimum& best = found.best.finish;
  if (!std::isfinite(best.cost))
    refuse_without_times(own);
  best = refined(problem, all, best.at, is_absolute(options.loss) ? kExactGap : kFinalGap);
  found.evaluations += best.evaluations;

  FittedModel model;
  model.spec = spec;
  model.form = std::make_shared<OwnForm>(own);
  describe_search(
      found, training, options, penalty, [](const VectorXd& constants) { return constants; },
      model);
  model.typical = central_configuration(spec, training);
  Findings findings;
  if (!options.stop.stop_requested()) {
    findings = OwnFindings(model, training, problem).findings();
    model.known.identifiability = findings.identifiability;
  }
  model.warnings = find_warnings(model, training, findings);
  return model;
}

const Fitter& own_fitter() {
  static constexpr Fitter fitter = {
      [](const FittedModel& model) { return to_size(model.constants.size()); }, refit_as<OwnRefit>};
  return fitter;
}

}  // namespace perfmodel

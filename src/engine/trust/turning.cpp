#include "trust/turning.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "forms/form.hpp"
#include "forms/scaling_belief.hpp"
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kFewestValues = 4;  // of a column: three lie on a parabola by chance
constexpr std::size_t kMostValues = 24;   // at which a column is looked at
constexpr std::size_t kMostPlaces = 16;   // configurations whose other inputs are held
constexpr double kLeastSlower = 1.1;      // a smaller loss is no bad advice
constexpr double kBeyondError = 3;        // standard errors
constexpr double kMostChance = 0.02;      // of all terms of all columns together
constexpr double kRankThreshold = 1e-9;   // of columns of length 1

/// Columns of the regression: a constant and the slopes of the model's own constants.
MatrixXd own_columns(const FittedModel& model, const Design& design) {
  const MatrixXd slopes = model.form->log_slopes(model.spec, model.constants, design);
  MatrixXd out(slopes.rows(), slopes.cols() + 1);
  out << VectorXd::Ones(slopes.rows()), slopes;
  return out;
}

VectorXd log_times(const FittedModel& model, const Design& design) {
  return predict(model, design).unaryExpr([](double time) { return std::log(time); });
}

VectorXd values_of(const Design& design, std::size_t numeric) {
  VectorXd out(index(design.rows));
  for (std::size_t row = 0; row < design.rows; ++row)
    out[index(row)] = numeric_factor(design, numeric).value(row);
  return out;
}

/// A term with which the time can turn along a column, relative to the time of the model.
struct TurningTerm {
  std::function<VectorXd(const Design&)> of;
  std::optional<Regression> found = {};
};

/// A column of numbers, the values at which it was measured and the terms with which it turns.
class ColumnTurn {
 public:
  ColumnTurn(const FittedModel& model, const FittedModel& runs_alone, std::size_t numeric)
      : model_(model), runs_alone_(runs_alone), runs_(model.belief->known()), numeric_(numeric) {
    const VectorXd values = values_of(runs_, numeric);
    const std::set<double> distinct(values.begin(), values.end());
    const std::vector<double> all(distinct.begin(), distinct.end());
    const std::size_t kept = std::min(all.size(), kMostValues);
    for (std::size_t k = 0; k < kept; ++k)
      values_.push_back(all[kept == 1 ? 0 : k * (all.size() - 1) / (kept - 1)]);
    if (!values_.empty() && !(values_.front() > 0))
      values_.clear();
  }

  bool is_wide() const { return values_.size() >= kFewestValues; }

  /// Of logarithms of the time: a parabola of those of the column, a slope, and a curve that bends
  /// late; of the time: an overhead that grows with the column, and a part that falls with it.
  std::vector<TurningTerm> terms() const {
    std::vector<TurningTerm> out;
    out.push_back({[this](const Design& design) -> VectorXd {
      return values_of(design, numeric_).array().log().square();
    }});
    for (const int power : {1, 2})
      out.push_back({[this, power](const Design& design) -> VectorXd {
        return values_of(design, numeric_).array().pow(power);
      }});
    for (const int power : {1, -1})
      out.push_back({[this, power](const Design& design) -> VectorXd {
        return values_of(design, numeric_).array().pow(power) / predict(model_, design).array();
      }});
    return out;
  }

  /// The largest loss of the model's advice for one of some configurations, if it is beyond noise.
  std::optional<Turn> worst(const TurningTerm& term) const {
    std::optional<Turn> out;
    const std::size_t step = runs_.rows / kMostPlaces + 1;
    for (std::size_t row = 0; row < runs_.rows; row += step) {
      const std::optional<Turn> turn = at(configuration_of(runs_, row), term);
      if (turn && (!out || turn->slower > out->slower))
        out = turn;
    }
    return out;
  }

 private:
  const FittedModel& model_;
  const FittedModel& runs_alone_;
  const Design& runs_;
  std::size_t numeric_;
  std::vector<double> values_;

  std::optional<Turn> at(const Configuration& place, const TurningTerm& term) const {
    std::vector<double> values;
    std::vector<Configuration> configurations;
    for (const double value : values_)
      if (auto moved = with_scale(model_.spec, place, numeric_, value)) {
        values.push_back(value);
        configurations.push_back(*std::move(moved));
      }
    if (values.size() < kFewestValues)
      return std::nullopt;
    const Design design = design_of(configurations, model_.spec);
    const VectorXd told = log_times(model_, design);
    MatrixXd columns = own_columns(model_, design);
    columns.conservativeResize(Eigen::NoChange, columns.cols() + 1);
    columns.rightCols(1) = term.of(design);
    const VectorXd found = told + columns * term.found->coefficients;
    if (!found.allFinite())
      return std::nullopt;
    Index advised = 0;
    Index fastest = 0;
    told.minCoeff(&advised);
    found.minCoeff(&fastest);
    const double loss = found[advised] - found[fastest];
    const VectorXd change = (columns.row(advised) - columns.row(fastest)).transpose();
    if (!(loss > std::log(kLeastSlower)) || !(loss > kBeyondError * term.found->error_of(change)))
      return std::nullopt;
    // The figures are those of the ranking that takes the place of the formula's.
    const VectorXd of_runs = predict(runs_alone_, design);
    const double slower = of_runs[advised] / of_runs.minCoeff(&fastest);
    if (!(slower > kLeastSlower))
      return std::nullopt;
    return Turn{numeric_input(model_.spec, numeric_).column, values[to_size(fastest)],
                values[to_size(advised)], slower};
  }
};

}  // namespace

double chance_of_t(double t, std::size_t freedom) {
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(freedom)));
  const double cosine = std::cos(angle);
  double term = freedom % 2 == 0 ? 1 : cosine;
  double sum = freedom == 1 ? 0 : term;
  for (std::size_t k = freedom % 2 == 0 ? 1 : 2; k + 2 < freedom; k += 2) {
    term *= cosine * cosine * static_cast<double>(k) / static_cast<double>(k + 1);
    sum += term;
  }
  const double inside = freedom % 2 == 0 ? std::sin(angle) * sum
                                         : 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
  return std::max(0.0, 1 - inside);
}

std::optional<Regression> regression_with(const MatrixXd& columns, const VectorXd& added,
                                          const VectorXd& logs) {
  if (!columns.allFinite() || !added.allFinite() || !logs.allFinite())
    return std::nullopt;
  MatrixXd all(columns.rows(), columns.cols() + 1);
  all << columns, added;
  VectorXd lengths = all.colwise().norm();
  for (double& length : lengths)
    length = length > 0 ? length : 1;
  all *= lengths.cwiseInverse().asDiagonal();
  const auto solved = [&](const MatrixXd& some) {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> out;
    out.setThreshold(kRankThreshold);
    out.compute(some);
    return out;
  };
  const auto without = solved(all.leftCols(columns.cols()));
  const auto with = solved(all);
  const Index freedom = all.rows() - with.rank();
  if (with.rank() == without.rank() || freedom < 1)
    return std::nullopt;
  Regression out;
  out.inverse = lengths.cwiseInverse().asDiagonal() * with.pseudoInverse();
  out.coefficients = out.inverse * logs;
  const double left = (logs - all * lengths.asDiagonal() * out.coefficients).squaredNorm();
  const MatrixXd own = all.leftCols(columns.cols());
  const double before = (logs - own * without.solve(logs)).squaredNorm();
  const auto rows = static_cast<double>(freedom);
  out.deviation = std::sqrt(left / rows);
  if (before > left)
    out.chance = chance_of_t(std::sqrt((before / left - 1) * rows), to_size(freedom));
  return out;
}

std::vector<Turn> turns_against(const FittedModel& model) {
  // A residual process goes through its runs, a form that was chosen beside one heeds them, and a
  // bound is moved by held-out runs.
  if (!model.belief || model.bound || has_gp(*model.form) || is_averaged(model))
    return {};
  const Design& runs = model.belief->known();
  const VectorXd misses =
      runs.time.unaryExpr([](double time) { return std::log(time); }) - log_times(model, runs);
  const MatrixXd own = own_columns(model, runs);
  const FittedModel runs_alone = without_formula(model);
  std::vector<Turn> out;
  double looked_at = 0;
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n)
    if (const ColumnTurn turn(model, runs_alone, n); turn.is_wide())
      looked_at += static_cast<double>(turn.terms().size());
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n) {
    const ColumnTurn turn(model, runs_alone, n);
    if (!turn.is_wide())
      continue;
    std::optional<TurningTerm> best;
    for (TurningTerm& term : turn.terms()) {
      term.found = regression_with(own, term.of(runs), misses);
      if (term.found && (!best || term.found->deviation < best->found->deviation))
        best = std::move(term);
    }
    if (!best || best->found->chance * looked_at > kMostChance)
      continue;
    if (auto found = turn.worst(*best))
      out.push_back(*std::move(found));
  }
  std::ranges::stable_sort(out, std::greater(), &Turn::slower);
  return out;
}

FittedModel without_formula(const FittedModel& model) {
  FittedModel out = model;
  out.belief = std::make_shared<const ScalingBelief>(
      model.belief->with(0, model.belief->spread(), model.belief->widening()));
  return out;
}

}  // namespace perfmodel

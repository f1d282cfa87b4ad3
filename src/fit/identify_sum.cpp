#include "fit/identify_sum.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "fit/losses.hpp"
#include "fit/normal_matrix.hpp"
#include "fit/sensitivity.hpp"
#include "fit/sum_finish.hpp"
#include "fit/sum_terms.hpp"
#include "forms/sum_form.hpp"
#include "perfmodel/error.hpp"
#include "table/table.hpp"

namespace perfmodel {

/// Describes the flat directions of a sum in the user's terms, without duplicates.
std::vector<std::string> describe_flat_terms(const Sensitivity& sensitivity, const FittedSum& sum);

namespace {

using Eigen::VectorXd;

constexpr double kMovedPart = 1e-3;  // of the largest entry of a direction

/// Terms and columns whose constants a direction changes.
struct Moved {
  std::vector<std::size_t> terms;    ///< numbers of the model's terms, from 1
  std::vector<std::string> columns;  ///< each once, in the order of the spec
  bool intercept = false;
};

Moved moved_by(const VectorXd& direction, const FittedSum& sum) {
  const MultiLayout layout(sum.spec, sum.structure);
  const double least = kMovedPart * direction.cwiseAbs().maxCoeff();
  Moved out;
  bool in_term = false;
  const auto look = [&](std::size_t k, const std::string& column) {
    if (std::abs(direction[index(k)]) <= least)
      return;
    in_term = true;
    if (!column.empty() &&
        std::find(out.columns.begin(), out.columns.end(), column) == out.columns.end())
      out.columns.push_back(column);
  };
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    in_term = false;
    look(layout.coefficient(k), "");
    for (std::size_t i = 0; i < sum.spec.intrinsic.size(); ++i)
      look(layout.intrinsic_power(k, i), sum.spec.intrinsic[i].column);
    for (std::size_t c = 0; c < sum.spec.categorical.size(); ++c)
      for (std::size_t l = 0; l < sum.spec.categorical[c].levels.size(); ++l)
        look(layout.level(k, c, l), sum.spec.categorical[c].column);
    for (std::size_t j = 0; j < sum.spec.extrinsic.size(); ++j)
      look(layout.extrinsic_power(k, j), sum.spec.extrinsic[j].column);
    for (std::size_t g = 0; g < sum.structure.regimes.size(); ++g) {
      for (const std::size_t side : {0U, 1U})
        look(layout.regime(k, g, side),
             numeric_input(sum.spec, sum.structure.regimes[g].numeric).column);
    }
    if (in_term)
      out.terms.push_back(k + 1);
  }
  out.intercept = std::abs(direction[index(layout.intercept())]) > least;
  return out;
}

/// "terms 1, 2 and C cannot be told apart: ..." for a direction that exchanges time between them.
std::string exchange_of_terms(const Moved& moved) {
  std::vector<std::string> names;
  for (const std::size_t term : moved.terms)
    names.push_back(std::to_string(term));
  if (moved.intercept)
    names.emplace_back("C");
  const std::string last = names.back();
  names.pop_back();
  return (moved.terms.size() > 1 ? "terms " : "term ") + joined(names, ", ") + " and " + last +
         " cannot be told apart: only their sum is determined";
}

std::string within_term(const Moved& moved) {
  const std::string term = " in term " + std::to_string(moved.terms.front());
  if (moved.columns.size() > 1)
    return sorted_list(moved.columns) + " move together" + term +
           ": only their joint effect is determined";
  if (moved.columns.empty())
    return {};
  return "the constants of '" + moved.columns.front() + "'" + term +
         " are not determined one by one, only together";
}

}  // namespace

std::vector<std::string> describe_flat_terms(const Sensitivity& sensitivity, const FittedSum& sum) {
  const Eigen::MatrixXd directions = sensitivity.flat_directions(
      std::vector<bool>(static_cast<std::size_t>(sum.constants.size()), false));
  std::vector<Moved> all;
  for (Eigen::Index d = 0; d < directions.cols(); ++d)
    all.push_back(moved_by(directions.col(d), sum));
  std::vector<std::string> out;
  const auto say = [&](const std::string& sentence) {
    if (!sentence.empty() && std::find(out.begin(), out.end(), sentence) == out.end())
      out.push_back(sentence);
  };
  for (const Moved& moved : all) {
    if (moved.terms.size() + (moved.intercept ? 1 : 0) > 1) {
      say(exchange_of_terms(moved));
      continue;
    }
    const auto same_columns = std::count_if(all.begin(), all.end(), [&](const Moved& other) {
      return other.terms.size() == 1 && other.columns == moved.columns;
    });
    // Collinear columns are so in every term.
    if (moved.columns.size() > 1 && static_cast<std::size_t>(same_columns) == sum.structure.terms)
      say(sorted_list(moved.columns) + " move together: only their joint effect is determined");
    else
      say(within_term(moved));
  }
  return out;
}

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

/// Factor of the power of a numeric column in ln term, the same in all terms: ln x or 1 - 1/x.
ArrayXd coordinate_of(const FittedSum& sum, const Design& runs, std::size_t numeric) {
  const NumericFactor& factor = numeric_factor(runs, numeric);
  const NumericInput& input = numeric_input(sum.spec, numeric);
  const bool ring = sum.structure.terms > 0 && sum.structure.has_ring(0, numeric);
  ArrayXd out(index(runs.rows));
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const double value = input.counted(factor.value(row));
    out[index(row)] = ring ? 1 - 1 / value : std::log(value);
  }
  return out;
}

/// The numeric columns in the order of their powers in MultiLayout.
std::vector<std::size_t> numeric_columns(const Design& runs) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < runs.intrinsic.size(); ++i)
    out.push_back(runs.extrinsic.size() + i);
  for (std::size_t j = 0; j < runs.extrinsic.size(); ++j)
    out.push_back(j);
  return out;
}

VectorXd centres_of(const FittedSum& sum, const Design& runs) {
  VectorXd out(index(runs.intrinsic.size() + runs.extrinsic.size()));
  Index next = 0;
  for (const std::size_t numeric : numeric_columns(runs))
    out[next++] = coordinate_of(sum, runs, numeric).mean();
  return out;
}

/// Derivatives of ln term: rows x constants of a term, in the order of MultiLayout.
MatrixXd log_derivatives(const FittedSum& sum, const Design& runs, const VectorXd& centres) {
  const MultiStructure& structure = sum.structure;
  Index columns = 1 + centres.size() + 2 * index(structure.regimes.size());
  for (const LevelFactor& factor : runs.categorical)
    columns += index(factor.levels);
  MatrixXd out = MatrixXd::Zero(index(runs.rows), columns);
  Index next = 0;
  Index centre = 0;
  out.col(next++).setOnes();
  const auto add_numeric = [&](std::size_t numeric) {
    out.col(next++) = (coordinate_of(sum, runs, numeric) - centres[centre++]).matrix();
  };
  for (std::size_t i = 0; i < runs.intrinsic.size(); ++i)
    add_numeric(runs.extrinsic.size() + i);
  for (const LevelFactor& factor : runs.categorical) {
    for (std::size_t row = 0; row < runs.rows; ++row)
      out(index(row), next + index(factor.codes[row])) = 1;
    next += index(factor.levels);
  }
  for (std::size_t j = 0; j < runs.extrinsic.size(); ++j)
    add_numeric(j);
  for (const Regime& regime : structure.regimes) {
    for (std::size_t row = 0; row < runs.rows; ++row) {
      const bool above = numeric_factor(runs, regime.numeric).value(row) > regime.above;
      out(index(row), next + (above ? 1 : 0)) = 1;
    }
    next += 2;
  }
  return out;
}

/// Pairs of a shared power and that of the first term.
std::vector<std::pair<std::size_t, std::size_t>> shared_powers(const FittedSum& sum) {
  const MultiLayout layout(sum.spec, sum.structure);
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const std::size_t numeric : sum.estimate.shared)
    for (std::size_t k = 1; k < sum.structure.terms; ++k)
      out.emplace_back(layout.numeric_power(k, numeric), layout.numeric_power(0, numeric));
  return out;
}

/// The gradient with shared powers as one coordinate.
VectorXd folded(const FittedSum& sum, VectorXd gradient) {
  for (const auto& [follower, leader] : shared_powers(sum)) {
    gradient[index(leader)] += gradient[index(follower)];
    gradient[index(follower)] = 0;
  }
  return gradient;
}

/// Sets the state of each constant, and which are excluded.
void set_standings(const FittedSum& sum, const FitOptions& options, NormalEquations& out) {
  const MultiLayout layout(sum.spec, sum.structure);
  const std::vector<SumConstant> constants = sum_constants(sum);
  for (const SumConstant constant : constants) {
    // Inputs that an L1 penalty has removed are analysed like the others: the runs may need them.
    const bool by_penalty = constant == SumConstant::unused && options.penalty.l1 > 0;
    const bool free = constant == SumConstant::free || by_penalty;
    out.standings.push_back(free                              ? Standing::free
                            : constant == SumConstant::absent ? Standing::at_zero
                                                              : Standing::fixed);
    out.left_out.push_back(!free);
  }
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    for (std::size_t n = 0; n < numeric_count(sum.spec); ++n) {
      const std::size_t power = layout.numeric_power(k, n);
      if (sum.structure.log_power(k, n) == 0 || constants[power] != SumConstant::unused)
        continue;
      out.standings[power] = Standing::fixed;  // a pure logarithm
      out.left_out[power] = true;
    }
  }
  const auto hold_at_bound = [&](std::size_t power) {
    if (std::abs(sum.constants[index(power)]) < kWidestSumPower)
      return;
    out.standings[power] = Standing::at_bound;
    out.left_out[power] = true;
  };
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    for (std::size_t i = 0; i < sum.spec.intrinsic.size(); ++i)
      hold_at_bound(layout.intrinsic_power(k, i));
    for (std::size_t j = 0; j < sum.spec.extrinsic.size(); ++j)
      hold_at_bound(layout.extrinsic_power(k, j));
  }
  out.left_out[layout.intercept()] = false;  // a flat direction may lead back from a C of 0
}

/// sum over the rows of c_r j_r j_r', with 1 as the last entry of j_r, for C.
MatrixXd with_intercept(const NormalMatrix& normal_matrix, const MatrixXd& terms,
                        const ArrayXd& c) {
  const MatrixXd inner = normal_matrix(terms, c);
  const Index size = inner.cols();
  MatrixXd out(size + 1, size + 1);
  out.topLeftCorner(size, size) = inner;
  const MatrixXd mixed = normal_matrix.feature_sums(terms.array().colwise() * c);
  out.col(size).head(size) = mixed.reshaped();
  out.row(size).head(size) = mixed.reshaped().transpose();
  out(size, size) = c.sum();
  return out;
}

Sensitivity sensitivity_of(const FittedSum& sum, const Design& runs, const VectorXd& centres,
                           const FitOptions& options) {
  const MatrixXd parts = multi_parts(sum.spec, sum.structure, sum.constants, runs);
  const VectorXd predicted = parts.rowwise().sum();
  const Curvature curvature = curvature_of(options.loss, runs.time, predicted);
  const MatrixXd derivatives = log_derivatives(sum, runs, centres);
  const MatrixXd terms = parts.leftCols(parts.cols() - 1);
  const NormalMatrix normal_matrix(derivatives, options.instructions, options.stop);
  const ArrayXd weights = curvature.weights.array();
  NormalEquations out;
  out.rows = runs.rows;
  MatrixXd normal = with_intercept(normal_matrix, terms, weights);
  MatrixXd scores =
      with_intercept(normal_matrix, terms, weights * curvature.scores.array().square());
  if (options.stop.stop_requested())
    throw Interrupted();  // the sums are not complete
  set_standings(sum, options, out);
  for (const auto& [follower, leader] : shared_powers(sum)) {
    for (MatrixXd* const matrix : {&normal, &scores}) {
      matrix->row(index(leader)) += matrix->row(index(follower));
      matrix->col(index(leader)) += matrix->col(index(follower));
    }
    out.standings[follower] = out.standings[leader];
    out.left_out[follower] = true;
  }
  out.normal = dense_arrow(std::move(normal));
  out.scores = dense_arrow(std::move(scores));
  return Sensitivity(std::move(out), options.stop);
}

}  // namespace

SumSensitivity::SumSensitivity(FittedSum sum, const Design& runs, const FitOptions& options)
    : sum_(std::move(sum)),
      layout_(sum_.spec, sum_.structure),
      centres_(centres_of(sum_, runs)),
      sensitivity_(sensitivity_of(sum_, runs, centres_, options)) {}

VectorXd SumSensitivity::gradient(std::size_t constant) const {
  VectorXd out = VectorXd::Unit(index(layout_.size()), index(constant));
  for (std::size_t k = 0; k < sum_.structure.terms; ++k) {
    if (constant != layout_.coefficient(k))
      continue;
    Index centre = 0;
    for (std::size_t i = 0; i < sum_.spec.intrinsic.size(); ++i)
      out[index(layout_.intrinsic_power(k, i))] = -centres_[centre++];
    for (std::size_t j = 0; j < sum_.spec.extrinsic.size(); ++j)
      out[index(layout_.extrinsic_power(k, j))] = -centres_[centre++];
  }
  return sensitivity_.of_coordinates(folded(sum_, std::move(out)));
}

VectorXd SumSensitivity::gradient_of_scaling_power(std::size_t extrinsic,
                                                   const Configuration& configuration) const {
  const Design row = design_of(configuration, sum_.spec);
  const MatrixXd parts = multi_parts(sum_.spec, sum_.structure, sum_.constants, row);
  const double total = parts.sum();
  const MatrixXd derivatives = log_derivatives(sum_, row, centres_);
  const double power =
      multi_elasticities(sum_.spec, sum_.structure, sum_.constants, row)(0, index(extrinsic));
  const double value = row.extrinsic[extrinsic].value(0);
  VectorXd out = VectorXd::Zero(index(layout_.size()));
  // sum_k e_k s_k with the shares s_k = t_k / t: d s_k = s_k (d ln t_k - d ln t).
  for (std::size_t k = 0; k < sum_.structure.terms; ++k) {
    const double share = parts(0, index(k)) / total;
    const double own =
        local_power(sum_.structure, k, extrinsic,
                    sum_.constants[index(layout_.extrinsic_power(k, extrinsic))], value);
    const double by_own_power =
        sum_.structure.has_ring(k, extrinsic) ? share / value : share;  // of `own`
    out.segment(index(layout_.coefficient(k)), derivatives.cols()) +=
        (own - power) * share * derivatives.row(0).transpose();
    out[index(layout_.extrinsic_power(k, extrinsic))] += by_own_power;
  }
  out[index(layout_.intercept())] = -power / total;
  return sensitivity_.of_coordinates(folded(sum_, std::move(out)));
}

VectorXd SumSensitivity::gradient_of_log_time(const Configuration& configuration) const {
  const Design row = design_of(configuration, sum_.spec);
  const MatrixXd parts = multi_parts(sum_.spec, sum_.structure, sum_.constants, row);
  const double total = parts.sum();
  const MatrixXd derivatives = log_derivatives(sum_, row, centres_);
  VectorXd out = VectorXd::Zero(index(layout_.size()));
  // d ln t = sum_k (t_k / t) d ln t_k + dC / t
  for (std::size_t k = 0; k < sum_.structure.terms; ++k)
    out.segment(index(layout_.coefficient(k)), derivatives.cols()) =
        parts(0, index(k)) / total * derivatives.row(0).transpose();
  out[index(layout_.intercept())] = 1 / total;
  return sensitivity_.of_coordinates(folded(sum_, std::move(out)));
}

namespace {

/// Most work that is done even after a stop request: it takes no noticeable time.
constexpr double kWorkAtOnce = 1e7;
constexpr double kNegligibleTermShare = 1;  // percent of the predicted time
// Powers and, to first order, logarithms of coefficients and factors have the same limit.
constexpr double kWidestLog = kWidestShareOfValue;
static_assert(kWidestLog == kWidestPower);

/// Judges the constants of a sum.
class SumJudge {
 public:
  SumJudge(FittedSum sum, const Design& runs, const FitOptions& options)
      : sensitivity_(std::move(sum), runs, options),
        layout_(sensitivity_.sum().spec, sensitivity_.sum().structure),
        typical_time_(median(runs.time)) {}

  const FittedSum& sum() const { return sensitivity_.sum(); }
  const SumSensitivity& sensitivity() const { return sensitivity_; }
  const MultiLayout& layout() const { return layout_; }

  bool is_identified(std::size_t k) const {
    const bool intercept = k == layout_.intercept();
    switch (standing(k)) {
      case Standing::fixed:
        return true;
      case Standing::at_zero:
        return !intercept || sensitivity_.sensitivity().is_estimable(sensitivity_.gradient(k));
      case Standing::free:
        return is_narrow(sensitivity_.gradient(k), intercept ? widest_intercept() : kWidestLog);
      default:
        return false;
    }
  }

  /// True if the power that scaling_powers() reports is identifiable.
  bool is_scaling_power_identified(const FittedModel& model, std::size_t extrinsic) const {
    return is_narrow(gradient_of_reported_power(model, extrinsic), kWidestPower);
  }

  bool is_at_bound(std::size_t k) const { return standing(k) == Standing::at_bound; }

  /// True if no flat direction changes the constant, but its interval is too wide.
  bool is_wide(std::size_t k) const {
    const VectorXd gradient = sensitivity_.gradient(k);
    return standing(k) == Standing::free && std::isfinite(half_width(gradient)) &&
           sensitivity_.sensitivity().is_estimable(gradient) && !is_identified(k);
  }

  double half_width(const VectorXd& gradient) const {
    return kNormalQuantile * sensitivity_.sensitivity().standard_error(gradient);
  }

 private:
  SumSensitivity sensitivity_;
  MultiLayout layout_;
  double typical_time_;

  Standing standing(std::size_t k) const { return sensitivity_.sensitivity().standings()[k]; }

  VectorXd gradient_of_reported_power(const FittedModel& model, std::size_t extrinsic) const {
    if (!power_through_derived(model, extrinsic))
      return sensitivity_.gradient_of_scaling_power(extrinsic, *model.typical);
    const ScaleStep step = *step_through_derived(model, extrinsic);
    return (sensitivity_.gradient_of_log_time(step.above) -
            sensitivity_.gradient_of_log_time(step.below)) /
           step.log_ratio;
  }

  double widest_intercept() const {
    const double value = sum().constants[index(layout_.intercept())];
    return std::max(kWidestShareOfValue * value, kWidestShareOfTime * typical_time_);
  }

  bool is_narrow(const VectorXd& gradient, double widest) const {
    return sensitivity_.sensitivity().is_estimable(gradient) && half_width(gradient) <= widest;
  }
};

/// "the powers of 'filters' and 'gpus' are not determined" for the inputs of a term with too wide
/// intervals; empty if there are none.
std::string wide_inputs(const SumJudge& judge, std::size_t term) {
  const ModelSpec& spec = judge.sum().spec;
  const MultiLayout& layout = judge.layout();
  std::vector<std::string> powers;
  std::vector<std::string> factors;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    if (judge.is_wide(layout.intrinsic_power(term, i)))
      powers.push_back(spec.intrinsic[i].column);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    if (judge.is_wide(layout.extrinsic_power(term, j)))
      powers.push_back(spec.extrinsic[j].column);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    bool any = false;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      any = any || judge.is_wide(layout.level(term, c, l));
    if (any)
      factors.push_back(spec.categorical[c].column);
  }
  std::vector<std::string> wide;
  if (!powers.empty())
    wide.push_back((powers.size() == 1 ? "the power of " : "the powers of ") + sorted_list(powers));
  if (!factors.empty())
    wide.push_back("the factors of " + sorted_list(factors));
  if (wide.empty())
    return {};
  const bool is_one = factors.empty() && powers.size() == 1;
  return joined(wide, " and ") + (is_one ? " is" : " are") + " not determined";
}

/// The warning about one term, or empty.
std::vector<Warning> term_warnings(const SumJudge& judge, std::size_t term, double share) {
  const std::string number = std::to_string(term + 1);
  const MultiLayout& layout = judge.layout();
  const std::size_t first = layout.coefficient(term);
  const std::size_t end =
      term + 1 < judge.sum().structure.terms ? layout.coefficient(term + 1) : layout.intercept();
  bool all_identified = true;
  for (std::size_t k = first; k < end; ++k)
    all_identified = all_identified && judge.is_identified(k);
  if (all_identified)
    return {};
  if (share < kNegligibleTermShare) {
    return {{"negligible_term", "a[" + number + "]",
             "term " + number + " contributes less than 1 % of the time: its constants are " +
                 "not determined"}};
  }
  const std::string inputs = wide_inputs(judge, term);
  if (inputs.empty())
    return {};
  return {{"undetermined", "a[" + number + "]", "term " + number + ": " + inputs}};
}

std::vector<Warning> warnings_of(const SumJudge& judge, const std::vector<double>& shares) {
  std::vector<Warning> out;
  for (const std::string& sentence :
       describe_flat_terms(judge.sensitivity().sensitivity(), judge.sum()))
    out.push_back({"flat_direction", "", sentence});
  for (std::size_t k = 0; k < judge.sum().structure.terms; ++k)
    for (Warning& warning : term_warnings(judge, k, shares[k]))
      out.push_back(std::move(warning));
  for (std::size_t k = 0; k < judge.layout().size(); ++k) {
    if (judge.is_at_bound(k)) {
      const std::string& name = judge.layout().name(k);
      out.push_back({"at_bound", name,
                     name + " is at its bound " + to_text(judge.sum().constants[index(k)]) +
                         ": the data do not determine it"});
    }
  }
  const std::size_t intercept = judge.layout().intercept();
  if (judge.is_wide(intercept)) {
    out.push_back({"undetermined", "C",
                   "C is not determined: " + rounded(judge.sum().constants[index(intercept)]) +
                       " +- " +
                       rounded(judge.half_width(judge.sensitivity().gradient(intercept)))});
  }
  return out;
}

double work_of(const FittedModel& model, const Design& training) {
  const auto constants = static_cast<double>(model.constants.size());
  return constants * constants * (constants + static_cast<double>(training.rows));
}

Findings findings_of(const FittedModel& model, const Design& training, const FitOptions& options) {
  const SumJudge judge(fitted_sum(model), training, options);
  Findings out;
  for (std::size_t k = 0; k < judge.layout().size(); ++k) {
    out.identifiability.constants.push_back(judge.is_identified(k));
    out.identifiability.at_bound.push_back(judge.is_at_bound(k));
  }
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
    out.identifiability.scaling_powers.push_back(judge.is_scaling_power_identified(model, j));
  out.warnings = warnings_of(judge, time_shares(model, training));
  return out;
}

}  // namespace

std::optional<Findings> identify_sum(const FittedModel& model, const Design& training,
                                     const FitOptions& options) {
  FitOptions own = options;
  if (work_of(model, training) <= kWorkAtOnce)
    own.stop = {};
  try {
    return findings_of(model, training, own);
  } catch (const Interrupted&) {
    return std::nullopt;
  }
}

}  // namespace perfmodel

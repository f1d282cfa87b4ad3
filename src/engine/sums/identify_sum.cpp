#include "sums/identify_sum.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "forms/sum_form.hpp"
#include "search/losses.hpp"
#include "sums/sum_finish.hpp"

namespace perfmodel {
namespace {

/// With more constants, their Jacobian is stored as a sparse matrix.
constexpr std::size_t kMostDenseConstants = 500;
/// Most work that is done even after a stop request: it takes no noticeable time.
constexpr double kWorkAtOnce = 1e7;
constexpr double kNegligibleTermShare = 1;  // percent of the predicted time
// Powers and, to first order, logarithms of coefficients and factors have the same limit.
constexpr double kWidestLog = kWidestShareOfValue;
static_assert(kWidestLog == kWidestPower);

/// State of each constant. All but the free ones and C are excluded.
std::vector<Standing> standings_of(const FittedSum& sum, const FitOptions& options) {
  const std::vector<SumConstant> constants = sum_constants(sum);
  std::vector<Standing> out;
  for (const SumConstant constant : constants) {
    // Inputs that an L1 penalty has removed are analysed like the others: the runs may need them.
    const bool by_penalty = constant == SumConstant::unused && options.penalty.l1 > 0;
    const bool free = constant == SumConstant::free || by_penalty;
    out.push_back(free                              ? Standing::free
                  : constant == SumConstant::absent ? Standing::at_zero
                                                    : Standing::fixed);
  }
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    for (std::size_t n = 0; n < numeric_count(sum.spec); ++n) {
      const std::size_t power = sum.layout.numeric_power(k, n);
      if (std::abs(sum.constants[index(power)]) >= kWidestSumPower)
        out[power] = Standing::at_bound;
      else if (sum.structure.feature(k, n).log_power != 0 &&
               constants[power] == SumConstant::unused)
        out[power] = Standing::fixed;  // a pure logarithm
    }
  }
  return out;
}

}  // namespace

double SumSensitivity::coordinate_of(const Design& runs, std::size_t numeric,
                                     std::size_t row) const {
  const double value =
      numeric_input(sum_.spec, numeric).counted(numeric_factor(runs, numeric).value(row));
  return sum_.structure.feature(0, numeric).coordinate(value);
}

template <class Put>
void SumSensitivity::put_log_derivatives(const Design& runs, std::size_t row,
                                         const Put& put) const {
  put(sum_.layout.coefficient(0), 1.0);
  for (std::size_t n = 0; n < numeric_count(sum_.spec); ++n)
    put(sum_.layout.numeric_power(0, n), coordinate_of(runs, n, row) - centres_[index(n)]);
  for (std::size_t c = 0; c < runs.categorical.size(); ++c)
    put(sum_.layout.level(0, c, runs.categorical[c].codes[row]), 1.0);
  for (std::size_t g = 0; g < sum_.structure.step_factors.size(); ++g) {
    const auto [numeric, above] = sum_.structure.step_factors[g];
    put(sum_.layout.step_factor(0, g, numeric_factor(runs, numeric).value(row) > above ? 1 : 0),
        1.0);
  }
}

std::vector<std::size_t> SumSensitivity::leaders() const {
  std::vector<std::size_t> out = indices(sum_.layout.size());
  for (const std::size_t numeric : sum_.estimate.shared)
    for (std::size_t k = 1; k < sum_.structure.terms; ++k)
      out[sum_.layout.numeric_power(k, numeric)] = sum_.layout.numeric_power(0, numeric);
  return out;
}

/// The gradient with shared powers as one coordinate.
VectorXd SumSensitivity::folded(const VectorXd& gradient) const {
  const std::vector<std::size_t> leader = leaders();
  VectorXd out = VectorXd::Zero(gradient.size());
  for (std::size_t k = 0; k < leader.size(); ++k)
    out[index(leader[k])] += gradient[index(k)];
  return sensitivity_.of_coordinates(out);
}

VectorXd SumSensitivity::centres_of(const Design& runs) const {
  VectorXd out = VectorXd::Zero(index(numeric_count(sum_.spec)));
  for (std::size_t n = 0; n < numeric_count(sum_.spec); ++n)
    for (std::size_t row = 0; row < runs.rows; ++row)
      out[index(n)] += coordinate_of(runs, n, row) / static_cast<double>(runs.rows);
  return out;
}

/// True if the term is a negative constant.
bool SumSensitivity::takes_a_constant(std::size_t term) const {
  const std::vector<SumConstant> roles = sum_constants(sum_);
  const std::size_t coefficient = sum_.layout.coefficient(term);
  return sum_.constants[index(coefficient)] < 0 &&
         std::ranges::all_of(sum_.inputs, [&](const TermInput& input) {
           return roles[coefficient + input.first] == SumConstant::unused;
         });
}

Sensitivity SumSensitivity::sensitivity_of(const Design& runs, const FitOptions& options) const {
  const MatrixXd parts = term_parts({sum_.spec, sum_.structure}, sum_.constants, runs);
  const std::vector<std::size_t> leader = leaders();
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const auto put = [&](std::size_t constant, double derivative) {
      entries.emplace_back(static_cast<int>(row), static_cast<int>(leader[constant]), derivative);
    };
    for (std::size_t k = 0; k < sum_.structure.terms; ++k)
      put_log_derivatives(runs, row, [&](std::size_t constant, double derivative) {
        put(sum_.layout.coefficient(k) + constant, parts(index(row), index(k)) * derivative);
      });
    put(sum_.layout.intercept(), 1);
  }
  optimise::SparseRows jacobian(index(runs.rows), index(sum_.layout.size()));
  jacobian.setFromTriplets(entries.begin(), entries.end());
  if (options.stop.stop_requested())
    throw Interrupted();
  const auto gram_of = [&](const VectorXd& weights) {
    SymmetricMatrix out = gram(jacobian, weights);
    return sum_.layout.size() > kMostDenseConstants ? out : MatrixXd(*out.sparse);
  };
  std::vector<Standing> standings = standings_of(sum_, options);
  std::vector<bool> left_out;
  for (std::size_t k = 0; k < standings.size(); ++k) {
    left_out.push_back(standings[k] != Standing::free || leader[k] != k);
    standings[k] = standings[leader[k]];
  }
  // A flat direction may lead back from a C of 0, unless a constant is taken away in its place.
  left_out[sum_.layout.intercept()] = std::ranges::any_of(
      indices(sum_.structure.terms), [&](std::size_t term) { return takes_a_constant(term); });
  return {std::move(standings),
          std::move(left_out),
          gram_of,
          curvature_of(options.loss, runs, parts.rowwise().sum()),
          runs.rows,
          options.stop};
}

SumSensitivity::SumSensitivity(FittedSum sum, const Design& runs, const FitOptions& options)
    : sum_(std::move(sum)),
      centres_(centres_of(runs)),
      sensitivity_(sensitivity_of(runs, options)) {}

VectorXd SumSensitivity::gradient(std::size_t constant) const {
  VectorXd out = VectorXd::Unit(index(sum_.layout.size()), index(constant));
  for (std::size_t k = 0; k < sum_.structure.terms; ++k)
    if (constant == sum_.layout.coefficient(k))
      for (std::size_t n = 0; n < numeric_count(sum_.spec); ++n)
        out[index(sum_.layout.numeric_power(k, n))] = -centres_[index(n)];
  return folded(out);
}

VectorXd SumSensitivity::gradient_of_log_time(const Configuration& at,
                                              std::optional<std::size_t> extrinsic) const {
  const Design row = design_of(at, sum_.spec);
  const MatrixXd parts = term_parts({sum_.spec, sum_.structure}, sum_.constants, row);
  const MatrixXd powers = local_powers({sum_.spec, sum_.structure}, sum_.constants, row);
  const double total = parts.sum();
  const double power = extrinsic ? powers(0, index(*extrinsic)) : 0;
  VectorXd out = VectorXd::Zero(index(sum_.layout.size()));
  for (std::size_t k = 0; k < sum_.structure.terms; ++k) {
    // d ln t = sum_k s_k d ln t_k + dC / t with the shares s_k = t_k / t. The scaling power is
    // sum_k e_k s_k, and d s_k = s_k (d ln t_k - d ln t).
    const double share = parts(0, index(k)) / total;
    double weight = share;
    if (extrinsic) {
      const std::size_t own_power = sum_.layout.extrinsic_power(k, *extrinsic);
      const double value = row.extrinsic[*extrinsic].value(0);
      const Feature& feature = sum_.structure.feature(k, *extrinsic);
      const double own = feature.slope(value, sum_.constants[index(own_power)]);
      weight *= own - power;
      out[index(own_power)] += feature.saturates ? share / value : share;
    }
    put_log_derivatives(row, 0, [&](std::size_t constant, double derivative) {
      out[index(sum_.layout.coefficient(k) + constant)] += weight * derivative;
    });
  }
  out[index(sum_.layout.intercept())] = (extrinsic ? -power : 1) / total;
  return folded(out);
}

namespace {

/// The constants of a sum in the terms of IdentifiedConstants, and the sentences about its terms.
class SumFindings {
 public:
  SumFindings(const FittedModel& model, const Design& runs, const FitOptions& options)
      : model_(model),
        at_(fitted_sum(model), runs, options),
        layout_(at_.sum().layout),
        constants_(at_.sensitivity(), judged(median(runs.time)),
                   [&](std::size_t k) { return at_.gradient(k); }),
        shares_(time_shares(model, runs)) {}

  Findings findings() const {
    Findings out;
    out.identifiability = constants_.identifiability();
    for (std::size_t j = 0; j < model_.spec.extrinsic.size(); ++j)
      out.identifiability.scaling_powers.push_back(
          constants_.is_narrow(gradient_of_reported_power(j), kWidestPower));
    for (const std::string& sentence : flat_sentences())
      out.warnings.push_back({"flat_direction", "", sentence});
    for (std::size_t k = 0; k < terms(); ++k)
      warn_of_term(k, out.warnings);
    for (std::size_t k = 0; k < layout_.size(); ++k)
      if (constants_.standing(k) == Standing::at_bound)
        out.warnings.push_back({"at_bound", layout_.name(k),
                                layout_.name(k) + " is at its bound " +
                                    short_number(model_.constants[index(k)]) +
                                    ": the data do not determine it"});
    constants_.warn_of_width(layout_.intercept(), out.warnings);
    return out;
  }

 private:
  const FittedModel& model_;
  SumSensitivity at_;
  const SumLayout& layout_;
  IdentifiedConstants constants_;
  std::vector<double> shares_;

  std::size_t terms() const { return at_.sum().structure.terms; }

  std::vector<JudgedConstant> judged(double typical_time) const {
    std::vector<JudgedConstant> out;
    for (std::size_t k = 0; k < layout_.size(); ++k)
      out.push_back(
          {.name = layout_.name(k), .value = model_.constants[index(k)], .widest = kWidestLog});
    for (std::size_t k = 0; k < terms(); ++k) {
      const std::size_t coefficient = layout_.coefficient(k);
      out[coefficient].term = k + 1;
      for (const TermInput& input : at_.sum().inputs) {
        for (std::size_t i = 0; i < input.count; ++i) {
          out[coefficient + input.first + i].term = k + 1;
          out[coefficient + input.first + i].column = input.column;
        }
      }
    }
    JudgedConstant& intercept = out[layout_.intercept()];
    intercept.widest =
        std::max(kWidestShareOfValue * intercept.value, kWidestShareOfTime * typical_time);
    return out;
  }

  /// Gradient of the power that scaling_powers() reports.
  VectorXd gradient_of_reported_power(std::size_t extrinsic) const {
    if (!power_through_derived(model_, extrinsic))
      return at_.gradient_of_log_time(*model_.typical, extrinsic);
    const ScaleStep step = *step_through_derived(model_, extrinsic);
    return (at_.gradient_of_log_time(step.above) - at_.gradient_of_log_time(step.below)) /
           step.log_ratio;
  }

  /// One sentence in the user's terms per flat direction, without duplicates.
  std::vector<std::string> flat_sentences() const {
    const MatrixXd directions =
        at_.sensitivity().flat_directions(std::vector<bool>(layout_.size(), false));
    std::vector<IdentifiedConstants::Moved> all;
    for (const auto& direction : directions.colwise())
      all.push_back(constants_.moved_by(direction));
    std::vector<std::string> out;
    for (const auto& [columns, moved_terms, intercept] : all) {
      std::string sentence;
      if (moved_terms.size() + (intercept ? 1 : 0) > 1) {
        sentence = exchange_sentence(moved_terms, intercept);
      } else if (!columns.empty()) {
        // Collinear columns are so in every term.
        const auto same_columns = std::count_if(
            all.begin(), all.end(), [&names = columns](const IdentifiedConstants::Moved& other) {
              return other.terms.size() == 1 && other.columns == names;
            });
        const bool everywhere = columns.size() > 1 && to_size(same_columns) == terms();
        sentence = together_sentence(
            columns, everywhere ? "" : " in term " + std::to_string(moved_terms.front()));
      }
      if (!sentence.empty() && !contains(out, sentence))
        out.push_back(sentence);
    }
    return out;
  }

  /// "terms 1, 2 and C cannot be told apart: ..." for a direction that exchanges time between them.
  static std::string exchange_sentence(const std::vector<std::size_t>& terms, bool intercept) {
    std::vector<std::string> names;
    for (const std::size_t term : terms)
      names.push_back(std::to_string(term));
    if (intercept)
      names.emplace_back("C");
    const std::string last = names.back();
    names.pop_back();
    return (terms.size() > 1 ? "terms " : "term ") + joined(names, ", ") + " and " + last +
           " cannot be told apart: only their sum is determined";
  }

  /// "the powers of 'filters' and 'gpus' are not determined" for the inputs of a term with too wide
  /// intervals; empty if there are none.
  std::string wide_inputs(std::size_t term) const {
    std::vector<std::string> powers;
    std::vector<std::string> factors;
    for (const TermInput& input : at_.sum().inputs) {
      const std::size_t first = layout_.coefficient(term) + input.first;
      bool any = false;
      for (std::size_t k = first; k < first + input.count; ++k)
        any = any || constants_.is_wide(k);
      if (any && input.kind != TermInput::Kind::step)
        (input.has_factors() ? factors : powers).push_back(input.column);
    }
    std::vector<std::string> wide;
    if (!powers.empty())
      wide.push_back((powers.size() == 1 ? "the power of " : "the powers of ") +
                     sorted_list(powers));
    if (!factors.empty())
      wide.push_back("the factors of " + sorted_list(factors));
    if (wide.empty())
      return {};
    const bool is_one = factors.empty() && powers.size() == 1;
    return joined(wide, " and ") + (is_one ? " is" : " are") + " not determined";
  }

  void warn_of_term(std::size_t term, std::vector<Warning>& out) const {
    const std::string number = std::to_string(term + 1);
    const std::string name = "a[" + number + "]";
    bool all_identified = true;
    for (std::size_t k = 0; k < layout_.size(); ++k)
      all_identified =
          all_identified && (constants_[k].term != term + 1 || constants_.is_identified(k));
    if (all_identified)
      return;
    if (std::abs(shares_[term]) < kNegligibleTermShare)
      out.push_back({"negligible_term", name,
                     "term " + number + " contributes less than 1 % of the time: its constants " +
                         "are not determined"});
    else if (const std::string inputs = wide_inputs(term); !inputs.empty())
      out.push_back({"undetermined", name, "term " + number + ": " + inputs});
  }
};

double work_of(const FittedModel& model, const Design& training) {
  const auto constants = static_cast<double>(model.constants.size());
  return constants * constants * (constants + static_cast<double>(training.rows));
}

}  // namespace

std::optional<Findings> identify_sum(const FittedModel& model, const Design& training,
                                     const FitOptions& options) {
  FitOptions own = options;
  if (work_of(model, training) <= kWorkAtOnce)
    own.stop = {};
  try {
    return SumFindings(model, training, own).findings();
  } catch (const Interrupted&) {
    return std::nullopt;
  }
}

}  // namespace perfmodel

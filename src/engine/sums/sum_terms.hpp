#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "forms/form.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// Most constants of a sum: those of two terms with two columns of 500 levels each. They are solved
/// for together; more would take minutes.
inline constexpr std::size_t kMostSumConstants = 2100;

/// Number of free constants of a sum of `terms` terms, without steps and logarithms.
std::size_t count_sum_constants(const ModelSpec& spec, std::size_t terms);

/// True if at least two terms can be fitted, which choosing their number requires.
bool terms_can_be_chosen(const ModelSpec& spec);

/// The constants of one input in a term of a sum: a power, or the factors of the levels of a column
/// or of the two sides of a step.
struct TermInput {
  enum class Kind { power, levels, step };

  Kind kind;
  std::size_t index;   ///< of the numeric column, of the categorical column or of the step
  std::size_t first;   ///< its first constant, counted from the coefficient of the term
  std::size_t count;   ///< number of its constants
  std::string column;  ///< its name
  std::vector<std::size_t> shown = {};  ///< see CategoricalInput::shown

  bool has_factors() const { return kind != Kind::power; }
  std::size_t shown_factor(std::size_t place) const { return shown.empty() ? place : shown[place]; }
};

/// The inputs of every term, in the order of their constants.
std::vector<TermInput> term_inputs(const ModelSpec& spec, const SumStructure& structure);

/// Per row, the index of the factor that an input has there.
std::vector<std::uint32_t> factor_codes(const TermInput& input, const SumStructure& structure,
                                        const Design& runs);

/// Rows in coordinates in which a product term is the exponential of a linear form:
///
///     ln term = theta_0 + sum_i p_i (ln I_i - centre_i) + sum_c contrasts of the level
///               + sum_j q_j (ln E_j - centre_j) + contrasts of the steps
///               + sum_n r_n ln log2(n)
///
/// so that derivatives are products, a ridge treats all features alike, and no box is needed. For a
/// numeric column n in SumShape::saturations, ln n is replaced by 1 - 1/n, scaled to the range of
/// ln n.
///
/// A column of many levels has no contrasts: the logarithm of the factor of each level is a
/// coordinate. The constant makes up for their mean, which a ridge draws to 0: the minimum is that
/// with contrasts, and the normal equations are sparse.
struct TermData {
  MatrixXd features;  ///< rows x features without those levels; the first column is 1
  /// ln log2(n), rows x numeric columns; -infinity if n <= 1. A refit adds a column per term, which
  /// is -infinity in rows where the term does not exist.
  MatrixXd log_logs;
  VectorXd time;  ///< in units of the typical time
  /// First feature and number of features (contrasts) of each categorical column.
  std::vector<std::pair<Index, Index>> levels = {};
  /// The columns of many levels: their coordinates in a term and the level of each row. They are
  /// adjacent, between the plain features and the steps; the entries are 1 and not stored.
  std::vector<optimise::LevelColumns> many_levels = {};

  Index rows() const { return time.size(); }
  /// The coordinates of all columns of many levels as one block.
  optimise::LevelColumns level_block() const;
  /// ln of a term with these coordinates in each row, without powers of log2(n).
  VectorXd log_terms(const Eigen::Ref<const VectorXd>& term) const;
  /// True if two rows differ in nothing but the time.
  bool same_configuration(Index a, Index b) const;
};

TermData take_rows(const TermData& data, const std::vector<Index>& rows);

/// The structure that is searched besides the constants: number of terms, features, C or not.
struct SumShape {
  Index terms = 1;
  Index plain_features = 1;         ///< per term: the features of the spec's inputs
  std::vector<Index> step_factors;  ///< indices of the steps in use
  bool intercept = true;
  std::vector<std::vector<int>> log_powers;  ///< r by term and numeric column
  /// True if terms with log2(n)^r have no n^q.
  bool pure_logarithms = false;
  std::vector<bool> still = {};  ///< further coordinates that are fixed at 0; may be empty
  std::vector<std::size_t> saturations = {};  ///< numeric columns that enter as 1 - 1/n
  std::vector<std::size_t> clamps = {};  ///< numeric columns that are clamped to the measured range
  /// Those of `clamps` that are clamped because the sum would grow far faster beyond the measured
  /// range than within, whatever the folds show.
  std::vector<std::size_t> steep = {};
  /// Numeric columns whose power is the same in all terms.
  std::vector<std::size_t> shared = {};
  /// Feature of each numeric column.
  std::vector<Index> numeric_features = {};
  std::vector<int> signs = {};  ///< per term; 1 beyond the last entry
  /// Per term, the numeric columns that it does not contain; none beyond the last entry.
  std::vector<std::vector<std::size_t>> left_out = {};

  bool leaves_out(Index term, std::size_t numeric) const;
  double sign(Index term) const {
    const auto k = static_cast<std::size_t>(term);
    return k < signs.size() ? signs[k] : 1;
  }

  Index features() const { return plain_features + static_cast<Index>(step_factors.size()); }

  Index size() const { return terms * features() + (intercept ? 1 : 0); }
  /// Per coordinate: true if it is fixed at 0.
  std::vector<bool> held() const;
  /// Sets the fixed coordinates to 0.
  VectorXd without_held(VectorXd theta) const;
  /// Pairs of a coordinate and the coordinate of the first term whose power it shares.
  std::vector<std::pair<Index, Index>> followers() const;
  /// Sets each follower to the coordinate that it shares.
  VectorXd tied(VectorXd theta) const;
};

/// Maps rows to TermData, and coordinates back to the constants of SumLayout.
class TermCoordinates {
 public:
  /// `contrasts_only`: contrasts also for columns of many levels, as an L1 penalty of the
  /// logarithms relative to their mean needs.
  TermCoordinates(const ModelSpec& spec, const Design& training,
                  std::vector<StepFactor> step_factors, bool contrasts_only = false);

  /// The rows, sorted by their content so that the order of the file does not affect a fit. The
  /// features of all steps come after the plain ones, then those of 1 - 1/n.
  const TermData& data() const { return data_; }
  /// The rows with only the features that the shape uses.
  TermData data(const SumShape& shape) const { return select(data_, shape); }
  /// Other rows of all features, reduced to the features that the shape uses.
  TermData select(const TermData& all_features, const SumShape& shape) const;
  Index plain_features() const { return plain_features_; }
  const std::vector<StepFactor>& step_factors() const { return step_factors_; }
  /// The column of a step in the features of data().
  Index step_feature(Index step_factor) const { return dense_features_ + step_factor; }
  /// First feature and number of features of each input except the constant: 1 for a numeric
  /// column, n - 1 for a column of n levels, n if they are many.
  const std::vector<std::pair<Index, Index>>& inputs() const { return inputs_; }
  /// The feature of each numeric column.
  std::vector<Index> numeric_features() const;
  /// Multiplies each numeric column by exp(slope * shift) in one of the rows that were taken from
  /// data().
  void move(TermData& all_features, Index row, const std::vector<double>& slopes,
            double shift) const;
  /// Copies the features of a numeric column from a row of other data.
  void copy_numeric(TermData& all_features, Index row, std::size_t numeric, const TermData& from,
                    Index row_of_from) const;
  /// Extrinsic columns with two values.
  const std::vector<std::size_t>& two_valued() const { return two_valued_; }
  double high(std::size_t numeric) const { return highs_[numeric]; }
  double typical_time() const { return typical_time_; }
  /// Per row of data(): its row in the design.
  const std::vector<std::size_t>& order() const { return order_; }

  /// Terms with all inputs and all steps, without logarithms.
  SumShape shape(Index terms, bool intercept) const;
  SumStructure structure(const SumShape& shape) const;
  /// Constants in the units of the data, in the order of SumLayout.
  VectorXd constants(const SumShape& shape, const VectorXd& theta) const;
  /// Inverse of constants(). A factor of 0 gets the mean logarithm of the others.
  VectorXd theta(const SumShape& shape, const VectorXd& constants) const;

 private:
  const ModelSpec& spec_;
  std::vector<StepFactor> step_factors_;
  /// A feature is scale * (x - centre).
  struct FeaturePlace {
    double centre = 0;
    double scale = 1;
  };
  std::vector<FeaturePlace> places_;             ///< for ln x, per numeric column
  std::vector<FeaturePlace> saturation_places_;  ///< for 1 - 1/n, scaled to the range of ln n
  std::vector<std::size_t> two_valued_;
  std::vector<double> highs_;  ///< the largest values of the numeric columns
  std::vector<std::pair<Index, Index>> inputs_;
  Index plain_features_ = 1;
  Index dense_features_ = 1;  ///< the plain features without columns of many levels
  double typical_time_ = 1;
  std::vector<std::size_t> order_;
  TermData data_;

  Index saturation_feature(std::size_t numeric) const {
    return dense_features_ + static_cast<Index>(step_factors_.size() + numeric);
  }

  /// Centre and scale of the feature that the shape uses for a numeric column.
  const FeaturePlace& place_of(const SumShape& shape, std::size_t numeric) const;
};

std::set<double> distinct_values(const Design& runs, std::size_t numeric);

/// True if the values are whole numbers from 1 on. Only a count has a fixed unit, which n > 1 and
/// log2(n) require.
bool is_count(const Design& runs, std::size_t numeric);

/// True if log2(n) is distinguishable from a power: a count with at least three values, with enough
/// rows above 1. If nearly all rows have 1, the term would be determined by a handful of rows and
/// arbitrary elsewhere.
bool may_have_logarithm(const Design& runs, std::size_t numeric);

/// Steps such as "padding > 0" for columns whose 0 has a factor of its own. They come first of all
/// steps and are part of every form.
std::vector<StepFactor> zero_step_factors(const ModelSpec& spec);

/// zero_step_factors(), then steps such as "num_gpus > 1" for counts that start at 1 and have at
/// least two further values. With only one other value, the power of the column does the same.
std::vector<StepFactor> possible_step_factors(const ModelSpec& spec, const Design& training);

/// A sum after its fit.
struct FittedSum {
  ModelSpec spec;
  SumStructure structure;
  VectorXd constants;  ///< in the order of `layout`
  SumEstimate estimate;
  SumLayout layout;
  std::vector<TermInput> inputs;  ///< see term_inputs()
};

/// Requires a model that was fitted by this run of the program, which has its estimate.
FittedSum fitted_sum(const FittedModel& model);

/// Role of a constant of a sum in refits and derivatives.
enum class SumConstant {
  free,
  reference,  ///< factor of the reference level: 1
  absent,     ///< a factor of 0: the term is absent at this level; or a C of 0
  unused,     ///< of an input that the term does not use: power 0, factors 1
};

/// Role of each constant.
std::vector<SumConstant> sum_constants(const FittedSum& sum);

/// Number of free constants.
std::size_t free_constants(const FittedSum& sum);

}  // namespace perfmodel

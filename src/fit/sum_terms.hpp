#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// A C below this share of the typical time is none.
inline constexpr double kNoIntercept = 1e-9;

/// A sum of product terms as a search leaves it.
struct SumOfTerms {
  MultiStructure structure;
  Eigen::VectorXd constants;    ///< in the units of the data, in the order of MultiLayout
  std::size_t evaluations = 0;  ///< that it took to find them
  /// What the last step still promised, as a share of the cost.
  double gap = 0;
  SumEstimate estimate = {};
};

/// The constants of a sum of product terms are solved for together, in time that grows with the
/// cube of their number: more of them take hours.
inline constexpr std::size_t kMostSumConstants = 1000;

/// Constants that a sum of so many terms would leave free, without those that only the data can
/// suggest.
std::size_t count_sum_constants(const ModelSpec& spec, std::size_t terms);

/// Whether at least two terms can be fitted, which a choice of their number needs.
bool terms_can_be_chosen(const ModelSpec& spec);

/// Rows in the coordinates in which a product term is the exponential of a linear form:
///
///     ln term = theta_0 + sum_i p_i (ln I_i - centre_i) + sum_c contrasts of the level
///               + sum_j q_j (ln E_j - centre_j) + contrasts of the regimes
///               + sum_n r_n ln log2(n)
///
/// with 1 - 1/n, as wide as ln n, in place of it where a numeric column n counts by its ring, so
/// that derivatives are products, a ridge treats both alike, and no box is needed.
struct TermData {
  Eigen::MatrixXd features;  ///< rows x features; the first column is 1
  /// ln log2(n), rows x numeric columns; -infinity where n <= 1. A refit adds a column per term,
  /// which is -infinity where the term does not exist.
  Eigen::MatrixXd log_logs;
  Eigen::VectorXd time;  ///< in units of the typical time
  /// First feature and number of features of each column of levels: their contrasts.
  std::vector<std::pair<Eigen::Index, Eigen::Index>> levels = {};

  Eigen::Index rows() const { return time.size(); }
};

TermData take_rows(const TermData& data, const std::vector<Eigen::Index>& rows);

/// What is searched besides the constants: how many terms, which of the features, C or not.
struct SumShape {
  Eigen::Index terms = 1;
  Eigen::Index plain_features = 1;    ///< of a term: those of the spec's inputs
  std::vector<Eigen::Index> regimes;  ///< indices of those that are used
  bool intercept = true;
  std::vector<std::vector<int>> log_powers;  ///< r by term and numeric column
  /// Terms with log2(n)^r have no n^q beside it.
  bool pure_logarithms = false;
  std::vector<bool> still = {};         ///< further coordinates that are kept at 0; empty: none
  std::vector<std::size_t> rings = {};  ///< numeric columns that count by 1 - 1/n
  std::vector<std::size_t> caps = {};   ///< that count no further than the runs reach
  /// Of these, scales beyond which the sum would grow far faster than within, whatever folds say.
  std::vector<std::size_t> steep = {};
  /// Numeric columns whose power all terms share.
  std::vector<std::size_t> shared = {};
  /// Features of the numeric columns.
  std::vector<Eigen::Index> numeric_features = {};
  std::vector<int> signs = {};  ///< of the terms; behind the last entry: 1
  /// By term, the numeric columns that play no part in it; behind the last entry: none.
  std::vector<std::vector<std::size_t>> left_out = {};

  bool leaves_out(Eigen::Index term, std::size_t numeric) const;
  double sign(Eigen::Index term) const {
    const auto k = static_cast<std::size_t>(term);
    return k < signs.size() ? signs[k] : 1;
  }

  Eigen::Index features() const {
    return plain_features + static_cast<Eigen::Index>(regimes.size());
  }

  Eigen::Index size() const { return terms * features() + (intercept ? 1 : 0); }
  /// Per coordinate: whether it is kept at 0.
  std::vector<bool> held() const;
  /// Coordinates that follow that of the first term, whose power they share, and the latter.
  std::vector<std::pair<Eigen::Index, Eigen::Index>> followers() const;
  /// Each follower as what it follows.
  Eigen::VectorXd tied(Eigen::VectorXd theta) const;
};

/// The way from rows to TermData and from the coordinates back to the constants of MultiLayout.
class TermCoordinates {
 public:
  TermCoordinates(const ModelSpec& spec, const Design& training, std::vector<Regime> regimes);

  /// The rows sorted by their content: the order of the file plays no part in a fit. The features
  /// of all regimes stand behind the plain ones, those of the rings behind them.
  const TermData& data() const { return data_; }
  /// The rows with the features that the shape uses.
  TermData data(const SumShape& shape) const { return select(data_, shape); }
  /// The same of other rows in these coordinates.
  TermData select(const TermData& all_features, const SumShape& shape) const;
  Eigen::Index plain_features() const { return plain_features_; }
  const std::vector<Regime>& regimes() const { return regimes_; }
  /// First feature and number of features of each input but the constant: a numeric column has one,
  /// a column of n levels n - 1.
  const std::vector<std::pair<Eigen::Index, Eigen::Index>>& inputs() const { return inputs_; }
  /// The feature of each numeric column.
  std::vector<Eigen::Index> numeric_features() const;
  /// Multiplies a numeric column by exp(shift) in one of the rows that were taken from data().
  void move(TermData& all_features, Eigen::Index row, std::size_t numeric, double shift) const;
  /// Takes what a numeric column counts as from a row of other data.
  void copy_numeric(TermData& all_features, Eigen::Index row, std::size_t numeric,
                    const TermData& from, Eigen::Index row_of_from) const;
  /// Extrinsic columns of two values.
  const std::vector<std::size_t>& two_valued() const { return two_valued_; }
  /// The largest value of a numeric column.
  double high(std::size_t numeric) const { return highs_[numeric]; }
  double typical_time() const { return typical_time_; }
  /// Row of the design behind each row of data().
  const std::vector<std::size_t>& order() const { return order_; }

  MultiStructure structure(const SumShape& shape) const;
  /// Constants in the units of the data, in the order of MultiLayout.
  Eigen::VectorXd constants(const SumShape& shape, const Eigen::VectorXd& theta) const;
  /// The way back. The logarithm of a factor of 0 counts as the mean of those of its column.
  Eigen::VectorXd theta(const SumShape& shape, const Eigen::VectorXd& constants) const;

 private:
  const ModelSpec& spec_;
  std::vector<Regime> regimes_;
  /// A feature is scale * (x - centre).
  struct FeaturePlace {
    double centre = 0;
    double scale = 1;
  };
  std::vector<FeaturePlace> places_;       ///< of ln x of the numeric columns
  std::vector<FeaturePlace> ring_places_;  ///< of 1 - 1/n, which then has the range of ln n
  std::vector<std::size_t> two_valued_;
  std::vector<double> highs_;  ///< the largest values of the numeric columns
  std::vector<std::pair<Eigen::Index, Eigen::Index>> inputs_;
  Eigen::Index plain_features_ = 1;
  double typical_time_ = 1;
  std::vector<std::size_t> order_;
  TermData data_;

  Eigen::Index ring_feature(std::size_t numeric) const {
    return plain_features_ + static_cast<Eigen::Index>(regimes_.size() + numeric);
  }

  /// Of the feature that the shape uses of a numeric column.
  const FeaturePlace& place_of(const SumShape& shape, std::size_t numeric) const;
};

std::set<double> distinct_values(const NumericFactor& factor, std::size_t rows);

/// Whether a column counts something: whole numbers from 1 on. Only then has its unit a meaning
/// that "more than one" and log2 can build on.
bool are_counts(const std::set<double>& values);
bool is_count(const NumericFactor& factor, std::size_t rows);

/// Whether log2(n) says more than a power could: a count of three values, of which enough rows have
/// more than 1. Where nearly all have 1, the term would exist for a handful of rows, and could be
/// anything elsewhere.
bool may_have_logarithm(const NumericFactor& factor, std::size_t rows);

bool has_two_values(const NumericFactor& factor, std::size_t rows);

/// "padding > 0": of columns whose 0 has a factor of its own. They are the first of all regimes and
/// part of every form.
std::vector<Regime> zero_regimes(const ModelSpec& spec);

/// Those, and "num_gpus > 1": of columns that count from 1 and take two further values or more.
/// With one other value the power of the column says the same.
std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training);

/// A sum as its fit has left it.
struct FittedSum {
  ModelSpec spec;
  MultiStructure structure;
  Eigen::VectorXd constants;  ///< in the order of MultiLayout of these two
  SumEstimate estimate;
};

/// The model was fitted here: it knows its estimate.
FittedSum fitted_sum(const FittedModel& model);

/// What a refit or a derivative makes of a constant of a sum.
enum class SumConstant {
  free,
  reference,  ///< a factor of 1 that the others of its column relate to
  absent,     ///< a factor of 0: the term does not exist there; C where it is 0
  unused,     ///< of an input that plays no part in the term: a power of 0, factors of 1
};

/// One per constant.
std::vector<SumConstant> sum_constants(const FittedSum& sum);

/// How many constants are free.
std::size_t free_constants(const FittedSum& sum);

}  // namespace perfmodel

#include "fit/sum/terms/term_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/index.hpp"
#include "fit/sum/kernel/contrasts.hpp"
#include "fit/sum/terms/regimes.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What the values of a numeric column count as in a product: all > 0.
VectorXd counted_values(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  VectorXd out(static_cast<Index>(rows));
  for (std::size_t r = 0; r < rows; ++r)
    out[static_cast<Index>(r)] = input.counted(factor.value(r));
  return out;
}

/// Logarithms are as good as equal where they differ by less. Another unit of a column or of the
/// time changes their last bits; rounded to this they are the same, and so is what a search makes
/// of them.
constexpr double kResolution = 0x1p-40;

VectorXd resolved(const VectorXd& values) {
  return kResolution * (values / kResolution).array().round().matrix();
}

/// The sum must not depend on the order of the rows, down to its last bit.
double mean_of_sorted(VectorXd values) {
  std::sort(values.data(), values.data() + values.size());
  return values.sum() / static_cast<double>(values.size());
}

std::vector<std::size_t> sorted_rows(const MatrixXd& features, const VectorXd& time) {
  std::vector<std::size_t> order(static_cast<std::size_t>(time.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Index x = static_cast<Index>(a);
    const Index y = static_cast<Index>(b);
    for (Index j = 0; j < features.cols(); ++j)
      if (features(x, j) != features(y, j))
        return features(x, j) < features(y, j);
    return time[x] != time[y] ? time[x] < time[y] : x < y;
  });
  return order;
}

/// Entries of intrinsic columns stand there only where one has a logarithm.
void drop_idle_intrinsics(const ModelSpec& spec, std::vector<int>& powers) {
  const auto end = powers.begin() + index(std::min(powers.size(), spec.extrinsic.size()));
  if (std::all_of(end, powers.end(), [](int r) { return r == 0; }))
    powers.erase(end, powers.end());
}

}  // namespace

TermData take_rows(const TermData& data, const std::vector<Index>& rows) {
  const Index count = static_cast<Index>(rows.size());
  TermData out{MatrixXd(count, data.features.cols()), MatrixXd(count, data.log_logs.cols()),
               VectorXd(count), data.levels};
  for (Index r = 0; r < count; ++r) {
    const Index from = rows[static_cast<std::size_t>(r)];
    out.features.row(r) = data.features.row(from);
    out.log_logs.row(r) = data.log_logs.row(from);
    out.time[r] = data.time[from];
  }
  return out;
}

TermCoordinates::TermCoordinates(const ModelSpec& spec, const Design& training,
                                 std::vector<Regime> regimes)
    : spec_(spec), regimes_(std::move(regimes)) {
  const Index rows = static_cast<Index>(training.rows);
  const auto add_input = [&](Index count) {
    inputs_.emplace_back(plain_features_, count);
    plain_features_ += count;
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add_input(1);
  for (const CategoricalInput& input : spec.categorical)
    add_input(static_cast<Index>(input.levels.size()) - 1);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    add_input(1);

  const std::size_t numerics = numeric_count(spec);
  const Index rings = plain_features_ + static_cast<Index>(regimes_.size());
  MatrixXd features(rows, rings + static_cast<Index>(numerics));
  MatrixXd log_logs(rows, static_cast<Index>(numerics));
  features.col(0).setOnes();
  const std::vector<Index> numeric_columns = numeric_features();
  for (std::size_t n = 0; n < numerics; ++n) {
    const NumericFactor& factor = numeric_factor(training, n);
    const VectorXd counted = counted_values(numeric_input(spec, n), factor, training.rows);
    const VectorXd values = counted.unaryExpr([](double value) { return std::log(value); });
    const bool counts = is_count(factor, training.rows);
    if (n < spec.extrinsic.size() && has_two_values(factor, training.rows))
      two_valued_.push_back(n);
    const VectorXd ring =
        counts ? VectorXd(1 - 1 / counted.array()) : VectorXd(VectorXd::Zero(rows));
    centres_.push_back(mean_of_sorted(values));
    ring_centres_.push_back(mean_of_sorted(ring));
    highs_.push_back(0);
    features.col(numeric_columns[n]) = resolved((values.array() - centres_.back()).matrix());
    features.col(rings + static_cast<Index>(n)) =
        resolved((ring.array() - ring_centres_.back()).matrix());
    for (Index r = 0; r < rows; ++r) {
      const double value = counted[r];
      highs_.back() = std::max(highs_.back(), factor.value(static_cast<std::size_t>(r)));
      log_logs(r, static_cast<Index>(n)) =
          value > 1 ? std::log(std::log2(value)) : -std::numeric_limits<double>::infinity();
    }
  }
  std::size_t input = spec.intrinsic.size();
  for (const LevelFactor& factor : training.categorical) {
    const MatrixXd basis = contrasts(factor.levels);
    const auto [first, count] = inputs_[input++];
    for (Index r = 0; r < rows; ++r) {
      features.row(r).segment(first, count) =
          basis.row(static_cast<Index>(factor.codes[static_cast<std::size_t>(r)]));
    }
  }
  const MatrixXd two = contrasts(2);
  for (std::size_t g = 0; g < regimes_.size(); ++g) {
    const Index column = plain_features_ + static_cast<Index>(g);
    inputs_.emplace_back(column, 1);
    for (Index r = 0; r < rows; ++r) {
      const double value =
          numeric_factor(training, regimes_[g].numeric).value(static_cast<std::size_t>(r));
      features(r, column) = two(value > regimes_[g].above ? 1 : 0, 0);
    }
  }

  const VectorXd log_time = training.time.array().log().matrix();
  const double typical_log_time = mean_of_sorted(log_time);
  typical_time_ = std::exp(typical_log_time);
  const VectorXd time =
      resolved((log_time.array() - typical_log_time).matrix()).array().exp().matrix();
  order_ = sorted_rows(features, time);
  const std::vector<Index> rows_in_order(order_.begin(), order_.end());
  const auto levels = inputs_.begin() + index(spec.intrinsic.size());
  data_ = take_rows({features, log_logs, time, {levels, levels + index(spec.categorical.size())}},
                    rows_in_order);
}

std::vector<Index> TermCoordinates::numeric_features() const {
  std::vector<Index> out;
  for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
    out.push_back(inputs_[spec_.intrinsic.size() + spec_.categorical.size() + j].first);
  for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i)
    out.push_back(inputs_[i].first);
  return out;
}

void TermCoordinates::move(TermData& all_features, Index row, std::size_t numeric,
                           double shift) const {
  double& logarithm = all_features.features(row, numeric_features()[numeric]);
  logarithm += shift;
  const double value = std::exp(logarithm + centres_[numeric]);
  all_features.features(row, ring_feature(numeric)) = 1 - 1 / value - ring_centres_[numeric];
  // log2(n) from its logarithm, moved, and back; a factor that ceases to exist becomes -infinity.
  double& log_log = all_features.log_logs(row, static_cast<Index>(numeric));
  const double log2_value = std::exp(log_log) + shift / std::log(2.0);
  log_log = log2_value > 0 ? std::log(log2_value) : -std::numeric_limits<double>::infinity();
}

void TermCoordinates::copy_numeric(TermData& all_features, Index row, std::size_t numeric,
                                   const TermData& from, Index row_of_from) const {
  const auto copy = [&](Index feature) {
    all_features.features(row, feature) = from.features(row_of_from, feature);
  };
  copy(numeric_features()[numeric]);
  copy(ring_feature(numeric));
  for (std::size_t g = 0; g < regimes_.size(); ++g)
    if (regimes_[g].numeric == numeric)
      copy(plain_features_ + static_cast<Index>(g));
  const Index column = static_cast<Index>(numeric);
  all_features.log_logs(row, column) = from.log_logs(row_of_from, column);
}

TermData TermCoordinates::select(const TermData& all_features, const SumShape& shape) const {
  TermData out{MatrixXd(all_features.rows(), shape.features()), all_features.log_logs,
               all_features.time, all_features.levels};
  out.features.leftCols(plain_features_) = all_features.features.leftCols(plain_features_);
  for (std::size_t g = 0; g < shape.regimes.size(); ++g) {
    out.features.col(plain_features_ + static_cast<Index>(g)) =
        all_features.features.col(plain_features_ + shape.regimes[g]);
  }
  for (const std::size_t numeric : shape.rings) {
    out.features.col(numeric_features()[numeric]) =
        all_features.features.col(ring_feature(numeric));
  }
  return out;
}

double TermCoordinates::centre(const SumShape& shape, std::size_t numeric) const {
  const bool ring = std::find(shape.rings.begin(), shape.rings.end(), numeric) != shape.rings.end();
  return (ring ? ring_centres_ : centres_)[numeric];
}

MultiStructure TermCoordinates::structure(const SumShape& shape) const {
  MultiStructure out;
  out.terms = static_cast<std::size_t>(shape.terms);
  for (const Index g : shape.regimes)
    out.regimes.push_back(regimes_[static_cast<std::size_t>(g)]);
  out.log_powers = shape.log_powers;
  for (std::vector<int>& powers : out.log_powers)
    drop_idle_intrinsics(spec_, powers);
  std::vector<Cap> caps;
  for (const std::size_t numeric : shape.caps)
    caps.push_back({numeric, highs_[numeric]});
  if (!shape.rings.empty())
    out.rings.assign(out.terms, shape.rings);
  if (!caps.empty())
    out.caps.assign(out.terms, caps);
  return out;
}

}  // namespace perfmodel

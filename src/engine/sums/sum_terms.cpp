#include "sums/sum_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "search/search_space.hpp"
#include "sums/normal_matrix.hpp"

namespace perfmodel {

using optimise::LevelColumns;

std::vector<bool> SumShape::held() const {
  std::vector<bool> out = still;
  out.resize(to_size(size()), false);
  const auto is_pure_logarithm = [&](std::size_t term, std::size_t numeric) {
    return pure_logarithms && term < log_powers.size() && numeric < log_powers[term].size() &&
           log_powers[term][numeric] != 0;
  };
  for (Index k = 0; k < terms; ++k)
    for (std::size_t n = 0; n < numeric_features.size(); ++n)
      if (leaves_out(k, n) || is_pure_logarithm(to_size(k), n))
        out[to_size(k * features() + numeric_features[n])] = true;
  return out;
}

VectorXd SumShape::without_held(VectorXd theta) const {
  const std::vector<bool> fixed = held();
  for (std::size_t j = 0; j < fixed.size(); ++j)
    if (fixed[j])
      theta[index(j)] = 0;
  return theta;
}

bool SumShape::leaves_out(Index term, std::size_t numeric) const {
  const auto k = static_cast<std::size_t>(term);
  return k < left_out.size() && contains(left_out[k], numeric);
}

std::vector<std::pair<Index, Index>> SumShape::followers() const {
  std::vector<std::pair<Index, Index>> out;
  for (const std::size_t numeric : shared) {
    const Index leader = numeric_features[numeric];
    for (Index k = 1; k < terms; ++k)
      out.emplace_back(k * features() + leader, leader);
  }
  return out;
}

VectorXd SumShape::tied(VectorXd theta) const {
  for (const auto& [follower, leader] : followers())
    theta[follower] = theta[leader];
  return theta;
}

std::size_t count_sum_constants(const ModelSpec& spec, std::size_t terms) {
  std::size_t of_term = 1 + spec.intrinsic.size() + spec.extrinsic.size();
  for (const CategoricalInput& input : spec.categorical)
    of_term += input.levels.size() - 1;
  return terms * of_term + 1;
}

bool terms_can_be_chosen(const ModelSpec& spec) {
  return count_sum_constants(spec, 2) <= kMostSumConstants;
}

namespace {

/// Largest |ln| of the reference factor relative to the mean of its column: a factor that vanished,
/// or diverged without rows, would make the others overflow.
constexpr double kLargestLogFactor = 200;

/// Logarithms of the factors; a factor of 0 gets the mean of the others.
VectorXd logs_of_factors(const VectorXd& factors) {
  VectorXd out = factors.array().max(1e-300).log();
  const auto present = (factors.array() > 0).cast<double>();
  const double mean = out.dot(present.matrix()) / std::max(present.sum(), 1.0);
  return (factors.array() > 0).select(out.array(), mean).matrix();
}

/// Logarithms of the factors of a column, up to a constant, from its coordinates in a term:
/// contrasts or, if there are as many as levels, the logarithms themselves.
VectorXd log_factors_at(const VectorXd& coordinates, std::size_t levels) {
  return coordinates.size() == index(levels) ? coordinates : contrasts(levels) * coordinates;
}

/// The inverse for `size` coordinates.
VectorXd coordinates_of(const VectorXd& log_factors, Index size) {
  if (size == log_factors.size())
    return log_factors.array() - log_factors.mean();
  return contrasts(to_size(log_factors.size())).transpose() * log_factors;
}

/// The values of a numeric column as they enter products: all > 0.
VectorXd counted_values(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  VectorXd out(static_cast<Index>(rows));
  for (std::size_t r = 0; r < rows; ++r)
    out[static_cast<Index>(r)] = input.counted(factor.value(r));
  return out;
}

/// Logarithms are rounded to multiples of this, so that another unit of a column or the time, which
/// changes their last bits, does not change the result of a search.
constexpr double kResolution = 0x1p-40;

VectorXd resolved(const VectorXd& values) {
  return kResolution * (values / kResolution).array().round().matrix();
}

/// Sorts first, so that the sum does not depend on the order of the rows to the last bit.
double mean_of_sorted(VectorXd values) {
  std::sort(values.data(), values.data() + values.size());
  return values.sum() / static_cast<double>(values.size());
}

std::vector<std::size_t> sorted_rows(const TermData& data) {
  const MatrixXd& features = data.features;
  const VectorXd& time = data.time;
  std::vector<std::size_t> order = indices(to_size(time.size()));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Index x = static_cast<Index>(a);
    const Index y = static_cast<Index>(b);
    for (Index j = 0; j < features.cols(); ++j)
      if (features(x, j) != features(y, j))
        return features(x, j) < features(y, j);
    for (const LevelColumns& column : data.many_levels)
      if (column.of_row[a] != column.of_row[b])
        return column.of_row[a] < column.of_row[b];
    return time[x] != time[y] ? time[x] < time[y] : x < y;
  });
  return order;
}

}  // namespace

VectorXd TermCoordinates::constants(const SumShape& shape, const VectorXd& theta) const {
  const SumStructure form = structure(shape);
  const SumLayout layout(spec_, form);
  const std::vector<TermInput> inputs = term_inputs(spec_, form);
  VectorXd out = VectorXd::Zero(index(layout.size()));
  for (std::size_t k = 0; k < form.terms; ++k) {
    const VectorXd term = theta.segment(index(k) * shape.features(), shape.features());
    const std::size_t coefficient = layout.coefficient(k);
    double log_a = term[0] + std::log(typical_time_);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto [first, size] = inputs_[i];
      auto own = out.segment(index(coefficient + inputs[i].first), index(inputs[i].count));
      if (!inputs[i].has_factors()) {
        const auto [centre, scale] = place_of(shape, inputs[i].index);
        own[0] = scale * term[first];
        log_a -= own[0] * centre;
        continue;
      }
      // The first level's factor is 1: a is then the time of a configuration with all first levels.
      const VectorXd log_factors = log_factors_at(term.segment(first, size), inputs[i].count);
      const Index shown = index(inputs[i].shown_factor(0));
      const double reference =
          std::clamp(log_factors[shown], -kLargestLogFactor, kLargestLogFactor);
      log_a += reference;
      for (Index l = 0; l < own.size(); ++l)
        own[l] = l == shown ? 1 : std::exp(log_factors[l] - reference);
    }
    out[index(coefficient)] = shape.sign(index(k)) * std::exp(log_a);
  }
  if (shape.intercept)
    out[index(layout.intercept())] = typical_time_ * std::exp(theta[theta.size() - 1]);
  return out;
}

VectorXd TermCoordinates::theta(const SumShape& shape, const VectorXd& constants) const {
  const SumStructure form = structure(shape);
  const SumLayout layout(spec_, form);
  const std::vector<TermInput> inputs = term_inputs(spec_, form);
  VectorXd out = VectorXd::Zero(shape.size());
  for (std::size_t k = 0; k < form.terms; ++k) {
    auto term = out.segment(index(k) * shape.features(), shape.features());
    const std::size_t coefficient = layout.coefficient(k);
    term[0] = std::log(std::abs(constants[index(coefficient)]) / typical_time_);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto [first, size] = inputs_[i];
      const auto own =
          constants.segment(index(coefficient + inputs[i].first), index(inputs[i].count));
      if (inputs[i].has_factors()) {
        // The factors of a column are exp(contrasts + mean of their logarithms).
        const VectorXd log_factors = logs_of_factors(own);
        term[0] += log_factors.mean();
        term.segment(first, size) = coordinates_of(log_factors, size);
      } else {
        const auto [centre, scale] = place_of(shape, inputs[i].index);
        term[first] = own[0] / scale;
        term[0] += own[0] * centre;
      }
    }
  }
  if (shape.intercept)
    out[out.size() - 1] = std::log(constants[index(layout.intercept())] / typical_time_);
  return out;
}

LevelColumns TermData::level_block() const {
  LevelColumns out;
  if (!many_levels.empty())
    out.first = many_levels.front().first;
  for (const LevelColumns& column : many_levels)
    out.count += column.count;
  return out;
}

VectorXd TermData::log_terms(const Eigen::Ref<const VectorXd>& term) const {
  if (many_levels.empty())
    return features.leftCols(term.size()) * term;
  VectorXd out = features * level_block().others(term);
  for (const LevelColumns& column : many_levels)
    for (Index r = 0; r < out.size(); ++r)
      out[r] += term[column.first + column.of_row[to_size(r)]];
  return out;
}

bool TermData::same_configuration(Index a, Index b) const {
  return features.row(a) == features.row(b) &&
         std::all_of(
             many_levels.begin(), many_levels.end(),
             [&](const LevelColumns& column) {
               return column.of_row[to_size(a)] == column.of_row[to_size(b)];
             });
}

TermData take_rows(const TermData& data, const std::vector<Index>& rows) {
  const Index count = static_cast<Index>(rows.size());
  TermData out{MatrixXd(count, data.features.cols()), MatrixXd(count, data.log_logs.cols()),
               VectorXd(count), data.levels, data.many_levels};
  for (LevelColumns& column : out.many_levels)
    column.of_row.resize(rows.size());
  for (Index r = 0; r < count; ++r) {
    const Index from = rows[static_cast<std::size_t>(r)];
    out.features.row(r) = data.features.row(from);
    out.log_logs.row(r) = data.log_logs.row(from);
    out.time[r] = data.time[from];
    for (std::size_t c = 0; c < out.many_levels.size(); ++c)
      out.many_levels[c].of_row[to_size(r)] = data.many_levels[c].of_row[to_size(from)];
  }
  return out;
}

TermCoordinates::TermCoordinates(const ModelSpec& spec, const Design& training,
                                 std::vector<StepFactor> step_factors, bool contrasts_only)
    : spec_(spec), step_factors_(std::move(step_factors)) {
  const Index rows = static_cast<Index>(training.rows);
  const auto add_input = [&](Index count) {
    inputs_.emplace_back(plain_features_, count);
    plain_features_ += count;
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add_input(1);
  const auto has_many = [&](const LevelFactor& factor) {
    return factor.levels >= kManyLevels && !contrasts_only;
  };
  for (const LevelFactor& factor : training.categorical)
    add_input(has_many(factor) ? 0 : index(factor.levels) - 1);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    add_input(1);
  dense_features_ = plain_features_;
  const std::size_t numerics = numeric_count(spec);
  const Index saturations = dense_features_ + static_cast<Index>(step_factors_.size());
  MatrixXd features(rows, saturations + static_cast<Index>(numerics));
  MatrixXd log_logs(rows, static_cast<Index>(numerics));
  features.col(0).setOnes();
  std::vector<LevelColumns> many_levels;
  for (std::size_t c = 0; c < training.categorical.size(); ++c) {
    const LevelFactor& factor = training.categorical[c];
    auto& [first, count] = inputs_[spec.intrinsic.size() + c];
    if (!has_many(factor)) {
      const MatrixXd basis = contrasts(factor.levels);
      for (Index r = 0; r < rows; ++r)
        features.row(r).segment(first, count) = basis.row(index(factor.codes[to_size(r)]));
      continue;
    }
    first = plain_features_;
    count = index(factor.levels);
    many_levels.push_back({.first = first,
                           .count = count,
                           .of_row = {factor.codes.begin(), factor.codes.end()},
                           .value = {}});
    plain_features_ += count;
  }
  const std::vector<Index> numeric_columns = numeric_features();
  for (std::size_t n = 0; n < numerics; ++n) {
    const NumericFactor& factor = numeric_factor(training, n);
    const VectorXd counted = counted_values(numeric_input(spec, n), factor, training.rows);
    const VectorXd values = counted.unaryExpr([](double value) { return std::log(value); });
    const bool counts = is_count(training, n);
    if (n < spec.extrinsic.size() && has_two_values(factor, training.rows))
      two_valued_.push_back(n);
    const VectorXd saturation =
        counts ? VectorXd(1 - 1 / counted.array()) : VectorXd(VectorXd::Zero(rows));
    const double range = values.maxCoeff() - values.minCoeff();
    const double range_of_saturation = saturation.maxCoeff() - saturation.minCoeff();
    places_.push_back({mean_of_sorted(values), 1});
    saturation_places_.push_back(
        {mean_of_sorted(saturation), range_of_saturation > 0 ? range / range_of_saturation : 1});
    highs_.push_back(0);
    features.col(numeric_columns[n]) = resolved((values.array() - places_.back().centre).matrix());
    features.col(saturations + static_cast<Index>(n)) = resolved(
        (saturation_places_.back().scale * (saturation.array() - saturation_places_.back().centre))
            .matrix());
    for (Index r = 0; r < rows; ++r) {
      const double value = counted[r];
      highs_.back() = std::max(highs_.back(), factor.value(static_cast<std::size_t>(r)));
      log_logs(r, static_cast<Index>(n)) =
          value > 1 ? std::log(std::log2(value)) : -std::numeric_limits<double>::infinity();
    }
  }
  const MatrixXd two = contrasts(2);
  for (std::size_t g = 0; g < step_factors_.size(); ++g) {
    const Index column = step_feature(index(g));
    inputs_.emplace_back(plain_features_ + index(g), 1);
    for (Index r = 0; r < rows; ++r) {
      const double value =
          numeric_factor(training, step_factors_[g].numeric).value(static_cast<std::size_t>(r));
      features(r, column) = two(value > step_factors_[g].above ? 1 : 0, 0);
    }
  }

  const VectorXd log_time = training.time.array().log().matrix();
  const double typical_log_time = mean_of_sorted(log_time);
  typical_time_ = std::exp(typical_log_time);
  const VectorXd time =
      resolved((log_time.array() - typical_log_time).matrix()).array().exp().matrix();
  const auto levels = inputs_.begin() + index(spec.intrinsic.size());
  data_ = {features,
           log_logs,
           time,
           {levels, levels + index(spec.categorical.size())},
           std::move(many_levels)};
  order_ = sorted_rows(data_);
  data_ = take_rows(data_, {order_.begin(), order_.end()});
}

std::vector<Index> TermCoordinates::numeric_features() const {
  std::vector<Index> out;
  for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
    out.push_back(inputs_[spec_.intrinsic.size() + spec_.categorical.size() + j].first);
  for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i)
    out.push_back(inputs_[i].first);
  return out;
}

void TermCoordinates::move(TermData& all_features, Index row, const std::vector<double>& slopes,
                           double shift) const {
  const std::vector<Index> features = numeric_features();
  for (std::size_t n = 0; n < slopes.size(); ++n) {
    const double own_shift = slopes[n] * shift;
    double& logarithm = all_features.features(row, features[n]);
    logarithm += own_shift;
    const double value = std::exp(logarithm + places_[n].centre);
    all_features.features(row, saturation_feature(n)) =
        saturation_places_[n].scale * (1 - 1 / value - saturation_places_[n].centre);
    // Moves log2(n), which is stored as its logarithm; if it falls to 0 or below, the logarithm is
    // -infinity.
    double& log_log = all_features.log_logs(row, index(n));
    const double log2_value = std::exp(log_log) + own_shift / std::log(2.0);
    log_log = log2_value > 0 ? std::log(log2_value) : -std::numeric_limits<double>::infinity();
  }
}

void TermCoordinates::copy_numeric(TermData& all_features, Index row, std::size_t numeric,
                                   const TermData& from, Index row_of_from) const {
  const auto copy = [&](Index feature) {
    all_features.features(row, feature) = from.features(row_of_from, feature);
  };
  copy(numeric_features()[numeric]);
  copy(saturation_feature(numeric));
  for (std::size_t g = 0; g < step_factors_.size(); ++g)
    if (step_factors_[g].numeric == numeric)
      copy(step_feature(index(g)));
  const Index column = static_cast<Index>(numeric);
  all_features.log_logs(row, column) = from.log_logs(row_of_from, column);
}

TermData TermCoordinates::select(const TermData& all_features, const SumShape& shape) const {
  const Index steps = index(shape.step_factors.size());
  TermData out{MatrixXd(all_features.rows(), dense_features_ + steps), all_features.log_logs,
               all_features.time, all_features.levels, all_features.many_levels};
  out.features.leftCols(dense_features_) = all_features.features.leftCols(dense_features_);
  for (Index g = 0; g < steps; ++g)
    out.features.col(dense_features_ + g) =
        all_features.features.col(step_feature(shape.step_factors[to_size(g)]));
  for (const std::size_t numeric : shape.saturations) {
    out.features.col(numeric_features()[numeric]) =
        all_features.features.col(saturation_feature(numeric));
  }
  return out;
}

const TermCoordinates::FeaturePlace& TermCoordinates::place_of(const SumShape& shape,
                                                               std::size_t numeric) const {
  return (contains(shape.saturations, numeric) ? saturation_places_ : places_)[numeric];
}

SumShape TermCoordinates::shape(Index terms, bool intercept) const {
  SumShape out;
  out.terms = terms;
  out.plain_features = plain_features_;
  out.step_factors.resize(step_factors_.size());
  std::iota(out.step_factors.begin(), out.step_factors.end(), Index{0});
  out.intercept = intercept;
  out.log_powers.assign(to_size(terms), std::vector<int>(numeric_count(spec_), 0));
  out.numeric_features = numeric_features();
  return out;
}

SumStructure TermCoordinates::structure(const SumShape& shape) const {
  SumStructure out;
  out.terms = static_cast<std::size_t>(shape.terms);
  for (const Index g : shape.step_factors)
    out.step_factors.push_back(step_factors_[static_cast<std::size_t>(g)]);
  for (std::size_t k = 0; k < out.terms; ++k) {
    for (std::size_t n = 0; k < shape.log_powers.size() && n < shape.log_powers[k].size(); ++n)
      out.own_feature(k, n).log_power = shape.log_powers[k][n];
    for (const std::size_t numeric : shape.saturations)
      out.own_feature(k, numeric).saturates = true;
    for (const std::size_t numeric : shape.clamps)
      out.own_feature(k, numeric).clamp = highs_[numeric];
  }
  return out;
}

}  // namespace perfmodel

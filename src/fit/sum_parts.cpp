#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/text.hpp"
#include "fit/sum_terms.hpp"
#include "forms/sum_form.hpp"

namespace perfmodel {
namespace {

constexpr double kLeastShareAboveOne = 0.2;
constexpr std::size_t kMostValuesOfSteps = 12;

}  // namespace

std::set<double> distinct_values(const NumericFactor& factor, std::size_t rows) {
  std::set<double> out;
  for (std::size_t row = 0; row < rows; ++row)
    out.insert(factor.value(row));
  return out;
}

bool are_counts(const std::set<double>& values) {
  return std::all_of(
      values.begin(), values.end(),
      [](double value) { return value >= 1 && value == std::floor(value); });
}

bool is_count(const NumericFactor& factor, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    const double value = factor.value(row);
    if (!(value >= 1) || value != std::floor(value))
      return false;
  }
  return true;
}

bool may_have_logarithm(const NumericFactor& factor, std::size_t rows) {
  if (!is_count(factor, rows) || distinct_values(factor, rows).size() < 3)
    return false;
  std::size_t above_one = 0;
  for (std::size_t row = 0; row < rows; ++row)
    above_one += factor.value(row) > 1 ? 1U : 0U;
  return static_cast<double>(above_one) >= kLeastShareAboveOne * static_cast<double>(rows);
}

bool has_two_values(const NumericFactor& factor, std::size_t rows) {
  std::optional<double> other;
  for (std::size_t row = 1; row < rows; ++row) {
    const double value = factor.value(row);
    if (value == factor.value(0) || value == other)
      continue;
    if (other)
      return false;
    other = value;
  }
  return other.has_value();
}

std::vector<Regime> zero_regimes(const ModelSpec& spec) {
  std::vector<Regime> out;
  for (std::size_t n = 0; n < numeric_count(spec); ++n)
    if (const auto& zero = numeric_input(spec, n).zero; zero && zero->apart)
      out.push_back({n, 0});
  return out;
}

std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training) {
  std::vector<Regime> out = zero_regimes(spec);
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    const std::set<double> values = distinct_values(numeric_factor(training, n), training.rows);
    if (are_counts(values) && values.size() >= 3 && *values.begin() == 1)
      out.push_back({n, 1});
  }
  for (std::size_t n = 0; n < spec.extrinsic.size(); ++n) {
    const std::set<double> values = distinct_values(numeric_factor(training, n), training.rows);
    if (values.size() < 3 || values.size() > kMostValuesOfSteps)
      continue;
    for (auto value = std::next(values.begin()); std::next(value) != values.end(); ++value)
      out.push_back({n, *value});
  }
  return out;
}

namespace {

using Eigen::VectorXd;

SumPart whole(const FittedModel& model) {
  SumPart out;
  out.spec = model.spec;
  out.structure = sum_form(model).structure;
  out.constants = model.constants;
  out.origin.resize(static_cast<std::size_t>(model.constants.size()));
  std::iota(out.origin.begin(), out.origin.end(), std::size_t{0});
  out.terms.resize(out.structure.terms);
  std::iota(out.terms.begin(), out.terms.end(), std::size_t{0});
  out.estimate = sum_form(model).estimates.sums.at(0);
  return out;
}

/// The terms that exist at the level.
SumPart part_of_level(const FittedModel& model, std::size_t column, std::size_t level) {
  const MultiStructure& structure = sum_form(model).structure;
  const MultiLayout layout(model.spec, structure);
  SumPart out;
  out.level = level;
  out.parted = column;
  out.spec = model.spec;
  out.spec.categorical.erase(out.spec.categorical.begin() + index(column));
  out.structure.regimes = structure.regimes;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    if (model.constants[index(layout.level(k, column, level))] == 0)
      continue;
    out.terms.push_back(k);
    out.structure.log_powers.push_back(structure.log_powers[k]);
    const std::size_t own = out.structure.log_powers.size();
    if (k < structure.rings.size()) {
      out.structure.rings.resize(own);
      out.structure.rings.back() = structure.rings[k];
    }
    if (k < structure.caps.size()) {
      out.structure.caps.resize(own);
      out.structure.caps.back() = structure.caps[k];
    }
    out.origin.push_back(layout.coefficient(k));
    for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i)
      out.origin.push_back(layout.intrinsic_power(k, i));
    for (std::size_t c = 0; c < model.spec.categorical.size(); ++c)
      for (std::size_t l = 0; c != column && l < model.spec.categorical[c].levels.size(); ++l)
        out.origin.push_back(layout.level(k, c, l));
    for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
      out.origin.push_back(layout.extrinsic_power(k, j));
    for (std::size_t g = 0; g < structure.regimes.size(); ++g)
      for (const std::size_t side : {0U, 1U})
        out.origin.push_back(layout.regime(k, g, side));
  }
  out.origin.push_back(layout.intercept());
  out.structure.terms = out.terms.size();
  out.constants.resize(index(out.origin.size()));
  for (std::size_t i = 0; i < out.origin.size(); ++i)
    out.constants[index(i)] = model.constants[index(out.origin[i])];
  out.estimate = sum_form(model).estimates.sums.at(level);
  out.estimate.intercept = false;  // it is a term of the level
  return out;
}

}  // namespace

Design SumPart::runs(const Design& all) const {
  return level ? runs_of_level(all, parted, *level) : all;
}

std::vector<SumPart> sum_parts(const FittedModel& model) {
  const SumEstimates& estimates = sum_form(model).estimates;
  if (!estimates.parted)
    return {whole(model)};
  std::vector<SumPart> out;
  for (std::size_t level = 0; level < estimates.sums.size(); ++level)
    out.push_back(part_of_level(model, *estimates.parted, level));
  return out;
}

std::vector<SumConstant> sum_constants(const SumPart& part) {
  const MultiLayout layout(part.spec, part.structure);
  std::vector<SumConstant> out(layout.size(), SumConstant::free);
  const auto value = [&](std::size_t i) { return part.constants[index(i)]; };
  const auto power = [&](std::size_t i) {
    if (value(i) == 0)
      out[i] = SumConstant::unused;
  };
  const auto factors = [&](std::size_t first, std::size_t count, const CategoricalInput& input) {
    const VectorXd values = part.constants.segment(index(first), index(count));
    const bool play_a_part = (values.array() != 1).any();
    bool has_reference = false;
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t l = first + input.shown_level(place);
      if (value(l) == 0)
        out[l] = SumConstant::absent;
      else if (!has_reference)
        out[l] = SumConstant::reference;
      else if (!play_a_part)
        out[l] = SumConstant::unused;
      has_reference = has_reference || value(l) != 0;
    }
  };
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    for (std::size_t i = 0; i < part.spec.intrinsic.size(); ++i)
      power(layout.intrinsic_power(k, i));
    for (std::size_t c = 0; c < part.spec.categorical.size(); ++c)
      factors(layout.level(k, c, 0), part.spec.categorical[c].levels.size(),
              part.spec.categorical[c]);
    for (std::size_t j = 0; j < part.spec.extrinsic.size(); ++j)
      power(layout.extrinsic_power(k, j));
    for (std::size_t g = 0; g < part.structure.regimes.size(); ++g)
      factors(layout.regime(k, g, 0), 2, {});
  }
  if (value(layout.intercept()) == 0)
    out[layout.intercept()] = SumConstant::absent;
  return out;
}

std::size_t free_constants(const std::vector<SumPart>& parts) {
  std::size_t out = 0;
  for (const SumPart& part : parts) {
    const std::vector<SumConstant> all = sum_constants(part);
    out += static_cast<std::size_t>(std::count(all.begin(), all.end(), SumConstant::free));
  }
  return out;
}

namespace {

ModelSpec without_column(const ModelSpec& spec, std::size_t column) {
  ModelSpec out = spec;
  out.categorical.erase(out.categorical.begin() + static_cast<std::ptrdiff_t>(column));
  return out;
}

}  // namespace

Design runs_of_level(const Design& training, std::size_t column, std::size_t level) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < training.rows; ++row)
    if (training.categorical[column].codes[row] == level)
      rows.push_back(row);
  Design out = take_rows(training, rows);
  out.categorical.erase(out.categorical.begin() + static_cast<std::ptrdiff_t>(column));
  return out;
}

LevelRuns runs_of_level(const ModelSpec& spec, const Design& training, std::size_t column,
                        std::size_t level) {
  return {without_column(spec, column), runs_of_level(training, column, level)};
}

namespace {

using Eigen::Index;

/// The regimes of all sums, each once.
std::vector<Regime> all_regimes(const std::vector<SumOfTerms>& sums) {
  std::vector<Regime> out;
  for (const SumOfTerms& sum : sums) {
    for (const Regime& regime : sum.structure.regimes)
      if (std::find(out.begin(), out.end(), regime) == out.end())
        out.push_back(regime);
  }
  return out;
}

/// Writes the terms of the sum of one level into the joined one.
class LevelWriter {
 public:
  LevelWriter(const ModelSpec& spec, std::size_t column, SumOfTerms& joined)
      : spec_(spec),
        column_(column),
        joined_(joined),
        of_level_(without_column(spec, column)),
        layout_(spec, joined.structure),
        constants_(VectorXd::Zero(static_cast<Index>(layout_.size()))) {}

  void add(const SumOfTerms& sum, std::size_t level) {
    const MultiLayout from(of_level_, sum.structure);
    const auto value = [&](std::size_t i) { return sum.constants[static_cast<Index>(i)]; };
    for (std::size_t k = 0; k < sum.structure.terms; ++k) {
      open_term(value(from.coefficient(k)), level);
      for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i)
        put(layout_.intrinsic_power(term_, i), value(from.intrinsic_power(k, i)));
      for (std::size_t c = 0; c < of_level_.categorical.size(); ++c) {
        const std::size_t to = c < column_ ? c : c + 1;
        for (std::size_t l = 0; l < spec_.categorical[to].levels.size(); ++l)
          put(layout_.level(term_, to, l), value(from.level(k, c, l)));
      }
      for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
        put(layout_.extrinsic_power(term_, j), value(from.extrinsic_power(k, j)));
      for (std::size_t g = 0; g < sum.structure.regimes.size(); ++g) {
        const std::size_t to = index_of(sum.structure.regimes[g]);
        for (const std::size_t side : {0U, 1U})
          put(layout_.regime(term_, to, side), value(from.regime(k, g, side)));
      }
      joined_.structure.log_powers[term_] = sum.structure.log_powers[k];
      put_in(sum.structure.rings, k, joined_.structure.rings);
      put_in(sum.structure.caps, k, joined_.structure.caps);
      ++term_;
    }
    if (value(from.intercept()) > 0) {
      open_term(value(from.intercept()), level);
      ++term_;
    }
  }

  VectorXd constants() const { return constants_; }

 private:
  const ModelSpec& spec_;
  std::size_t column_;
  SumOfTerms& joined_;
  ModelSpec of_level_;
  MultiLayout layout_;
  VectorXd constants_;
  std::size_t term_ = 0;

  /// Lists by term, which end with the last term that has any.
  template <class List>
  void put_in(const std::vector<List>& of_sum, std::size_t k, std::vector<List>& lists) {
    if (k >= of_sum.size())
      return;
    lists.resize(term_ + 1);
    lists[term_] = of_sum[k];
  }

  void put(std::size_t at, double value) { constants_[static_cast<Index>(at)] = value; }

  std::size_t index_of(const Regime& regime) const {
    const std::vector<Regime>& all = joined_.structure.regimes;
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), regime) - all.begin());
  }

  /// A constant time of the level: all powers 0, all factors 1 but those of the other levels.
  void open_term(double coefficient, std::size_t level) {
    put(layout_.coefficient(term_), coefficient);
    for (std::size_t c = 0; c < spec_.categorical.size(); ++c)
      for (std::size_t l = 0; l < spec_.categorical[c].levels.size(); ++l)
        put(layout_.level(term_, c, l), c == column_ && l != level ? 0 : 1);
    for (std::size_t g = 0; g < joined_.structure.regimes.size(); ++g)
      for (const std::size_t side : {0U, 1U})
        put(layout_.regime(term_, g, side), 1);
  }
};

}  // namespace

SumOfTerms joined_levels(const ModelSpec& spec, std::size_t column,
                         const std::vector<SumOfTerms>& sums) {
  SumOfTerms out;
  out.structure.terms = 0;
  out.structure.regimes = all_regimes(sums);
  for (const SumOfTerms& sum : sums) {
    const bool constant = sum.constants[sum.constants.size() - 1] > 0;
    out.structure.terms += sum.structure.terms + (constant ? 1 : 0);
    out.evaluations += sum.evaluations;
    out.gap = std::max(out.gap, sum.gap);
    out.estimates.sums.push_back(sum.estimates.sums.at(0));
  }
  out.estimates.parted = column;
  out.structure.log_powers.assign(out.structure.terms, std::vector<int>(spec.extrinsic.size(), 0));
  LevelWriter writer(spec, column, out);
  for (std::size_t level = 0; level < sums.size(); ++level)
    writer.add(sums[level], level);
  out.constants = writer.constants();
  return out;
}

}  // namespace perfmodel

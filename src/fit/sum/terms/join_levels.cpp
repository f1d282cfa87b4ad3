#include "fit/sum/terms/join_levels.hpp"

#include <algorithm>

namespace perfmodel {

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
using Eigen::VectorXd;

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

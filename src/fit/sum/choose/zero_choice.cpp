#include "fit/sum/choose/zero_choice.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "fit/sum/terms/regimes.hpp"
#include "fit/sum/terms/term_data.hpp"
#include "model/design/row_folds.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kZeroFolds = 5;
constexpr std::size_t kMostJudgedRows = 5000;
constexpr double kProductRidge = 1e-6;  ///< per row: columns may be collinear

/// Some of the rows, dealt to folds so that equal configurations stay together.
struct ZeroFolds {
  Design runs;
  std::vector<std::size_t> of_row;
};

ZeroFolds deal_runs(const Design& training, std::uint64_t seed) {
  auto groups = shuffled_groups(configuration_groups(training), seed);
  std::size_t rows = 0;
  std::size_t used = 0;
  while (used < groups.size() && rows < kMostJudgedRows)
    rows += groups[used++].size();
  groups.resize(used);
  ZeroFolds out;
  if (used < kZeroFolds)
    return out;
  std::vector<std::size_t> chosen;
  const auto parts = deal_groups(groups, kZeroFolds);
  for (std::size_t fold = 0; fold < parts.size(); ++fold) {
    chosen.insert(chosen.end(), parts[fold].begin(), parts[fold].end());
    out.of_row.resize(chosen.size(), fold);
  }
  out.runs = take_rows(training, chosen);
  return out;
}

/// The mean error of ln t in each fold, of one product that was fitted to the others.
VectorXd errors_of_product(const ModelSpec& spec, const ZeroFolds& folds) {
  const TermCoordinates coordinates(spec, folds.runs, zero_regimes(spec));
  SumShape shape{
      .terms = 1, .plain_features = coordinates.plain_features(), .regimes = {}, .log_powers = {}};
  for (std::size_t g = 0; g < coordinates.regimes().size(); ++g)
    shape.regimes.push_back(index(g));
  const TermData data = coordinates.data(shape);
  const VectorXd y = data.time.array().log();
  std::vector<std::vector<Index>> rows(kZeroFolds);
  for (Index row = 0; row < data.rows(); ++row)
    rows[folds.of_row[coordinates.order()[static_cast<std::size_t>(row)]]].push_back(row);

  const MatrixXd gram = data.features.transpose() * data.features;
  const VectorXd product = data.features.transpose() * y;
  VectorXd out(index(kZeroFolds));
  for (std::size_t fold = 0; fold < kZeroFolds; ++fold) {
    const MatrixXd held_out = data.features(rows[fold], Eigen::all);
    const VectorXd times = y(rows[fold]);
    MatrixXd normal = gram - held_out.transpose() * held_out;
    normal.diagonal().array() += kProductRidge * static_cast<double>(data.rows());
    const VectorXd theta = normal.ldlt().solve(product - held_out.transpose() * times);
    out[index(fold)] = (times - held_out * theta).cwiseAbs().mean();
  }
  return out;
}

bool is_clearly_less(const VectorXd& errors, const VectorXd& others) {
  const Eigen::ArrayXd gains = others - errors;
  const double mean = gains.mean();
  const double count = static_cast<double>(gains.size());
  const double variance = (gains - mean).square().sum() / (count - 1);
  return mean > std::sqrt(variance / count);
}

}  // namespace

ModelSpec with_zeros_counted(const ModelSpec& spec, const Design& training, std::uint64_t seed) {
  ModelSpec out = spec;
  for (NumericInput& input : out.intrinsic)
    if (input.zero)
      input.zero->apart = false;
  if (!out.has_zeros())
    return out;
  const ZeroFolds folds = deal_runs(training, seed);
  if (folds.of_row.empty())
    return out;
  VectorXd errors = errors_of_product(out, folds);
  for (std::size_t i = 0; i < out.intrinsic.size(); ++i) {
    // Of one value beside 0 both say the same.
    if (!out.intrinsic[i].zero || distinct_values(training.intrinsic[i], training.rows).size() < 3)
      continue;
    ModelSpec apart = out;
    apart.intrinsic[i].zero->apart = true;
    const VectorXd of_apart = errors_of_product(apart, folds);
    if (!is_clearly_less(of_apart, errors))
      continue;
    out = apart;
    errors = of_apart;
  }
  return out;
}

}  // namespace perfmodel

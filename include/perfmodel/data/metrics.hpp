#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace perfmodel {

/// How far predictions are from measurements. Times in the unit of the data; percentages as such.
struct Metrics {
  std::size_t rows = 0;
  double mae = 0;            ///< Eq. (8): mean |t - y|
  double mape_percent = 0;   ///< Eq. (12) times 100: 100 * mean(|t - y| / t)
  double smape_percent = 0;  ///< 100 * mean(2 |t - y| / (|t| + |y|)), Extra-P's definition
  double mse = 0;
  double rmse = 0;
  double r2 = 0;  ///< 1 - RSS / TSS; NaN where all measured times are equal
};

/// The figures under the names that every file we write gives them.
inline constexpr std::array<std::pair<std::string_view, double Metrics::*>, 6> kNamedMetrics = {
    {{"mae", &Metrics::mae},
     {"mape_percent", &Metrics::mape_percent},
     {"smape_percent", &Metrics::smape_percent},
     {"mse", &Metrics::mse},
     {"rmse", &Metrics::rmse},
     {"r2", &Metrics::r2}}};

/// Both vectors have one entry per row; measured times are > 0. Rows count `runs` times where that
/// is not empty: the figures are those of a row per run, to the last bit.
Metrics compute_metrics(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                        std::span<const std::uint64_t> runs = {});

}  // namespace perfmodel

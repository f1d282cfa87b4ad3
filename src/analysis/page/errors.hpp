#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/page/cloud.hpp"

namespace perfmodel::page {

/// One run and how far its prediction is off: 100 (predicted - measured) / measured.
struct JudgedRow {
  std::uint32_t line = 0;  ///< in the file
  std::size_t row = 0;     ///< of the runs
  double measured = 0;
  double predicted = 0;
  double error_percent = 0;
};

/// How many errors e there are with low <= e < high (percent).
struct Bar {
  double low = 0;
  double high = 0;
  std::size_t count = 0;
};

/// Quantiles of the errors in percent.
struct ErrorQuantiles {
  double p5 = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double p95 = 0;
};

/// What figures and tables of the errors show.
struct Errors {
  /// x: measured, y: predicted, both axes of one logarithmic range. Nothing where no prediction is
  /// > 0.
  std::optional<Cloud> predicted_against_measured;
  /// x: predicted, y: error in percent; of most errors, see error_range().
  std::optional<Cloud> error_against_predicted;
  std::vector<Bar> histogram;  ///< of the same errors; round borders, one of them 0
  std::size_t beyond_histogram = 0;
  ErrorQuantiles quantiles;
  std::vector<JudgedRow> worst;  ///< the largest errors in percent, the largest first
  std::size_t not_positive = 0;  ///< predictions <= 0, which a logarithmic axis cannot show
};

/// Where most errors lie, in percent: all of up to 200, 99 % of more, a few of which can be so
/// large that nothing could be seen of the others. At least from -1 to 1 and with 0 inside.
Range error_range(const std::vector<double>& errors_percent);

/// The q-quantile (0 <= q <= 1) of values that are sorted, linear between neighbours.
double sorted_quantile(const std::vector<double>& sorted, double q);

/// `lines`, `measured` and `predicted` have an entry per run, at least one; measured times are > 0,
/// predictions finite.
Errors errors_of(const std::vector<std::uint32_t>& lines, const Eigen::VectorXd& measured,
                 const Eigen::VectorXd& predicted, std::size_t worst);

}  // namespace perfmodel::page

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "fit/residual/fit_with_process.hpp"
#include "fit/sum/choose/selection.hpp"

namespace perfmodel {

/// A trend, alone or with a process, and how it did on rows that it had not seen.
struct FormCandidate {
  Candidate trend;  ///< with the errors of the whole: those with the process, where there is one
  std::optional<ProcessShape> process = {};
  bool from_nothing = false;  ///< one product that is fitted together with the process alone
};

/// Judges trends with a process by the rows that folds hold out.
class ProcessJudge {
 public:
  /// The trend in a fold, fitted to its training rows.
  using TrendInFold = std::function<ProcessRuns(std::size_t fold, const Design& training)>;

  /// The folds outlive this.
  ProcessJudge(const SelectionTask& task, const std::vector<Fold>& folds);

  /// One candidate per prior of the trend. The hyper-parameters are found once for the random
  /// parts, and anew for each far end, of which they must not know. Nothing where a stop was
  /// requested.
  std::vector<FormCandidate> operator()(const Candidate& trend,
                                        const std::vector<std::size_t>& rings,
                                        const TrendInFold& trend_in) const;

 private:
  const SelectionTask& task_;
  const std::vector<Fold>& folds_;
  std::vector<Design> training_;
  std::vector<Design> held_out_;
  std::vector<Design> capped_;  ///< the held-out rows of far ends "as at the largest"
};

}  // namespace perfmodel

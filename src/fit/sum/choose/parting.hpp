#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fit/sum/choose/selection.hpp"
#include "fit/sum/terms/join_levels.hpp"

namespace perfmodel {

// Each level of one categorical column with terms of its own: six jobs in one file scale each in
// its own way, which one set of powers cannot say. Together they are a sum of product terms again,
// each with the factor 0 for all other levels.

/// One level as a selection of its own.
class PartedLevel {
 public:
  PartedLevel(const SelectionTask& whole, std::size_t column, std::size_t level);
  PartedLevel(const PartedLevel&) = delete;
  PartedLevel& operator=(const PartedLevel&) = delete;

  SelectionTask task() const { return {coordinates_, runs_.spec, runs_.training, options_}; }
  /// Which of the rows of the whole are its rows, as row of its own data.
  const std::vector<std::optional<Eigen::Index>>& rows() const { return rows_; }

 private:
  const FitOptions& options_;
  LevelRuns runs_;
  TermCoordinates coordinates_;
  std::vector<std::optional<Eigen::Index>> rows_;
};

struct Parting {
  std::size_t column = 0;
  std::vector<std::unique_ptr<PartedLevel>> levels;
  std::vector<Selection> selections;  ///< one per level
};

/// A parting that predicts better than what was chosen for all rows, that of the column which looks
/// most promising, whatever the order of the columns: within the measured
/// range by more than a standard error, and not worse beyond it.
///
/// A column is looked at closely only where the same few terms for each of its levels keep up with
/// what was chosen, since choosing level by level costs as much as the choice for all rows.
std::optional<Parting> parting_that_pays(const SelectionTask& task, const Selection& selection);

}  // namespace perfmodel

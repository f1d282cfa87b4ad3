#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/tasks/processes.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "fit/eq4/spread/block_rows.hpp"
#include "fit/eq4/spread/question.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// The rows of a fit that stay with the processes of a job. Process 0 asks, the others serve().
class SpreadRows {
 public:
  /// `blocks`: those of this process, in order; the processes outlive this. All of them make theirs
  /// together.
  SpreadRows(Processes& processes, std::vector<Design> blocks, SearchSpace space,
             const FitOptions& options);
  SpreadRows(const SpreadRows&) = delete;
  SpreadRows& operator=(const SpreadRows&) = delete;
  /// Nothing more will be asked.
  ~SpreadRows();

  /// One message to every process and one back, of process 0. A block without rows says nothing.
  Answer ask(const Question& question) const;
  /// Answers until nothing more is asked, of the others.
  void serve() const;

  const SearchSpace& space() const { return space_; }
  std::uint64_t runs() const { return runs_; }
  std::uint64_t rows() const { return rows_; }
  /// Mean loss over all runs; of rmsle the root.
  double loss(Loss loss, const Eigen::VectorXd& scaled) const;

 private:
  Processes& processes_;
  SearchSpace space_;
  std::size_t threads_;
  std::vector<std::unique_ptr<BlockRows>> blocks_;
  std::uint64_t runs_ = 0;
  std::uint64_t rows_ = 0;

  std::vector<Answer> own_answers(const Question& question) const;
  void count();
};

}  // namespace perfmodel

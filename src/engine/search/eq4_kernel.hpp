#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perfmodel/progress.hpp"
#include "search/eq4_program.hpp"
#include "search/search_space.hpp"

namespace perfmodel::kernel {

/// Lays the rows of a design out for evaluation and owns what a Program points to.
///
/// Columns of few distinct values are tabulated: one exp per distinct value and candidate, tables
/// of sums for groups of columns, then one look-up per group in each row. Columns share a table if
/// the saved look-ups outweigh the entries to fill.
class Plan {
 public:
  Plan(const WeightedRows& rows, const SearchSpace& space, const SignedLoss& loss);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Program& program() const { return program_; }
  std::size_t rows() const { return response_.size(); }

 private:
  /// A column or a sum of columns: its table and the entry of each row.
  struct Node {
    std::uint32_t table = 0;
    std::uint32_t count = 0;
    std::vector<std::uint32_t> codes;
  };

  std::vector<Node> tabulate_columns(const Design& design, const SearchSpace& space);
  void merge_where_it_pays(std::vector<Node>& nodes);
  Node merge(const Node& left, const Node& right);
  std::vector<std::uint32_t> order_into_runs(const Design& design, const SearchSpace& space);

  Program program_{};
  std::uint32_t table_size_ = 0;
  std::vector<std::uint8_t> logarithmic_;
  std::vector<std::vector<double>> log_values_;
  std::vector<PowerTable> power_tables_;
  std::vector<LevelTable> level_tables_;
  std::vector<SumTable> sum_tables_;
  std::vector<std::vector<std::uint32_t>> sum_codes_;
  std::vector<std::uint32_t> groups_;
  std::vector<Run> runs_;
  std::vector<double> extrinsic_log_values_;
  std::vector<std::uint32_t> row_codes_;
  std::vector<double> response_;
  std::vector<double> weights_;
  std::vector<double> weights_of_negative_;
};

/// Evaluates batches of candidates over a plan, in vector lanes and, if there is enough work, on
/// several threads. Neither lanes nor threads change a result.
class Evaluator {
 public:
  Evaluator(const Plan& plan, std::size_t threads, InstructionSet instructions);

  /// Sums of row losses of the candidates (columns of search coordinates). A sum may be incomplete
  /// once it exceeds its entry of `abandon_above`.
  void operator()(const Eigen::Ref<const MatrixXd>& candidates,
                  std::span<const double> abandon_above, std::span<double> sums) const;

 private:
  void evaluate_block(const Eigen::Ref<const MatrixXd>& candidates, std::size_t first,
                      std::span<const double> abandon_above, std::span<double> sums) const;

  const Plan& plan_;
  std::size_t threads_;
  Evaluate evaluate_;
};

}  // namespace perfmodel::kernel

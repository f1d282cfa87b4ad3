#pragma once

#include <cstdint>
#include <vector>

#include "fit/eq4/kernel/program.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "fit/task/weighted_rows.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::kernel {

/// Lays the rows of a design out for evaluation and owns what a Program points to.
///
/// Columns of few distinct values are tabulated: one exp per distinct value and candidate, tables
/// of sums for groups of columns, then one look-up per group in each row. Which columns share a
/// table is chosen by the work it takes: entries to fill against look-ups saved.
class Plan {
 public:
  Plan(const WeightedRows& rows, const SearchSpace& space, Loss loss);
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
};

}  // namespace perfmodel::kernel

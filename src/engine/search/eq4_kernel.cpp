#include "search/eq4_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <unordered_map>

#include "base/parallel.hpp"
#include "base/statistics.hpp"

namespace perfmodel::kernel {
namespace {

using Codes = std::vector<std::uint32_t>;

/// Entries that fit into a first-level cache of 32 KiB together with the rows; beyond, look-ups
/// take about twice the time.
constexpr double kCachedEntries = 400;

double work(double entries_filled, double entries_looked_up, double rows, double groups) {
  const double look_up = entries_looked_up > kCachedEntries ? 2.0 : 1.0;
  return 1.5 * entries_filled + look_up * rows * groups;
}

Codes codes_of(const NumericFactor& factor) {
  if (factor.coded())
    return factor.codes;
  Codes codes(factor.values.size());
  std::iota(codes.begin(), codes.end(), 0U);
  return codes;
}

/// Codes of the pairs that occur, numbered in order of first appearance.
struct Pairs {
  Codes codes;
  Codes left;
  Codes right;
};

Pairs number_pairs(const Codes& left, const Codes& right) {
  Pairs pairs;
  pairs.codes.reserve(left.size());
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  for (std::size_t r = 0; r < left.size(); ++r) {
    const std::uint64_t key = (std::uint64_t{left[r]} << 32) | right[r];
    const auto [entry, is_new] =
        known.try_emplace(key, static_cast<std::uint32_t>(pairs.left.size()));
    if (is_new) {
      pairs.left.push_back(left[r]);
      pairs.right.push_back(right[r]);
    }
    pairs.codes.push_back(entry->second);
  }
  return pairs;
}

RowLoss row_loss(Loss loss, bool weighted) {
  if (is_absolute(loss))
    return weighted ? RowLoss::weighted_absolute : RowLoss::absolute;
  if (is_logarithmic(loss))
    return weighted ? RowLoss::weighted_squared_log : RowLoss::squared_log;
  return weighted ? RowLoss::weighted_squared : RowLoss::squared;
}

constexpr std::align_val_t kAlignment{64};

/// Blocks times rows below which threads cost more than they save.
constexpr std::size_t kWorthThreads = 60000;

struct AlignedDelete {
  void operator()(double* p) const { ::operator delete[](p, kAlignment); }
};

/// Scratch memory that only grows: one per thread.
double* scratch(std::size_t doubles) {
  thread_local std::unique_ptr<double[], AlignedDelete> memory;
  thread_local std::size_t size = 0;
  if (size < doubles) {
    memory.reset(static_cast<double*>(::operator new[](doubles * sizeof(double), kAlignment)));
    size = doubles;
  }
  return memory.get();
}

}  // namespace

Plan::Plan(const WeightedRows& rows, const SearchSpace& space, const SignedLoss& signed_loss)
    : logarithmic_(space.logarithmic()) {
  const Design& design = rows.design();
  const Loss loss = signed_loss.loss;
  const bool relative = facts_of(loss).of == ErrorOf::relative;
  const bool weighted = rows.weights().size() > 0 || relative || signed_loss.tilt != 0;
  std::vector<Node> nodes = tabulate_columns(design, space);
  merge_where_it_pays(nodes);
  const Codes order = order_into_runs(design, space);

  for (const Node& node : nodes)
    groups_.push_back(node.table);
  row_codes_.reserve(design.rows * nodes.size());
  for (const std::uint32_t row : order) {
    for (const Node& node : nodes)
      row_codes_.push_back(node.table + node.codes[row]);
    const double time = design.time[row];
    response_.push_back(is_logarithmic(loss) ? std::log(time) : time);
    if (!weighted)
      continue;
    const double weight = relative ? rows.weight(row) / time : rows.weight(row);
    weights_.push_back((1 + signed_loss.tilt) * weight);
    if (signed_loss.tilt != 0)
      weights_of_negative_.push_back((1 - signed_loss.tilt) * weight);
  }

  const Eq4Layout& layout = space.layout();
  program_.constants = layout.size();
  program_.logarithmic = logarithmic_.data();
  program_.power_tables = power_tables_.data();
  program_.power_table_count = power_tables_.size();
  program_.level_tables = level_tables_.data();
  program_.level_table_count = level_tables_.size();
  program_.sum_tables = sum_tables_.data();
  program_.sum_table_count = sum_tables_.size();
  program_.table_size = table_size_;
  program_.groups = groups_.data();
  program_.group_count = groups_.size();
  program_.runs = runs_.data();
  program_.run_count = runs_.size();
  program_.first_extrinsic_power = static_cast<std::uint32_t>(layout.extrinsic_power(0));
  program_.extrinsic_count = design.extrinsic.size();
  program_.extrinsic_log_values = extrinsic_log_values_.data();
  program_.intercept = static_cast<std::uint32_t>(layout.intercept());
  program_.loss = row_loss(loss, weighted);
  program_.row_codes = row_codes_.data();
  program_.response = response_.data();
  program_.weights = weights_.data();
  program_.weights_of_negative =
      signed_loss.tilt != 0 ? weights_of_negative_.data() : weights_.data();
}

std::vector<Plan::Node> Plan::tabulate_columns(const Design& design, const SearchSpace& space) {
  std::vector<Node> nodes;
  const auto reserve_table = [&](std::size_t count) {
    const std::uint32_t start = table_size_;
    table_size_ += static_cast<std::uint32_t>(count);
    return start;
  };
  const Eq4Layout& layout = space.layout();
  for (std::size_t i = 0; i < design.intrinsic.size(); ++i) {
    const NumericFactor& factor = design.intrinsic[i];
    std::vector<double> log_values(factor.values.size());
    std::transform(
        factor.values.begin(), factor.values.end(), log_values.begin(),
        [&](double value) { return log_of_value(value) - space.intrinsic_log_centres()[i]; });
    log_values_.push_back(std::move(log_values));
    const std::uint32_t start = reserve_table(factor.values.size());
    const auto count = static_cast<std::uint32_t>(factor.values.size());
    power_tables_.push_back({static_cast<std::uint32_t>(layout.coefficient(i)),
                             static_cast<std::uint32_t>(layout.intrinsic_power(i)), start, count,
                             log_values_.back().data()});
    nodes.push_back({start, count, codes_of(factor)});
  }
  for (std::size_t c = 0; c < design.categorical.size(); ++c) {
    const LevelFactor& factor = design.categorical[c];
    const std::uint32_t start = reserve_table(factor.levels);
    const auto count = static_cast<std::uint32_t>(factor.levels);
    level_tables_.push_back({static_cast<std::uint32_t>(layout.level(c, 0)), start, count});
    nodes.push_back({start, count, factor.codes});
  }
  if (const auto lone = layout.lone_coefficient()) {  // a level shared by all rows
    const std::uint32_t start = reserve_table(1);
    level_tables_.push_back({static_cast<std::uint32_t>(*lone), start, 1});
    nodes.push_back({start, 1, Codes(design.rows, 0)});
  }
  return nodes;
}

/// Greedy: joins the pair that saves most until none saves anything.
void Plan::merge_where_it_pays(std::vector<Node>& nodes) {
  while (nodes.size() > 1) {
    const double rows = static_cast<double>(nodes.front().codes.size());
    const double groups = static_cast<double>(nodes.size());
    double entries = 0;
    for (const Node& node : nodes)
      entries += node.count;
    double least = work(0, entries, rows, groups);
    std::size_t left = 0, right = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t j = i + 1; j < nodes.size(); ++j) {
        const double joined = std::min(
            rows, static_cast<double>(nodes[i].count) * static_cast<double>(nodes[j].count));
        const double then =
            work(joined, entries - nodes[i].count - nodes[j].count + joined, rows, groups - 1);
        if (then < least) {
          least = then;
          left = i;
          right = j;
        }
      }
    }
    if (left == right)
      return;
    nodes[left] = merge(nodes[left], nodes[right]);
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(right));
  }
}

Plan::Node Plan::merge(const Node& left, const Node& right) {
  Pairs pairs = number_pairs(left.codes, right.codes);
  const auto count = static_cast<std::uint32_t>(pairs.left.size());
  sum_codes_.push_back(std::move(pairs.left));
  const std::uint32_t* left_code = sum_codes_.back().data();
  sum_codes_.push_back(std::move(pairs.right));
  const std::uint32_t* right_code = sum_codes_.back().data();
  sum_tables_.push_back({left.table, right.table, table_size_, count, left_code, right_code});
  Node out{table_size_, count, std::move(pairs.codes)};
  table_size_ += count;
  return out;
}

/// Groups the rows by their combination of extrinsic values. Groups whose times are farthest from
/// the median come first: they reveal a losing candidate soonest.
Codes Plan::order_into_runs(const Design& design, const SearchSpace& space) {
  Codes codes(design.rows, 0);
  for (const NumericFactor& factor : design.extrinsic)
    codes = number_pairs(codes, codes_of(factor)).codes;
  const std::size_t run_count = codes.empty() ? 0 : 1 + *std::ranges::max_element(codes);

  const double middle = median(design.time);
  std::vector<double> distance(run_count, 0);
  std::vector<double> members(run_count, 0);
  for (std::size_t r = 0; r < design.rows; ++r) {
    distance[codes[r]] += std::abs(design.time[static_cast<Eigen::Index>(r)] - middle);
    members[codes[r]] += 1;
  }
  for (std::size_t k = 0; k < run_count; ++k)
    distance[k] /= members[k];

  Codes order(design.rows);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (codes[a] == codes[b])
      return false;
    return distance[codes[a]] != distance[codes[b]] ? distance[codes[a]] > distance[codes[b]]
                                                    : codes[a] < codes[b];
  });
  for (std::uint32_t row = 0; row < order.size(); ++row) {
    if (row == 0 || codes[order[row]] != codes[order[row - 1]]) {
      runs_.push_back({row, row});
      for (std::size_t j = 0; j < design.extrinsic.size(); ++j) {
        extrinsic_log_values_.push_back(std::log(design.extrinsic[j].value(order[row])) -
                                        space.extrinsic_log_centres()[j]);
      }
    }
    runs_.back().last_row = row + 1;
  }
  return order;
}

Evaluator::Evaluator(const Plan& plan, std::size_t threads, InstructionSet instructions)
    : plan_(plan),
      threads_(std::max<std::size_t>(1, threads)),
      evaluate_(
          one_for<Evaluate>(instructions, evaluate_baseline, evaluate_avx2, evaluate_avx512)) {}

void Evaluator::operator()(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                           std::span<const double> abandon_above, std::span<double> sums) const {
  const std::size_t count = sums.size();
  const std::size_t blocks = (count + kLanes - 1) / kLanes;
  const bool parallel = threads_ > 1 && !inside_parallel_for() && blocks > 1 &&
                        blocks * plan_.rows() >= kWorthThreads;
  const std::size_t threads = parallel ? threads_with_room(threads_) : 1;
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(threads)) if (parallel)
  for (std::size_t block = 0; block < blocks; ++block)
    evaluate_block(candidates, block * kLanes, abandon_above, sums);
}

void Evaluator::evaluate_block(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                               std::size_t first, std::span<const double> abandon_above,
                               std::span<double> sums) const {
  const Program& program = plan_.program();
  const std::size_t constants = program.constants;
  const std::size_t used = std::min(kLanes, sums.size() - first);
  double* memory = scratch(kLanes * (2 * constants + program.table_size));
  alignas(64) double bound[kLanes];
  alignas(64) double sum[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    // An incomplete block repeats its last candidate.
    const std::size_t candidate = first + std::min(lane, used - 1);
    const double* from = candidates.col(static_cast<Eigen::Index>(candidate)).data();
    for (std::size_t c = 0; c < constants; ++c)
      memory[c * kLanes + lane] = from[c];
    bound[lane] = abandon_above[candidate];
  }
  evaluate_(program, memory, bound, memory + constants * kLanes, sum);
  std::copy_n(sum, used, sums.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace perfmodel::kernel

#include "gp/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/text.hpp"

namespace perfmodel::gp {
namespace {

constexpr std::size_t kLeafRows = 16;

}  // namespace

const CodedColumn& Neighbours::column(std::size_t rank) const {
  const std::size_t place = columns_[rank];
  const std::size_t numbers = rows_.numbers.size();
  return place < numbers ? rows_.numbers[place] : rows_.levels[place - numbers];
}

/// The correlation in one column, of each value with `from`.
void Neighbours::correlations(std::size_t rank, const double* values, std::size_t count,
                              double from, double* out) const {
  const std::size_t place = columns_[rank];
  const std::size_t numbers = rows_.numbers.size();
  if (place < numbers) {
    kernel_.number_correlations(index(place), values, count, from, out);
    return;
  }
  const double other = std::exp(-kernel_.rates[index(place - numbers)]);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = values[i] == from ? 1 : other;
}

double Neighbours::correlation(std::size_t rank, double a, double b) const {
  double out = 1;
  correlations(rank, &a, 1, b, &out);
  return out;
}

/// One search: the best rows so far, and the correlations with the values of each column.
class Neighbours::Query {
 public:
  Query(const Neighbours& tree, const RowVectorXd& numbers, const RowVectorXd& levels,
        std::size_t count)
      : tree_(tree), count_(std::min(count, tree.order_.size())) {
    for (std::size_t j = 0; j < tree.columns_.size(); ++j) {
      const Index place = index(tree.columns_[j]);
      place_.push_back(place < numbers.size() ? numbers[place] : levels[place - numbers.size()]);
      tables_.push_back(table(j));
    }
    best_.reserve(count_ + 1);
  }

  std::vector<Neighbour> run() {
    std::vector<double> near(place_.size(), 1);
    visit(0, 1, near);
    std::sort(best_.begin(), best_.end());
    return mapped(best_, [](const auto& found) {
      return Neighbour{.row = index(found.second), .correlation = -found.first};
    });
  }

 private:
  const Neighbours& tree_;
  std::size_t count_;
  std::vector<double> place_;
  std::vector<const double*> tables_;  ///< by code; null if no row has this value
  /// A heap of -correlation and row, the farthest on top.
  std::vector<std::pair<double, std::size_t>> best_;

  /// Null if the column is not tabulated or no row has this value.
  const double* table(std::size_t column) {
    const ValueTable& known = tree_.correlations_[column];
    if (!known.exists())
      return nullptr;
    const VectorXd& values = tree_.column(column).values;
    const auto found = std::lower_bound(values.begin(), values.end(), place_[column]);
    return found != values.end() && *found == place_[column]
               ? known.of_value(static_cast<std::uint32_t>(found - values.begin()))
               : nullptr;
  }

  double correlation(std::size_t column, std::uint32_t code) const {
    return tables_[column] != nullptr
               ? tables_[column][code]
               : tree_.correlation(column, tree_.column(column).values[code], place_[column]);
  }

  /// What a row needs in order to be among the best.
  double least() const { return best_.size() < count_ ? -1 : -best_.front().first; }

  /// Offers a few consecutive rows, unless the first columns put all of them below what they need.
  void consider(std::size_t begin, std::size_t count) {
    const double needed = least();
    std::array<double, kLeafRows> products;
    products.fill(1);
    std::array<double, kLeafRows> own{};
    for (std::size_t j = 0; j < place_.size(); ++j) {
      const std::size_t first = j * tree_.order_.size() + begin;
      if (tables_[j] != nullptr)
        for (std::size_t i = 0; i < count; ++i)
          own[i] = tables_[j][tree_.codes_[first + i]];
      else
        tree_.correlations(j, &tree_.values_[first], count, place_[j], own.data());
      double most = 0;
      for (std::size_t i = 0; i < count; ++i) {
        products[i] *= own[i];
        most = std::max(most, products[i]);
      }
      if (most < needed)
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
      offer({-products[i], tree_.order_[begin + i]});
  }

  void offer(const std::pair<double, std::size_t>& candidate) {
    if (best_.size() == count_) {
      if (!(candidate < best_.front()))
        return;
      std::pop_heap(best_.begin(), best_.end());
      best_.pop_back();
    }
    best_.push_back(candidate);
    std::push_heap(best_.begin(), best_.end());
  }

  /// `near`: per column, an upper bound of the correlation with the rows of the node; `bound`:
  /// their product.
  void visit(std::size_t place, double bound, std::vector<double>& near) {
    const Node& node = tree_.nodes_[place];
    if (node.lower == 0) {
      for (std::size_t i = node.begin; i < node.end; i += kLeafRows)
        consider(i, std::min(kLeafRows, node.end - i));
      return;
    }
    const std::size_t j = node.column;
    const VectorXd& values = tree_.column(j).values;
    const bool in_lower = place_[j] <= values[node.last_lower];
    const bool in_upper = place_[j] >= values[node.first_upper];
    const double to_lower = in_lower ? near[j] : std::min(near[j], correlation(j, node.last_lower));
    const double to_upper =
        in_upper ? near[j] : std::min(near[j], correlation(j, node.first_upper));
    const bool lower_first = to_lower >= to_upper;
    for (const bool lower : {lower_first, !lower_first}) {
      const double own = lower ? to_lower : to_upper;
      const double own_bound = near[j] > 0 ? bound * (own / near[j]) : 0;
      if (own_bound * (1 + 1e-12) < least())
        continue;
      const double before = std::exchange(near[j], own);
      visit(lower ? node.lower : node.upper, own_bound, near);
      near[j] = before;
    }
  }
};

Neighbours::Neighbours(const Kernel& kernel, const CodedInputs& rows)
    : kernel_(kernel), rows_(rows), order_(static_cast<std::size_t>(rows.rows)) {
  const std::size_t count = rows.numbers.size() + rows.levels.size();
  for (std::size_t j = 0; j < count; ++j)
    columns_.push_back(j);
  std::vector<double> ends;  // the correlation of both
  for (std::size_t j = 0; j < count; ++j)
    ends.push_back(correlation(j, column(j).values.maxCoeff(), column(j).values.minCoeff()));
  std::stable_sort(columns_.begin(), columns_.end(),
                   [&](std::size_t a, std::size_t b) { return ends[a] < ends[b]; });
  for (std::size_t j = 0; j < count; ++j)
    correlations_.emplace_back(
        column(j).values, [this, j](const VectorXd& values, double value, double* out) {
          correlations(j, values.data(), static_cast<std::size_t>(values.size()), value, out);
        });
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  build(0, order_.size());
  codes_.reserve(count * order_.size());
  values_.reserve(count * order_.size());
  for (std::size_t j = 0; j < count; ++j) {
    for (const std::size_t row : order_) {
      codes_.push_back(column(j).codes[row]);
      values_.push_back(column(j).values[codes_.back()]);
    }
  }
}

/// Splits at the column in which the rows are farthest apart, as evenly as its distinct values
/// allow. Returns the index of the node.
std::size_t Neighbours::build(std::size_t begin, std::size_t end) {
  const std::size_t place = nodes_.size();
  nodes_.push_back({.begin = begin, .end = end});
  if (end - begin <= kLeafRows)
    return place;
  double least_correlation = 1;
  std::size_t widest_column = 0;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const CodedColumn& coded = column(j);
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t largest = 0;
    for (std::size_t i = begin; i < end; ++i) {
      least = std::min(least, coded.codes[order_[i]]);
      largest = std::max(largest, coded.codes[order_[i]]);
    }
    const double of_ends = correlation(j, coded.values[largest], coded.values[least]);
    if (largest != least && of_ends < least_correlation) {
      least_correlation = of_ends;
      widest_column = j;
    }
  }
  if (least_correlation == 1)
    return place;  // all rows are equal
  const std::vector<std::uint32_t>& codes = column(widest_column).codes;
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::pair(codes[a], a) < std::pair(codes[b], b);
  };
  std::sort(order_.begin() + index(begin), order_.begin() + index(end), before);
  std::size_t middle = begin + (end - begin) / 2;
  const std::uint32_t value = codes[order_[middle]];
  std::size_t first = middle;  // rows of equal value stay in one child
  while (first > begin && codes[order_[first - 1]] == value)
    --first;
  std::size_t last = middle;
  while (last < end && codes[order_[last]] == value)
    ++last;
  middle = first == begin || (last < end && last - middle < middle - first) ? last : first;
  nodes_[place].column = widest_column;
  nodes_[place].last_lower = codes[order_[middle - 1]];
  nodes_[place].first_upper = codes[order_[middle]];
  const std::size_t lower = build(begin, middle);
  const std::size_t upper = build(middle, end);
  nodes_[place].lower = lower;
  nodes_[place].upper = upper;
  return place;
}

std::vector<Neighbour> Neighbours::nearest(const RowVectorXd& numbers, const RowVectorXd& levels,
                                           std::size_t count) const {
  return Query(*this, numbers, levels, count).run();
}

std::vector<Neighbour> Neighbours::nearest(Index row, std::size_t count) const {
  const auto value = [&](const CodedColumn& of) { return of.values[of.codes[to_size(row)]]; };
  const std::vector<double> numbers = mapped(rows_.numbers, value);
  const std::vector<double> levels = mapped(rows_.levels, value);
  return nearest(Eigen::Map<const RowVectorXd>(numbers.data(), index(numbers.size())),
                 Eigen::Map<const RowVectorXd>(levels.data(), index(levels.size())), count);
}

std::vector<std::vector<std::size_t>> Neighbours::leaves() const {
  std::vector<std::vector<std::size_t>> out;
  for (const Node& node : nodes_)
    if (node.lower == 0)
      out.emplace_back(order_.begin() + index(node.begin), order_.begin() + index(node.end));
  return out;
}

}  // namespace perfmodel::gp

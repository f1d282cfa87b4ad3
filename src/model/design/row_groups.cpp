#include "model/design/row_groups.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/index.hpp"

namespace perfmodel {
namespace {

/// Rows by the values of some of their columns, found by a hash table with open addressing:
/// sorting a million rows would take longer than to fit them.
class RowNumbering {
 public:
  explicit RowNumbering(std::size_t rows) : hashes_(rows, 0) {}

  void add_column(const NumericFactor& factor) {
    for (std::size_t row = 0; row < hashes_.size(); ++row) {
      mix(row,
          factor.coded() ? factor.codes[row] : std::bit_cast<std::uint64_t>(factor.values[row]));
    }
    numeric_.push_back(&factor);
  }

  void add_column(const LevelFactor& factor) {
    for (std::size_t row = 0; row < hashes_.size(); ++row)
      mix(row, factor.codes[row]);
    levels_.push_back(&factor);
  }

  void add_times(const Eigen::VectorXd& time) {
    for (std::size_t row = 0; row < hashes_.size(); ++row)
      mix(row, std::bit_cast<std::uint64_t>(time[index(row)]));
    time_ = &time;
  }

  RowGroups groups() const {
    RowGroups out;
    out.of_row.resize(hashes_.size());
    std::vector<std::uint32_t> slots(std::bit_ceil(2 * hashes_.size() + 1), 0);  // group + 1
    std::vector<std::size_t> first_row;
    for (std::size_t row = 0; row < hashes_.size(); ++row) {
      std::size_t slot = hashes_[row] & (slots.size() - 1);
      while (slots[slot] != 0 && !equal(first_row[slots[slot] - 1], row))
        slot = (slot + 1) & (slots.size() - 1);
      if (slots[slot] == 0) {
        first_row.push_back(row);
        slots[slot] = static_cast<std::uint32_t>(first_row.size());
      }
      out.of_row[row] = slots[slot] - 1;
    }
    out.count = first_row.size();
    return out;
  }

 private:
  std::vector<std::uint64_t> hashes_;
  std::vector<const NumericFactor*> numeric_;
  std::vector<const LevelFactor*> levels_;
  const Eigen::VectorXd* time_ = nullptr;

  /// The product carries every bit of a key upwards, the shift brings it back to where slots are
  /// chosen.
  void mix(std::size_t row, std::uint64_t key) {
    const std::uint64_t product = (hashes_[row] ^ key) * 0x9e3779b97f4a7c15U;
    hashes_[row] = product ^ (product >> 32);
  }

  bool equal(std::size_t a, std::size_t b) const {
    if (hashes_[a] != hashes_[b])
      return false;
    return std::all_of(numeric_.begin(), numeric_.end(),
                       [&](const auto* column) { return column->value(a) == column->value(b); }) &&
           std::all_of(levels_.begin(), levels_.end(),
                       [&](const auto* column) { return column->codes[a] == column->codes[b]; }) &&
           (time_ == nullptr || (*time_)[index(a)] == (*time_)[index(b)]);
  }
};

RowNumbering by_configuration(const Design& design) {
  RowNumbering out(design.rows);
  for (const NumericFactor& factor : design.intrinsic)
    out.add_column(factor);
  for (const LevelFactor& factor : design.categorical)
    out.add_column(factor);
  for (const NumericFactor& factor : design.extrinsic)
    out.add_column(factor);
  return out;
}

}  // namespace

RowGroups configuration_groups(const Design& design) {
  return by_configuration(design).groups();
}

RowGroups equal_row_groups(const Design& design) {
  RowNumbering numbering = by_configuration(design);
  numbering.add_times(design.time);
  return numbering.groups();
}

}  // namespace perfmodel

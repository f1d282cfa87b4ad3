#include "model/design/value_coding.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "data/content_colours.hpp"

namespace perfmodel {
namespace {

/// Distinct values in the order they came, found by a hash table with open addressing. Sorting all
/// rows, or a node per value, would take longer than the whole rest of the design.
class DistinctValues {
 public:
  /// The code of a value; nothing where it would be one too many.
  std::optional<std::uint32_t> code(double value) {
    std::size_t slot = first_slot(value);
    while (slots_[slot] != 0) {
      if (values_[slots_[slot] - 1] == value)
        return slots_[slot] - 1;
      slot = (slot + 1) % slot_count;
    }
    if (values_.size() == NumericFactor::most_coded)
      return std::nullopt;
    values_.push_back(value);
    slots_[slot] = static_cast<std::uint32_t>(values_.size());
    return slots_[slot] - 1;
  }

  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr std::size_t slot_bits = 14;
  static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;
  static_assert(slot_count >= 4 * NumericFactor::most_coded);

  /// Fibonacci hashing: small whole numbers differ only in the upper bits of a double, and the
  /// product brings every bit into its own upper bits.
  static std::size_t first_slot(double value) {
    return (std::bit_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15U) >> (64 - slot_bits);
  }

  std::vector<double> values_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(slot_count);  // code + 1; 0: free
};

}  // namespace

NumericFactor make_factor(std::vector<double> values) {
  DistinctValues distinct;
  std::vector<std::uint32_t> codes(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto code = distinct.code(values[row]);
    if (!code)
      return {.values = std::move(values), .codes = {}};
    codes[row] = *code;
  }

  // Ascending order, so that the order of the rows leaves no trace in the values.
  const std::vector<std::uint32_t> ranks = ranks_of(distinct.values());
  for (std::uint32_t& code : codes)
    code = ranks[code];
  std::vector<double> sorted = distinct.values();
  std::sort(sorted.begin(), sorted.end());
  return {.values = std::move(sorted), .codes = std::move(codes)};
}

}  // namespace perfmodel

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfmodel {

/// Numbers keys as they first appear, in a hash table with open addressing: for a million cells or
/// rows, sorting or a node per key would take longer than what is done with the numbers.
class Numbering {
 public:
  explicit Numbering(std::size_t expected_keys = 32) : slots_(std::bit_ceil(2 * expected_keys)) {}

  /// The number of a key with this hash: that of the earlier key for which `is_same(number)` holds,
  /// else the next one. Equal keys must have equal hashes, which need not be scattered.
  template <class IsSame>
  std::uint32_t number_of(std::uint64_t hash, const IsSame& is_same) {
    std::uint32_t& slot = slot_of(
        hash, [&](std::uint32_t number) { return hashes_[number] == hash && is_same(number); });
    if (slot != 0)
      return slot - 1;
    hashes_.push_back(hash);
    slot = static_cast<std::uint32_t>(hashes_.size());
    if (2 * hashes_.size() > slots_.size())
      double_slots();
    return static_cast<std::uint32_t>(hashes_.size() - 1);
  }

  std::size_t size() const { return hashes_.size(); }

 private:
  std::vector<std::uint32_t> slots_;  ///< number + 1, or 0 if free; a power of two of them
  std::vector<std::uint64_t> hashes_{};

  /// The upper bits of the product depend on all bits of the hash; the shift moves them to the
  /// lower bits, which choose the slot.
  template <class IsSame>
  std::uint32_t& slot_of(std::uint64_t hash, const IsSame& is_same) {
    const std::uint64_t product = hash * 0x9e3779b97f4a7c15U;
    std::size_t slot = (product ^ (product >> 32)) & (slots_.size() - 1);
    while (slots_[slot] != 0 && !is_same(slots_[slot] - 1))
      slot = (slot + 1) & (slots_.size() - 1);
    return slots_[slot];
  }

  void double_slots() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t number = 0; number < hashes_.size(); ++number)
      slot_of(hashes_[number], [](std::uint32_t) { return false; }) = number + 1;
  }
};

/// The places of each number below `count`, ascending.
template <class Numbers>
std::vector<std::vector<std::size_t>> places_of_numbers(const Numbers& numbers, std::size_t count) {
  std::vector<std::vector<std::size_t>> out(count);
  for (std::size_t place = 0; place < numbers.size(); ++place)
    out[numbers[place]].push_back(place);
  return out;
}

}  // namespace perfmodel

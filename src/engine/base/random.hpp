#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <utility>

namespace perfmodel {

/// A bijection that maps neighbouring numbers far apart.
std::uint64_t splitmix64(std::uint64_t x);

/// A stream of random numbers that is the same on every machine: the engine is specified by the C++
/// standard, and the distributions are implemented here, since the standard does not specify its
/// own.
///
/// Streams for different purposes never share numbers: derive each from the user's seed, a word for
/// the purpose and an index.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::string_view purpose = {}, std::uint64_t index = 0);

  std::uint64_t bits() { return engine_(); }

  /// Uniform on [0, 1): 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform on {0, ..., n - 1}, unbiased. n > 0.
  std::size_t below(std::size_t n);

  /// Standard normal (Marsaglia's polar method).
  double normal();

  /// Fisher-Yates.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace perfmodel

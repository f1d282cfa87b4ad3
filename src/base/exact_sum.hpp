#pragma once

#include <cstdint>
#include <vector>

#include "base/plain_bytes.hpp"

namespace perfmodel {

/// A sum of numbers and of products without any rounding, so that it is the same in any order and
/// however its parts were added up: words of 32 bits at fixed places, as many as the numbers need,
/// each in 64 bits, which leave room for carries.
class ExactSum {
 public:
  /// Of finite numbers.
  void add(double x) { add_scaled(x, 0); }
  /// a * b.
  void add_product(double a, double b);
  /// count * value of the other sum.
  void add(const ExactSum& other, std::int64_t count = 1);

  /// Says that it will be needed soon.
  void prefetch() const { __builtin_prefetch(words_.data()); }

  /// The nearest number.
  double value() const;

  /// For another process.
  void write(ByteWriter& out) const;
  static ExactSum read(ByteReader& in);

 private:
  /// Words that carry nothing to each other, where numbers of either sign meet.
  static constexpr std::uint32_t kMostAdditions = 1U << 29;

  std::int32_t first_ = 0;  ///< place of the first word: it counts 2^(32 first)
  std::uint32_t additions_ = 0;
  std::vector<std::int64_t> words_;

  void add_scaled(double x, int exponent);
  /// (high 2^64 + low) * 2^exponent.
  void add_integer(std::uint64_t high, std::uint64_t low, int exponent, bool negative);
  void reach(std::int32_t first, std::int32_t last);
  void carry();
};

/// Mean and sum of squares about it, of so many numbers with these sums of them and their squares.
struct MeanAndSquares {
  double mean = 0;
  double squares = 0;
};
MeanAndSquares mean_and_squares(std::uint64_t count, const ExactSum& sum, const ExactSum& squares);

}  // namespace perfmodel

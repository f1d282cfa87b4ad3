#include "base/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace perfmodel {
namespace {

constexpr int kWordBits = 32;
constexpr std::uint64_t kWordMask = 0xffffffffU;
constexpr int kMantissaBits = 53;

/// |x| = mantissa * 2^exponent.
struct Binary {
  std::uint64_t mantissa = 0;
  int exponent = 0;
  bool negative = false;
};

Binary binary(double x) {
  constexpr int kBias = 1075;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto biased = static_cast<int>(bits >> 52 & 0x7ffU);
  const std::uint64_t fraction = bits & 0xfffffffffffffU;
  return {biased == 0 ? fraction : fraction | std::uint64_t{1} << (kMantissaBits - 1),
          std::max(biased, 1) - kBias, bits >> 63 != 0};
}

}  // namespace

void ExactSum::add_scaled(double x, int exponent) {
  const Binary number = binary(x);
  add_integer(0, number.mantissa, number.exponent + exponent, number.negative);
}

void ExactSum::add_product(double a, double b) {
  const Binary left = binary(a);
  const Binary right = binary(b);
  const bool negative = left.negative != right.negative;
  const int exponent = left.exponent + right.exponent;
  // In halves, whose products have at most 64 bits.
  const std::uint64_t left_high = left.mantissa >> kWordBits;
  const std::uint64_t left_low = left.mantissa & kWordMask;
  const std::uint64_t right_high = right.mantissa >> kWordBits;
  const std::uint64_t right_low = right.mantissa & kWordMask;
  const std::uint64_t middle = left_high * right_low + left_low * right_high;
  const std::uint64_t lowest = left_low * right_low;
  const std::uint64_t low = lowest + (middle << kWordBits);
  const std::uint64_t carried = low < lowest ? 1 : 0;
  add_integer(left_high * right_high + (middle >> kWordBits) + carried, low, exponent, negative);
}

void ExactSum::add(const ExactSum& other, std::int64_t count) {
  if (other.words_.empty())
    return;
  ExactSum of_other = other;
  of_other.carry();
  const bool negative = count < 0;
  const auto times = static_cast<std::uint64_t>(negative ? -count : count);
  for (std::size_t i = 0; i < of_other.words_.size(); ++i) {
    const std::int64_t word = of_other.words_[i];
    const auto magnitude = static_cast<std::uint64_t>(word < 0 ? -word : word);
    const int exponent = (of_other.first_ + static_cast<std::int32_t>(i)) * kWordBits;
    add_integer(0, magnitude * (times & kWordMask), exponent, negative != (word < 0));
    add_integer(0, magnitude * (times >> kWordBits), exponent + kWordBits, negative != (word < 0));
  }
}

void ExactSum::add_integer(std::uint64_t high, std::uint64_t low, int exponent, bool negative) {
  if (high == 0 && low == 0)
    return;
  const std::int32_t place = exponent >> 5;  // rounds down below 0, too
  const int shift = exponent & (kWordBits - 1);
  const auto upper = [&](std::uint64_t bits) { return shift == 0 ? 0 : bits >> (64 - shift); };
  const std::uint64_t first = low << shift;
  const std::uint64_t second = (high << shift) | upper(low);
  const std::uint64_t third = upper(high);
  const std::int32_t last = place + (third != 0 ? 4 : second != 0 ? 3 : 1);
  if (words_.empty() || place < first_ || last >= first_ + static_cast<std::int32_t>(words_.size()))
    reach(place, last);
  std::int64_t* word = words_.data() + (place - first_);
  const auto add_word = [&](std::uint64_t bits) {
    const auto signed_bits = static_cast<std::int64_t>(bits);
    *word++ += negative ? -signed_bits : signed_bits;
  };
  add_word(first & kWordMask);
  add_word(first >> kWordBits);
  if (last > place + 1) {
    add_word(second & kWordMask);
    add_word(second >> kWordBits);
  }
  if (last > place + 3)
    add_word(third);
  if (++additions_ == kMostAdditions)
    carry();
}

void ExactSum::reach(std::int32_t first, std::int32_t last) {
  if (words_.empty())
    first_ = first;
  if (first < first_) {
    words_.insert(words_.begin(), static_cast<std::size_t>(first_ - first), 0);
    first_ = first;
  }
  const auto needed = static_cast<std::size_t>(last - first_) + 1;
  if (words_.size() < needed)
    words_.resize(needed, 0);
}

void ExactSum::carry() {
  additions_ = 1;
  std::int64_t carried = 0;
  for (std::int64_t& word : words_) {
    word += carried;
    carried = word >> kWordBits;  // rounds down: what stays is >= 0
    word -= carried * (std::int64_t{1} << kWordBits);
  }
  if (carried != 0)
    words_.push_back(carried);
  // The uppermost word has the sign.
  while (words_.size() > 1 && words_.back() == -1) {
    words_.pop_back();
    words_.back() -= std::int64_t{1} << kWordBits;
  }
}

double ExactSum::value() const {
  ExactSum sum = *this;
  sum.carry();
  const bool negative = !sum.words_.empty() && sum.words_.back() < 0;
  if (negative) {
    for (std::int64_t& word : sum.words_)
      word = -word;
    sum.carry();
  }
  auto& words = sum.words_;
  while (!words.empty() && words.back() == 0)
    words.pop_back();
  if (words.empty())
    return 0;
  // The leading 64 bits, the last of which says whether anything is below them.
  std::uint64_t lead = 0;
  int exponent = (sum.first_ + static_cast<std::int32_t>(words.size())) * kWordBits;
  int bits = 0;
  bool below = false;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    auto own = static_cast<std::uint64_t>(*word);
    int width = bits == 0 ? 64 - std::countl_zero(own) : kWordBits;
    exponent -= bits == 0 ? kWordBits - width : 0;
    const int taken = std::min(width, 64 - bits);
    below = below || (own & ((std::uint64_t{1} << (width - taken)) - 1)) != 0;
    lead = taken == 64 ? own : (lead << taken) | own >> (width - taken);
    bits += taken;
  }
  exponent -= bits;
  const double magnitude = std::ldexp(static_cast<double>(lead | (below ? 1U : 0U)), exponent);
  return negative ? -magnitude : magnitude;
}

void ExactSum::write(ByteWriter& out) const {
  out.add(first_);
  out.add(additions_);
  out.add_all(words_);
}

ExactSum ExactSum::read(ByteReader& in) {
  ExactSum sum;
  in.take(sum.first_);
  in.take(sum.additions_);
  in.take_all(sum.words_);
  return sum;
}

MeanAndSquares mean_and_squares(std::uint64_t count, const ExactSum& sum, const ExactSum& squares) {
  MeanAndSquares out;
  const auto n = static_cast<double>(count);
  const double high = sum.value();
  ExactSum rest = sum;
  rest.add(-high);
  const double low = rest.value();
  out.mean = high / n;
  // sum (x - m)^2 = sum x^2 - 2 m sum x + n m^2
  ExactSum about_mean = squares;
  about_mean.add_product(-2 * out.mean, high);
  about_mean.add_product(-2 * out.mean, low);
  ExactSum square;
  square.add_product(out.mean, out.mean);
  about_mean.add(square, static_cast<std::int64_t>(count));
  out.squares = std::max(0.0, about_mean.value());
  return out;
}

}  // namespace perfmodel

#include "base/random.hpp"

#include <cmath>

namespace perfmodel {

/// The output function of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

namespace {

/// FNV-1a; std::hash may differ between standard libraries.
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// Each step is a bijection of the one before: for one seed and purpose, no two indices share a
/// stream.
std::uint64_t mixed(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
  return splitmix64(splitmix64(splitmix64(seed) + fnv1a(purpose)) + index);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t index)
    : engine_(mixed(seed, purpose, index)) {}

std::size_t RandomStream::below(std::size_t n) {
  // Rejects numbers below 2^64 mod n, which would make small remainders more likely. They are below
  // n, so that the division is hardly ever needed.
  const std::uint64_t count = n;
  std::uint64_t x = bits();
  while (x < count && x < (0 - count) % count)
    x = bits();
  return static_cast<std::size_t>(x % n);
}

double RandomStream::normal() {
  // The second number of each pair is dropped, so that the engine is the whole state of the stream.
  for (;;) {
    const double x = uniform(-1, 1);
    const double y = uniform(-1, 1);
    const double s = x * x + y * y;
    if (s > 0 && s < 1)
      return x * std::sqrt(-2 * std::log(s) / s);
  }
}

}  // namespace perfmodel

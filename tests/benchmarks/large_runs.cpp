// Simulated runs in a file that is larger than memory may be:
//
//     large_runs ROWS DIGITS > runs.csv
//
// 10,000 configurations of four columns in random order, their times by Eq. (4) with a scatter of
// 5 %, written with so many digits: with 4 of them about 3 million pairs of a configuration and a
// time are different, with 9 nearly all.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// Marsaglia (2003): fast, and good enough to simulate with.
class Numbers {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  /// Nearly normal: the sum of four uniform numbers.
  double scatter() {
    const std::uint64_t bits = next();
    double sum = 0;
    for (int part = 0; part < 4; ++part)
      sum += static_cast<double>(bits >> (16 * part) & 0xffffU) / 65536.0 - 0.5;
    return std::sqrt(3.0) * sum;
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

std::string number(double value, int digits) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: large_runs ROWS DIGITS\n", stderr);
    return 2;
  }
  const auto rows = static_cast<std::uint64_t>(std::atof(argv[1]));
  const int digits = std::atoi(argv[2]);
  Numbers numbers;
  std::string lines = "network,layers,gpus,batch_size,time_s\n";
  for (std::uint64_t row = 0; row < rows; ++row) {
    const std::uint64_t choice = numbers.next() >> 20;
    const int network = static_cast<int>(choice % 10);
    const int layers = 8 * (1 + static_cast<int>(choice / 10 % 10));
    const int gpus = 1 << (choice / 100 % 10);
    const int batch = 16 << (choice / 1000 % 10);
    const double time = (0.02 * std::pow(layers, 0.8) + 0.05 * network) * std::pow(gpus, -0.7) *
                            std::pow(batch, 0.5) +
                        0.3;
    lines += "network_type_" + std::to_string(network) + ',' + std::to_string(layers) + ',' +
             std::to_string(gpus) + ',' + std::to_string(batch) + ',' +
             number(time * std::exp(0.05 * numbers.scatter()), digits) + '\n';
    if (lines.size() > 1U << 20) {
      std::fwrite(lines.data(), 1, lines.size(), stdout);
      lines.clear();
    }
  }
  return std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() ? 0 : 1;
}

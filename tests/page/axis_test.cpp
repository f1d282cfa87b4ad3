#include "page/figures.hpp"

#include "support/catch.hpp"

using namespace perfmodel::page;

namespace {

using Labels = std::vector<std::string>;

Labels labels(double low, double high, Spacing spacing, std::size_t most = 8) {
  Labels out;
  for (const Tick& tick : ticks_of({low, high, spacing}, most))
    out.push_back(tick.label);
  return out;
}

}  // namespace

TEST_CASE("linear ticks are round multiples inside of the range", "[report]") {
  CHECK(labels(0, 1, Spacing::linear, 6) == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1"});
  CHECK(labels(-95, 187, Spacing::linear, 8) == Labels{"-90", "-50", "0", "50", "100", "150"});
  CHECK(labels(0.31, 0.39, Spacing::linear, 5) == Labels{"0.32", "0.34", "0.36", "0.38"});
  CHECK(labels(2e6, 9e6, Spacing::linear, 5) == Labels{"2e+06", "4e+06", "6e+06", "8e+06"});
  // Those of a narrow range can be told apart.
  CHECK(labels(1e6, 1e6 + 4, Spacing::linear, 5) ==
        Labels{"1000000", "1000001", "1000002", "1000003", "1000004"});
}

TEST_CASE("both ends of an axis have a label nearby", "[report]") {
  for (const Range range : {Range{0.31, 0.39, Spacing::linear},
                            {1.2, 37, Spacing::logarithmic},
                            {0.0123, 7.7, Spacing::logarithmic},
                            {-1.3, 0.4, Spacing::linear}}) {
    const auto ticks = ticks_of(range, 3);
    CHECK(range.position(ticks.front().value) < 0.2);
    CHECK(range.position(ticks.back().value) > 0.8);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      CHECK(range.contains(ticks[i].value));
      CHECK((i == 0 || ticks[i].value > ticks[i - 1].value));
    }
  }
}

TEST_CASE("logarithmic ticks are as fine as there is room for", "[report]") {
  CHECK(labels(1, 9.5, Spacing::logarithmic, 9) ==
        Labels{"1", "2", "3", "4", "5", "6", "7", "8", "9"});
  CHECK(labels(0.0009, 0.011, Spacing::logarithmic) == Labels{"0.001", "0.002", "0.005", "0.01"});
  CHECK(labels(0.9, 1100, Spacing::logarithmic, 7) ==
        Labels{"1", "3", "10", "30", "100", "300", "1000"});
  CHECK(labels(0.9, 1100, Spacing::logarithmic, 5) == Labels{"1", "10", "100", "1000"});
  // Less than a decade has linear ticks, and hundreds of decades still have a few.
  CHECK(labels(100, 104, Spacing::logarithmic, 5) == Labels{"100", "101", "102", "103", "104"});
  const auto ticks = ticks_of({1e-300, 1e300, Spacing::logarithmic}, 8);
  CHECK(ticks.size() >= 3);
  CHECK(ticks.size() <= 8);
  CHECK(ticks_of({5e-324, 1e-320, Spacing::logarithmic}, 8).size() <= 8);
}

TEST_CASE("an axis puts its ends where it is told, and what is beyond on them", "[report]") {
  const Axis x({1, 100, Spacing::logarithmic}, 50, 250);
  CHECK(x.at(1) == Catch::Approx(50));
  CHECK(x.at(10) == Catch::Approx(150));
  CHECK(x.at(100) == Catch::Approx(250));
  CHECK(x.at(1e9) == Catch::Approx(250));
  CHECK(x.at(0) == Catch::Approx(50));
  const Axis y({-1, 1, Spacing::linear}, 300, 0);
  CHECK(y.at(0) == Catch::Approx(150));
}

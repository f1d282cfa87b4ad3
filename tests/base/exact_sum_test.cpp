#include "base/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("an exact sum is the nearest number whatever cancels in it") {
  ExactSum sum;
  for (const double x : {1e300, 1.0, -1e300, 1e-300, 3.0, -1e-300, 5e-324})
    sum.add(x);
  CHECK(sum.value() == 4);
  sum.add(-4);
  CHECK(sum.value() == 5e-324);
  sum.add(-5e-324);
  CHECK(sum.value() == 0);
  sum.add(-0.1);
  CHECK(sum.value() == -0.1);

  // 2^53 + 1 lies between two numbers: to the even one, unless anything is above the middle.
  ExactSum half;
  half.add(std::ldexp(1, 53));
  half.add(1);
  CHECK(half.value() == std::ldexp(1, 53));
  half.add(1e-200);
  CHECK(half.value() == std::ldexp(1, 53) + 2);
  half.add(-2e-200);
  CHECK(half.value() == std::ldexp(1, 53));
}

TEST_CASE("products are added without rounding") {
  const double x = 1 + std::ldexp(1, -30);
  ExactSum sum;
  sum.add_product(x, x);
  sum.add(-1 - std::ldexp(1, -29));
  CHECK(sum.value() == std::ldexp(1, -60));
  sum.add_product(-3e-200, 2e-100);
  CHECK(sum.value() == std::ldexp(1, -60));
  ExactSum products;
  products.add_product(-1e-160, 1e-160);  // of which no number has the square
  products.add_product(1e160, 1e160);
  products.add_product(1e160, -1e160);
  CHECK(products.value() == -1e-160 * 1e-160);
}

TEST_CASE("an exact sum is the same in any order and in any parts") {
  RandomStream random(1, "exact sums", 0);
  std::vector<double> numbers;
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(random.normal() * std::exp(20 * random.normal()));
  ExactSum one;
  for (const double x : numbers)
    one.add(x);
  std::sort(numbers.begin(), numbers.end());
  ExactSum sorted;
  ExactSum halves;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sorted.add(numbers[i]);
    ExactSum own;
    own.add(numbers[i]);
    halves.add(own);
  }
  CHECK(one.value() == sorted.value());
  CHECK(one.value() == halves.value());
  ExactSum thousand;
  thousand.add(one, 1000);
  thousand.add(one, -999);
  CHECK(thousand.value() == one.value());
  ByteWriter bytes;
  one.write(bytes);
  const std::string text = std::move(bytes).take();
  ByteReader reader(text);
  CHECK(ExactSum::read(reader).value() == one.value());
}

TEST_CASE("mean and squares about it lose nothing where the scatter is next to nothing") {
  // 1e8 + {0, 1, 2, ..., 9} * 2^-20: sum (x - m)^2 = 82.5 * 2^-40
  ExactSum sum;
  ExactSum squares;
  for (int i = 0; i < 10; ++i) {
    const double x = 1e8 + std::ldexp(i, -20);
    sum.add(x);
    squares.add_product(x, x);
  }
  const MeanAndSquares found = mean_and_squares(10, sum, squares);
  CHECK(found.mean == 1e8 + std::ldexp(4.5, -20));
  CHECK(found.squares == Catch::Approx(82.5 * std::ldexp(1, -40)).epsilon(1e-12));
}

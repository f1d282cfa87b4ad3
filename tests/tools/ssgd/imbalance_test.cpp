#include "ssgd/ssgd.hpp"

#include "base/random.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::ssgd;
using Catch::Approx;

TEST_CASE("equal workers, and one alone, are balanced by every definition", "[ssgd]") {
  for (const std::vector<double>& times : {std::vector<double>{3, 3, 3, 3}, {5}}) {
    const Imbalance imbalance = imbalance_of_times(times);
    CHECK(imbalance.imbalance_ratio == 1);
    CHECK(imbalance.load_imbalance_factor == 0);
    CHECK(imbalance.pop_load_balance == 1);
    CHECK(imbalance.relative_imbalance == 0);
    CHECK(imbalance.imbalance_percentage == 0);
  }
}

TEST_CASE("one worker that does everything is the far end of every definition", "[ssgd]") {
  const Imbalance imbalance = imbalance_of_times({0, 8, 0, 0});
  CHECK(imbalance.imbalance_ratio == 4);
  CHECK(imbalance.load_imbalance_factor == 3);
  CHECK(imbalance.pop_load_balance == 0.25);
  CHECK(imbalance.relative_imbalance == 0.75);
  CHECK(imbalance.imbalance_percentage == Approx(100));
}

TEST_CASE("32 samples on three workers are out of balance by a thirty-second", "[ssgd]") {
  CHECK(imbalance_of_even_split(32, 3).load_imbalance_factor == 0.03125);
  CHECK(imbalance_of_even_split(33, 3).load_imbalance_factor == 0);
  CHECK(imbalance_of_times({11, 11, 10}).load_imbalance_factor == Approx(0.03125));
  CHECK_THROWS_WITH(imbalance_of_even_split(2, 3),
                    "a batch of 2 samples leaves some of the 3 workers without any");
}

TEST_CASE("the definitions keep their relations and ranges on random times", "[ssgd]") {
  RandomStream random(1, "imbalance");
  for (int repetition = 0; repetition < 500; ++repetition) {
    std::vector<double> times(2 + random.below(16));
    for (double& time : times)
      time = random.uniform(0, 10);
    const Imbalance imbalance = imbalance_of_times(times);
    REQUIRE(imbalance.load_imbalance_factor == Approx(1 / imbalance.pop_load_balance - 1));
    REQUIRE(imbalance.relative_imbalance ==
            Approx(imbalance.load_imbalance_factor / (1 + imbalance.load_imbalance_factor)));
    REQUIRE(imbalance.imbalance_percentage >= 0);
    REQUIRE(imbalance.imbalance_percentage <= 100 * (1 + 1e-12));
  }
}

TEST_CASE("a factor outside of its range is refused", "[ssgd]") {
  CHECK_THROWS_WITH(imbalance_of_factor(3.5, 4),
                    "a load imbalance factor of 3.5 is impossible with 4 workers: it lies between "
                    "0 and 3, if one worker does everything");
  CHECK_THROWS_AS(imbalance_of_factor(-0.1, 4), UsageError);
}

#include "perfmodel/predict.hpp"

#include <cmath>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::scaling;
using Catch::Approx;

namespace {

/// Equal to four significant digits.
Approx four_digits(double value) {
  return Approx(value).epsilon(5e-5).margin(0);
}

}  // namespace

TEST_CASE(
    "the scalability law finds the constants of the usl package's own test and the published "
    "fit of SPEC SDM91",
    "[scaling]") {
  const auto of_package =
      fit_usl({{1, 1}, {2, 1.8868}, {4, 3.0769}, {6, 3.5294}, {8, 3.5398}, {10, 3.3557}});
  REQUIRE(of_package);
  CHECK(of_package->sigma == Approx(0.02).margin(5e-5));
  CHECK(of_package->kappa == Approx(0.02).margin(5e-5));
  CHECK(of_package->gamma == Approx(1.0).margin(5e-5));
  const auto usl = fit_usl({{1, 64.9},
                            {18, 995.9},
                            {36, 1652.4},
                            {72, 1853.2},
                            {108, 1828.9},
                            {144, 1775.0},
                            {216, 1702.2}});
  REQUIRE(usl);
  CHECK(usl->sigma == Approx(0.0277285).epsilon(2e-6));
  CHECK(usl->kappa == four_digits(0.0001043655));
  CHECK(usl->gamma == Approx(89.995233).epsilon(1e-7));
  CHECK(*usl->peak() == Approx(96.5196).epsilon(1e-6));
}

TEST_CASE("the scalability law without coherency is Amdahl's", "[scaling]") {
  std::vector<scaling::Point> throughputs;
  std::vector<scaling::Point> times;
  const double s = 0.08;
  for (const double n : {1.0, 2.0, 3.0, 5.0, 8.0}) {
    times.push_back({n, 7 * (s + (1 - s) / n)});
    throughputs.push_back({n, 1 / times.back().value});
  }
  const auto usl = fit_usl(throughputs);
  REQUIRE(usl);
  CHECK(usl->sigma == Approx(s).epsilon(1e-6));
  CHECK(usl->kappa == Approx(0).margin(1e-7));
  const Amdahl amdahl = fit_amdahl(times);
  CHECK(amdahl.serial_fraction == Approx(s));
  CHECK(amdahl.time_of_one == Approx(7));
  CHECK(amdahl.rmse == Approx(0).margin(1e-12));
}

TEST_CASE("three counts determine the throughput of one worker, two do not", "[scaling]") {
  const auto usl = fit_usl({{1, 10}, {2, 18}, {4, 29}});
  REQUIRE(usl);
  CHECK(usl->gamma_is_measured);
  CHECK(usl->gamma == 10);
  CHECK(usl->throughput(4) == Approx(29).epsilon(0.02));
  CHECK_FALSE(fit_usl({{1, 10}, {2, 18}}));
  CHECK_FALSE(fit_usl({{2, 18}, {4, 29}, {8, 40}}));
}

TEST_CASE("fits of the laws stay within their ranges", "[scaling]") {
  // Superlinear data would need a negative serial fraction.
  CHECK(fit_amdahl({{1, 10}, {2, 4}, {4, 1.5}}).serial_fraction == 0);
  CHECK(fit_amdahl({{1, 10}, {2, 11}, {4, 12}}).serial_fraction == 1);
  CHECK(fit_gustafson({{1, 1}, {2, 2.5}}).serial_fraction == 0);
  CHECK(fit_gustafson({{1, 1}, {4, 3.4}}).serial_fraction == Approx(0.2));
  const auto usl = fit_usl({{1, 1}, {2, 2.2}, {4, 4.5}, {8, 9}});
  REQUIRE(usl);
  CHECK(usl->sigma == 0);
  CHECK(usl->kappa == 0);
}

TEST_CASE("planted constants of the scalability law come back", "[scaling]") {
  RandomStream random(1, "usl");
  for (int repetition = 0; repetition < 100; ++repetition) {
    Usl planted;
    planted.sigma = random.uniform(0, 0.3);
    planted.kappa = random.uniform(0, 0.01);
    planted.gamma = std::exp(random.uniform(-10, 10));
    std::vector<scaling::Point> points;
    for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0})
      points.push_back({n, planted.throughput(n)});
    const auto usl = fit_usl(points);
    REQUIRE(usl);
    CAPTURE(repetition, planted.sigma, planted.kappa);
    CHECK(usl->sigma == Approx(planted.sigma).margin(1e-5).epsilon(1e-4));
    CHECK(usl->kappa == Approx(planted.kappa).margin(1e-6).epsilon(1e-4));
    CHECK(usl->gamma == Approx(planted.gamma).epsilon(1e-4));
  }
}

TEST_CASE("ten times as fast on twelve processors is 84 percent efficient", "[scaling]") {
  // Mahon et al. 2020: a speedup of 10.11 on 12 GPUs.
  CHECK(karp_flatt(10.11, 12) == Approx(0.01699).margin(5e-6).epsilon(0));
  const auto study = scaling::study({{1, 10.11, 1}, {12, 1, 1}}, Kind::strong, 0.5);
  CHECK(study.rows[1].efficiency == Approx(0.8425));
  CHECK(*study.rows[1].karp_flatt == Approx(0.01699).margin(5e-6).epsilon(0));
  CHECK(*study.rows[1].equivalent_power == Approx(-0.9310).margin(5e-5));
}

TEST_CASE("the powers of the paper read as the speedups of their scalable part", "[scaling]") {
  struct Row {
    double q, s2, e2, s3, e3, e;
  };
  for (const Row& row : {Row{-0.74, 1.6702, 0.8351, 2.2546, 0.7515, 0.1653},
                         Row{-0.99, 1.9862, 0.9931, 2.9672, 0.9891, 0.0055},
                         Row{-1.029, 2.0406, 1.0203, 3.0971, 1.0324, -0.0157},
                         Row{-1.07, 2.0994, 1.0497, 3.2398, 1.0799, -0.0370}}) {
    const auto both =
        readings({.scalable = 1, .power = row.q, .constant = 0}, {1, 2, 3}, Kind::strong);
    const auto digits = [](double value) { return Approx(value).margin(5.1e-5).epsilon(0); };
    CHECK(both[1].scalable_speedup == digits(row.s2));
    CHECK(both[1].scalable_efficiency == digits(row.e2));
    CHECK(both[2].scalable_speedup == digits(row.s3));
    CHECK(both[2].scalable_efficiency == digits(row.e3));
    CHECK(karp_flatt(both[2].scalable_speedup, 3) == digits(row.e));
    CHECK(both[2].whole_speedup == Approx(both[2].scalable_speedup));  // C = 0
  }
}

TEST_CASE("a power of minus one with a constant is Amdahl's law", "[scaling]") {
  const PowerPlusConstant model{.scalable = 3, .power = -1, .constant = 1};
  const double s = 0.25;  // C / (A + C)
  for (const Reading& reading : readings(model, {1, 2, 5, 100}, Kind::strong)) {
    CHECK(reading.whole_speedup == Approx(1 / (s + (1 - s) / reading.scale)));
    CHECK(reading.scalable_speedup == Approx(reading.scale));
  }
  // Relative to 2, its time is 2.5.
  const Reading at_5 = readings(model, {2, 5}, Kind::strong)[1];
  CHECK(at_5.whole_speedup == Approx(2.5 / 1.6));
  CHECK(at_5.whole_efficiency == Approx(2.5 / 1.6 / 2.5));
  CHECK(at_5.scalable_speedup == Approx(2.5));
  // E(G) = 1 / (s G + 1 - s) >= 1/2 up to G = 5.
  CHECK(*pays_until(model, 1, Kind::strong, 0.5) == 5);
  CHECK_FALSE(pays_until({.scalable = 1, .power = -1, .constant = 0}, 1, Kind::strong, 0.5));
  CHECK(*pays_until({.scalable = 0, .power = -1, .constant = 1}, 1, Kind::strong, 0.5) == 2);
  // A constant time: each doubling halves the efficiency, which is 1 at the first scale.
  CHECK(*pays_until({.scalable = 0, .power = -1, .constant = 1}, 4, Kind::strong, 0.5) == 8);
  CHECK(*pays_until({.scalable = 0, .power = -1, .constant = 1}, 0.75, Kind::strong, 0.6) == 1);
  CHECK_FALSE(pays_until({.scalable = 0, .power = -1, .constant = 1}, 4, Kind::weak, 0.5));
}

TEST_CASE("a power of an iteration at a fixed batch per worker is one more", "[scaling]") {
  // Perfect weak scaling: the iteration takes as long with any number of workers.
  const auto both = readings({.scalable = 1, .power = 0, .constant = 1}, {1, 4}, Kind::weak);
  CHECK(both[1].scalable_speedup == 4);
  CHECK(both[1].whole_efficiency == 1);
}

TEST_CASE("a study says where more workers stop paying", "[scaling]") {
  const auto study = scaling::study({{1, 12, 1}, {2, 6.5, 1}, {4, 4, 1}, {6, 3.9, 1}, {8, 5, 1}},
                                    Kind::strong, 0.5);
  CHECK(*study.pays_until == 6);
  CHECK(*study.pays_no_more_at == 8);
  CHECK(study.fastest_scale == 6);
  CHECK(study.amdahl);
  CHECK_FALSE(study.gustafson);
  // Speedups are relative to the first scale if one worker was not measured.
  const auto from_two = scaling::study({{2, 10, 1}, {4, 6, 1}}, Kind::strong, 0.5);
  CHECK(from_two.rows[0].speedup == 1);
  CHECK(from_two.rows[0].efficiency == 1);
  CHECK(from_two.rows[1].speedup == Approx(10 / 6.0));
  CHECK(from_two.rows[1].efficiency == Approx(10 / 12.0));
}

TEST_CASE("weak scaling counts the work that grows with the workers", "[scaling]") {
  const auto study = scaling::study({{1, 10, 1}, {2, 11, 1}, {4, 12.5, 1}}, Kind::weak, 0.5);
  CHECK(study.rows[1].speedup == Approx(2 * 10 / 11.0));
  CHECK(study.rows[2].efficiency == Approx(0.8));
  CHECK_FALSE(study.rows[2].karp_flatt);
  CHECK_FALSE(study.amdahl);
  CHECK(study.gustafson);
  // t_iter ~ G^(q+1): from 1 to 4 workers 10 -> 12.5.
  CHECK(*study.rows[2].equivalent_power == Approx(std::log(1.25) / std::log(4) - 1));
}

TEST_CASE("Gustafson's law has the serial fraction of one worker, whichever scale is the first",
          "[scaling]") {
  // A throughput of G - 0.2 (G - 1), so that times are G over it.
  const auto study =
      scaling::study({{4, 4 / 3.4, 1}, {8, 8 / 6.6, 1}, {16, 16 / 13.0, 1}}, Kind::weak, 0.5);
  CHECK(study.gustafson->serial_fraction == Approx(0.2));
  CHECK(study.gustafson->rmse == Approx(0).margin(1e-12));
}

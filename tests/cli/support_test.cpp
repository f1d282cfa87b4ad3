#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using perfmodel::RandomStream;
using perfmodel::to_text;

namespace {

/// A product times a wave that only a process can follow, with a noise of 2 %.
double wavy_time(double size, double gpus) {
  return 0.1 * std::pow(size, 0.8) * std::pow(gpus, -0.6) * std::exp(0.5 * std::sin(size / 8));
}

/// Runs of sizes up to 64.
std::string wavy_runs() {
  RandomStream random(3, "wavy runs");
  std::string csv = "size,gpus,time_s\n";
  for (int row = 0; row < 160; ++row) {
    const double size = std::round(4 * std::exp(std::log(16.0) * random.uniform()) * 8) / 8;
    const double gpus = std::pow(2, std::floor(4 * random.uniform()));
    csv += csv_row(size, gpus, wavy_time(size, gpus) * std::exp(0.02 * random.normal()));
  }
  return csv;
}

class SupportTest : public ProgramTest {
 public:
  SupportTest() {
    write("runs.csv", wavy_runs());
    run({"fit", "runs.csv", "--intrinsic", "size", "-o", "model.json", "--expression", "multi",
         "--terms", "1", "--residual", "process", "--coverage", "0.9"})
        .succeeded();
  }
  nlohmann::json predicted(double size, double gpus) const {
    return run({"predict", "model.json", "--json", "--set", "size=" + to_text(size),
                "gpus=" + to_text(gpus)})
        .json();
  }
};

double relative_width(const nlohmann::json& prediction) {
  const double time = prediction["predicted_time_s"];
  return (prediction["upper"].get<double>() - prediction["lower"].get<double>()) / time;
}

Eigen::Index at(std::size_t row) {
  return static_cast<Eigen::Index>(row);
}

/// What model.json says of a process, computed from the inverse of its covariances.
class ProcessByJson {
 public:
  explicit ProcessByJson(const nlohmann::json& model) : gp_(model["constants"]["process"]) {
    Eigen::MatrixXd matrix(at(count()), at(count()));
    for (std::size_t i = 0; i < count(); ++i) {
      for (std::size_t k = 0; k < count(); ++k)
        matrix(at(i), at(k)) = covariance([&](const nlohmann::json& number, std::size_t) {
          return value(number, i) - value(number, k);
        });
      matrix(at(i), at(i)) += noise() / runs(i);
    }
    inverse_ = matrix.inverse();
  }

  double noise() const { return gp_["noise"]; }

  /// The variance of z at a configuration.
  double variance_at(const std::vector<double>& numbers) const {
    Eigen::VectorXd shared(at(count()));
    for (std::size_t i = 0; i < count(); ++i)
      shared[at(i)] = covariance([&](const nlohmann::json& number, std::size_t column) {
        return (std::log(numbers[column]) - number["centre"].get<double>()) /
                   number["scale"].get<double>() -
               value(number, i);
      });
    return gp_["variance"].get<double>() - shared.dot(inverse_ * shared);
  }

  /// Of each known configuration, given the others.
  std::vector<double> left_out_variances() const {
    std::vector<double> out;
    for (std::size_t i = 0; i < count(); ++i)
      out.push_back(1 / inverse_(at(i), at(i)) - noise() / runs(i));
    return out;
  }

 private:
  nlohmann::json gp_;
  Eigen::MatrixXd inverse_;

  std::size_t count() const { return gp_["runs"].size(); }
  double runs(std::size_t row) const { return gp_["runs"][row]; }

  static double value(const nlohmann::json& number, std::size_t row) {
    return number["values"][number["codes"][row].get<std::size_t>()];
  }
  template <class DistanceOf>
  double covariance(const DistanceOf& distance_of) const {
    double out = gp_["variance"];
    std::size_t column = 0;
    for (const nlohmann::json& number : gp_["numbers"]) {
      const double a = std::sqrt(5.0) * std::abs(distance_of(number, column++)) *
                       number["inverse_length"].get<double>();
      const double share = number["share"];
      out *= share + (1 - share) * (1 + a + a * a / 3) * std::exp(-a);
    }
    return out;
  }
};

}  // namespace

TEST_CASE_METHOD(SupportTest, "intervals are as wide as what model.json says is not known",
                 "[cli][process][support]") {
  // Of the residual process alone: without what the runs say beside the formula.
  nlohmann::json fitted = model();
  fitted.erase("scaling_process");
  fitted["schema_version"] = 2;
  write("model.json", fitted.dump());
  const nlohmann::json& intervals = fitted["prediction_intervals"];
  CHECK(intervals["score"] == "ln(measured / predicted) / deviation");
  const ProcessByJson gp(fitted);
  const double added = intervals["added_deviation"];
  const double typical =
      std::sqrt(std::pow(intervals["held_out_deviation"].get<double>(), 2) - added * added);
  const double near_variance = fitted["constants"]["process"]["near_variance"];
  std::vector<double> left_out = gp.left_out_variances();
  std::sort(left_out.begin(), left_out.end());
  REQUIRE(left_out.size() <= 200);  // of more a part is looked at
  CHECK(near_variance ==
        Catch::Approx(left_out[(19 * left_out.size() + 19) / 20 - 1]).epsilon(1e-6));
  for (const double size : {5., 16., 100., 1000., 40000.}) {
    CAPTURE(size);
    const bool measured = size <= 64;
    const double variance = gp.variance_at({size, 2});
    const double own = std::sqrt(variance + gp.noise());
    const double deviation = std::hypot(own, added * std::min(1., own / typical));
    const nlohmann::json here = predicted(size, 2);
    CHECK((here["support"] == "process") == (measured && variance <= near_variance));
    const double time = here["predicted_time_s"];
    // 160 scores at 90 %: ranks 8 and 153 of 161 places.
    const double lower = intervals["scores"][7];
    const double upper = intervals["scores"][152];
    CHECK(here["lower"].get<double>() ==
          Catch::Approx(time * std::exp(lower * deviation)).epsilon(1e-6));
    CHECK(here["upper"].get<double>() ==
          Catch::Approx(time * std::exp(upper * deviation)).epsilon(1e-6));
  }
  CHECK(relative_width(predicted(40000, 2)) > 4 * relative_width(predicted(16, 2)));
}

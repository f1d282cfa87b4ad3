#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::WithinAbs;

namespace {

struct PriorRun {
  double size = 1;
  double gpus = 1;
  std::string kernel = "conv";
  double time = 1;
};

/// Runs of time = scale * size^p * gpus^q, doubled for the kernel "gemm"; scatter of 1 % that no
/// pattern explains.
std::vector<PriorRun> runs_on_grid(double scale, double p, double q) {
  std::vector<PriorRun> out;
  int n = 0;
  for (const double size : {10, 20, 50, 100, 300})
    for (const double gpus : {1, 2, 4, 8})
      for (const char* kernel : {"conv", "gemm"}) {
        const double scatter = 1 + 0.01 * std::sin(12.9898 * ++n);
        const double level = kernel == std::string("gemm") ? 2 : 1;
        out.push_back(
            {size, gpus, kernel, scale * level * std::pow(size, p) * std::pow(gpus, q) * scatter});
      }
  return out;
}

std::string text_of(const std::vector<PriorRun>& runs) {
  std::string out = "size,gpus,kernel,time_s\n";
  for (const PriorRun& run : runs)
    out += csv_row(std::to_string(run.size), std::to_string(run.gpus), run.kernel,
                   std::to_string(run.time));
  return out;
}

class PriorTest : public ProgramTest {
 public:
  PriorTest() {
    write("old.csv", text_of(runs_on_grid(0.1, 1.2, -0.7)));
    fit("old.csv", "old.json", {"--expression", "multi", "--terms", "1"});
  }
  nlohmann::json fit(const std::string& runs, const std::string& to, const Words& further) const {
    run({"fit", runs, "-o", to, "--quiet", "--threads", "1"}, further).succeeded();
    return json(to);
  }
  nlohmann::json adapted(const std::string& runs) const {
    return fit(runs, "new.json", {"--prior", "old.json"});
  }
  double predicted(const std::string& model, const PriorRun& at) const {
    return std::stod(run({"predict", model, "--quiet", "--set", "size=" + std::to_string(at.size),
                          "gpus=" + std::to_string(at.gpus), "kernel=" + at.kernel})
                         .succeeded()
                         .output);
  }
};

std::vector<PriorRun> some_of(const std::vector<PriorRun>& runs,
                              const std::vector<std::size_t>& which) {
  std::vector<PriorRun> out;
  for (const std::size_t run : which)
    out.push_back(runs[run]);
  return out;
}

/// Slopes of ln(time) of a product by its two powers and by the level gemm, whose first level is
/// its reference, in units of the prior standard deviations.
Eigen::RowVector3d prior_slopes(const PriorRun& run) {
  return {0.1 * std::log(run.size), 0.1 * std::log(run.gpus), run.kernel == "gemm" ? 0.5 : 0.0};
}

/// ln of the marginal likelihood of the changes times the priors of the hyper-parameters.
double prior_evidence(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& change,
                      const Eigen::Vector3d& freedoms, double deviation) {
  const Eigen::MatrixXd centred = slopes.rowwise() - slopes.colwise().mean();
  const Eigen::MatrixXd moved = centred * freedoms.asDiagonal();
  const auto n = change.size();
  const Eigen::MatrixXd covariance = moved * moved.transpose() +
                                     Eigen::MatrixXd::Constant(n, n, 100) +
                                     deviation * deviation * Eigen::MatrixXd::Identity(n, n);
  return -0.5 *
         (std::log(covariance.determinant()) + change.dot(covariance.partialPivLu().solve(change)) +
          (freedoms.array().log() / 1.5).square().sum() + std::pow(std::log(deviation / 0.1), 2));
}

}  // namespace

TEST_CASE_METHOD(PriorTest, "the constants are the mode of the linear normal model") {
  // ln(time) of a product without C is linear in the moves of its powers and levels, so that their
  // posterior mean has a closed form, given the hyper-parameters that the file names.
  nlohmann::json old = nlohmann::json::parse(read("old.json"));
  old["constants"]["C"] = 0;
  old["expression"].erase("formula");
  old.erase("scaling_powers");
  write("old.json", old.dump());
  const std::vector<PriorRun> runs = some_of(runs_on_grid(0.07, 1.4, -0.6), {1, 8, 19, 27, 38});
  write("new.csv", text_of(runs));
  const nlohmann::json prior = adapted("new.csv").at("search").at("prior");
  const auto at = [&](const std::string& file, const PriorRun& run) {
    return std::log(predicted(file, run));
  };
  const auto n = static_cast<Eigen::Index>(runs.size());
  Eigen::MatrixXd slopes(n, 3);
  Eigen::VectorXd change(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const PriorRun& run = runs[static_cast<std::size_t>(i)];
    slopes.row(i) = prior_slopes(run);
    change[i] = std::log(run.time) - at("old.json", run);
  }
  Eigen::Vector3d freedoms;
  for (const nlohmann::json& item : prior.at("freedoms")) {
    const std::string column = item.at("column");
    freedoms[column == "size" ? 0 : column == "gpus" ? 1 : 2] = item.at("freedom");
  }
  const double deviation = prior.at("deviation");
  const Eigen::RowVectorXd middle = slopes.colwise().mean();
  const Eigen::MatrixXd moved = (slopes.rowwise() - middle) * freedoms.asDiagonal();
  const Eigen::MatrixXd normal =
      moved.transpose() * moved + deviation * deviation * Eigen::MatrixXd::Identity(3, 3);
  const Eigen::VectorXd moves =
      normal.ldlt().solve(moved.transpose() * (change.array() - change.mean()).matrix());
  for (const PriorRun& run : {PriorRun{70, 3, "gemm"}, PriorRun{15, 8, "conv"}}) {
    const double expected = at("old.json", run) + change.mean() +
                            ((prior_slopes(run) - middle) * freedoms.asDiagonal()).dot(moves);
    CHECK_THAT(at("new.json", run), WithinAbs(expected, 1e-6));
  }

  SECTION("and no hyper-parameter next to theirs on the grid is more probable") {
    const double most = prior_evidence(slopes, change, freedoms, deviation);
    for (const double factor : {std::exp(-0.25), std::exp(0.25)}) {
      CHECK(prior_evidence(slopes, change, freedoms, deviation * factor) < most + 1e-6);
      for (int k = 0; k < 3; ++k) {
        Eigen::Vector3d others = freedoms;
        others[k] *= factor;
        CHECK(prior_evidence(slopes, change, others, deviation) < most + 1e-6);
      }
    }
  }
}

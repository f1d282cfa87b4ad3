#include "choice/term_choice.hpp"

#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;

namespace {

/// The columns whose far ends are held out, of runs with one extrinsic column from 1 to 4 and so
/// many intrinsic ones, the i-th of which is called wi and goes from 1 to 1000 i.
std::set<std::string> judged_scales(std::size_t intrinsics) {
  RandomStream random(3, "many scales");
  std::ostringstream csv;
  csv << "gpus";
  for (std::size_t i = 1; i <= intrinsics; ++i)
    csv << ",w" << i;
  csv << ",time_s\n";
  for (int row = 0; row < 120; ++row) {
    csv << to_text(std::pow(2, row % 3));
    for (std::size_t i = 1; i <= intrinsics; ++i) {
      const double largest = 1000 * static_cast<double>(i);
      // The ends of the range are there for certain.
      csv << ',' << to_text(row == 0 ? 1 : row == 1 ? largest : random.uniform(1, largest));
    }
    csv << ',' << to_text(random.uniform(1, 2)) << '\n';
  }
  RoleRequest request;
  request.extrinsic = {"gpus"};
  request.intrinsic.emplace();
  for (std::size_t i = 1; i <= intrinsics; ++i)
    request.intrinsic->push_back("w" + std::to_string(i));
  const test::PaperRuns runs = test::runs_of(test::table_of(csv.str()), request);
  const TermCoordinates coordinates(runs.spec, runs.design, {});
  std::set<std::string> out;
  for (const Fold& fold : make_folds(coordinates, runs.spec, 1))
    if (fold.scale)
      out.insert(*fold.scale < runs.spec.extrinsic.size()
                     ? runs.spec.extrinsic[*fold.scale].column
                     : runs.spec.intrinsic[*fold.scale - runs.spec.extrinsic.size()].column);
  return out;
}

}  // namespace

TEST_CASE("of many scales the far ends of six are held out, those that reach furthest",
          "[fit][multi]") {
  CHECK(judged_scales(5).size() == 6);
  const std::set<std::string> of_many = judged_scales(20);
  CHECK(of_many.size() == 6);
  CHECK(of_many.count("gpus") == 1);
  for (const std::string far : {"w16", "w18", "w20"})
    CHECK(of_many.count(far) == 1);
  CHECK(of_many.count("w15") == 0);
}

TEST_CASE("folds have all configurations, however often they were run", "[fit][multi]") {
  // 20 configurations, the k-th run `repeats` times or, of unequal numbers, 1000 times or once.
  const auto configurations_in_folds = [](std::size_t repeats, bool equal) {
    std::string csv = "gpus,batch,time_s\n";
    for (std::size_t k = 0; k < 20; ++k)
      for (std::size_t run = 0; run < (equal || k == 7 ? repeats : 1); ++run)
        csv += test::csv_row(1 << k % 4, 16 << k / 4,
                             1 + 0.1 * static_cast<double>(k) + 1e-6 * static_cast<double>(run));
    RoleRequest request;
    request.extrinsic = {"gpus", "batch"};
    const test::PaperRuns runs = test::runs_of(test::table_of(csv), request);
    const TermCoordinates coordinates(runs.spec, runs.design, {});
    const std::vector<Fold> folds = make_folds(coordinates, runs.spec, 1);
    std::set<std::vector<double>> out;
    REQUIRE(folds.size() > 5);
    for (const Fold& fold : folds) {
      CHECK_FALSE(fold.training.empty());
      CHECK(fold.training.size() + fold.held_out.size() <= 1000);
      for (const Eigen::Index row : fold.held_out) {
        const Eigen::VectorXd features = coordinates.data().features.row(row);
        out.emplace(features.begin(), features.end());
      }
    }
    return out.size();
  };
  for (const std::size_t repeats : {1U, 49U, 60U, 300U, 1000U}) {
    CAPTURE(repeats);
    CHECK(configurations_in_folds(repeats, true) == 20);
    CHECK(configurations_in_folds(repeats, false) == 20);
  }
}

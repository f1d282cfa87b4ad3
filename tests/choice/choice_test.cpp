#include "choice/term_choice.hpp"

#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::Index;

namespace {

/// A sum of width and workers: three constants a term.
Candidate sum(Index terms, double score, double growth) {
  Candidate out;
  out.shape.terms = terms;
  out.shape.plain_features = 3;
  out.shape.intercept = false;
  out.shape.log_powers.assign(static_cast<std::size_t>(terms), {0});
  out.log_errors = {score, score, score, score};
  out.score = score;
  out.growth = growth;
  return out;
}

Candidate with_intercept(Candidate candidate) {
  candidate.shape.intercept = true;
  return candidate;
}

/// The first has the best score; scatter as given makes the others as good.
Candidate chosen(std::vector<Candidate> tried, double scatter) {
  ModelSpec spec;
  spec.intrinsic = {{"width", 1, 2}};
  spec.extrinsic = {{"workers", 1, 2}};
  for (std::size_t c = 1; c < tried.size(); ++c) {
    tried[c].log_errors[0] += scatter;
    tried[c].log_errors[1] -= scatter;
  }
  return cautious_choice(spec, std::vector<Fold>(4), tried, tried.front());
}

}  // namespace

TEST_CASE("among equally good sums with as many terms the one that grows least is taken",
          "[fit][multi]") {
  const Candidate out = chosen({sum(2, -2, 0.8), sum(2, -1.99, 0.3), sum(2, -1.98, 0.5)}, 0.5);
  CHECK(out.growth == 0.3);
}

TEST_CASE("little growth does not excuse a worse prediction", "[fit][multi]") {
  const Candidate out = chosen({sum(2, -2, 0.8), sum(2, -1.9, 0.3)}, 0.01);
  CHECK(out.growth == 0.8);
}

TEST_CASE("the number of terms is that of the simplest good sum, whatever it grows",
          "[fit][multi]") {
  const Candidate out = chosen({sum(3, -2, 0.1), sum(2, -1.99, 0.6), sum(4, -1.99, 0)}, 0.5);
  CHECK(out.shape.terms == 2);
}

TEST_CASE("among sums that grow alike the simpler one is taken, then the one with the better score",
          "[fit][multi]") {
  const Candidate simpler =
      chosen({with_intercept(sum(2, -2, 0.3)), sum(2, -1.98, 0.31), sum(2, -1.99, 0.315)}, 0.5);
  CHECK_FALSE(simpler.shape.intercept);
  CHECK(simpler.score == -1.99);
  const Candidate slower = chosen({with_intercept(sum(2, -2, 0.3)), sum(2, -1.98, 0.33)}, 0.5);
  CHECK(slower.shape.intercept);
}

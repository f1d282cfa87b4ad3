#include "choice/term_choice.hpp"

#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::Index;

namespace {

/// A sum of width and workers: three constants a term.
Candidate sum(Index terms, double score) {
  Candidate out;
  out.shape.terms = terms;
  out.shape.plain_features = 3;
  out.shape.intercept = false;
  out.shape.log_powers.assign(static_cast<std::size_t>(terms), {0});
  out.log_errors = {score, score, score, score};
  out.score = score;
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

TEST_CASE("the simplest of equally good sums is taken, then the one with the better score",
          "[fit][multi]") {
  CHECK(chosen({sum(3, -2), sum(2, -1.99), sum(4, -1.99)}, 0.5).shape.terms == 2);
  const Candidate simpler = chosen({with_intercept(sum(2, -2)), sum(2, -1.98), sum(2, -1.99)}, 0.5);
  CHECK_FALSE(simpler.shape.intercept);
  CHECK(simpler.score == -1.99);
}

TEST_CASE("a simpler sum that predicts clearly worse is not taken", "[fit][multi]") {
  CHECK(chosen({sum(2, -2), sum(1, -1.9)}, 0.01).shape.terms == 2);
}

TEST_CASE("of sums with as many constants a power is preferred to 1 - 1/n", "[fit][multi]") {
  Candidate saturating = sum(2, -2);
  saturating.shape.saturations = {0};
  CHECK(chosen({saturating, sum(2, -1.99)}, 0.5).shape.saturations.empty());
}

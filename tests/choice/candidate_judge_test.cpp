#include "choice/term_choice.hpp"

#include "sums/sum_terms.hpp"
#include "sums/term_search.hpp"
#include "support/catch.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;

namespace {

/// Runs of a known sum, as a selection sees them.
struct Runs {
  test::SumRuns runs;
  FitOptions options;
  TermCoordinates coordinates{runs.spec, runs.design,
                              possible_step_factors(runs.spec, runs.design)};
  std::vector<Fold> folds = make_folds(coordinates, runs.spec, options.seed);
  SelectionTask task{coordinates, runs.spec, runs.design, options, folds};

  explicit Runs(std::size_t rows = 120, double noise = 0.05)
      : runs(test::sum_runs(rows, noise, 1)) {}

  Candidate sum(Eigen::Index terms, double ridge) const {
    Candidate out;
    out.shape = plain_shape(task, terms, true);
    out.shape.step_factors = {0};  // [gpus > 1]
    out.ridge = ridge;
    return out;
  }
};

void check_equal(const Candidate& a, const Candidate& b) {
  CHECK(a.shape.terms == b.shape.terms);
  CHECK(a.log_errors == b.log_errors);
  CHECK(a.score == b.score);
}

}  // namespace

TEST_CASE("more terms asked for later are judged as if asked for at once", "[fit][multi]") {
  const Runs runs;
  CandidateJudge step_by_step(runs.task);
  const std::vector<Candidate> one = step_by_step({runs.sum(1, 1e-4)});
  // Another family in between plays no part.
  const std::vector<Candidate> other = step_by_step({runs.sum(2, 1e-3)});
  const std::vector<Candidate> three = step_by_step({runs.sum(3, 1e-4)});
  const std::vector<Candidate> at_once = CandidateJudge(runs.task)({runs.sum(3, 1e-4)});
  REQUIRE(one.size() == 1);
  REQUIRE(other.size() == 2);
  REQUIRE(three.size() == 3);
  REQUIRE(at_once.size() == 3);
  check_equal(one[0], at_once[0]);
  for (std::size_t k = 0; k < 3; ++k)
    check_equal(three[k], at_once[k]);
  CHECK(other[1].log_errors != three[1].log_errors);
}

TEST_CASE("candidates of one family may be judged together", "[fit][multi]") {
  const Runs runs;
  CandidateJudge judge(runs.task);
  const std::vector<Candidate> together = judge({runs.sum(1, 1e-4), runs.sum(2, 1e-4)});
  REQUIRE(together.size() == 3);
  check_equal(together[0], together[1]);
  check_equal(together[2], CandidateJudge(runs.task)({runs.sum(2, 1e-4)}).back());
}

TEST_CASE("a judge tells the number of terms that made the runs from one that is too small",
          "[fit][multi]") {
  const Runs runs;
  const std::vector<Candidate> judged = CandidateJudge(runs.task)({runs.sum(2, 1e-4)});
  REQUIRE(judged.size() == 2);
  // The runs scatter by 5 %; with one term every time on several GPUs is off by far more.
  for (std::size_t f = 0; f < runs.folds.size(); ++f) {
    if (runs.folds[f].is_extrapolation())
      continue;
    CAPTURE(f, mean_error(judged[0].log_errors[f]), mean_error(judged[1].log_errors[f]));
    CHECK(mean_error(judged[1].log_errors[f]) < 0.5 * mean_error(judged[0].log_errors[f]));
  }
}

TEST_CASE(
    "a first look at some folds keeps what is better there, and leaves all errors as they are",
    "[fit][multi]") {
  const Runs runs;
  CandidateJudge judge(runs.task);
  const std::vector<Candidate> judged = judge({runs.sum(2, 1e-4)});
  // Two terms made the runs: two are better than one, and one is not better than itself.
  CHECK(judge.better_on({0, 1}, {runs.sum(1, 1e-3)}, judged[1]).empty());
  const std::vector<Candidate> better =
      judge.better_on({0, 1}, {runs.sum(1, 1e-4), runs.sum(2, 1e-5)}, judged[0]);
  REQUIRE(better.size() == 1);
  CHECK(better[0].ridge == 1e-5);
  // Another ridge starts from the fits under the first: both judges know these.
  CandidateJudge without_look(runs.task);
  without_look({runs.sum(2, 1e-4)});
  check_equal(judge({runs.sum(2, 1e-5)}).back(), without_look({runs.sum(2, 1e-5)}).back());
}

TEST_CASE("a search whose laggards stop, and one from a path under another ridge, take less work",
          "[fit][multi]") {
  const Runs runs;
  const SumShape shape = runs.sum(2, 1e-4).shape;
  const TermData data = runs.coordinates.data(shape);
  const auto path_of = [&](bool laggards_stop, double ridge, const std::vector<SumFit>& like) {
    TermSearchOptions options;
    options.starts = 4;
    options.laggards_stop = laggards_stop;
    options.ridge = ridge;
    std::vector<SumFit> path;
    extend_path(data, shape, options, path, like);
    REQUIRE(path.size() == 2);
    return path;
  };
  const std::vector<SumFit> whole = path_of(false, 1e-4, {});
  const std::vector<SumFit> shorter = path_of(true, 1e-4, {});
  CHECK(shorter[1].evaluations < whole[1].evaluations);
  CHECK(shorter[1].cost == Catch::Approx(whole[1].cost).epsilon(1e-3));
  const std::vector<SumFit> alone = path_of(false, 1e-3, {});
  const std::vector<SumFit> warm = path_of(false, 1e-3, whole);
  CHECK(warm[1].evaluations < alone[1].evaluations / 2);
  CHECK(warm[1].cost == Catch::Approx(alone[1].cost).epsilon(1e-3));
  // The path that is known already stays.
  std::vector<SumFit> known = alone;
  extend_path(data, shape, {}, known, whole);
  CHECK(known[1].theta == alone[1].theta);
}

TEST_CASE("the error of a fold is that of its fit on the rows that it holds out", "[fit][multi]") {
  const Runs runs(40, 0.5);
  CandidateJudge judge(runs.task);
  const Candidate sum = judge({runs.sum(4, 1e-6)}).back();
  for (std::size_t f = 0; f < runs.folds.size(); ++f) {
    const TermData held_out = take_rows(runs.coordinates.data(sum.shape), runs.folds[f].held_out);
    const Eigen::VectorXd predicted =
        evaluate_sum(held_out, sum.shape, judge.fit_in(sum, f).theta).total;
    const double error =
        (predicted.array() / held_out.time.array()).log().abs().min(kLargestError).mean();
    CHECK(mean_error(sum.log_errors[f]) == Catch::Approx(error));
  }
}

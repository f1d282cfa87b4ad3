#include "choice/term_choice.hpp"

#include "support/catch.hpp"

using namespace perfmodel;

namespace {

/// Four random parts, then as many far ends as there are further errors.
std::vector<Fold> folds_of(std::size_t extrapolation_folds) {
  std::vector<Fold> folds(4 + extrapolation_folds);
  for (std::size_t f = 4; f < folds.size(); ++f)
    folds[f].scale = 0;
  return folds;
}

Candidate with_errors(std::vector<double> log_errors) {
  Candidate out;
  out.log_errors = std::move(log_errors);
  return out;
}

}  // namespace

TEST_CASE("a model is as good where its errors are within a standard error", "[fit][multi]") {
  const auto folds = folds_of(0);
  const Candidate best = with_errors({-2, -2, -2, -2});
  CHECK(as_good_as(folds, best, best));
  // Mean difference 0.05; deviations of 0.1 in four folds make a standard error of 0.058.
  CHECK(as_good_as(folds, with_errors({-2.05, -1.85, -2.05, -1.85}), best));
  CHECK_FALSE(as_good_as(folds, with_errors({-1.96, -1.94, -1.96, -1.94}), best));
}

TEST_CASE("scattered far ends do not excuse a loss within the range", "[fit][multi]") {
  const auto folds = folds_of(3);
  const Candidate best = with_errors({-2, -2, -2, -2, -1, -1, -1});
  const Candidate worse = with_errors({-1.9, -1.91, -1.9, -1.89, 0.5, -2.2, -1.5});
  CHECK_FALSE(as_good_as(folds, worse, best));
  CHECK(as_good_as(folds, with_errors({-2, -2, -2, -2, 0.5, -2.2, -1.5}), best));
  CHECK_FALSE(as_good_as(folds, with_errors({-2.5, -2.5, -2.5, -2.5, -0.9, -0.91, -0.9}), best));
}

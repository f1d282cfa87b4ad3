#include "compare/comparison.hpp"

#include <vector>

#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using perfmodel::test::Framework;

namespace {

double test_mape(const Regressor& model) {
  const auto training = test::paper_runs(Framework::mxnet, 600, 0, 1);
  const auto further = test::paper_runs(Framework::mxnet, 200, 0, 2);
  const LearnedTimes learned = model.fit(training.design);
  return compute_metrics(further.design.time, learned.predict(further.design)).mape_percent;
}

}  // namespace

TEST_CASE("an expression is a regressor that shows its constants", "[whole-fits]") {
  const auto runs = test::paper_runs(Framework::mxnet, 300, 0, 1);
  const Regressor model = make_expression("ours", runs.spec, {});
  CHECK(model.name == "ours");
  CHECK(test_mape(model) < 0.1);
  const LearnedTimes learned = model.fit(runs.design);
  REQUIRE(learned.expression != nullptr);
  CHECK(learned.expression->constants.size() == 25);
}

TEST_CASE("black boxes learn a smooth function of many columns", "[dlib]") {
  if (!has_black_boxes()) {
    CHECK(make_random_forest(1).fit == nullptr);
    CHECK(make_support_vectors(NumericForm::plain).fit == nullptr);
    return;
  }
  const Regressor forest = make_random_forest(1);
  CHECK(forest.name == "random forest");
  CHECK(test_mape(forest) < 5);
  const auto some = test::paper_runs(Framework::mxnet, 50, 0, 1);
  CHECK(forest.fit(some.design).expression == nullptr);
  CHECK(test_mape(make_support_vectors(NumericForm::logarithmic)) < 5);
  CHECK(test_mape(make_support_vectors(NumericForm::plain)) < 20);
  // A forest depends on its seed alone.
  CHECK(test_mape(make_random_forest(3)) == test_mape(make_random_forest(3)));
  CHECK(test_mape(make_random_forest(3)) != test_mape(make_random_forest(4)));
}

TEST_CASE("black boxes but the plain SVR count errors as ratios of times", "[dlib]") {
  if (!has_black_boxes()) {
    CHECK(make_support_vectors(NumericForm::logarithmic).fit == nullptr);
    return;
  }
  // Of ln(time), what is learned from 1 / t is 1 / what is learned from t.
  const std::vector<Regressor> models = {make_random_forest(1),
                                         make_support_vectors(NumericForm::logarithmic)};
  auto runs = test::paper_runs(Framework::mxnet, 100, 0, 1);
  for (const Regressor& model : models) {
    const Eigen::VectorXd times = model.fit(runs.design).predict(runs.design);
    auto inverted = runs.design;
    inverted.time = inverted.time.cwiseInverse();
    const Eigen::VectorXd product = times.cwiseProduct(model.fit(inverted).predict(inverted));
    CAPTURE(model.name);
    // SVR stops at a tolerance, and trees choose among equal splits by rounding.
    CHECK((product.array() - 1).abs().maxCoeff() < 0.02);
  }
}

TEST_CASE("gradient boosting learns a smooth function of many columns") {
  if (!has_gradient_boosting()) {
    CHECK(make_gradient_boosting(1).fit == nullptr);
    return;
  }
  const Regressor boosting = make_gradient_boosting(1);
  CHECK(boosting.name == "gradient boosting");
  const auto some = test::paper_runs(Framework::mxnet, 50, 0, 1);
  CHECK(boosting.fit(some.design).expression == nullptr);
  const double mape = test_mape(boosting);
  CHECK(mape < 4);  // a forest of as many rows stays below 5
  CHECK(test_mape(make_gradient_boosting(1)) == mape);
}

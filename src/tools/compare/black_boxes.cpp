#include "compare/comparison.hpp"

// The only file that includes dlib, which is slow to compile and optional.

#ifdef PERFMODEL_WITH_DLIB

#include <dlib/random_forest.h>
#include <dlib/svm.h>

namespace perfmodel {
namespace {

using Eigen::Index;
using Sample = dlib::matrix<double, 0, 1>;

std::vector<Sample> samples_of(const Eigen::MatrixXd& rows) {
  std::vector<Sample> samples;
  for (Index r = 0; r < rows.rows(); ++r) {
    Sample sample(rows.cols());
    for (Index c = 0; c < rows.cols(); ++c)
      sample(c) = rows(r, c);
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<double> list_of(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

template <class Function>
Eigen::VectorXd evaluate(const Function& function, const Eigen::MatrixXd& rows) {
  const std::vector<Sample> samples = samples_of(rows);
  Eigen::VectorXd out(rows.rows());
  for (Index r = 0; r < out.size(); ++r)
    out[r] = function(samples[static_cast<std::size_t>(r)]);
  return out;
}

}  // namespace

Regressor make_random_forest(std::uint64_t seed) {
  const auto learn = [seed](const Design& training) -> LearnedTimes {
    dlib::random_forest_regression_trainer<dlib::dense_feature_extractor> trainer;
    trainer.set_num_trees(100);
    trainer.set_feature_subsampling_fraction(1);  // dlib's own default is 1/3
    trainer.set_min_samples_per_leaf(1);          // dlib's own default is 5
    trainer.set_seed(std::to_string(seed));
    const Eigen::MatrixXd features = one_hot_features(training, NumericForm::plain);
    const FeatureUnits units = float_units(features);
    const auto forest =
        trainer.train(samples_of(units(features)), list_of(training.time.array().log()));
    return {[units, forest](const Design& design) -> Eigen::VectorXd {
      return evaluate(forest, units(one_hot_features(design, NumericForm::plain))).array().exp();
    }};
  };
  return {"random forest", learn};
}

Regressor make_support_vectors(NumericForm form) {
  const bool plain = form == NumericForm::plain;
  const auto learn = [form, plain](const Design& training) -> LearnedTimes {
    using Kernel = dlib::radial_basis_kernel<Sample>;
    const auto features = [form, zero_units = zero_units_of(training)](const Design& design) {
      return one_hot_features(design, form, zero_units);
    };
    const FeatureUnits standardise = standard_units(features(training));
    const Eigen::MatrixXd rows = standardise(features(training));
    Eigen::VectorXd response = training.time;
    double offset = 0;
    double scale = 1;
    if (!plain) {
      response = response.array().log();
      offset = response.mean();
      const double spread = std::sqrt((response.array() - offset).square().mean());
      scale = spread > 0 ? spread : 1;
      response = (response.array() - offset) / scale;
    }
    const double variance = (rows.array() - rows.mean()).square().mean();
    const double columns = static_cast<double>(rows.cols());
    dlib::svr_trainer<Kernel> trainer;
    trainer.set_kernel(Kernel(1 / (columns * (variance > 0 ? variance : 1))));
    trainer.set_c(1);
    trainer.set_epsilon_insensitivity(0.1);
    trainer.set_epsilon(1e-3);  // of the solver, as tol of scikit-learn
    const auto function = trainer.train(samples_of(rows), list_of(response));
    return {[=](const Design& design) -> Eigen::VectorXd {
      const Eigen::VectorXd found = evaluate(function, standardise(features(design)));
      if (plain)
        return found;
      return (offset + scale * found.array()).exp();
    }};
  };
  return {plain ? "SVR" : "SVR of log time", learn};
}

}  // namespace perfmodel

#else

namespace perfmodel {

Regressor make_random_forest(std::uint64_t /*seed*/) {
  return {};
}

Regressor make_support_vectors(NumericForm /*form*/) {
  return {};
}

}  // namespace perfmodel

#endif

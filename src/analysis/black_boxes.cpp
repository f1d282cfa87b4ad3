#include "analysis/comparison.hpp"

// The only file that includes dlib, which is slow to compile and optional.

#ifdef PERFMODEL_WITH_DLIB

#include <dlib/random_forest.h>
#include <dlib/svm.h>

#include "analysis/comparison.hpp"

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

class RandomForest final : public Regressor {
 public:
  explicit RandomForest(std::uint64_t seed) : seed_(seed) {}

  std::string name() const override { return "random forest"; }

  void fit(const Design& training) override {
    dlib::random_forest_regression_trainer<dlib::dense_feature_extractor> trainer;
    trainer.set_num_trees(100);
    trainer.set_feature_subsampling_fraction(1);  // dlib's own default is 1/3
    trainer.set_min_samples_per_leaf(1);          // dlib's own default is 5
    trainer.set_seed(std::to_string(seed_));
    const Eigen::MatrixXd features = one_hot_features(training, NumericForm::plain);
    units_ = FloatUnits(features);
    forest_ = trainer.train(samples_of(units_(features)), list_of(training.time.array().log()));
  }

  Eigen::VectorXd predict(const Design& design) const override {
    return evaluate(forest_, units_(one_hot_features(design, NumericForm::plain))).array().exp();
  }

 private:
  std::uint64_t seed_;
  FloatUnits units_;
  dlib::random_forest_regression_function<dlib::dense_feature_extractor> forest_;
};

class SupportVectors final : public Regressor {
 public:
  explicit SupportVectors(SvrTarget target) : target_(target) {}

  std::string name() const override {
    return target_ == SvrTarget::time ? "SVR" : "SVR of log time";
  }

  void fit(const Design& training) override {
    zero_units_ = zero_units_of(training);
    standardise_ = Standardiser(features(training));
    const Eigen::MatrixXd rows = standardise_(features(training));
    Eigen::VectorXd response = training.time;
    if (target_ == SvrTarget::log_time) {
      response = response.array().log();
      offset_ = response.mean();
      const double spread = std::sqrt((response.array() - offset_).square().mean());
      scale_ = spread > 0 ? spread : 1;
      response = (response.array() - offset_) / scale_;
    }
    const double variance = (rows.array() - rows.mean()).square().mean();
    const double columns = static_cast<double>(rows.cols());
    dlib::svr_trainer<Kernel> trainer;
    trainer.set_kernel(Kernel(1 / (columns * (variance > 0 ? variance : 1))));
    trainer.set_c(1);
    trainer.set_epsilon_insensitivity(0.1);
    trainer.set_epsilon(1e-3);  // of the solver, as tol of scikit-learn
    function_ = trainer.train(samples_of(rows), list_of(response));
  }

  Eigen::VectorXd predict(const Design& design) const override {
    const Eigen::VectorXd response = evaluate(function_, standardise_(features(design)));
    if (target_ == SvrTarget::time)
      return response;
    return (offset_ + scale_ * response.array()).exp();
  }

 private:
  using Kernel = dlib::radial_basis_kernel<Sample>;

  SvrTarget target_;
  std::vector<double> zero_units_;
  Standardiser standardise_;
  double offset_ = 0;
  double scale_ = 1;
  dlib::decision_function<Kernel> function_;

  Eigen::MatrixXd features(const Design& design) const {
    return one_hot_features(
        design, target_ == SvrTarget::time ? NumericForm::plain : NumericForm::logarithmic,
        zero_units_);
  }
};

}  // namespace

bool has_black_boxes() {
  return true;
}

std::unique_ptr<Regressor> make_random_forest(std::uint64_t seed) {
  return std::make_unique<RandomForest>(seed);
}

std::unique_ptr<Regressor> make_support_vectors(SvrTarget target) {
  return std::make_unique<SupportVectors>(target);
}

}  // namespace perfmodel

#else

namespace perfmodel {

bool has_black_boxes() {
  return false;
}

std::unique_ptr<Regressor> make_random_forest(std::uint64_t /*seed*/) {
  return nullptr;
}

std::unique_ptr<Regressor> make_support_vectors(SvrTarget /*target*/) {
  return nullptr;
}

}  // namespace perfmodel

#endif

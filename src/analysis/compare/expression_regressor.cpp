#include "analysis/compare/regressor.hpp"
#include "fit/fit.hpp"

namespace perfmodel {
namespace {

class ExpressionRegressor final : public Regressor {
 public:
  ExpressionRegressor(std::string name, const ModelSpec& spec, const FitOptions& options)
      : name_(std::move(name)), spec_(spec), options_(options) {}

  std::string name() const override { return name_; }
  void fit(const Design& training) override { model_ = perfmodel::fit(spec_, training, options_); }
  Eigen::VectorXd predict(const Design& design) const override {
    return perfmodel::predict(model_, design);
  }
  const FittedModel* expression() const override { return &model_; }

 private:
  std::string name_;
  ModelSpec spec_;
  FitOptions options_;
  FittedModel model_;
};

}  // namespace

std::unique_ptr<Regressor> make_expression(std::string name, const ModelSpec& spec,
                                           const FitOptions& options) {
  return std::make_unique<ExpressionRegressor>(std::move(name), spec, options);
}

}  // namespace perfmodel

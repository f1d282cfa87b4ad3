// Fits measured runs, predicts one configuration, says how the time scales and saves the model.
#include <fstream>
#include <iostream>

#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"

int main(int argc, char** argv) try {
  using namespace perfmodel;
  if (argc < 4)
    throw UsageError("usage: first_model RUNS.csv MODEL.json COLUMN=VALUE ...");
  const FitOutcome outcome = fit_runs(read_runs(argv[1]));
  const FittedModel& model = outcome.model;
  for (const std::string& warning : outcome.warnings)
    std::cerr << "warning: " << warning << "\n";
  for (const Warning& warning : model.warnings)
    std::cerr << "warning: " << warning.message << "\n";

  const auto set = configurations_of_settings({argv + 3, argv + argc}, model, central_base(model));
  const auto times = predict(model, make_design(set.table, model.spec, Target::absent));
  std::cout << model.spec.target << " = " << times[0] << " " << model.spec.unit << "\n";
  for (std::size_t k = 0; k < model.spec.extrinsic.size(); ++k)
    std::cout << "~ " << model.spec.extrinsic[k].column << "^" << scaling_powers(model)[k] << "\n";
  std::ofstream(argv[2]) << to_json(model);
} catch (const std::exception& error) {
  std::cerr << "first_model: " << error.what() << "\n";
  return 1;
}

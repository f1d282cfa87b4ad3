#include "support/sample_runs.hpp"
#include "support/runs_text.hpp"

#include <cmath>

#include "base/text.hpp"

namespace perfmodel::test {

std::string sample_runs() {
  std::string text = "filters,activation,workers,time_s\n";
  for (const double filters : {4, 8, 16, 32, 64, 128}) {
    for (const double workers : {1, 2, 4, 8}) {
      for (const std::string activation : {"relu", "tanh"}) {
        const double level = activation == "relu" ? 0.1 : 0.4;
        const double time = (0.01 * std::pow(filters, 1.5) + level) * std::pow(workers, -0.5) + 0.2;
        text += csv_row(filters, activation, workers, time);
      }
    }
  }
  return text;
}

std::string sample_model() {
  return R"({
  "schema": "perfmodel/model",
  "schema_version": 1,
  "expression": {
    "form": "generic",
    "formula": "t = (a_filters*filters^p_filters + a_activation) * workers^q_workers + C"
  },
  "target": {"column": "time_s", "unit": "s"},
  "constants": {
    "intrinsic": [{"column": "filters", "a": 0.5, "p": 2, "range": [1, 8]}],
    "categorical": [
      {
        "column": "activation",
        "levels": [{"level": "relu", "a": 0.25}, {"level": "tanh", "a": 0.75}]
      }
    ],
    "extrinsic": [{"column": "workers", "q": -1, "range": [1, 4]}],
    "C": 0.125
  },
  "scaling_powers": {"workers": -1},
  "metrics": {
    "train": {
      "rows": 32,
      "mae": 0.001,
      "mape_percent": 2.5,
      "smape_percent": 2.4,
      "mse": 1e-06,
      "rmse": 0.001,
      "r2": 0.99
    },
    "validation": null,
    "test": null
  },
  "noise_floor": null,
  "uncertainty": null,
  "repeats": null,
  "search": {
    "method": "scaled",
    "loss": "mae",
    "penalty": {"l1": 0, "l2": 0.001},
    "seed": 18446744073709551615,
    "strategy": "best1bin",
    "starts": 4,
    "population": 40,
    "generations": 100,
    "evaluations": 4040,
    "termination": "converged",
    "polish_gain": 0.01,
    "gap": 0,
    "cost": 0.001
  },
  "warnings": [{"kind": "negligible_term", "constant": "", "message": "few rows, \"quoted\" é"}],
  "provenance": {
    "tool": "perfmodel 0.1.0",
    "data": {"file": "runs.csv", "rows": 32, "sha256": "", "notices": []}
  }
}
)";
}

}  // namespace perfmodel::test

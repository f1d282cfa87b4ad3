#pragma once

#include <string>
#include <vector>

#include "perfmodel/model/columns/facts/factor.hpp"

namespace perfmodel {

/// A column that nobody named and that is no input of a model.
struct LeftOut {
  enum class Because {
    result,      ///< the runs had it as a result beside the time: "samples_per_s"
    identity,    ///< other columns give it: "global_batch" beside "local_batch" and "num_gpus"
    repetition,  ///< it numbers repetitions: "trial"
    label,       ///< it names runs: a date, a path, an id
    constant,    ///< it has one value in every row
  };

  std::string column;
  Because because = Because::result;
  std::string identity;              ///< "num_gpus * local_batch"; empty where there is none
  std::vector<Factor> factors = {};  ///< of a product that gives this one
  std::string value = {};            ///< of a constant; a cell may be blank
};

}  // namespace perfmodel

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/documents/gates_json.hpp"
#include "io/model/model_set.hpp"

namespace perfmodel {

/// What the models of a set are worth on measured runs.
struct EvaluationsDocument {
  std::string model_file;
  std::string runs_file;
  std::string runs_sha256;           ///< of the bytes of the file
  const ModelSet* judged = nullptr;  ///< metrics.train of a line's model are those of the runs

  /// Of a set with a total: the sum of its parts on all runs that are of it.
  struct Share {
    double percent = 0;
    std::size_t without = 0;  ///< parts that have no model
  };
  std::optional<Share> total;
  std::vector<GateDocument> gates;
};

/// Schema perfmodel/evaluations; ends with a newline.
std::string evaluations_to_json(const EvaluationsDocument& report);

}  // namespace perfmodel

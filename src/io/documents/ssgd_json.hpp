#pragma once

#include <optional>
#include <string>

#include "analysis/ssgd/study.hpp"
#include "analysis/ssgd/timeline.hpp"

namespace perfmodel {

/// What a study of an S-SGD iteration was asked and says (schema perfmodel/ssgd, version 1).
struct SsgdDocument {
  const ssgd::Profile& profile;
  const ssgd::StudyRequest& request;
  const ssgd::Study& study;
  std::string file;           ///< base name of the layers
  std::string message_times;  ///< where the times of messages come from
  std::optional<ssgd::LatencyFit> latency_fit;
  std::optional<double> batch;           ///< samples per worker
  std::vector<std::string> own_designs;  ///< whole sentences: what is not the authors' formula
};

/// Ends with a newline.
std::string to_json(const SsgdDocument& document);

}  // namespace perfmodel

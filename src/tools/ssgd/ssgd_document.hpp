#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/document.hpp"
#include "report/documents.hpp"
#include "ssgd/ssgd.hpp"

namespace perfmodel {

/// Request and result of a study of an S-SGD iteration.
struct SsgdDocument {
  const ssgd::Profile& profile = kSample<ssgd::Profile>;
  const ssgd::StudyRequest& request = kSample<ssgd::StudyRequest>;
  const ssgd::Study& study = kSample<ssgd::Study>;
  std::string file;           ///< base name of the layers
  std::string message_times;  ///< source of the message times
  std::optional<ssgd::LatencyFit> latency_fit;
  std::optional<double> batch;           ///< samples per worker
  std::vector<std::string> own_designs;  ///< sentences on what differs from the authors' formula
};

void describe(Fields& f, const SsgdDocument& x);

}  // namespace perfmodel

namespace perfmodel::cli {

/// The output of `ssgd`, followed by a text drawing of `timeline` unless null; as CSV, only the
/// schedules. `width`: columns of the terminal.
std::string formatted(const SsgdDocument& document, OutputFormat format,
                      const ssgd::Timeline* timeline, std::optional<std::size_t> width);

/// Full sentences that name the parts of the study that are this program's design rather than
/// formulas of the model's authors.
std::vector<std::string> own_designs(const ssgd::Profile& profile,
                                     const ssgd::StudyRequest& request,
                                     const std::optional<ssgd::Aggregation>& aggregation);

}  // namespace perfmodel::cli

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/output_format.hpp"
#include "io/documents/ssgd_json.hpp"

namespace perfmodel::cli {

/// What ssgd prints, with a picture in characters at its end where it is not empty; as CSV the
/// schedules alone.
std::string formatted(const SsgdDocument& document, OutputFormat format,
                      const std::string& picture);

/// Whole sentences: what of this study is our own design rather than a formula of the authors of
/// the model.
std::vector<std::string> own_designs(const ssgd::Profile& profile,
                                     const ssgd::StudyRequest& request,
                                     const std::optional<ssgd::Aggregation>& aggregation);

}  // namespace perfmodel::cli

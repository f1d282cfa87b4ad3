#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ssgd/timeline.hpp"
#include "cli/options/output_format.hpp"
#include "io/documents/ssgd_json.hpp"

namespace perfmodel::cli {

/// What ssgd prints, with a picture of the timeline in characters at its end where there is one; as
/// CSV the schedules alone. `width` is that of the terminal that shows it.
std::string formatted(const SsgdDocument& document, OutputFormat format,
                      const ssgd::Timeline* timeline, std::optional<std::size_t> width);

/// Whole sentences: what of this study is our own design rather than a formula of the authors of
/// the model.
std::vector<std::string> own_designs(const ssgd::Profile& profile,
                                     const ssgd::StudyRequest& request,
                                     const std::optional<ssgd::Aggregation>& aggregation);

}  // namespace perfmodel::cli

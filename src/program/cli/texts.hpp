#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/model.hpp"
#include "report/document.hpp"
#include "report/documents.hpp"
#include "ssgd/ssgd.hpp"

namespace perfmodel::cli {

/// The output of `evaluate`.
std::string formatted(const EvaluationDocument& report, const FittedModel& model,
                      OutputFormat format);

/// "left out, since ...: 5 rows, line 9, 10, 11, 12 and 13"
std::string words_of_left_out(const ScalingDocument& document);

/// The output of `scaling`; as CSV, only the rows. `width`: columns of the terminal. Throws
/// InputError for figures that are not finite.
std::string formatted(const ScalingDocument& document, OutputFormat format,
                      std::optional<std::size_t> width);

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

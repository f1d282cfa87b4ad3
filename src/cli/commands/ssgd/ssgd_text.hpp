#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/documents/ssgd_json.hpp"

namespace perfmodel::cli {

/// The tables for people.
std::string ssgd_report(const SsgdDocument& document);

/// Whole sentences: what of this study is our own design rather than a formula of the authors of
/// the model.
std::vector<std::string> own_designs(const ssgd::Profile& profile,
                                     const ssgd::StudyRequest& request,
                                     const std::optional<ssgd::Aggregation>& aggregation);

}  // namespace perfmodel::cli

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/output_format.hpp"
#include "perfmodel/analysis/compare/comparison.hpp"

namespace perfmodel::cli {

/// Everything a comparison has to say, files and models in their order.
struct CompareDocument {
  const std::vector<Provenance>& data;
  const std::vector<ModelScore>& scores;
  std::string unit;                    ///< of the times; empty where the files differ
  std::optional<std::size_t> width{};  ///< of the terminal that shows it
};

/// Text and Markdown: errors per file on the rows that judge, and the scaling powers side by side;
/// JSON and CSV: all parts.
std::string formatted(const CompareDocument& report, OutputFormat format);

}  // namespace perfmodel::cli

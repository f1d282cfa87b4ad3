#pragma once

#include <string>

namespace perfmodel::cli {

class OptionSet;

enum class OutputFormat { text, json, csv, md };

/// `--format text|json|csv|md`.
void add_format(OptionSet& app, OutputFormat& format, const std::string& description);

}  // namespace perfmodel::cli

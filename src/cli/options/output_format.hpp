#pragma once

#include <string>

namespace CLI {
class App;
}

namespace perfmodel::cli {

enum class OutputFormat { text, json, csv, md };

/// `--format text|json|csv|md`.
void add_format(CLI::App& app, OutputFormat& format, const std::string& description);

}  // namespace perfmodel::cli

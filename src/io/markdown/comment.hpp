#pragma once

#include <string>

#include "analysis/page/content.hpp"

namespace perfmodel {

/// The answers of the page as Markdown, short enough for a comment. Names from files cannot become
/// markup.
std::string report_markdown(const page::Content& content, const std::string& title);

}  // namespace perfmodel

#pragma once

#include <string>
#include <vector>

#include "io/figures/markup_reader.hpp"
#include "io/figures/style_rules.hpp"

namespace perfmodel::figures {

/// A page of PDF with the lines, paths, rectangles, circles and texts of a figure, of which the
/// first element is the <svg> and has a viewBox from 0 0. Its texts are set in Helvetica, which
/// every reader has; what that lacks becomes a question mark.
std::string pdf_of(const std::vector<MarkupElement>& elements, const StyleRules& rules);

}  // namespace perfmodel::figures

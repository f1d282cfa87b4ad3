#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perfmodel::cli {

/// A text without line ends in lines of at most `width`, cut at blanks; those after the first begin
/// with `indentation` blanks. A word that is longer stays whole.
std::vector<std::string> lines_within(const std::string& text, std::size_t width,
                                      std::size_t indentation);

/// Whole lines, those that are longer than `width` in several: what goes on stands two blanks
/// further in than its beginning.
std::string paragraphs_within(const std::string& lines, std::size_t width);

}  // namespace perfmodel::cli

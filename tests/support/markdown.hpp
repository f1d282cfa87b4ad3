#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace perfmodel::test {

/// The lines of a text, without their line feeds.
std::vector<std::string> lines_of(const std::string& text);
std::string joined(const std::vector<std::string>& lines);

/// How often a part stands in a text.
std::size_t occurrences(const std::string& text, const std::string& part);

/// A block between two lines of ```.
struct FencedBlock {
  std::string language;   ///< what stands behind the opening ```
  std::size_t first = 0;  ///< index of its first line within the page
  std::vector<std::string> lines;
};

std::vector<FencedBlock> fenced_blocks(const std::vector<std::string>& page);

/// Targets of the links and pictures of a page, as written; what stands in code is none.
std::vector<std::string> link_targets(const std::vector<std::string>& page);

/// What a '#...' can point to: the headings, in the way of GitHub.
std::set<std::string> heading_anchors(const std::vector<std::string>& page);

}  // namespace perfmodel::test

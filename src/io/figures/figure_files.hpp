#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::figures {

/// A figure for papers and slides.
struct FigureFile {
  std::string name;  ///< "parity", without an ending
  std::string svg;   ///< a document of its own
};

/// The figures of a page that report_html() wrote, as they are drawn there, on light paper.
std::vector<FigureFile> figures_of_page(std::string_view page);

}  // namespace perfmodel::figures

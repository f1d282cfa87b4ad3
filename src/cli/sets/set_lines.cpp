#include "cli/sets/set_lines.hpp"

#include <fstream>

namespace perfmodel::cli {

void SetLines::for_each(const std::function<void(const ModelSetLine&)>& visit) const {
  if (set_ != nullptr) {
    for (const ModelSetLine& line : set_->lines)
      visit(line);
    return;
  }
  std::ifstream file(path_, std::ios::binary);
  std::string text;
  std::getline(file, text);  // the header
  for (std::size_t number = 2; std::getline(file, text); ++number)
    visit(parse_set_line(place_of_line(path_, number), text, header_));
}

}  // namespace perfmodel::cli

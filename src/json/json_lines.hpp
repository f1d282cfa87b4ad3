#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace perfmodel {

/// One document of a file that has one per line.
struct JsonLine {
  std::size_t number = 0;  ///< from 1
  std::string_view text;   ///< without its newline
};

struct JsonLines {
  std::vector<JsonLine> lines;  ///< whole ones
  std::string_view torn;        ///< what stands behind the last newline: a write that was cut short
};

/// The lines of `bytes`, which live as long as any of them; whether they are JSON, nobody looks.
JsonLines json_lines(std::string_view bytes);

}  // namespace perfmodel

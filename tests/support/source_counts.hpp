#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace perfmodel::test {

/// A function or a struct whose definition spans lines of a source in the layout of .clang-format.
struct Definition {
  std::string name;
  std::size_t lines = 0;    ///< from the first line of its signature to its closing brace
  std::size_t members = 0;  ///< of a struct or class: its data members, nested types not counted
};

struct Definitions {
  std::vector<Definition> functions;
  std::vector<Definition> types;
};

/// The definitions at namespace scope and within types.
Definitions definitions_of(const std::vector<std::string>& source);

/// How many lines define a constant: "constexpr double kNAME".
std::size_t constants_of(const std::vector<std::string>& source);

}  // namespace perfmodel::test

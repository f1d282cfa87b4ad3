#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"

namespace perfmodel::test {

/// A table as people write it, and the plain table that it stands for.
struct GeneratedTable {
  std::string text;                             ///< the file
  std::vector<std::string> names;               ///< of the columns
  std::vector<std::vector<std::string>> cells;  ///< per run
};

/// Tables of two to five columns and 4 to 12 runs: aligned by blanks, to the left or right, with
/// single blanks and wide gaps; of Markdown; with tabs, commas and semicolons. Their numbers go
/// over up to eight decades. Some have titles, notes below, units in the names or in a line below
/// them, a row of totals, blank cells, runs out of memory, texts with blanks, or a row index.
GeneratedTable generated_table(RandomStream& random);

}  // namespace perfmodel::test

#include "fit/eq4/space/many_levels.hpp"

namespace perfmodel {

std::optional<std::size_t> column_of_many_levels(const Design& design) {
  std::optional<std::size_t> out;
  std::size_t most = kManyLevels - 1;
  for (std::size_t c = 0; c < design.categorical.size(); ++c) {
    if (design.categorical[c].levels <= most)
      continue;
    most = design.categorical[c].levels;
    out = c;
  }
  return out;
}

}  // namespace perfmodel

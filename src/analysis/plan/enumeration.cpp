#include "analysis/plan/enumeration.hpp"

namespace perfmodel::plan {

void for_each_configuration(const Space& space,
                            const std::function<void(const Configuration&)>& visit) {
  const std::size_t columns = space.columns.size();
  std::vector<std::size_t> digits(columns, 0);
  Configuration configuration(columns);
  while (true) {
    for (std::size_t c = 0; c < columns; ++c) {
      const SpaceColumn& column = space.columns[c];
      configuration[c] =
          column.is_text() ? static_cast<double>(digits[c]) : column.values[digits[c]];
    }
    visit(configuration);
    std::size_t c = columns;
    while (c > 0 && ++digits[c - 1] == space.columns[c - 1].choices())
      digits[--c] = 0;
    if (c == 0)
      return;
  }
}

}  // namespace perfmodel::plan

#include "base/problem_list.hpp"

namespace perfmodel {

std::string ProblemList::text() const {
  std::string result;
  for (const auto& [place, problem] : first_)
    result += (result.empty() ? "" : "\n") + problem;
  if (count_ > first_.size())
    result += "\n... and " + std::to_string(count_ - first_.size()) + " more";
  return result;
}

}  // namespace perfmodel

#include "optimise/lad/kinks.hpp"

#include <algorithm>

namespace perfmodel::optimise {

std::vector<Kink>::iterator run_through(std::vector<Kink>& kinks, double slope) {
  auto first = kinks.begin();
  auto last = kinks.end();
  while (first != last) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, [](const Kink& a, const Kink& b) { return a.at < b.at; });
    double before = slope;
    for (auto k = first; k != middle; ++k)
      before += k->rise;
    if (before >= 0) {
      last = middle;
    } else if (before + middle->rise >= 0) {
      return middle;
    } else {
      slope = before + middle->rise;
      first = middle + 1;
    }
  }
  return kinks.end();
}

}  // namespace perfmodel::optimise

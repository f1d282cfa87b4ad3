#include "io/large/line_sample.hpp"

#include <algorithm>
#include <utility>

namespace perfmodel {
namespace {

/// Steele, Lea and Flood (2014): a bijection that leaves no pattern of the places.
std::uint64_t scattered(std::uint64_t place) {
  place += 0x9e3779b97f4a7c15U;
  place = (place ^ (place >> 30)) * 0xbf58476d1ce4e5b9U;
  place = (place ^ (place >> 27)) * 0x94d049bb133111ebU;
  return place ^ (place >> 31);
}

}  // namespace

void LineSample::add(std::string_view lines, std::uint64_t offset) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      ++filled_;
      const std::uint64_t hash = scattered(scattered(seed_) ^ offset);
      if (hash < least_refused_)
        keep({hash, lines_, std::string(line.ends_with('\r') ? line.substr(0, end - 1) : line)});
    }
    const std::size_t whole = std::min(end + 1, lines.size());
    lines.remove_prefix(whole);
    offset += whole;
    ++lines_;
  }
}

void LineSample::keep(Line line) {
  kept_.push_back(std::move(line));
  if (kept_.size() >= 2 * size_ + 1)
    shrink();
}

void LineSample::shrink() {
  if (kept_.size() <= size_)
    return;
  const auto first_refused = kept_.begin() + static_cast<std::ptrdiff_t>(size_);
  std::nth_element(kept_.begin(), first_refused, kept_.end(),
                   [](const Line& a, const Line& b) { return a.hash < b.hash; });
  least_refused_ = first_refused->hash;
  kept_.erase(first_refused, kept_.end());
}

void LineSample::append(const LineSample& next) {
  for (Line line : next.kept_) {
    line.number += lines_;
    if (line.hash < least_refused_)
      keep(std::move(line));
  }
  lines_ += next.lines_;
  filled_ += next.filled_;
}

std::vector<LineSample::Line> LineSample::drawn() const {
  LineSample out = *this;
  out.shrink();
  std::sort(out.kept_.begin(), out.kept_.end(),
            [](const Line& a, const Line& b) { return a.number < b.number; });
  return std::move(out.kept_);
}

}  // namespace perfmodel

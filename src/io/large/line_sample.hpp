#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// Lines of a file drawn at random, by a hash of the place at which each begins: the same ones
/// however the file is cut into parts.
class LineSample {
 public:
  LineSample(std::size_t size, std::uint64_t seed) : size_(size), seed_(seed) {}

  struct Line {
    std::uint64_t hash = 0;
    std::uint64_t number = 0;  ///< from 0 in this part
    std::string text;
  };

  /// Whole lines that begin at this place of the file.
  void add(std::string_view lines, std::uint64_t offset);
  /// The part that follows.
  void append(const LineSample& next);

  /// In the order of the file.
  std::vector<Line> drawn() const;
  /// That are not blank.
  std::uint64_t lines_to_draw_from() const { return filled_; }

 private:
  std::size_t size_;
  std::uint64_t seed_;
  std::uint64_t lines_ = 0;
  std::uint64_t filled_ = 0;
  std::uint64_t least_refused_ = ~std::uint64_t{0};
  std::vector<Line> kept_;  ///< those of the least hashes, and more that came before these

  void keep(Line line);
  void shrink();
};

}  // namespace perfmodel

#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace perfmodel {

/// What is wrong with a file, place by place: all problems are counted, the first 20 in the order
/// of the file are kept.
class ProblemList {
 public:
  static constexpr std::size_t shown = 20;

  /// `describe` returns the text; it is called only for a problem that may be shown, so that a file
  /// with a million bad cells costs no million sentences.
  template <class Describe>
  void add(std::size_t line, std::size_t column, const Describe& describe) {
    ++count_;
    const std::pair place(line, column);
    if (first_.size() < shown || place < std::prev(first_.end())->first) {
      first_.emplace(place, describe());
      if (first_.size() > shown)
        first_.erase(std::prev(first_.end()));
    }
  }

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }

  /// One line each; "... and 35 more" at the end where there are more. No final newline.
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::multimap<std::pair<std::size_t, std::size_t>, std::string> first_;
};

}  // namespace perfmodel

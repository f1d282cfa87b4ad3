#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/text_lines.hpp"

namespace perfmodel {

/// The parts of a job as one file: the same bytes that the job without shards writes. In memory is
/// where each line stands.
class MergedParts {
 public:
  /// Throws InputError that names what is wrong: a part of another job, a line that is cut short, a
  /// task that two parts hold or none; and which shards have to run again.
  explicit MergedParts(const std::vector<TextLines>& parts);

  /// The first line, with its newline.
  const std::string& header() const { return header_; }
  /// The others in their order, with their newlines.
  void for_each_line(const std::function<void(std::string_view line)>& visit) const;

 private:
  struct Place {
    std::size_t part = 0;
    std::size_t offset = 0;
    std::size_t size = 0;  ///< 0: there is no such line
  };
  std::vector<TextLines> parts_;
  std::string header_;
  std::vector<Place> places_;  ///< by task
};

}  // namespace perfmodel

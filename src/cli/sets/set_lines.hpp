#pragma once

#include <functional>
#include <string>
#include <utility>

#include "io/model/model_set.hpp"

namespace perfmodel::cli {

/// The lines of a set, as often as somebody wants to see them: of one that is in memory, or of a
/// file, of which one line at a time is.
class SetLines {
 public:
  explicit SetLines(const ModelSet& set) : set_(&set), header_(set.header) {}
  SetLines(std::string path, ModelSetHeader header)
      : path_(std::move(path)), header_(std::move(header)) {}

  const ModelSetHeader& header() const { return header_; }
  void for_each(const std::function<void(const ModelSetLine&)>& visit) const;

 private:
  const ModelSet* set_ = nullptr;
  std::string path_;
  ModelSetHeader header_;
};

}  // namespace perfmodel::cli

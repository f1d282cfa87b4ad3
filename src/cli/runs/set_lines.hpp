#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/text_lines.hpp"
#include "io/model/model_set.hpp"

namespace perfmodel::cli {

/// The lines of a set, as often as somebody wants to see them: of one that is in memory, or of a
/// text, of which one line at a time is.
class SetLines {
 public:
  /// The lines of a text behind its header.
  using ShowText = std::function<void(const std::function<void(std::string_view text)>& visit)>;

  /// Of a set that lives as long as this, or that this holds.
  explicit SetLines(const ModelSet& set)
      : SetLines(std::shared_ptr<const ModelSet>(std::shared_ptr<void>(), &set)) {}
  explicit SetLines(std::shared_ptr<const ModelSet> set);
  SetLines(std::string source, ModelSetHeader header, ShowText text);
  /// Of a file with this header.
  SetLines(const TextLines& file, ModelSetHeader header);

  const ModelSetHeader& header() const { return header_; }
  std::size_t size() const;
  void for_each(const std::function<void(const ModelSetLine&)>& visit) const;
  /// Those that are wanted by what is said of them; of the others the model is not even read.
  void for_each(const std::function<bool(const ModelSetLine&)>& is_wanted,
                const std::function<void(const ModelSetLine&)>& visit) const;
  /// From now on only these, an entry per line.
  void keep(std::vector<bool> kept) { kept_ = std::move(kept); }

 private:
  std::shared_ptr<const ModelSet> set_;
  std::string source_;
  ModelSetHeader header_;
  ShowText text_;
  std::vector<bool> kept_;  ///< empty: all

  bool is_kept(std::size_t line) const { return kept_.empty() || kept_[line]; }
};

}  // namespace perfmodel::cli

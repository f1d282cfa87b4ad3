#include "cli/runs/set_lines.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

/// In which line each key stands; of a set that may be larger than memory, a number per line.
class LinesOfKeys {
 public:
  /// Notes the line, and says in which one its key was seen before.
  std::optional<std::size_t> seen_in(const ModelSetLine& line, std::size_t number) {
    std::string text = line.target;
    for (const std::string& part : line.key)
      text += std::to_string(part.size()) + ':' + part;  // a part may hold any character
    const auto [known, is_new] = lines_.try_emplace(std::hash<std::string>{}(text), number);
    return is_new ? std::nullopt : std::optional(known->second);
  }

 private:
  std::unordered_map<std::size_t, std::size_t> lines_;  ///< by the digest of the key
};

SetLines::ShowText lines_behind_header(const TextLines& file) {
  return [file](const std::function<void(std::string_view text)>& visit) {
    file.for_each([&](const TextLine& line) {
      if (!line.whole)
        refuse_torn_line(file.source(), line);
      if (line.number > 1) {
        refuse_second_header(place_of_line(file.source(), line.number), line.text);
        visit(line.text);
      }
      return true;
    });
  };
}

}  // namespace

SetLines::SetLines(std::shared_ptr<const ModelSet> set)
    : set_(std::move(set)), header_(set_->header) {}

SetLines::SetLines(std::string source, ModelSetHeader header, ShowText text)
    : source_(std::move(source)), header_(std::move(header)), text_(std::move(text)) {}

SetLines::SetLines(const TextLines& file, ModelSetHeader header)
    : SetLines(file.source(), std::move(header), lines_behind_header(file)) {}

std::size_t SetLines::size() const {
  if (!kept_.empty())
    return static_cast<std::size_t>(std::count(kept_.begin(), kept_.end(), true));
  if (set_)
    return set_->lines.size();
  std::size_t out = 0;
  text_([&](std::string_view) { ++out; });
  return out;
}

void SetLines::for_each(const std::function<void(const ModelSetLine&)>& visit) const {
  for_each({}, visit);
}

void SetLines::for_each(const std::function<bool(const ModelSetLine&)>& is_wanted,
                        const std::function<void(const ModelSetLine&)>& visit) const {
  if (set_) {
    for (std::size_t i = 0; i < set_->lines.size(); ++i)
      if (is_kept(i) && (!is_wanted || is_wanted(set_->lines[i])))
        visit(set_->lines[i]);
    return;
  }
  std::size_t i = 0;
  LinesOfKeys known;
  text_([&](std::string_view text) {
    const std::size_t line = i++;
    if (!is_kept(line))
      return;
    const auto is_new_and_wanted = [&](const ModelSetLine& read) {
      if (const auto other = known.seen_in(read, line + 2))
        throw InputError(place_of_line(source_, line + 2) + ": the model of " +
                         words_of(read, header_) + " stands in line " + std::to_string(*other) +
                         ", too; leave one of them");
      return !is_wanted || is_wanted(read);
    };
    if (const auto read =
            parse_set_line(place_of_line(source_, line + 2), text, header_, is_new_and_wanted))
      visit(*read);
  });
}

}  // namespace perfmodel::cli

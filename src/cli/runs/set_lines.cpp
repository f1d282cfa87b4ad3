#include "cli/runs/set_lines.hpp"

#include <algorithm>
#include <utility>

namespace perfmodel::cli {
namespace {

SetLines::ShowText lines_behind_header(const TextLines& file) {
  return [file](const std::function<void(std::string_view text)>& visit) {
    file.for_each([&](const TextLine& line) {
      if (!line.whole)
        refuse_torn_line(file.source(), line.number);
      if (line.number > 1)
        visit(line.text);
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
  text_([&](std::string_view text) {
    if (const std::size_t line = i++; is_kept(line))
      if (const auto read =
              parse_set_line(place_of_line(source_, line + 2), text, header_, is_wanted))
        visit(*read);
  });
}

}  // namespace perfmodel::cli

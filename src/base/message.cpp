#include "base/message.hpp"

#include <fmt/format.h>

namespace perfmodel {

Sentence message_of(fmt::string_view text, fmt::format_args arguments,
                    std::function<void(const Sentence&)>& insert) {
  Sentence out;
  fmt::memory_buffer since_last_field;
  const auto take_text = [&] {
    out += fmt::to_string(since_last_field);
    since_last_field.clear();
  };
  insert = [&](const Sentence& sentence) {
    take_text();
    out += sentence;
  };
  fmt::vformat_to(fmt::appender(since_last_field), text, arguments);
  take_text();
  return out;
}

Sentence lines_of(std::span<const Sentence> sentences) {
  Sentence out;
  for (const Sentence& sentence : sentences)
    out += Sentence(out.empty() ? "" : "\n") + sentence;
  return out;
}

}  // namespace perfmodel

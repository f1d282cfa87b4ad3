#pragma once

#include <fmt/core.h>

#include <functional>
#include <span>
#include <type_traits>

#include "perfmodel/error.hpp"

namespace perfmodel {

/// A field or sentence among the arguments of message(), which stays a piece of its own.
struct InsertedSentence {
  Sentence sentence;
  const std::function<void(const Sentence&)>& insert;
};

/// The type that fmt formats for an argument of message().
template <class Argument>
using MessageArgument =
    std::conditional_t<std::is_same_v<Argument, Field> || std::is_same_v<Argument, Sentence>,
                       InsertedSentence, Argument>;

/// message() without templates; sets `insert`, which the inserted arguments refer to.
Sentence message_of(fmt::string_view text, fmt::format_args arguments,
                    std::function<void(const Sentence&)>& insert);

/// A text in which `{}` stands for an argument, as in fmt::format(); fields and sentences among the
/// arguments stay apart from the text. Numbers that are not whole need rounded() or to_text().
template <class... Arguments>
Sentence message(fmt::format_string<MessageArgument<Arguments>...> text,
                 const Arguments&... arguments) {
  std::function<void(const Sentence&)> insert;
  [[maybe_unused]] const auto formatted =
      [&]<class Argument>(const Argument& argument) -> decltype(auto) {
    if constexpr (std::is_same_v<MessageArgument<Argument>, Argument>)
      return argument;
    else
      return InsertedSentence{argument, insert};
  };
  return message_of(text, fmt::make_format_args(formatted(arguments)...), insert);
}

/// Sentences as lines; no final newline.
Sentence lines_of(std::span<const Sentence> sentences);

}  // namespace perfmodel

template <>
struct fmt::formatter<perfmodel::InsertedSentence> {
  static constexpr auto parse(const format_parse_context& context) { return context.begin(); }
  static auto format(const perfmodel::InsertedSentence& inserted, format_context& context) {
    inserted.insert(inserted.sentence);
    return context.out();
  }
};

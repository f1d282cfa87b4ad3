#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace perfmodel {

/// Name of an enumerator in options, messages and files. A function texts_of() lists the names of
/// an enumeration in the order in which they are shown.
template <class Enum>
struct EnumText {
  Enum value;
  std::string_view text;
};

/// The name of an enumerator.
template <class Enum>
requires requires {
  texts_of(Enum{});
}
constexpr std::string_view to_text(Enum value) {
  for (const auto& [known, text] : texts_of(value))
    if (known == value)
      return text;
  return {};
}

/// An error that the caller can correct. what() is a sentence, which names options as the command
/// line does: "--ignore a,b".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request cannot be fulfilled: a wrong option, an unknown column.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A data or model file cannot be used. The message names file, line and column.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The output cannot be written; an existing file is unchanged.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// The reader of an output pipe has exited, as `head` does when it has enough. This is no failure.
class ReaderGone : public OutputError {
 public:
  using OutputError::OutputError;
};

/// A stop was requested before there was a result.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace perfmodel

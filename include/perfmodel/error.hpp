#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

/// A field of a request that a message names, with values that the message suggests or rejects.
struct Field {
  std::string name;
  std::vector<std::string> values = {};
};

/// Formats a field in the program's own terms: "folds = 7", "--folds 7".
using FieldWords = std::function<std::string(const Field& field)>;

/// A message whose references to fields of requests are kept apart from its text, so that each
/// program can name them as its users do.
class Sentence {
 public:
  Sentence() = default;
  Sentence(std::string text);  // implicit, like the two below: most messages name no field
  Sentence(const char* text);
  Sentence(Field field);

  Sentence& operator+=(const Sentence& more);

  /// The message with fields by their own names: "folds", "ignore = a,b".
  std::string text() const;
  std::string text(const FieldWords& words) const;
  /// The fields that the message names, in their order.
  std::vector<Field> fields() const;
  bool empty() const { return pieces_.empty(); }

 private:
  std::vector<std::variant<std::string, Field>> pieces_;  ///< texts are not empty
};

Sentence operator+(Sentence left, const Sentence& right);
/// Whether both have the same text.
bool operator==(const Sentence& left, const Sentence& right);

/// An error that the caller can correct. what() is a sentence, sentence() the same with fields.
class Error : public std::runtime_error {
 public:
  explicit Error(Sentence sentence)
      : std::runtime_error(sentence.text()),
        sentence_(std::make_shared<const Sentence>(std::move(sentence))) {}

  const Sentence& sentence() const noexcept { return *sentence_; }

 private:
  std::shared_ptr<const Sentence> sentence_;  // copies of an error must not throw
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

#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace perfmodel {

/// A field of a request, named in a sentence, with values that the sentence advises or objects to.
struct Field {
  std::string name;
  std::vector<std::string> values = {};
};

/// How a program names a field: "folds = 7", "--folds 7".
using FieldWords = std::function<std::string(const Field& field)>;

/// What is said to people: text that knows where it names fields of requests, so that each program
/// calls them as its users do.
class Sentence {
 public:
  Sentence() = default;
  Sentence(std::string text);  // implicit, like the two below: most sentences name no field
  Sentence(const char* text);
  Sentence(Field field);

  Sentence& operator+=(const Sentence& more);

  /// Fields by their own names: "folds", "ignore = a,b".
  std::string text() const;
  std::string text(const FieldWords& words) const;
  /// The fields that the sentence names, in their order.
  std::vector<Field> fields() const;
  bool empty() const { return pieces_.empty(); }

 private:
  std::vector<std::variant<std::string, Field>> pieces_;  ///< no text is empty
};

Sentence operator+(Sentence left, const Sentence& right);
/// Whether both read the same.
bool operator==(const Sentence& left, const Sentence& right);

/// Something went wrong that the caller can mend. what() is a whole sentence; sentence() is the
/// same and knows which fields of the request it is about.
class Error : public std::runtime_error {
 public:
  explicit Error(Sentence sentence)
      : std::runtime_error(sentence.text()),
        sentence_(std::make_shared<const Sentence>(std::move(sentence))) {}

  const Sentence& sentence() const noexcept { return *sentence_; }

 private:
  std::shared_ptr<const Sentence> sentence_;  // copies of an error must not throw
};

/// The caller asked for something that cannot be done: a wrong option, an unknown column.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A data or model file cannot be used. The message names file, line and column.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The output cannot be written; an old file at its place is untouched.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// Who read the output through a pipe went away, as `head` does when it has enough: nobody is left
/// who wants the rest, and nothing is wrong.
class ReaderGone : public OutputError {
 public:
  using OutputError::OutputError;
};

/// A stop was requested before there was a result to hand over.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace perfmodel

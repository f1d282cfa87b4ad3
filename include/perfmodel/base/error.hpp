#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "perfmodel/base/sentence.hpp"

namespace perfmodel {

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

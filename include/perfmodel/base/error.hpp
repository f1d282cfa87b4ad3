#pragma once

#include <stdexcept>
#include <string>

namespace perfmodel {

/// The caller asked for something that cannot be done: a wrong option, an unknown column in a flag.
/// The command line ends with exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A data or model file cannot be used. The message names file, line and column. Exit code 3.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A quality gate (`--fail-if`) held. Exit code 4.
class GateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The output cannot be written; an old file at its place is untouched. Exit code 5.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Who read the output through a pipe went away, as `head` does when it has enough: nobody is left
/// who wants the rest, and nothing is wrong. The command line ends without a word.
class ReaderGone : public OutputError {
 public:
  using OutputError::OutputError;
};

/// A stop was requested (SIGINT, SIGTERM) before there was a result to hand over. Exit code 130 or
/// 143.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace perfmodel

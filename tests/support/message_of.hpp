#pragma once

#include <string>

#include "perfmodel/error.hpp"

namespace perfmodel::test {

/// The message of the error of this type that an action throws; "(none)" where it throws nothing.
template <class Refusal = Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Refusal& error) {
    return error.what();
  }
  return "(none)";
}

}  // namespace perfmodel::test

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfmodel {

/// The processes that do one job together, numbered from 0, perhaps on many machines.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  virtual std::size_t number() const = 0;
  virtual std::size_t count() const = 0;
  /// Messages between two processes arrive in their order.
  virtual void send(std::size_t to, std::string_view bytes) = 0;
  virtual std::string receive(std::size_t from) = 0;
};

}  // namespace perfmodel

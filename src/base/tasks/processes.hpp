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

/// One that is on its own.
class OneProcess : public Processes {
 public:
  std::size_t number() const override { return 0; }
  std::size_t count() const override { return 1; }
  void send(std::size_t, std::string_view) override {}
  std::string receive(std::size_t) override { return {}; }
};

}  // namespace perfmodel

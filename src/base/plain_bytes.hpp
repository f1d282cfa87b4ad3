#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "perfmodel/base/error.hpp"

namespace perfmodel {

/// Values as bytes, from one process of a program to another on machines of one kind.
class ByteWriter {
 public:
  template <class Value>
  void add(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  /// The number of values, then these.
  template <class Values>
  void add_all(const Values& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const auto& value : values)
      add(value);
  }

  void add_all(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }

  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// The way back. Throws InputError where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class Value>
  void take(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const std::string_view own = take_bytes(sizeof value);
    std::memcpy(&value, own.data(), own.size());
  }

  template <class Values>
  void take_all(Values& values) {
    for (std::uint64_t count = take_count(); count > 0; --count)
      take(values.emplace_back());
  }

  std::uint64_t take_count() {
    std::uint64_t count = 0;
    take(count);
    return count;
  }

  std::string_view take_bytes(std::size_t size) {
    if (size > rest_.size())
      throw InputError("what another process has sent is torn");
    const std::string_view own = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return own;
  }

 private:
  std::string_view rest_;
};

}  // namespace perfmodel

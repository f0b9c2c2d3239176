// SPDX-License-Identifier: BSD-3-Clause
// What one process found, as bytes for others of the same program.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace reber {

/// Values one after another, as they stand in memory: all processes are of one program.
class Packed {
 public:
  template <class Value>
  void add(const Value* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const auto size = static_cast<std::uint64_t>(count);
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    if (count > 0) bytes_.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add(values.data(), values.size());
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// What Packed made, in the same order.
class Unpacked {
 public:
  explicit Unpacked(const std::string& bytes) : bytes_(bytes) {}
  template <class Value>
  [[nodiscard]] std::vector<Value> next() {
    std::uint64_t size = 0;
    copy(&size, sizeof size);
    if (size > (bytes_.size() - at_) / sizeof(Value)) fail();
    std::vector<Value> values(static_cast<std::size_t>(size));
    if (size > 0) copy(values.data(), values.size() * sizeof(Value));
    return values;
  }

 private:
  [[noreturn]] static void fail() { throw DataError("what another process found came in pieces: is the disk full?"); }
  void copy(void* to, std::size_t size) {
    if (size > bytes_.size() - at_) fail();
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace reber

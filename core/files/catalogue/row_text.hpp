// SPDX-License-Identifier: BSD-3-Clause
// Text of many rows, made by several threads and written in their order.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/files/io/atomic_file.hpp"

namespace reber {

/// Text of numbers takes longer than the writing of it: pieces of rows are made side by side, so many that little is
/// held, and whoever has the next one writes it. The disk is given work before all is there.
class RowText {
 public:
  using Text = fmt::memory_buffer;

  explicit RowText(AtomicFile& file) : file_(file) {}

  void write(std::string_view part);
  /// lines(first, last): text of the rows [first, last), called by any thread.   throws what it throws
  void write_rows(std::int64_t rows, const std::function<Text(std::int64_t first, std::int64_t last)>& lines);
  [[nodiscard]] std::int64_t written() const { return written_; }

 private:
  struct Piece {
    Text text;
    bool made = false;
  };
  void add(std::size_t at, Text text);

  AtomicFile& file_;
  std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
  bool writing_ = false;
  std::int64_t written_ = 0, sent_ = 0;
};

}  // namespace reber

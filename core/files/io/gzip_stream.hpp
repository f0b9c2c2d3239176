// SPDX-License-Identifier: BSD-3-Clause
// gzip data inflated piece by piece, by the fastest library that is there.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace reber::fits {

/// One member of a gzip file after the other. CRC and length of each are checked at its end.
class GzipStream {
 public:
  enum class Status {
    more,     ///< wants more input, or more room
    end,      ///< a member has ended, and its sums agree
    damaged,  ///< see why()
  };
  struct Step {
    std::size_t read = 0, written = 0;
    Status status = Status::more;
  };

  /// throws std::bad_alloc
  GzipStream();
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// Inflates as much as input and room allow. What is written must follow what was written before.
  ///   throws std::bad_alloc
  [[nodiscard]] Step inflate(std::span<const std::byte> in, std::span<std::byte> out);
  /// The next member begins.
  void reset();
  /// What is wrong, in the library's words.
  [[nodiscard]] std::string why() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber::fits

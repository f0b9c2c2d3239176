// SPDX-License-Identifier: BSD-3-Clause
// Lines over a socket between a batch and its workers, and the start of another process of this program.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace reber::app {

/// Owns a descriptor of a stream socket.
class LineLink {
 public:
  explicit LineLink(int descriptor) : descriptor_(descriptor) {}
  ~LineLink();
  LineLink(const LineLink&) = delete;
  LineLink& operator=(const LineLink&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// line: without its end.   returns false where the other side is gone
  bool send(const std::string& line);
  /// The next line; nothing where the other side is gone. `wait` is called about 20 times a second meanwhile and may
  /// throw.
  std::optional<std::string> receive(const std::function<void()>& wait);

 private:
  int descriptor_;
  std::string read_;
};

/// Starts this program with `words`; descriptors[i] becomes 3 + i there, -1 in `output` keeps standard output.
///   returns its number; throws DeviceError where the system starts none
pid_t start_this_program(const std::vector<std::string>& words, const std::vector<int>& descriptors, int output = -1);

/// This process's command line with `word` put behind its sub-command.
[[nodiscard]] std::vector<std::string> own_command_line(const std::string& word);

}  // namespace reber::app

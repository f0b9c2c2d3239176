// SPDX-License-Identifier: BSD-3-Clause
// Files that are read by lines, where memory may lack.
#pragma once

#include <cerrno>
#include <fstream>
#include <new>
#include <string>

namespace reber {

/// A stream that throws std::bad_alloc where memory lacks and std::ios_base::failure where the file cannot be read on:
/// by itself it would say that the file has ended. Not open where the file cannot be opened (errno).
[[nodiscard]] inline std::ifstream text_stream(const std::string& path) {
  std::ifstream file;
  file.exceptions(std::ios::badbit);
  errno = 0;
  file.open(path, std::ios::binary);
  if (!file.is_open() && errno == ENOMEM) throw std::bad_alloc();
  return file;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The machine's name and the namespace of its processes, in sixteen digits.
#include "core/files/io/process_space.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace reber {

std::string process_space() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return {};
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) != 0) return {};
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : std::string(host.data()) + ':' + std::to_string(space.st_ino)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace reber

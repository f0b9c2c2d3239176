// SPDX-License-Identifier: BSD-3-Clause
// Asks the processor what it can do. Compiled without AVX2, so that it runs on any: the rest of this folder is not.
#include "kernels/cpu/processor.hpp"

#include <cerrno>
#include <fstream>
#include <new>

#include "kernels/cpu/backend.hpp"

namespace reber::cpu {

std::string unavailable(const BackendOptions&) {
#if defined(__x86_64__) || defined(__i386__)
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0)
    return "this processor has no AVX2 and FMA instructions, which the cpu backend is compiled for";
#endif
  return {};
}

std::string processor_name() {
  std::ifstream file;
  file.exceptions(std::ios::badbit);  // memory that is not there is no unnamed processor
  errno = 0;
  file.open("/proc/cpuinfo");
  if (!file.is_open() && errno == ENOMEM) throw std::bad_alloc();
  try {
    std::string line;
    while (std::getline(file, line)) {
      if (!line.starts_with("model name")) continue;
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  } catch (const std::ios_base::failure&) {
    // A file that cannot be read names none.
  }
  return "unnamed processor";
}

}  // namespace reber::cpu

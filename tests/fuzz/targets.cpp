// SPDX-License-Identifier: BSD-3-Clause
// Files that lie in memory, with a name.
#include "tests/fuzz/targets.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace reber::fuzz {

NamedBytes::NamedBytes(Bytes bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  if (file_ < 0) std::abort();
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ::ssize_t wrote = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) std::abort();
    done += static_cast<std::size_t>(wrote);
  }
  path_ = "/proc/self/fd/" + std::to_string(file_);
}
NamedBytes::~NamedBytes() { ::close(file_); }

}  // namespace reber::fuzz

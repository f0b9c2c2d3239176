// SPDX-License-Identifier: BSD-3-Clause
// Vectors of tens of megabytes, whose pages cost more than what is written to them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reber {

/// As reserve(); where the new memory is large it is asked for in huge pages, of which the system gives 2 MiB at a time
/// where it is set to do so when asked (Debian and Ubuntu are). On a virtual machine each small page takes 1 to 2 us.
template <class T>
void reserve_large(std::vector<T>& to, std::size_t count) {
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  if (count <= to.capacity()) return;
  to.reserve(count);
  const auto begin = reinterpret_cast<std::uintptr_t>(to.data()), end = begin + to.capacity() * sizeof(T);
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage, last = end / kHugePage * kHugePage;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace reber

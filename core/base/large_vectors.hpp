// SPDX-License-Identifier: BSD-3-Clause
// Memory of tens of megabytes, whose pages cost more than what is written to them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace reber {

/// Asks for memory that nothing was written to yet in huge pages, of which the system gives 2 MiB at a time where it is
/// set to do so when asked (Debian and Ubuntu are). On a virtual machine each small page takes 1 to 2 us.
inline void ask_for_huge_pages(const void* memory, std::size_t bytes) {
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + bytes;
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage, last = end / kHugePage * kHugePage;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

/// As reserve(); new memory that is large comes in huge pages.
template <class T>
void reserve_large(std::vector<T>& to, std::size_t count) {
  if (count <= to.capacity()) return;
  to.reserve(count);
  ask_for_huge_pages(to.data(), to.capacity() * sizeof(T));
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using ZeroedBytes = std::unique_ptr<std::uint8_t[], FreeMemory>;

/// Zeros, which take no time until something is written to them; in huge pages where they are many.
///   throws std::bad_alloc
[[nodiscard]] inline ZeroedBytes make_zeroed(std::size_t count) {
  ZeroedBytes made(static_cast<std::uint8_t*>(std::calloc(count, 1)));
  if (!made && count > 0) throw std::bad_alloc();
  ask_for_huge_pages(made.get(), count);
  return made;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Memory of tens of megabytes, whose pages cost more than what is written to them.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace reber {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Asks for memory that nothing was written to yet in huge pages, of which the system gives 2 MiB at a time where it is
/// set to do so when asked (Debian and Ubuntu are). On a virtual machine each small page takes 1 to 2 us.
inline void ask_for_huge_pages(const void* memory, std::size_t bytes) {
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
template <class T>
using LargeArray = std::unique_ptr<T[], FreeMemory>;
using ZeroedBytes = LargeArray<std::uint8_t>;

enum class Pages { small, huge };

/// Room for so many; what it holds is undefined. All of it in huge pages where it fills several, unless small ones are
/// asked for, which is right where little of the room will be touched.   throws std::bad_alloc
template <class T>
[[nodiscard]] LargeArray<T> make_large(std::size_t count, Pages pages = Pages::huge) {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);
  std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(T);
  const bool large = pages == Pages::huge && bytes >= 2 * kHugePage;
  if (large) bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  LargeArray<T> made(static_cast<T*>(large ? std::aligned_alloc(kHugePage, bytes) : std::malloc(bytes)));
  if (!made) throw std::bad_alloc();
  if (large) ask_for_huge_pages(made.get(), bytes);
  return made;
}

/// Zeros, which take no time until something is written to them; in huge pages where they are many.
///   throws std::bad_alloc
[[nodiscard]] inline ZeroedBytes make_zeroed(std::size_t count) {
  ZeroedBytes made(static_cast<std::uint8_t*>(std::calloc(count, 1)));
  if (!made && count > 0) throw std::bad_alloc();
  ask_for_huge_pages(made.get(), count);
  return made;
}

}  // namespace reber

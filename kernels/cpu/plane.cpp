// SPDX-License-Identifier: BSD-3-Clause
// Takes memory for planes from the system and keeps a little of it.
#include "kernels/cpu/plane.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {
namespace {

constexpr std::size_t kKept = 2;
constexpr std::int64_t kHugePage = 2 << 20;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

Pixels::~Pixels() {
  if (data_ != nullptr) memory_->give(data_, bytes_);
}

PixelMemory::~PixelMemory() {
  for (const auto& [data, bytes] : kept_) std::free(data);
}

Pixels PixelMemory::take(std::int64_t floats) {
  const std::int64_t wanted = (floats + Pixels::kSlack) * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t page = wanted >= 2 * kHugePage ? kHugePage : 64;
  const std::int64_t bytes = rounded_up(wanted, page);
  {
    const std::lock_guard lock(mutex_);
    kept_.reserve(kKept + 1);  // give() must not throw
    const auto found = std::ranges::find_if(kept_, [bytes](const auto& kept) { return kept.second == bytes; });
    if (found != kept_.end()) {
      float* data = found->first;
      kept_.erase(found);
      return {shared_from_this(), data, bytes};
    }
  }
  void* data = std::aligned_alloc(static_cast<std::size_t>(page), static_cast<std::size_t>(bytes));
  if (data == nullptr)
    throw DeviceError(fmt::format("{:.0f} MiB of memory for an image are not to be had; use a smaller image or plane",
                                  static_cast<double>(bytes) / (1 << 20)));
  if (page == kHugePage) madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a wish: may be refused
  return {shared_from_this(), static_cast<float*>(data), bytes};
}

void PixelMemory::give(float* data, std::int64_t bytes) {
  float* dropped = data;
  {
    const std::lock_guard lock(mutex_);
    if (bytes >= 2 * kHugePage) {
      kept_.emplace_back(data, bytes);
      dropped = nullptr;
      if (kept_.size() > kKept) {
        dropped = kept_.front().first;
        kept_.erase(kept_.begin());
      }
    }
  }
  std::free(dropped);
}

CpuPlane::CpuPlane(std::shared_ptr<const RowMaker> maker) : shape_(maker->shape()), maker_(std::move(maker)) {}

BlankCounts CpuPlane::counts() const { return maker_ ? maker_->counts() : counts_; }

}  // namespace reber::cpu

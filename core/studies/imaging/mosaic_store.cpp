// SPDX-License-Identifier: BSD-3-Clause
// Memory or a file.
#include "core/studies/imaging/mosaic_store.hpp"

#include <algorithm>

namespace reber {
namespace {

constexpr std::int64_t kHeldBytes = std::int64_t{512} << 20;
constexpr std::int64_t kPairBytes = 2 * static_cast<std::int64_t>(sizeof(float));

}  // namespace

MosaicStore::MosaicStore(Shape shape, const std::string& beside) : shape_(shape) {
  const std::int64_t bytes = shape.count() * kPairBytes;
  if (bytes <= kHeldBytes) {
    held_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(2 * shape.count()));
    return;
  }
  file_ = std::make_unique<AtomicFile>(beside + ".pairs", FileOptions(true));
  file_->reserve(bytes);
  read_ = fits::open_plain(file_->temporary_path(), true);
}

void MosaicStore::put(std::int64_t y0, std::int64_t ny, const float* pairs) {
  const std::int64_t count = 2 * ny * shape_.nx;
  if (!file_) {
    std::copy_n(pairs, count, held_.get() + 2 * y0 * shape_.nx);
    return;
  }
  file_->write_at(y0 * shape_.nx * kPairBytes, pairs, static_cast<std::size_t>(ny * shape_.nx * kPairBytes));
}

void MosaicStore::get(std::int64_t y0, std::int64_t ny, float* pairs) const {
  if (!file_) {
    std::copy_n(held_.get() + 2 * y0 * shape_.nx, 2 * ny * shape_.nx, pairs);
    return;
  }
  read_->read(y0 * shape_.nx * kPairBytes, pairs, ny * shape_.nx * kPairBytes);
}

}  // namespace reber

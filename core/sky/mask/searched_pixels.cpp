// SPDX-License-Identifier: BSD-3-Clause
// Everything is searched, less what a mask, regions or a MOC do not hold.
#include "core/sky/mask/searched_pixels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace reber {
namespace {

class BlankOutside final : public PixelSource {
 public:
  explicit BlankOutside(std::shared_ptr<const SearchedPixels> searched) : searched_(std::move(searched)) {}
  [[nodiscard]] Shape shape() const override { return searched_->shape(); }
  [[nodiscard]] PixelFormat format() const override {
    PixelFormat format;
    format.big_endian = std::endian::native == std::endian::big;
    return format;
  }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    for (std::int64_t y = y0; y < y0 + ny; ++y)
      for (std::int64_t x = 0; x < shape().nx; ++x, out += sizeof(float)) {
        const float value = searched_->holds(y, x) ? 0.0f : std::numeric_limits<float>::quiet_NaN();
        std::memcpy(out, &value, sizeof value);
      }
  }

 private:
  std::shared_ptr<const SearchedPixels> searched_;
};

}  // namespace

bool SearchedPixels::hold(std::int64_t y, std::int64_t x0, std::int64_t x1) const {
  return std::find(at(y, x0), at(y, x1), false) == at(y, x1);
}

std::int64_t SearchedPixels::count(const Progress& progress) const {
  std::int64_t count = 0;
  for (std::int64_t y = 0; y < shape_.ny; ++y) {
    progress.check();
    count += std::count(at(y, 0), at(y, shape_.nx), true);
  }
  return count;
}

void SearchedPixels::leave_out(std::int64_t y, std::int64_t x0, std::int64_t x1) {
  if (x0 < x1) std::fill_n(inside_.begin() + y * shape_.nx + x0, x1 - x0, false);
}

void SearchedPixels::keep(const Mask& mask, const Progress& progress) {
  for (std::int64_t y = 0; y < mask.shape.ny; ++y) {
    progress.check();
    for (std::int64_t x = 0; x < mask.shape.nx; ++x)
      if (mask.at(y, x) == 0) leave_out(y, x, x + 1);
  }
}

void SearchedPixels::keep(std::int64_t y, const PixelRuns& inside) {
  std::int64_t from = 0;
  for (const auto& [first, last] : inside) {
    leave_out(y, from, static_cast<std::int64_t>(first));
    from = static_cast<std::int64_t>(last) + 1;
  }
  leave_out(y, from, shape_.nx);
}

std::unique_ptr<PixelSource> blank_outside(std::shared_ptr<const SearchedPixels> searched) {
  return std::make_unique<BlankOutside>(std::move(searched));
}

}  // namespace reber

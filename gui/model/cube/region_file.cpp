// SPDX-License-Identifier: BSD-3-Clause
// Rectangles of planes, read at once and cut by a region.
#include "gui/model/cube/region_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "gui/model/image/file_levels.hpp"

namespace reber::gui {
namespace {

constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

PixelFormat native_floats() {
  PixelFormat format;
  format.big_endian = std::endian::native == std::endian::big;
  return format;
}

class HeldPixels final : public PixelSource {
 public:
  HeldPixels(std::vector<float> pixels, Shape shape) : pixels_(std::move(pixels)), shape_(shape) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return native_floats(); }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    std::memcpy(out, pixels_.data() + y0 * shape_.nx, static_cast<std::size_t>(4 * ny * shape_.nx));
  }

 private:
  std::vector<float> pixels_;
  Shape shape_;
};

}  // namespace

RegionFile::RegionFile(std::shared_ptr<const ImageFile> file, const Region& region, const Progress& progress)
    : file_(std::move(file)), where_(bounds_of(region, file_->shape())) {
  for_each_span(
      region, file_->shape(),
      [&](const RegionSpan& span) {
        spans_.push_back(span);
        inside_ += span.x1 - span.x0;
      },
      progress);
  if (inside_ == 0) throw InputError("the region holds no pixel of the image");
}

PixelFormat RegionFile::format() const { return native_floats(); }

std::unique_ptr<PixelSource> RegionFile::pixels(std::int64_t plane, const Progress& progress) const {
  const auto source = file_->pixels(plane, progress);
  std::vector<float> all(static_cast<std::size_t>(where_.ny * where_.nx)), cut(all.size(), kBlank);
  read_floats(*source, where_, all.data());
  for (const RegionSpan& span : spans_) {
    const std::int64_t at = (span.y - where_.y0) * where_.nx + span.x0 - where_.x0;
    std::copy_n(all.begin() + at, span.x1 - span.x0, cut.begin() + at);
  }
  return std::make_unique<HeldPixels>(std::move(cut), shape());
}

std::vector<float> RegionFile::placed(const std::vector<float>& pixels) const {
  const Shape whole = file_->shape();
  std::vector<float> plane(static_cast<std::size_t>(whole.count()), kBlank);
  for (std::int64_t y = 0; y < where_.ny; ++y)
    std::copy_n(pixels.begin() + y * where_.nx, where_.nx, plane.begin() + (where_.y0 + y) * whole.nx + where_.x0);
  return plane;
}

}  // namespace reber::gui

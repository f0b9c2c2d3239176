// SPDX-License-Identifier: BSD-3-Clause
// Rectangles of a grid, each of the pixels that it needs.
#include "gui/model/image/laid_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/seam/compute/resample.hpp"

namespace reber::gui {
namespace {

/// Pixels of an image in its file that are held for a rectangle.
constexpr std::int64_t kHeldPixels = std::int64_t{1} << 24;

ResampleTable table_of(const ImageHeader& image, Interpolation how) {
  std::optional<Covariance> beam;
  const auto geometry = image.centre_geometry();
  if (image.beam && geometry)
    beam = to_pixels(sky_covariance(image.beam->major_deg, image.beam->minor_deg, image.beam->pa_deg), *geometry);
  return resample_table(how, beam);
}

/// Both halves along the longer side, cut where a block of places begins.
std::pair<Rect, Rect> halves(const Rect& part) {
  Rect first = part, second = part;
  const bool wide = part.nx >= part.ny;
  std::int64_t &length = wide ? first.nx : first.ny, &rest = wide ? second.nx : second.ny;
  const std::int64_t all = length, from = wide ? part.x0 : part.y0;
  const std::int64_t cut = (from + all / 2) / kPlaceBlock * kPlaceBlock;
  length = cut > from ? cut - from : all / 2;
  rest = all - length;
  (wide ? second.x0 : second.y0) += length;
  return {first, second};
}

}  // namespace

LaidPixels::LaidPixels(std::shared_ptr<const Pyramid> pixels, const ImageHeader& image, const ImageHeader& onto,
                       Interpolation how)
    : pixels_(std::move(pixels)),
      shape_(onto.shape),
      map_(onto.wcs, image.wcs, {}, image.shape, onto.shape),
      table_(table_of(image, how)) {}

void LaidPixels::fill(const PlaceMap& map, const Rect& part, const Rect& rows, float* out) const {
  const PlaceGrid places(map, part, 1);
  ConstImageView held = pixels_->pixels();
  Rect needed{0, 0, pixels_->shape().ny, pixels_->shape().nx};
  std::vector<float> read;
  if (held.pixels == nullptr) {
    needed = places.needs(part, pixels_->shape(), ResampleTable::kTaps / 2);
    if (needed.ny * needed.nx > kHeldPixels && std::max(part.nx, part.ny) > 1) {
      const auto [first, second] = halves(part);
      fill(map, first, rows, out);
      fill(map, second, rows, out);
      return;
    }
    read.resize(static_cast<std::size_t>(needed.ny * needed.nx));
    if (!read.empty()) pixels_->read(0, Reduction::mean, needed, read.data());
    held = {read.data(), needed.shape(), needed.nx};
  }
  const auto pixel = [&](std::int64_t y, std::int64_t x) { return held.row(y - needed.y0)[x - needed.x0]; };
  for (std::int64_t y = part.y0; y < part.y0 + part.ny; ++y) {
    float* const row = out + (y - rows.y0) * rows.nx;
    for (std::int64_t x = part.x0; x < part.x0 + part.nx; ++x) {
      const PixelPosition at = places.at(y, x);
      row[x] = needed.shape().count() == 0 ? std::numeric_limits<float>::quiet_NaN()
                                           : rules::resampled(table_.x.data(), table_.y.data(), table_.how, at.y, at.x,
                                                              pixels_->shape(), pixel);
    }
  }
}

void LaidPixels::read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const {
  std::unique_lock lock(copying_);
  const PlaceMap own = map_;
  lock.unlock();
  // bytes for an array of floats: PixelSource hands out rows as stored
  std::vector<float> rows(static_cast<std::size_t>(ny * shape_.nx));
  const Rect all{y0, 0, ny, shape_.nx};
  fill(own, all, all, rows.data());
  std::copy_n(reinterpret_cast<const std::byte*>(rows.data()), rows.size() * sizeof(float), out);
}

}  // namespace reber::gui

// SPDX-License-Identifier: BSD-3-Clause
// Resampling on the host, for backends that have no way of their own.
#include <cstring>

#include "core/base/thread_pool.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/resample.hpp"
#include "core/sky/model/image.hpp"
#include "core/sky/model/place_grid.hpp"

namespace reber {
namespace {

/// A plane's pixels in native floats.
class FloatSource final : public PixelSource {
 public:
  explicit FloatSource(const Image& image) : image_(image) {}
  [[nodiscard]] Shape shape() const override { return image_.shape(); }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    const std::int64_t nx = shape().nx;
    std::memcpy(out, image_.data() + y0 * nx, static_cast<std::size_t>(ny * nx) * sizeof(float));
  }

 private:
  const Image& image_;
};

}  // namespace

std::unique_ptr<Plane> Backend::resample(const Plane& plane, const PlaceGrid& places, const ResampleTable& table,
                                         const Job& job) {
  const Rect area = places.area(), needed = places.needs(area, plane.shape(), ResampleTable::kTaps / 2);
  Image input(needed.shape()), made(area.shape());
  if (needed.shape().count() > 0) render(MapKind::image, plane, nullptr, needed, input.data(), job);
  const auto pixel = [&](std::int64_t y, std::int64_t x) { return input.at(y - needed.y0, x - needed.x0); };
  ThreadPool pool(info().threads);
  pool.for_each(area.ny, [&](std::int64_t row) {
    job.check();
    for (std::int64_t column = 0; column < area.nx; ++column) {
      const PixelPosition at = places.at(area.y0 + row, area.x0 + column);
      made.at(row, column) =
          rules::resampled(table.x.data(), table.y.data(), table.how, at.y, at.x, plane.shape(), pixel);
    }
  });
  return load(FloatSource(made), TilingPlan{}, job);
}

}  // namespace reber

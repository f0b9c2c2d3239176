// SPDX-License-Identifier: BSD-3-Clause
// Levels of a map in host memory.
#include "core/show/display/display_levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reber {
namespace {

class HostLevels final : public DisplayLevels {
 public:
  HostLevels(Image map, const Progress& progress) : map_(std::move(map)), levels_(ReducedLevels::of(map_, progress)) {}

  [[nodiscard]] Shape shape() const override { return map_.shape(); }

  void read(int level, Reduction reduction, const Rect& where, float* out) override {
    if (level > 0) return levels_.read(level, reduction, where, out);
    for (std::int64_t y = 0; y < where.ny; ++y)
      std::memcpy(out + y * where.nx, &map_.at(where.y0 + y, where.x0),
                  static_cast<std::size_t>(where.nx) * sizeof(float));
  }

  std::shared_ptr<const DeviceTile> draw(int, Reduction, const Rect&) override { return nullptr; }

  std::vector<float> sample() override {
    const LevelSample places = LevelSample::of(shape());
    std::vector<float> values;
    for (std::int64_t y = places.first_row(); y < shape().ny; y += places.step)
      for (std::int64_t x = places.first_column(y); x < shape().nx; x += places.step) values.push_back(map_.at(y, x));
    return values;
  }

 private:
  Image map_;
  ReducedLevels levels_;
};

}  // namespace

LevelSample LevelSample::of(Shape shape, std::int64_t most) {
  return {std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(shape.count()) / static_cast<double>(most))))};
}

std::unique_ptr<DisplayLevels> host_display_levels(Backend& backend, MapKind kind, const Plane& plane,
                                                   const BackgroundModel* background, const Job& job) {
  constexpr std::int64_t kPixels = std::int64_t{1} << 24;  // a wish to stop is heard between the parts
  const Shape shape = plane.shape();
  Image map(shape);
  const std::int64_t rows = std::max<std::int64_t>(1, kPixels / std::max<std::int64_t>(1, shape.nx));
  for (std::int64_t y0 = 0; y0 < shape.ny; y0 += rows) {
    job.report("map", static_cast<double>(y0) / static_cast<double>(shape.ny));
    backend.render_rows(kind, plane, background, y0, std::min(rows, shape.ny - y0), map.data() + y0 * shape.nx, job);
  }
  return std::make_unique<HostLevels>(std::move(map), job.progress());
}

}  // namespace reber

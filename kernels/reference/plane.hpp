// SPDX-License-Identifier: BSD-3-Clause
// What the reference backend keeps: pixels in double precision, labels as plain arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "kernels/shared/background_of.hpp"

namespace reber::reference {

class HostPlane final : public Plane {
 public:
  HostPlane(Shape plane_shape, std::vector<double> values, std::int64_t infinite_count)
      : shape_(plane_shape), pixels(std::move(values)), infinite_(infinite_count) {
    for (const double value : pixels) blank_ += std::isfinite(value) ? 0 : 1;
  }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t blank() const override { return blank_; }
  [[nodiscard]] std::int64_t infinite() const override { return infinite_; }
  [[nodiscard]] double at(std::int64_t y, std::int64_t x) const { return pixels[y * shape_.nx + x]; }

 private:
  Shape shape_;

 public:
  const std::vector<double> pixels;

 private:
  std::int64_t blank_ = 0;
  std::int64_t infinite_ = 0;
};

class HostIslands final : public IslandMap {
 public:
  HostIslands(Shape map_shape, DetectOptions detect_options, std::vector<std::int32_t> map, std::int64_t islands)
      : labels(std::move(map)), shape_(map_shape), options_(detect_options), count_(islands) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t count() const override { return count_; }
  [[nodiscard]] const DetectOptions& options() const override { return options_; }

  const std::vector<std::int32_t> labels;

 private:
  Shape shape_;
  DetectOptions options_;
  std::int64_t count_;
};

/// A background whose maps are planes of this backend.
using HostBackground = BackgroundOf<HostPlane>;

}  // namespace reber::reference

// SPDX-License-Identifier: BSD-3-Clause
// What the reference backend keeps: pixels in double precision, labels as plain arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/compute/backend.hpp"
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

/// Background mean and rms of single pixels, from the mesh or from full-size maps.
class BackgroundAt {
 public:
  explicit BackgroundAt(const HostBackground& background);
  struct Value {
    float mean, rms;
  };
  [[nodiscard]] Value operator()(std::int64_t y, std::int64_t x) const;

 private:
  const BackgroundModel* model_;
  MeshAxis rows_, cols_;
  const HostPlane* mean_map_ = nullptr;
  const HostPlane* rms_map_ = nullptr;
};

std::unique_ptr<Plane> convolve(const HostPlane& plane, const ConvolutionSpec& spec, const Job& job);
PlaneStatistics statistics(const HostPlane& plane, StatisticsParts parts);
ClipStatistics clip(const HostPlane& plane, const ClipOptions& options);
MeshCells mesh(const HostPlane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job);
std::unique_ptr<IslandMap> label(const HostPlane& plane, const HostBackground& background, const DetectOptions& options,
                                 const Job& job);
std::vector<IslandSums> measure(const HostPlane& plane, const HostBackground& background, const HostIslands& islands,
                                const Job& job);
IslandPixels island_pixels(const HostPlane& plane, const HostBackground& background, const HostIslands& islands,
                           std::int64_t min_pixels, const Job& job);

FitResults fit(const FitBatch& batch, const Job& job);

std::unique_ptr<Plane> snr_plane(const HostPlane& plane, const HostBackground& background, const Job& job);
std::unique_ptr<Plane> combine(PlaneRule rule, const HostPlane& a, const HostPlane& b);
std::unique_ptr<Plane> without_islands(const HostPlane& plane, const HostIslands& islands, std::int64_t grow,
                                       const Job& job);

}  // namespace reber::reference

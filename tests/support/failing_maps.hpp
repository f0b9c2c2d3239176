// SPDX-License-Identifier: BSD-3-Clause
// A backend whose maps of the noise fail as those of a card that is lost; all else is another's work. It can say to
// have a card's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/card_error.hpp"

namespace reber::testing {

class FailingMaps : public Backend {
 public:
  explicit FailingMaps(std::shared_ptr<Backend> worker, std::int64_t memory_bytes = 0)
      : worker_(std::move(worker)), memory_bytes_(memory_bytes) {}

  [[nodiscard]] BackendInfo info() const override {
    BackendInfo info = worker_->info();
    info.device_memory_bytes = memory_bytes_;
    return info;
  }
  std::unique_ptr<Plane> load(const PixelSource& source, const TilingPlan& tiling, const Job& job) override {
    return worker_->load(source, tiling, job);
  }
  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    return worker_->quote(spec, shape);
  }
  std::unique_ptr<ConvolutionPlan> plan_convolution(const ConvolutionSpec& spec, Shape shape, Algorithm algorithm,
                                                    const Job& job) override {
    return worker_->plan_convolution(spec, shape, algorithm, job);
  }
  std::vector<std::unique_ptr<Plane>> convolve(const Plane& plane, std::span<const ConvolutionPlan* const> plans,
                                               const Job& job) override {
    return worker_->convolve(plane, plans, job);
  }
  PlaneStatistics statistics(const Plane& plane, StatisticsParts parts, const Job& job) override {
    return worker_->statistics(plane, parts, job);
  }
  ClipStatistics clip(const Plane& plane, const ClipOptions& options, const Job& job) override {
    return worker_->clip(plane, options, job);
  }
  MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) override {
    return worker_->mesh(plane, grid, options, job);
  }
  MeshCells mesh_each(const Plane& plane, std::span<const MeshGrid> grids, const MeshOptions& options,
                      const Job& job) override {
    return worker_->mesh_each(plane, grids, options, job);
  }
  std::unique_ptr<IslandMap> label(const Plane& plane, const BackgroundModel& background, const DetectOptions& options,
                                   const Job& job) override {
    return worker_->label(plane, background, options, job);
  }
  std::vector<IslandSums> measure(const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                                  const Job& job) override {
    return worker_->measure(plane, background, islands, job);
  }
  IslandPixels island_pixels(const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                             std::int64_t min_pixels, const Job& job) override {
    return worker_->island_pixels(plane, background, islands, min_pixels, job);
  }
  LabelRuns label_runs(const IslandMap& islands, const Job& job) override { return worker_->label_runs(islands, job); }
  std::unique_ptr<IslandMap> islands_of(const LabelRuns& runs, const DetectOptions& options, const Job& job) override {
    return worker_->islands_of(runs, options, job);
  }
  std::unique_ptr<Plane> derive(const PlaneExpression& expression, const Job& job) override {
    return worker_->derive(expression, job);
  }
  void render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where, float* out,
              const Job& job) override {
    if (kind == MapKind::rms) throw CardError(CardError::Kind::broken, "cudaSetDevice: the card was given up before");
    worker_->render(kind, plane, background, where, out, job);
  }
  void render_each(MapKind kind, const Plane& plane, const BackgroundModel* background, std::span<const Rect> where,
                   float* out, const Job& job) override {
    worker_->render_each(kind, plane, background, where, out, job);
  }
  void draw_labels(const IslandMap& islands, const Rect& where, std::int32_t* out, const Job& job) override {
    worker_->draw_labels(islands, where, out, job);
  }
  [[nodiscard]] FitEngine& fits() override { return worker_->fits(); }

 private:
  std::shared_ptr<Backend> worker_;
  std::int64_t memory_bytes_;
};

}  // namespace reber::testing

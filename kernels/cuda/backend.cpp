// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend: each operation named, timed and handed to its stage.
#include "kernels/cuda/backend.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/convolve.hpp"
#include "kernels/cuda/convolve/variants.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/load.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/fit/fit.hpp"
#include "kernels/cuda/islands/island_pixels.hpp"
#include "kernels/cuda/islands/label.hpp"
#include "kernels/cuda/maps/derived.hpp"
#include "kernels/cuda/maps/display.hpp"
#include "kernels/cuda/maps/render.hpp"
#include "kernels/cuda/mesh/mesh.hpp"
#include "kernels/cuda/statistics/histogram.hpp"

namespace reber::cuda {
namespace {

class CudaBackend final : public Backend, public DisplayBackend {
 public:
  explicit CudaBackend(const BackendOptions& options) : context_(std::make_shared<Context>(options)) {}

  [[nodiscard]] BackendInfo info() const override {
    const DeviceInfo& device = context_->device();
    return {"cuda",
            fmt::format("{} (card {}, compute capability {}.{}, {} multiprocessors)", device.name, device.device,
                        device.major, device.minor, device.multiprocessors),
            0, context_->usable_bytes()};
  }

  [[nodiscard]] std::unique_ptr<Plane> load(const PixelSource& source, const TilingPlan& tiling,
                                            const Progress& progress) override {
    return timed("reber load", [&] { return load_plane(context_, source, tiling, progress); });
  }

  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    return quote_all(context_->device(), spec, shape);
  }

  [[nodiscard]] std::unique_ptr<ConvolutionPlan> plan_convolution(const ConvolutionSpec& spec, Shape shape,
                                                                  Algorithm algorithm) override {
    return timed("reber plan convolution", [&] { return make_plan(context_, spec, shape, algorithm); });
  }

  [[nodiscard]] std::unique_ptr<Plane> convolve(const Plane& plane, const ConvolutionPlan& plan,
                                                const Progress& progress) override {
    const ConvolutionPlan* one = &plan;
    return std::move(timed("reber convolve", [&] { return convolve_plane(own(plane), {&one, 1}, progress); }).front());
  }

  [[nodiscard]] std::vector<std::unique_ptr<Plane>> convolve_each(const Plane& plane,
                                                                  std::span<const ConvolutionPlan* const> plans,
                                                                  const Progress& progress) override {
    return timed("reber convolve each", [&] { return convolve_plane(own(plane), plans, progress); });
  }

  [[nodiscard]] PlaneStatistics statistics(const Plane& plane, StatisticsParts parts) override {
    return timed("reber statistics", [&] { return plane_statistics(own(plane), parts); });
  }

  [[nodiscard]] ClipStatistics clip(const Plane& plane, const ClipOptions& options) override {
    return timed("reber clip", [&] { return clip_plane(own(plane), options); });
  }

  [[nodiscard]] MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options,
                               const Progress& progress) override {
    return timed("reber mesh", [&] { return measure_mesh(own(plane), grid, options, progress); });
  }

  [[nodiscard]] std::unique_ptr<IslandMap> label(const Plane& plane, const BackgroundModel& background,
                                                 const DetectOptions& options, const Progress& progress) override {
    return timed("reber label", [&] { return find_islands(own(plane), background, options, progress); });
  }

  [[nodiscard]] std::vector<IslandSums> measure(const Plane& plane, const BackgroundModel& background,
                                                const IslandMap& islands) override {
    return timed("reber measure", [&] { return measure_islands(own(plane), background, own(islands)); });
  }

  [[nodiscard]] IslandPixels island_pixels(const Plane& plane, const BackgroundModel& background,
                                           const IslandMap& islands, std::int64_t min_pixels) override {
    return timed("reber island pixels",
                 [&] { return fetch_island_pixels(own(plane), background, own(islands), min_pixels); });
  }

  [[nodiscard]] FitResults fit(const FitBatch& batch, const Progress& progress) override {
    return timed("reber fit", [&] { return fit_batch(*context_, batch, progress); });
  }

  [[nodiscard]] std::unique_ptr<Plane> snr_plane(const Plane& plane, const BackgroundModel& background) override {
    return timed("reber snr", [&] { return make_snr(own(plane), background); });
  }

  [[nodiscard]] std::unique_ptr<Plane> combine(PlaneRule rule, const Plane& a, const Plane& b) override {
    return timed("reber combine", [&] { return combine_planes(rule, own(a), own(b)); });
  }

  [[nodiscard]] std::unique_ptr<Plane> without_islands(const Plane& plane, const IslandMap& islands,
                                                       std::int64_t grow) override {
    return timed("reber without islands", [&] { return take_out_islands(own(plane), own(islands), grow); });
  }

  void render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where,
              float* out) override {
    timed("reber render", [&] {
      render_plane(kind, own(plane), background, where, out);
      return true;
    });
  }

  void draw_labels(const IslandMap& islands, const Rect& where, std::int32_t* out) override {
    timed("reber draw labels", [&] {
      render_labels(own(islands), where, out);
      return true;
    });
  }

  LabelRuns label_runs(const IslandMap& islands) override {
    return timed("reber label runs", [&] { return fetch_runs(own(islands)); });
  }

  std::unique_ptr<DisplayLevels> display_levels(MapKind kind, std::shared_ptr<const Plane> plane,
                                                const BackgroundModel* background, const Progress& progress) override {
    return make_display_levels(context_, kind, std::move(plane), background, progress);
  }

  std::shared_ptr<GraphicsLink> graphics_link() override {
    if (!link_) link_ = make_graphics_link(context_->device().device, context_->device().name);
    return link_;
  }

  OpCounters take_counters() override { return std::exchange(context_->counters, OpCounters{}); }

 private:
  /// Runs one operation to its end.
  template <class Body>
  std::invoke_result_t<const Body&> timed(const char* name, const Body& body) {
    OpScope scope(*context_, name);
    auto result = body();
    scope.finish();
    return result;
  }

  [[nodiscard]] const CudaPlane& own(const Plane& plane) const { return own_plane(plane, *context_); }
  [[nodiscard]] const CudaIslands& own(const IslandMap& islands) const {
    const auto* mine = dynamic_cast<const CudaIslands*>(&islands);
    if (mine == nullptr || mine->context() != context_)
      throw InternalError("an island map was given to the CUDA backend that another backend made");
    return *mine;
  }

  std::shared_ptr<Context> context_;
  std::shared_ptr<GraphicsLink> link_;
};

}  // namespace

std::unique_ptr<Backend> make(const BackendOptions& options) { return std::make_unique<CudaBackend>(options); }

}  // namespace reber::cuda

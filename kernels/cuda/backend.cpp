// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend: each operation named, timed and handed to its stage.
#include "kernels/cuda/backend.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "core/seam/compute/counted_cells.hpp"
#include "kernels/cuda/convolve/convolve.hpp"
#include "kernels/cuda/convolve/variants.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/load.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/cuda/fit/fit.hpp"
#include "kernels/cuda/islands/flood_masks.hpp"
#include "kernels/cuda/islands/island_pixels.hpp"
#include "kernels/cuda/islands/label.hpp"
#include "kernels/cuda/islands/measure.hpp"
#include "kernels/cuda/maps/derived.hpp"
#include "kernels/cuda/maps/display.hpp"
#include "kernels/cuda/maps/graphics_link.hpp"
#include "kernels/cuda/maps/noise.hpp"
#include "kernels/cuda/maps/render.hpp"
#include "kernels/cuda/maps/resample.hpp"
#include "kernels/cuda/maps/whole_maps.hpp"
#include "kernels/cuda/maps/windows.hpp"
#include "kernels/cuda/mesh/mesh.hpp"
#include "kernels/cuda/mesh/mesh_each.hpp"
#include "kernels/cuda/statistics/statistics.hpp"
#include "kernels/cuda/tiles/load_tiles.hpp"
#include "kernels/shared/typed_backend.hpp"

namespace reber::cuda {
namespace {

class CudaBackend final : public TypedBackend<CudaPlane, CudaIslands, CudaPlan>,
                          private FitEngine,
                          private DisplayEngine {
 public:
  CudaBackend(const std::shared_ptr<Context>& context, HostFits host_fits)
      : TypedBackend("cuda", context.get()), context_(context), host_fits_(host_fits) {}

  [[nodiscard]] BackendInfo info() const override {
    const DeviceInfo& device = context_->device();
    return {"cuda",
            fmt::format("{} (card {}, compute capability {}.{}, {} multiprocessors)", device.name, device.number,
                        device.major, device.minor, device.multiprocessors),
            0, context_->usable_bytes(), true};
  }

  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    return quote_all(context_->device(), spec, shape);
  }

  FitEngine& fits() override { return *this; }
  DisplayEngine* display() override { return this; }

 private:
  std::unique_ptr<Plane> do_load(const PixelSource& source, const TilingPlan& tiling, const Job& job) override {
    foretold_.reset();
    return timed("reber load", job, [&] {
      auto plane = load_tiles(context_, source, tiling, job);
      return plane ? std::move(plane) : load_plane(context_, source, tiling, job);
    });
  }
  std::unique_ptr<Plane> do_stream(std::shared_ptr<const PixelSource> source, const TilingPlan& tiling,
                                   const Job& job) override {
    foretold_.reset();
    return timed("reber stream", job, [&] { return stream_plane(context_, std::move(source), tiling, job); });
  }

  std::unique_ptr<ConvolutionPlan> do_plan_convolution(const ConvolutionSpec& spec, Shape shape, Algorithm algorithm,
                                                       const Job& job) override {
    return timed("reber plan convolution", job, [&] { return make_plan(context_, spec, shape, algorithm); });
  }
  Planes do_convolve(const CudaPlane& plane, std::span<const CudaPlan* const> plans, const Job& job) override {
    foretold_.reset();
    return timed("reber convolve", job, [&] { return convolve_plane(plane, plans, job); });
  }

  PlaneStatistics do_statistics(const CudaPlane& plane, StatisticsParts parts, const Job& job) override {
    return timed("reber statistics", job, [&] { return plane_statistics(plane, parts, job); });
  }
  ClipStatistics do_clip(const CudaPlane& plane, const ClipOptions& options, const Job& job) override {
    return timed("reber clip", job, [&] { return clip_plane(plane, options, job); });
  }
  MeshCells do_mesh(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) override {
    return timed("reber mesh", job, [&] {
      foretold_.reset();
      const std::unique_ptr<Foreteller> foreteller = follow(plane, grid, options);
      MeshCells cells = measure_mesh(plane, grid, options, foreteller.get(), job);
      if (foreteller) foretold_ = foreteller->end(cells);
      return cells;
    });
  }

  std::optional<MeshCells> do_mesh_each(const CudaPlane& plane, std::span<const MeshGrid> grids,
                                        const MeshOptions& options, const Job& job) override {
    foretold_.reset();
    if (!plane.resident() || std::ranges::any_of(grids, has_counted_cells)) return std::nullopt;
    return timed("reber meshes", job, [&] { return measure_meshes(plane, grids, options, job); });
  }

  void do_will_label(const CudaPlane& plane, const DetectOptions& options) override {
    hint_ = Hint{plane.maker(), options};  // of a plane that is kept: none
  }
  std::unique_ptr<IslandMap> do_label(const CudaPlane& plane, const CudaBackground& background,
                                      const DetectOptions& options, const Job& job) override {
    return timed("reber label", job,
                 [&] { return find_islands(plane, background, options, std::move(foretold_), job); });
  }
  std::vector<IslandSums> do_measure(const CudaPlane& plane, const CudaBackground& background,
                                     const CudaIslands& islands, const Job& job) override {
    return timed("reber measure", job, [&] { return measure_islands(plane, background, islands, job); });
  }
  IslandPixels do_island_pixels(const CudaPlane& plane, const CudaBackground& background, const CudaIslands& islands,
                                std::int64_t min_pixels, const Job& job) override {
    return timed("reber island pixels", job,
                 [&] { return fetch_island_pixels(plane, background, islands, min_pixels, job); });
  }
  LabelRuns do_label_runs(const CudaIslands& islands, const Job& job) override {
    return timed("reber label runs", job, [&] { return fetch_runs(islands); });
  }

  std::unique_ptr<IslandMap> do_islands_of(const LabelRuns& runs, std::int64_t count, const DetectOptions& options,
                                           const Job& job) override {
    return timed("reber islands of runs", job, [&] { return islands_of_runs(context_, runs, count, options); });
  }

  std::optional<NoiseSums> do_noise_sums(const CudaPlane& plane, const CudaBackground& background,
                                         const CudaIslands& islands, const NoiseQuestion& question,
                                         const Job& job) override {
    return timed("reber noise", job, [&] { return noise_sums_of(plane, background, islands, question, job); });
  }

  std::unique_ptr<Plane> do_derive(const Expression& what, const Job& job) override {
    return timed("reber derive", job, [&] { return cuda::derive(what, job); });
  }

  std::unique_ptr<Plane> do_resample(const CudaPlane& plane, const PlaceGrid& places, const ResampleTable& table,
                                     const Job& job) override {
    return timed("reber resample", job, [&] { return cuda::resample(plane, places, table, job); });
  }

  void do_render_pixels(const CudaPlane& plane, const Rect& where, float* out, const Job& job) override {
    timed("reber render", job, [&] { fetch_pixels(plane, where, out); });
  }
  void do_render(MapKind kind, const CudaPlane& plane, const CudaBackground& background, const Rect& where, float* out,
                 const Job& job) override {
    timed("reber render", job, [&] { render_map(kind, plane, background, where, out, job); });
  }
  bool do_render_each(MapKind kind, const CudaPlane& plane, const CudaBackground& background,
                      std::span<const Rect> where, float* out, const Job& job) override {
    const bool maps = background.mean_map != nullptr || background.rms_map != nullptr;
    if (kind == MapKind::snr && !maps && are_windows(plane, where)) {
      timed("reber render", job, [&] { render_windows(plane, DeviceBackground(*context_, background), where, out); });
      return true;
    }
    if (!plane.resident()) return false;
    timed("reber render", job, [&] { render_maps(kind, plane, background, where, out, job); });
    return true;
  }
  std::optional<std::vector<float>> do_block_peaks(const CudaPlane& plane, std::int64_t block,
                                                   const Job& job) override {
    return timed("reber block peaks", job, [&] { return block_peaks_of(plane, block, job); });
  }
  void do_draw_labels(const CudaIslands& islands, const Rect& where, std::int32_t* out, const Job& job) override {
    timed("reber draw labels", job, [&] { render_labels(islands, where, out, job); });
  }

  FitResults fit(const FitBatch& batch, const Job& job) override {
    job.check();
    const FitShares shares = share_batch(*context_, batch, host_fits_);
    const auto solve = [&] { return fit_batch(*context_, batch, shares, host_fits_, job); };
    return shares.card.empty() ? solve() : timed("reber fit", job, solve);
  }

  std::unique_ptr<DisplayLevels> display_levels(MapKind kind, std::shared_ptr<const Plane> plane,
                                                const BackgroundModel* background, const Job& job) override {
    job.check();
    const std::shared_ptr<const CudaPlane> typed(plane, &own(*plane));
    if (kind == MapKind::image) return make_display_levels(context_, kind, typed, nullptr, job);
    if (background == nullptr) throw InternalError("cuda backend: this map needs a background");
    const CudaBackground levels = own(*background, plane->shape());
    return make_display_levels(context_, kind, typed, &levels, job);
  }

  std::shared_ptr<const DeviceTile> device_map(MapKind kind, const Plane& plane, const BackgroundModel* background,
                                               const Job& job) override {
    job.check();
    const CudaPlane& typed = own(plane);
    if (kind != MapKind::image && background == nullptr)
      throw InternalError("cuda backend: this map needs a background");
    return timed("reber device map", job, [&] {
      if (kind == MapKind::image) return make_map(kind, typed, nullptr, job);
      const CudaBackground levels = own(*background, plane.shape());
      return make_map(kind, typed, &levels, job);
    });
  }
  std::shared_ptr<const DeviceTile> device_labels(const IslandMap& islands, const Job& job) override {
    job.check();
    return timed("reber device labels", job, [&] { return make_label_map(own(islands, islands.shape()), job); });
  }

  std::shared_ptr<GraphicsLink> graphics_link() override {
    if (!link_) link_ = make_graphics_link(context_->device().device, context_->device().name);
    return link_;
  }

  /// Of whom islands will be looked for, and how.
  struct Hint {
    std::weak_ptr<RowMaker> maker;
    DetectOptions options;
  };

  /// Who makes the masks of the plane that the hint names, if this mesh is of it and the card has the room.
  std::unique_ptr<Foreteller> follow(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options) {
    const std::optional<Hint> hint = std::exchange(hint_, std::nullopt);
    if (!hint || !plane.maker()) return nullptr;
    const ChangedRows* const changed = changed_rows_of(plane);
    const CudaPlane& labelled = changed != nullptr ? changed->base() : plane;
    const ReadRows* const reads = read_rows_of(labelled);
    if (labelled.maker() != hint->maker.lock() || reads == nullptr) return nullptr;
    const std::int64_t wanted = followed_bytes(plane, grid, options);
    // A walk without a follower has room for two bands.
    const std::int64_t bands = 2 * plane.tiling().band_rows * plane.pitch() * static_cast<std::int64_t>(sizeof(float));
    if (wanted == 0 || wanted - bands > reads->lag_bytes()) return nullptr;
    // Islands that are taken out stand beside the masks: they, the copy of their runs and the pixels that are kept.
    constexpr std::int64_t kBesides = 3, kPixelsAByte = 20;
    const bool limited = plane.tiling().device_bytes > 0;
    if (limited && changed != nullptr && kBesides * changed->held_bytes() > plane.shape().count() / kPixelsAByte)
      return nullptr;
    return std::make_unique<Foreteller>(labelled, grid, hint->options);
  }

  /// Runs one operation to its end.
  template <class Body>
  std::invoke_result_t<const Body&> timed(const char* name, const Job& job, const Body& body) {
    OpScope scope(*context_, name, job);
    if constexpr (std::is_void_v<std::invoke_result_t<const Body&>>) {
      body();
      scope.finish();
    } else {
      auto result = body();
      scope.finish();
      return result;
    }
  }

  std::shared_ptr<Context> context_;
  HostFits host_fits_;
  std::optional<Hint> hint_;
  std::unique_ptr<Foretold> foretold_;  ///< by the last mesh
  std::shared_ptr<GraphicsLink> link_;
};

}  // namespace

std::unique_ptr<Backend> make(const BackendOptions& options, HostFits host_fits) {
  return std::make_unique<CudaBackend>(std::make_shared<Context>(options), host_fits);
}

}  // namespace reber::cuda

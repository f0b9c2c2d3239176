// SPDX-License-Identifier: BSD-3-Clause
// From the seam's interfaces to a backend's own types: each argument is cast and its owner and shape are checked here,
// for every backend.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/seam/compute/backend.hpp"
#include "kernels/shared/background_of.hpp"
#include "kernels/shared/given_runs.hpp"
#include "kernels/shared/own_expression.hpp"

namespace reber {

/// A Backend made of operations on its own planes, island maps and convolution plans. A type that has a function home()
/// lives in the memory that home() names, and only there; one that has none serves every backend of its kind.
///   operations throw Cancelled before they begin where the job is to stop; InternalError for another backend's
///   objects and for shapes that do not match; InputError for a rectangle that is not inside the image
template <class PlaneType, class IslandsType, class PlanType>
class TypedBackend : public Backend {
 public:
  using Planes = std::vector<std::unique_ptr<Plane>>;
  using Background = BackgroundOf<PlaneType>;
  using Expression = OwnExpression<PlaneType, IslandsType>;

  std::unique_ptr<Plane> load(const PixelSource& source, const TilingPlan& tiling, const Job& job) final {
    job.check();
    return do_load(source, tiling, job);
  }
  std::unique_ptr<Plane> stream(std::shared_ptr<const PixelSource> source, const TilingPlan& tiling,
                                const Job& job) final {
    job.check();
    return tiling.in_source ? do_stream(std::move(source), tiling, job) : do_load(*source, tiling, job);
  }
  std::unique_ptr<ConvolutionPlan> plan_convolution(const ConvolutionSpec& spec, Shape shape, Algorithm algorithm,
                                                    const Job& job) final {
    job.check();
    return do_plan_convolution(spec, shape, algorithm, job);
  }
  Planes convolve(const Plane& plane, std::span<const ConvolutionPlan* const> plans, const Job& job) final {
    job.check();
    std::vector<const PlanType*> own_plans;
    for (const ConvolutionPlan* plan : plans) {
      require_same(plan->shape(), plane.shape(), "the convolution was planned for another shape");
      own_plans.push_back(&own(*plan));
    }
    return do_convolve(own(plane), own_plans, job);
  }
  std::unique_ptr<Plane> convolve_later(const Plane& plane, const ConvolutionPlan& plan, const Job& job) final {
    job.check();
    require_same(plan.shape(), plane.shape(), "the convolution was planned for another shape");
    return do_convolve_later(own(plane), own(plan), job);
  }
  [[nodiscard]] std::int64_t rows_together(const Plane& plane) const final { return do_rows_together(own(plane)); }
  PlaneStatistics statistics(const Plane& plane, StatisticsParts parts, const Job& job) final {
    job.check();
    return do_statistics(own(plane), parts, job);
  }
  std::optional<float> largest(const Plane& plane, const Job& job) final {
    job.check();
    return do_largest(own(plane), job);
  }
  ClipStatistics clip(const Plane& plane, const ClipOptions& options, const Job& job) final {
    job.check();
    return do_clip(own(plane), options, job);
  }
  MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) final {
    job.check();
    require_same(grid.image, plane.shape(), "the mesh was made for an image of another size");
    return do_mesh(own(plane), grid, options, job);
  }
  MeshCells mesh_each(const Plane& plane, std::span<const MeshGrid> grids, const MeshOptions& options,
                      const Job& job) final {
    job.check();
    for (const MeshGrid& grid : grids)
      require_same(grid.image, plane.shape(), "the mesh was made for an image of another size");
    if (auto cells = do_mesh_each(own(plane), grids, options, job)) return std::move(*cells);
    MeshCells all;
    for (const MeshGrid& grid : grids) all.append(mesh(plane, grid, options, job));
    return all;
  }
  void will_label(const Plane& plane, const DetectOptions& options) final { do_will_label(own(plane), options); }
  std::unique_ptr<IslandMap> label(const Plane& plane, const BackgroundModel& background, const DetectOptions& options,
                                   const Job& job) final {
    job.check();
    return do_label(own(plane), own(background, plane.shape()), options, job);
  }
  std::vector<IslandSums> measure(const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                                  const Job& job) final {
    job.check();
    return do_measure(own(plane), own(background, plane.shape()), own(islands, plane.shape()), job);
  }
  IslandPixels island_pixels(const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                             std::int64_t min_pixels, const Job& job) final {
    job.check();
    return do_island_pixels(own(plane), own(background, plane.shape()), own(islands, plane.shape()), min_pixels, job);
  }
  LabelRuns label_runs(const IslandMap& islands, const Job& job) final {
    job.check();
    return do_label_runs(own(islands, islands.shape()), job);
  }
  std::unique_ptr<IslandMap> islands_of(const LabelRuns& runs, const DetectOptions& options, const Job& job) final {
    job.check();
    const std::int64_t count = count_labels(runs);
    if (count < 0) fail("runs given as islands are not in raster order, overlap, leave the image or a label out");
    return do_islands_of(runs, count, options, job);
  }
  std::optional<NoiseSums> noise_sums(const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                                      const NoiseQuestion& question, const Job& job) final {
    job.check();
    return do_noise_sums(own(plane), own(background, plane.shape()), own(islands, plane.shape()), question, job);
  }
  std::unique_ptr<Plane> derive(const PlaneExpression& expression, const Job& job) final {
    job.check();
    return do_derive(std::visit([&](const auto& which) { return own(which); }, expression), job);
  }
  std::unique_ptr<Plane> resample(const Plane& plane, const PlaceGrid& places, const ResampleTable& table,
                                  const Job& job) final {
    job.check();
    return do_resample(own(plane), places, table, job);
  }
  void render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where, float* out,
              const Job& job) final {
    job.check();
    require_inside(plane.shape(), where);
    if (kind == MapKind::image) return do_render_pixels(own(plane), where, out, job);
    if (background == nullptr) fail("a background map was asked for without a background");
    do_render(kind, own(plane), own(*background, plane.shape()), where, out, job);
  }
  void render_each(MapKind kind, const Plane& plane, const BackgroundModel* background, std::span<const Rect> where,
                   float* out, const Job& job) final {
    job.check();
    for (const Rect& one : where) require_inside(plane.shape(), one);
    if (kind != MapKind::image && background == nullptr) fail("a background map was asked for without a background");
    if (kind != MapKind::image && do_render_each(kind, own(plane), own(*background, plane.shape()), where, out, job))
      return;
    for (const Rect& one : where) {
      render(kind, plane, background, one, out, job);
      out += one.shape().count();
    }
  }
  std::optional<std::vector<float>> block_peaks(const Plane& plane, std::int64_t block, const Job& job) final {
    job.check();
    return do_block_peaks(own(plane), block, job);
  }
  void draw_labels(const IslandMap& islands, const Rect& where, std::int32_t* out, const Job& job) final {
    job.check();
    require_inside(islands.shape(), where);
    do_draw_labels(own(islands, islands.shape()), where, out, job);
  }

 protected:
  /// name: for messages. home: where this backend's objects live; null where they have no home().
  explicit TypedBackend(std::string name, const void* home = nullptr) : name_(std::move(name)), home_(home) {}

  /// The object as this backend's own.   throws InternalError where it is another's
  [[nodiscard]] const PlaneType& own(const Plane& plane) const { return cast<PlaneType>(plane, "plane"); }
  [[nodiscard]] const PlanType& own(const ConvolutionPlan& plan) const {
    return cast<PlanType>(plan, "convolution plan");
  }
  /// The same, of an image of this shape.
  [[nodiscard]] const IslandsType& own(const IslandMap& islands, Shape image) const {
    require_same(islands.shape(), image, "the islands are of an image of another size");
    return cast<IslandsType>(islands, "island map");
  }
  [[nodiscard]] Background own(const BackgroundModel& background, Shape image) const {
    require_same(background.grid.image, image, "the background is not of the image's size");
    return {background, map_of(background.mean_map, image), map_of(background.rms_map, image)};
  }

 private:
  virtual std::unique_ptr<Plane> do_load(const PixelSource& source, const TilingPlan& tiling, const Job& job) = 0;
  // NOLINTNEXTLINE(performance-unnecessary-value-param): whoever streams keeps it
  virtual std::unique_ptr<Plane> do_stream(std::shared_ptr<const PixelSource> source, const TilingPlan& tiling,
                                           const Job& job) {
    return do_load(*source, tiling, job);
  }
  virtual std::unique_ptr<ConvolutionPlan> do_plan_convolution(const ConvolutionSpec& spec, Shape shape,
                                                               Algorithm algorithm, const Job& job) = 0;
  virtual Planes do_convolve(const PlaneType& plane, std::span<const PlanType* const> plans, const Job& job) = 0;
  virtual std::unique_ptr<Plane> do_convolve_later(const PlaneType& /*plane*/, const PlanType& /*plan*/,
                                                   const Job& /*job*/) {
    return nullptr;
  }
  [[nodiscard]] virtual std::int64_t do_rows_together(const PlaneType& /*plane*/) const { return 0; }
  virtual PlaneStatistics do_statistics(const PlaneType& plane, StatisticsParts parts, const Job& job) = 0;
  virtual std::optional<float> do_largest(const PlaneType& /*plane*/, const Job& /*job*/) { return {}; }
  virtual ClipStatistics do_clip(const PlaneType& plane, const ClipOptions& options, const Job& job) = 0;
  virtual MeshCells do_mesh(const PlaneType& plane, const MeshGrid& grid, const MeshOptions& options,
                            const Job& job) = 0;
  /// Where it is quicker than one after another; empty where it is not.
  virtual std::optional<MeshCells> do_mesh_each(const PlaneType& /*plane*/, std::span<const MeshGrid> /*grids*/,
                                                const MeshOptions& /*options*/, const Job& /*job*/) {
    return std::nullopt;
  }
  virtual void do_will_label(const PlaneType& /*plane*/, const DetectOptions& /*options*/) {}
  virtual std::unique_ptr<IslandMap> do_label(const PlaneType& plane, const Background& background,
                                              const DetectOptions& options, const Job& job) = 0;
  virtual std::vector<IslandSums> do_measure(const PlaneType& plane, const Background& background,
                                             const IslandsType& islands, const Job& job) = 0;
  virtual IslandPixels do_island_pixels(const PlaneType& plane, const Background& background,
                                        const IslandsType& islands, std::int64_t min_pixels, const Job& job) = 0;
  virtual LabelRuns do_label_runs(const IslandsType& islands, const Job& job) = 0;
  /// runs: as islands_of() asks;   count: of labels
  virtual std::unique_ptr<IslandMap> do_islands_of(const LabelRuns& runs, std::int64_t count,
                                                   const DetectOptions& options, const Job& job) = 0;
  virtual std::optional<NoiseSums> do_noise_sums(const PlaneType& /*plane*/, const Background& /*background*/,
                                                 const IslandsType& /*islands*/, const NoiseQuestion& /*question*/,
                                                 const Job& /*job*/) {
    return {};
  }
  virtual std::unique_ptr<Plane> do_derive(const Expression& what, const Job& job) = 0;
  virtual std::unique_ptr<Plane> do_resample(const PlaneType& plane, const PlaceGrid& places,
                                             const ResampleTable& table, const Job& job) {
    return Backend::resample(plane, places, table, job);
  }
  virtual void do_render_pixels(const PlaneType& plane, const Rect& where, float* out, const Job& job) = 0;
  /// kind: mean, rms or snr.
  virtual void do_render(MapKind kind, const PlaneType& plane, const Background& background, const Rect& where,
                         float* out, const Job& job) = 0;
  /// Where it is quicker than one after another.   returns false where it is not, and nothing was done
  virtual bool do_render_each(MapKind /*kind*/, const PlaneType& /*plane*/, const Background& /*background*/,
                              std::span<const Rect> /*where*/, float* /*out*/, const Job& /*job*/) {
    return false;
  }
  virtual std::optional<std::vector<float>> do_block_peaks(const PlaneType& /*plane*/, std::int64_t /*block*/,
                                                           const Job& /*job*/) {
    return {};
  }
  virtual void do_draw_labels(const IslandsType& islands, const Rect& where, std::int32_t* out, const Job& job) = 0;

  Expression own(const SnrPlane& snr) const {
    return OwnSnr<PlaneType>{own(snr.plane), own(snr.background, snr.plane.shape())};
  }
  Expression own(const CombinedPlane& both) const {
    require_same(both.a.shape(), both.b.shape(), "planes of two sizes cannot be combined");
    return OwnCombined<PlaneType>{both.rule, own(both.a), own(both.b)};
  }
  Expression own(const WithoutIslands& what) const {
    return OwnWithoutIslands<PlaneType, IslandsType>{own(what.plane), own(what.islands, what.plane.shape()), what.grow};
  }
  Expression own(const EveryNth& fewer) const {
    const auto [ny, nx] = fewer.plane.shape();
    const std::int64_t n = fewer.n;
    if (n < 1 || n > ny || n > nx)
      throw InputError(fmt::format("every {}th pixel was asked for of an image of {} x {} pixels", n, nx, ny));
    const std::int64_t first = (n - 1) / 2;
    return OwnEveryNth<PlaneType>{own(fewer.plane), n, {(ny - first + n - 1) / n, (nx - first + n - 1) / n}};
  }
  Expression own(const MinusMagnitude& of) const { return OwnMinusMagnitude<PlaneType>{own(of.plane)}; }

  template <class Own, class Interface>
  const Own& cast(const Interface& object, const char* what) const {
    const auto* mine = dynamic_cast<const Own*>(&object);
    bool at_home = mine != nullptr;
    if constexpr (requires { mine->home(); }) at_home = at_home && mine->home() == home_;
    if (!at_home) fail(fmt::format("the {} given was made by another backend", what));
    return *mine;
  }
  const PlaneType* map_of(const std::shared_ptr<const Plane>& map, Shape image) const {
    if (!map) return nullptr;
    require_same(map->shape(), image, "a background map is not of the image's size");
    return &own(*map);
  }

  [[noreturn]] void fail(const std::string& why) const { throw InternalError(name_ + " backend: " + why); }
  void require_same(Shape one, Shape other, const char* why) const {
    if (!(one == other)) fail(why);
  }
  static void require_inside(Shape shape, const Rect& where) {
    if (where.y0 < 0 || where.x0 < 0 || where.ny < 0 || where.nx < 0 || where.y0 + where.ny > shape.ny ||
        where.x0 + where.nx > shape.nx)
      throw InputError(fmt::format("rows {} to {}, columns {} to {} were asked for of an image of {} x {} pixels",
                                   where.y0, where.y0 + where.ny, where.x0, where.x0 + where.nx, shape.ny, shape.nx));
  }

  std::string name_;
  const void* home_;
};

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The cpu backend: one object that hands each operation to the file that does it.
#include "kernels/cpu/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/cpu/background_rows.hpp"
#include "kernels/cpu/block_peaks.hpp"
#include "kernels/cpu/convolve/convolution.hpp"
#include "kernels/cpu/derived.hpp"
#include "kernels/cpu/fit.hpp"
#include "kernels/cpu/histogram.hpp"
#include "kernels/cpu/islands/label.hpp"
#include "kernels/cpu/islands/measure.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/load.hpp"
#include "kernels/cpu/mesh.hpp"
#include "kernels/cpu/processor.hpp"
#include "kernels/cpu/resample.hpp"
#include "kernels/cpu/row_maker.hpp"
#include "kernels/shared/typed_backend.hpp"

namespace reber::cpu {
namespace {

/// Calls body(held, first, end) for bands of a rectangle in order; held.row(y) begins at its first column.
template <class Body>
void for_each_part(const CpuPlane& plane, const Rect& where, const JobThreads& threads, const Body& body) {
  const std::vector<std::int64_t> edges = band_edges(plane, where.y0, where.y0 + where.ny, 1);
  for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
    threads.job().check();
    body(hold_rectangle(plane, {edges[b], where.x0, edges[b + 1] - edges[b], where.nx}, threads), edges[b],
         edges[b + 1]);
  }
}

class CpuBackend final : public TypedBackend<CpuPlane, CpuIslands, CpuConvolution>, private FitEngine {
 public:
  explicit CpuBackend(const BackendOptions& options)
      : TypedBackend("cpu"),
        pool_(std::make_shared<ThreadPool>(options.threads)),
        memory_(PixelMemory::make()),
        device_(processor_name() + (options.in_place_of.empty() ? "" : ", in place of " + options.in_place_of)) {}

  [[nodiscard]] BackendInfo info() const override { return {"cpu", device_, pool_->threads(), 0, true}; }

  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    std::vector<ConvolutionQuote> quotes;
    for (const Variant& row : variants()) quotes.push_back(quote_of(row, spec, shape, pool_->threads()));
    return quotes;
  }

  FitEngine& fits() override { return *this; }

 private:
  std::unique_ptr<Plane> do_load(const PixelSource& source, const TilingPlan&, const Job& job) override {
    foretold_.reset();
    return load_plane(source, *memory_, on(job));
  }
  std::unique_ptr<Plane> do_stream(std::shared_ptr<const PixelSource> source, const TilingPlan& tiling,
                                   const Job&) override {
    foretold_.reset();
    return stream_plane(std::move(source), tiling.band_rows, tools());
  }

  std::unique_ptr<ConvolutionPlan> do_plan_convolution(const ConvolutionSpec& spec, Shape shape, Algorithm algorithm,
                                                       const Job&) override {
    if (spec.kernel.shape.count() < 1 || shape.count() < 1)
      throw InputError(fmt::format("a convolution needs at least one pixel and one weight, not {} x {} and {} x {}",
                                   shape.nx, shape.ny, spec.kernel.shape.nx, spec.kernel.shape.ny));
    for (const Variant& row : variants()) {
      if (row.algorithm != algorithm) continue;
      const ConvolutionQuote quote = quote_of(row, spec, shape, pool_->threads());
      if (!quote.possible)
        throw InputError(
            fmt::format("algorithm '{}' cannot do this convolution: {}", to_string(algorithm), quote.reason));
      return std::make_unique<CpuConvolution>(spec, shape, row, row.make(spec, shape, pool_->threads()));
    }
    throw InputError(fmt::format("backend 'cpu' has no algorithm '{}'", to_string(algorithm)));
  }

  Planes do_convolve(const CpuPlane& plane, std::span<const CpuConvolution* const> plans, const Job& job) override {
    Planes results;
    for (const CpuConvolution* plan : plans) results.push_back(plan->run(plane, tools(), on(job)));
    return results;
  }

  std::unique_ptr<Plane> do_convolve_later(const CpuPlane& plane, const CpuConvolution& plan, const Job& job) override {
    return plan.run_later(plane, tools(), on(job));
  }
  [[nodiscard]] std::int64_t do_rows_together(const CpuPlane& plane) const override {
    return plane.resident() ? 0 : plane.maker()->band_rows();
  }

  PlaneStatistics do_statistics(const CpuPlane& plane, StatisticsParts parts, const Job& job) override {
    count_blanks(plane, on(job));
    PlaneHistogram histogram(plane, on(job));
    return solve_statistics(histogram, plane.blank(), parts);
  }
  std::optional<float> do_largest(const CpuPlane& plane, const Job& job) override { return largest_of(plane, on(job)); }
  ClipStatistics do_clip(const CpuPlane& plane, const ClipOptions& options, const Job& job) override {
    PlaneHistogram histogram(plane, on(job));
    return solve_clip(histogram, options);
  }
  MeshCells do_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) override {
    foretold_.reset();
    const std::unique_ptr<Foreteller> foreteller = follow(plane, grid, options);
    std::optional<KnownCells> known = known_cells(plane, grid, options);
    MeshCells cells = measure_mesh(plane, grid, options, foreteller.get(), known ? &*known : nullptr, on(job));
    if (foreteller) foretold_ = foreteller->end();
    if (known && known->anew.empty())
      measured_ = {plane.pixels(), grid, options.clip, options.min_valid, std::move(known->clips)};
    return cells;
  }
  std::optional<MeshCells> do_mesh_each(const CpuPlane& plane, std::span<const MeshGrid> grids,
                                        const MeshOptions& options, const Job& job) override {
    const bool whole = plane.resident() || plane.maker()->band_rows() >= plane.shape().ny;
    if (!whole) return std::nullopt;
    return measure_meshes(plane, grids, options, on(job));
  }

  void do_will_label(const CpuPlane& plane, const DetectOptions& options) override {
    hint_ = Hint{plane.maker(), options};  // of a plane in memory: none
  }
  std::unique_ptr<IslandMap> do_label(const CpuPlane& plane, const CpuBackground& background,
                                      const DetectOptions& options, const Job& job) override {
    return find_islands(plane, background, options, std::move(foretold_), on(job));
  }
  std::vector<IslandSums> do_measure(const CpuPlane& plane, const CpuBackground& background, const CpuIslands& islands,
                                     const Job& job) override {
    return measure_islands(plane, background, islands, on(job));
  }
  IslandPixels do_island_pixels(const CpuPlane& plane, const CpuBackground& background, const CpuIslands& islands,
                                std::int64_t min_pixels, const Job& job) override {
    return gather_pixels(plane, background, islands, min_pixels, on(job));
  }
  LabelRuns do_label_runs(const CpuIslands& islands, const Job&) override {
    LabelRuns all{islands.shape(), {}};
    all.runs.reserve(islands.by_row.size());
    for (std::size_t k = 0; k < islands.by_row.size(); ++k)
      all.runs.push_back({islands.by_row[k].y, islands.by_row[k].x0, islands.by_row[k].x1, islands.label[k]});
    return all;
  }

  std::unique_ptr<IslandMap> do_islands_of(const LabelRuns& runs, std::int64_t count, const DetectOptions& options,
                                           const Job&) override {
    return islands_of_runs(runs, count, options);
  }

  std::unique_ptr<Plane> do_derive(const Expression& what, const Job& job) override {
    return cpu::derive(what, tools(), on(job));
  }

  std::unique_ptr<Plane> do_resample(const CpuPlane& plane, const PlaceGrid& places, const ResampleTable& table,
                                     const Job& job) override {
    return cpu::resample(plane, places, table, tools(), on(job));
  }

  void do_render_pixels(const CpuPlane& plane, const Rect& where, float* out, const Job& job) override {
    if (!plane.resident() && where.nx == plane.shape().nx && where.ny <= plane.maker()->band_rows())
      return plane.maker()->make(where.y0, where.ny, out, on(job));
    for_each_part(plane, where, on(job), [&](const HeldRows& held, std::int64_t first, std::int64_t last) {
      on(job).for_each(last - first, [&](std::int64_t k) {
        const std::int64_t y = first + k;
        std::copy_n(held.row(y), where.nx, out + (y - where.y0) * where.nx);
      });
    });
  }
  void do_render(MapKind kind, const CpuPlane& plane, const CpuBackground& background, const Rect& where, float* out,
                 const Job& job) override;
  bool do_render_each(MapKind kind, const CpuPlane& plane, const CpuBackground& background, std::span<const Rect> where,
                      float* out, const Job& job) override;
  std::optional<std::vector<float>> do_block_peaks(const CpuPlane& plane, std::int64_t block, const Job& job) override {
    return block_peaks_of(plane, block, on(job));
  }
  void do_draw_labels(const CpuIslands& islands, const Rect& where, std::int32_t* out, const Job& job) override {
    on(job).for_each(where.ny, [&](std::int64_t row) {
      draw_label_row(islands, where.y0 + row, where.x0, where.nx, out + row * where.nx);
    });
  }

  FitResults fit(const FitBatch& batch, const Job& job) override {
    job.check();
    return cpu::fit(batch, on(job));
  }

  /// Of whom islands will be looked for, and how.
  struct Hint {
    std::weak_ptr<const RowMaker> maker;
    DetectOptions options;
  };

  /// Who scans the plane that the hint names, if this mesh is of it and there is the room.
  std::unique_ptr<Foreteller> follow(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options) {
    const std::optional<Hint> hint = std::exchange(hint_, std::nullopt);
    if (!hint) return nullptr;
    const CpuPlane* const labelled = foretold_by_mesh(plane, grid, options);
    if (labelled == nullptr || labelled->maker() != hint->maker.lock()) return nullptr;
    return std::make_unique<Foreteller>(*labelled, grid, options.filter, hint->options);
  }

  /// The last mesh of a plane in memory: of one that leaves out islands only the cells that these touch are others.
  struct MeasuredMesh {
    std::weak_ptr<const Pixels> of;
    MeshGrid grid;
    ClipOptions clip;
    double min_valid = 0;
    std::vector<ClippedCell> clips;
  };

  /// Clips that are known before the cells are measured, or room for them. Nothing where they would be many, and where
  /// rows are made as they are asked for.
  [[nodiscard]] std::optional<KnownCells> known_cells(const CpuPlane& plane, const MeshGrid& grid,
                                                      const MeshOptions& options) const {
    constexpr std::int64_t kMostCells = 1 << 20;
    if (grid.ny() * grid.nx() > kMostCells) return std::nullopt;
    if (!plane.origin()) return plane.resident() ? std::optional(KnownCells{}) : std::nullopt;
    const std::shared_ptr<const Pixels> base = plane.origin()->base().pixels();
    const bool same = base != nullptr && measured_.of.lock() == base && measured_.grid.rows == grid.rows &&
                      measured_.grid.cols == grid.cols && measured_.clip == options.clip &&
                      measured_.min_valid == options.min_valid;
    if (!same) return std::nullopt;
    return KnownCells{measured_.clips, plane.origin()->changed_cells(grid)};
  }

  [[nodiscard]] RowTools tools() const { return {memory_, pool_}; }
  [[nodiscard]] JobThreads on(const Job& job) { return {*pool_, job}; }

  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<PixelMemory> memory_;
  const std::string device_;
  std::optional<Hint> hint_;
  std::unique_ptr<Foretold> foretold_;  ///< by the last mesh
  MeasuredMesh measured_;
};

/// Columns of one row of a map.   pixel: row y of the plane, for S/N alone;   to: column x0
void draw_row(MapKind kind, const BackgroundRows& rows, const float* pixel, std::int64_t y, std::int64_t x0,
              std::int64_t nx, BackgroundRows::Scratch& own, float* to) {
  const std::int64_t x1 = x0 + nx;
  if (kind == MapKind::mean) {
    std::copy_n(rows.mean_row(y, x0, x1, own) + x0, nx, to);
  } else if (kind == MapKind::rms) {
    std::copy_n(rows.rms_row(y, x0, x1, own) + x0, nx, to);
  } else {
    const float* mean = rows.mean_row(y, x0, x1, own) + x0;
    const float* rms = rows.rms_row(y, x0, x1, own) + x0;
    snr_row(pixel, mean, rms, nx, to);
  }
}

void CpuBackend::do_render(MapKind kind, const CpuPlane& plane, const CpuBackground& background, const Rect& where,
                           float* out, const Job& job) {
  const JobThreads threads = on(job);
  BackgroundRows rows(background);
  std::vector<BackgroundRows::Scratch> scratch(static_cast<std::size_t>(threads.threads()));
  const auto render_band = [&](const HeldRows& held, std::int64_t first, std::int64_t last) {
    rows.hold(first, last - first, threads);
    threads.for_each_worker(last - first, [&](std::int64_t k, int worker) {
      const std::int64_t y = first + k;
      draw_row(kind, rows, kind == MapKind::snr ? held.row(y) : nullptr, y, where.x0, where.nx,
               scratch[static_cast<std::size_t>(worker)], out + (y - where.y0) * where.nx);
    });
  };
  if (kind == MapKind::snr) return for_each_part(plane, where, threads, render_band);
  render_band({}, where.y0, where.y0 + where.ny);  // which reads no pixel of the plane
}

/// Weights and segments of the mesh are made once; of a plane in memory rectangles go side by side.
bool CpuBackend::do_render_each(MapKind kind, const CpuPlane& plane, const CpuBackground& background,
                                std::span<const Rect> where, float* out, const Job& job) {
  if (background.mean_map != nullptr || background.rms_map != nullptr) return false;
  const JobThreads threads = on(job);
  const BackgroundRows rows(background);
  std::vector<BackgroundRows::Scratch> scratch(static_cast<std::size_t>(threads.threads()));
  std::vector<std::int64_t> begin{0};
  for (const Rect& one : where) begin.push_back(begin.back() + one.shape().count());
  const bool reads = kind == MapKind::snr && !plane.resident();
  const auto draw = [&](std::int64_t k, const HeldRows& held, std::int64_t first, std::int64_t last, int worker) {
    const Rect& one = where[static_cast<std::size_t>(k)];
    for (std::int64_t y = first; y < last; ++y)
      draw_row(kind, rows, kind == MapKind::snr ? held.row(y) : nullptr, y, one.x0, one.nx,
               scratch[static_cast<std::size_t>(worker)],
               out + begin[static_cast<std::size_t>(k)] + (y - one.y0) * one.nx);
  };
  if (!reads) {
    threads.for_each_worker(std::ssize(where), [&](std::int64_t k, int worker) {
      const Rect& one = where[static_cast<std::size_t>(k)];
      HeldRows held;
      if (kind == MapKind::snr) held = {plane.row(one.y0) + one.x0, one.y0, plane.shape().nx, {}};
      draw(k, held, one.y0, one.y0 + one.ny, worker);
    });
    return true;
  }
  for (std::int64_t k = 0; k < std::ssize(where); ++k) {
    job.check();
    for_each_part(plane, where[static_cast<std::size_t>(k)], threads,
                  [&](const HeldRows& held, std::int64_t first, std::int64_t last) { draw(k, held, first, last, 0); });
  }
  return true;
}

}  // namespace

std::unique_ptr<Backend> make(const BackendOptions& options) { return std::make_unique<CpuBackend>(options); }
}  // namespace reber::cpu

// SPDX-License-Identifier: BSD-3-Clause
// The cpu backend: one object that hands each operation to the file that does it.
#include "kernels/cpu/backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/compute/stoppable.hpp"
#include "kernels/cpu/background_rows.hpp"
#include "kernels/cpu/convolution.hpp"
#include "kernels/cpu/derived.hpp"
#include "kernels/cpu/fit.hpp"
#include "kernels/cpu/histogram.hpp"
#include "kernels/cpu/islands.hpp"
#include "kernels/cpu/load.hpp"
#include "kernels/cpu/mesh.hpp"
#include "kernels/cpu/processor.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {
namespace {

class CpuBackend final : public Backend, public Stoppable {
 public:
  explicit CpuBackend(int threads) : pool_(threads), memory_(PixelMemory::make()) {}

  [[nodiscard]] BackendInfo info() const override { return {"cpu", processor_name(), pool_.threads(), 0}; }

  std::unique_ptr<Plane> load(const PixelSource& source, const TilingPlan&, const Progress& progress) override {
    return load_plane(source, *memory_, pool_, progress);
  }

  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    std::vector<ConvolutionQuote> quotes;
    for (const Variant& row : variants()) quotes.push_back(quote_of(row, spec, shape, pool_.threads()));
    return quotes;
  }

  std::unique_ptr<ConvolutionPlan> plan_convolution(const ConvolutionSpec& spec, Shape shape,
                                                    Algorithm algorithm) override {
    if (spec.kernel.shape.count() < 1 || shape.count() < 1)
      throw InputError(fmt::format("a convolution needs at least one pixel and one weight, not {} x {} and {} x {}",
                                   shape.nx, shape.ny, spec.kernel.shape.nx, spec.kernel.shape.ny));
    for (const Variant& row : variants()) {
      if (row.algorithm != algorithm) continue;
      const ConvolutionQuote quote = quote_of(row, spec, shape, pool_.threads());
      if (!quote.possible)
        throw InputError(
            fmt::format("algorithm '{}' cannot do this convolution: {}", to_string(algorithm), quote.reason));
      return std::make_unique<CpuConvolution>(spec, shape, row, row.make(spec, shape, pool_.threads()));
    }
    throw InputError(fmt::format("backend 'cpu' has no algorithm '{}'", to_string(algorithm)));
  }

  std::unique_ptr<Plane> convolve(const Plane& plane, const ConvolutionPlan& plan, const Progress& progress) override {
    return mine<CpuConvolution>(plan).run(mine<CpuPlane>(plane), *memory_, pool_, progress);
  }

  PlaneStatistics statistics(const Plane& plane, StatisticsParts parts) override {
    PlaneHistogram histogram(mine<CpuPlane>(plane), pool_);
    return solve_statistics(histogram, plane.blank(), parts);
  }
  ClipStatistics clip(const Plane& plane, const ClipOptions& options) override {
    PlaneHistogram histogram(mine<CpuPlane>(plane), pool_);
    return solve_clip(histogram, options);
  }
  MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options,
                 const Progress& progress) override {
    return measure_mesh(mine<CpuPlane>(plane), grid, options, pool_, progress);
  }

  std::unique_ptr<IslandMap> label(const Plane& plane, const BackgroundModel& background, const DetectOptions& options,
                                   const Progress& progress) override {
    return find_islands(mine<CpuPlane>(plane), background, options, pool_, progress);
  }
  std::vector<IslandSums> measure(const Plane& plane, const BackgroundModel& background,
                                  const IslandMap& islands) override {
    return measure_islands(mine<CpuPlane>(plane), background, mine<CpuIslands>(islands), pool_);
  }
  IslandPixels island_pixels(const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                             std::int64_t min_pixels) override {
    return gather_pixels(mine<CpuPlane>(plane), background, mine<CpuIslands>(islands), min_pixels, pool_);
  }
  FitResults fit(const FitBatch& batch, const Progress& progress) override { return cpu::fit(batch, pool_, progress); }

  std::unique_ptr<Plane> snr_plane(const Plane& plane, const BackgroundModel& background) override {
    return make_snr(mine<CpuPlane>(plane), background, *memory_, pool_);
  }
  std::unique_ptr<Plane> combine(PlaneRule rule, const Plane& a, const Plane& b) override {
    return combine_planes(rule, mine<CpuPlane>(a), mine<CpuPlane>(b), *memory_, pool_);
  }
  std::unique_ptr<Plane> without_islands(const Plane& plane, const IslandMap& islands, std::int64_t grow) override {
    return take_out_islands(mine<CpuPlane>(plane), mine<CpuIslands>(islands), grow, *memory_, pool_);
  }

  void render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where,
              float* out) override;
  void draw_labels(const IslandMap& islands, const Rect& where, std::int32_t* out) override {
    cpu::draw_labels(mine<CpuIslands>(islands), where, out, pool_);
  }
  LabelRuns label_runs(const IslandMap& islands) override {
    const auto& map = mine<CpuIslands>(islands);
    LabelRuns all{map.shape(), {}};
    all.runs.reserve(map.by_row.size());
    for (std::size_t k = 0; k < map.by_row.size(); ++k)
      all.runs.push_back({map.by_row[k].y, map.by_row[k].x0, map.by_row[k].x1, map.label[k]});
    return all;
  }

  void heed(const Progress& progress) override { pool_.heed(progress); }

  OpCounters take_counters() override { return {}; }

 private:
  ThreadPool pool_;
  std::shared_ptr<PixelMemory> memory_;
};

void CpuBackend::render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where,
                        float* out) {
  const auto& pixels = mine<CpuPlane>(plane);
  const std::int64_t nx = where.nx, x0 = where.x0, x1 = x0 + nx;
  if (kind == MapKind::image) {
    pool_.for_each(where.ny,
                   [&](std::int64_t row) { std::copy_n(pixels.row(where.y0 + row) + x0, nx, out + row * nx); });
    return;
  }
  if (background == nullptr) throw InternalError("cpu backend: a background map was asked for without a background");
  const BackgroundRows rows(*background, pixels.shape());
  std::vector<BackgroundRows::Scratch> scratch(static_cast<std::size_t>(pool_.threads()));
  pool_.for_each_worker(where.ny, [&](std::int64_t row, int worker) {
    BackgroundRows::Scratch& own = scratch[static_cast<std::size_t>(worker)];
    float* to = out + row * nx;
    const std::int64_t y = where.y0 + row;
    if (kind == MapKind::mean) {
      std::copy_n(rows.mean_row(y, x0, x1, own) + x0, nx, to);
    } else if (kind == MapKind::rms) {
      std::copy_n(rows.rms_row(y, x0, x1, own) + x0, nx, to);
    } else {
      const float* mean = rows.mean_row(y, x0, x1, own) + x0;
      const float* rms = rows.rms_row(y, x0, x1, own) + x0;
      const float* pixel = pixels.row(y) + x0;
      for (std::int64_t x = 0; x < nx; ++x) to[x] = rules::snr(pixel[x] - mean[x], rms[x]);
    }
  });
}

}  // namespace

std::unique_ptr<Backend> make(const BackendOptions& options) { return std::make_unique<CpuBackend>(options.threads); }

}  // namespace reber::cpu

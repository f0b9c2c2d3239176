// SPDX-License-Identifier: BSD-3-Clause
// The seam: what a compute backend does. The pipeline, the viewer and the benchmark see nothing below it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/shape.hpp"
#include "core/seam/compute/background.hpp"
#include "core/seam/compute/convolution.hpp"
#include "core/seam/compute/detection.hpp"
#include "core/seam/compute/fit_engine.hpp"
#include "core/seam/compute/job.hpp"
#include "core/seam/compute/noise_sums.hpp"
#include "core/seam/compute/statistics.hpp"
#include "core/seam/compute/tiling_plan.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber {

class DisplayEngine;
class PlaceGrid;
struct ResampleTable;

struct BackendInfo {
  std::string name;                      ///< "cuda", "cpu", "reference"
  std::string device;                    ///< the card or the processor
  int threads = 0;                       ///< 0 on a device
  std::int64_t device_memory_bytes = 0;  ///< free memory that a plan may use; 0 where planes live in host memory
  bool streams_sources = false;          ///< whether stream() leaves pixels in their source
  std::int64_t processes = 1;            ///< that share every image, each of which reads a part of it
};

/// Pixels of one image, wherever the backend keeps them: whole on the device, on the host and streamed through it in
/// bands of rows, or in the file that they came from. Immutable once made. Where pixels are made when they are asked
/// for, counts are known after the first walk over all of them; asked for earlier, they cost a walk.
class Plane {
 public:
  virtual ~Plane() = default;
  [[nodiscard]] virtual Shape shape() const = 0;
  /// Number of blank (not finite as stored) pixels.
  [[nodiscard]] virtual std::int64_t blank() const = 0;
  /// Of these, how many were infinite in the source.
  [[nodiscard]] virtual std::int64_t infinite() const = 0;
};

enum class MapKind { image, mean, rms, snr };

/// S/N of each pixel, (pixel - mean) / rms; blank as in render().
struct SnrPlane {
  const Plane& plane;
  const BackgroundModel& background;
};
/// Two planes of one shape and tiling, combined pixel by pixel.
struct CombinedPlane {
  PlaneRule rule;
  const Plane& a;
  const Plane& b;
};
/// A copy in which every pixel less than grow + 1 rows and columns from a pixel of an island is blank. grow >= 0.
struct WithoutIslands {
  const Plane& plane;
  const IslandMap& islands;
  std::int64_t grow;
};
/// Every n-th pixel of every n-th row: (k, i) is (n k + (n - 1) / 2, n i + (n - 1) / 2) of the plane, blank where that
/// is. What is smooth needs no more pixels to be measured.   n: 1 to the plane's shorter side, else InputError
struct EveryNth {
  const Plane& plane;
  std::int64_t n;
};
/// -abs(pixel) of each pixel, in the plane's unit; blank where that is. The largest pixels are those next to zero.
struct MinusMagnitude {
  const Plane& plane;
};
/// A plane to be made of others, pixel by pixel; refers to them. The same bits on every backend and for any bands.
using PlaneExpression = std::variant<SnrPlane, CombinedPlane, WithoutIslands, EveryNth, MinusMagnitude>;

/// One way of computing. Calls come from one thread at a time; different backends may run side by side. Every
/// operation is complete when it returns and, but for FFT convolution, gives the same bits on every backend that is
/// not the reference; see docs/numerics.md for each one's contract. Every operation that takes time ends in a Job: it
/// stops when the job is to stop, and adds its cost to the job's counters. Planes, plans and island maps keep what they
/// need of their backend alive. Each function says whether a backend must have it; docs/tour.md lists them.
///   throws Cancelled where the job is to stop; DeviceError where the device fails; InputError where an argument cannot
///   be served (it says which); InternalError where a plane, a plan or an island map belongs to another backend or is
///   of another shape
class Backend {
 public:
  virtual ~Backend() = default;

  /// Required. At once, and always the same but for the free memory.
  [[nodiscard]] virtual BackendInfo info() const = 0;

  /// Required. Fetches and decodes a whole plane. tiling says whether it stays resident or is streamed.
  [[nodiscard]] virtual std::unique_ptr<Plane> load(const PixelSource& source, const TilingPlan& tiling,
                                                    const Job& job = {}) = 0;

  /// Optional: the default loads. The same plane, but where tiling says so its pixels stay in the source, which it
  /// keeps: each operation reads them band by band, and planes derived from it are made band by band as well.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): whoever streams keeps it
  [[nodiscard]] virtual std::unique_ptr<Plane> stream(std::shared_ptr<const PixelSource> source,
                                                      const TilingPlan& tiling, const Job& job = {}) {
    return load(*source, tiling, job);
  }

  /// Required. One quote per algorithm, in table order; never empty.
  [[nodiscard]] virtual std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const = 0;
  /// Required. algorithm: one that quote() called possible (else InputError).
  [[nodiscard]] virtual std::unique_ptr<ConvolutionPlan> plan_convolution(const ConvolutionSpec& spec, Shape shape,
                                                                          Algorithm algorithm, const Job& job = {}) = 0;
  /// Required. One plane by several plans, none of them null; result k has the bits that plans[k] alone would give.
  /// What plans share, a backend may do once. All results are held at a time: planes_at_once() of
  /// core/seam/plan/tiling.hpp.
  [[nodiscard]] virtual std::vector<std::unique_ptr<Plane>> convolve(const Plane& plane,
                                                                     std::span<const ConvolutionPlan* const> plans,
                                                                     const Job& job = {}) = 0;
  [[nodiscard]] std::unique_ptr<Plane> convolve(const Plane& plane, const ConvolutionPlan& plan, const Job& job = {}) {
    const ConvolutionPlan* const one = &plan;
    return std::move(convolve(plane, {&one, 1}, job).front());
  }
  /// Optional: the default is null, and the caller convolves. The bits of convolve(), for a caller that asks for each
  /// row once and in order: a band of rows is made when it is rendered. The result keeps `plane`; every walk over it is
  /// the whole work again.   throws as convolve(), and so does rendering it
  [[nodiscard]] virtual std::unique_ptr<Plane> convolve_later(const Plane& /*plane*/, const ConvolutionPlan& /*plan*/,
                                                              const Job& /*job*/ = {}) {
    return nullptr;
  }
  /// Optional: the default is 0, any number is as good. Rows that are best rendered together, the first time from row
  /// 0.
  [[nodiscard]] virtual std::int64_t rows_together(const Plane& /*plane*/) const { return 0; }

  /// Required.
  [[nodiscard]] virtual PlaneStatistics statistics(const Plane& plane, StatisticsParts parts = StatisticsParts::all,
                                                   const Job& job = {}) = 0;
  /// Optional: the default is empty, and the caller asks statistics(). Largest absolute value of the pixels that are
  /// not blank, by one walk; 0 where all are.
  [[nodiscard]] virtual std::optional<float> largest(const Plane& /*plane*/, const Job& /*job*/ = {}) { return {}; }
  /// Required.
  [[nodiscard]] virtual ClipStatistics clip(const Plane& plane, const ClipOptions& options, const Job& job = {}) = 0;
  /// Required.
  [[nodiscard]] virtual MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options,
                                       const Job& job = {}) = 0;
  /// Required. Cells of several grids of the image, each as mesh() gives them, one grid's behind the other's: measured
  /// together, so that many small ones are not waited for one by one.
  [[nodiscard]] virtual MeshCells mesh_each(const Plane& plane, std::span<const MeshGrid> grids,
                                            const MeshOptions& options, const Job& job = {}) = 0;

  /// Optional: the default does nothing. A hint, upon which no result depends: the next mesh is of this plane, or of
  /// one without islands made of it; what finish_mesh makes of its cells will be this plane's background, and islands
  /// will be looked for with these options. A backend may compare pixels with the background while measuring it.
  virtual void will_label(const Plane& /*plane*/, const DetectOptions& /*options*/) {}
  /// Required.
  [[nodiscard]] virtual std::unique_ptr<IslandMap> label(const Plane& plane, const BackgroundModel& background,
                                                         const DetectOptions& options, const Job& job = {}) = 0;
  /// Required. One entry per island, in label order.
  [[nodiscard]] virtual std::vector<IslandSums> measure(const Plane& plane, const BackgroundModel& background,
                                                        const IslandMap& islands, const Job& job = {}) = 0;
  /// Required. Pixels of the islands of at least min_pixels pixels, on the host.
  [[nodiscard]] virtual IslandPixels island_pixels(const Plane& plane, const BackgroundModel& background,
                                                   const IslandMap& islands, std::int64_t min_pixels,
                                                   const Job& job = {}) = 0;
  /// Required. The whole label map, on the host.
  [[nodiscard]] virtual LabelRuns label_runs(const IslandMap& islands, const Job& job = {}) = 0;
  /// Required. Islands that the host made: label_runs() gives these runs back, and sums and pixels are theirs as of any
  /// others. An island may be in pieces and beside another.   runs: inside the shape, in raster order, no pixel twice,
  /// labels from 1 to their number, none left out;   options: kept with them.   throws InternalError where that does
  /// not hold
  [[nodiscard]] virtual std::unique_ptr<IslandMap> islands_of(const LabelRuns& runs, const DetectOptions& options,
                                                              const Job& job = {}) = 0;
  /// Optional: the default is empty, and the caller sums on the host. Empty as well where a backend cannot: a plane
  /// that it does not hold whole, a reach above kMostNoiseReach.
  [[nodiscard]] virtual std::optional<NoiseSums> noise_sums(const Plane& /*plane*/,
                                                            const BackgroundModel& /*background*/,
                                                            const IslandMap& /*islands*/,
                                                            const NoiseQuestion& /*question*/,
                                                            const Job& /*job*/ = {}) {
    return {};
  }

  /// Required, every row of PlaneExpression.
  [[nodiscard]] virtual std::unique_ptr<Plane> derive(const PlaneExpression& expression, const Job& job = {}) = 0;

  /// Optional: the default renders what it needs and computes on the host. A resident plane of the pixels of another
  /// grid: pixel (y, x) of it is this plane at the place of pixel (area.y0 + y, area.x0 + x), by the rule of
  /// core/seam/compute/resample.hpp; blank where that has no place. The same bits for any area and tiling, on
  /// every backend that is not the reference.
  [[nodiscard]] virtual std::unique_ptr<Plane> resample(const Plane& plane, const PlaceGrid& places,
                                                        const ResampleTable& table, const Job& job = {});

  /// Required. A rectangle of a map, its rows without gaps, into out. snr is (pixel - mean) / rms; NaN where the pixel
  /// is blank or the rms is not positive. background: null for the image alone.
  virtual void render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where,
                      float* out, const Job& job = {}) = 0;
  /// Required. Several rectangles of a map, each as render() gives it, one behind the other: brought together, so that
  /// many small ones are not waited for one by one.
  virtual void render_each(MapKind kind, const Plane& plane, const BackgroundModel* background,
                           std::span<const Rect> where, float* out, const Job& job = {}) = 0;
  /// Whole rows [y0, y0 + ny) of these maps.
  void render_rows(MapKind kind, const Plane& plane, const BackgroundModel* background, std::int64_t y0,
                   std::int64_t ny, float* out, const Job& job = {}) {
    render(kind, plane, background, {y0, 0, ny, plane.shape().nx}, out, job);
  }
  /// Optional: the default is empty, and the caller reduces rendered rows. Largest finite pixel of each block x block
  /// pixels, fewer at the far edges; NaN where there is none (the sign of a zero is not told). Rows of ceil(nx / block)
  /// values, the image's first row first. Empty as well where a backend cannot: a plane that it does not hold whole.
  ///   block: 1 and up
  [[nodiscard]] virtual std::optional<std::vector<float>> block_peaks(const Plane& /*plane*/, std::int64_t /*block*/,
                                                                      const Job& /*job*/ = {}) {
    return {};
  }
  /// Required. A rectangle of the label map: 0 outside islands.
  virtual void draw_labels(const IslandMap& islands, const Rect& where, std::int32_t* out, const Job& job = {}) = 0;
  void label_rows(const IslandMap& islands, std::int64_t y0, std::int64_t ny, std::int32_t* out, const Job& job = {}) {
    draw_labels(islands, {y0, 0, ny, islands.shape().nx}, out, job);
  }

  /// Required. Fits, which touch no plane.
  [[nodiscard]] virtual FitEngine& fits() = 0;
  /// Optional: the default is null. What a viewer can have in addition where planes are in a device's memory
  /// (core/show/display/display_levels.hpp).
  [[nodiscard]] virtual DisplayEngine* display() { return nullptr; }
};

}  // namespace reber

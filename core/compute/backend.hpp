// SPDX-License-Identifier: BSD-3-Clause
// The seam: what a compute backend does. The pipeline, the viewer and the benchmark see nothing below it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/compute/background.hpp"
#include "core/compute/convolution.hpp"
#include "core/compute/detection.hpp"
#include "core/compute/gaussian_fit.hpp"
#include "core/compute/statistics.hpp"
#include "core/compute/tiling_plan.hpp"
#include "core/model/pixel_source.hpp"

namespace reber {

struct BackendInfo {
  std::string name;                      ///< "cuda", "cpu", "reference"
  std::string device;                    ///< the card or the processor
  int threads = 0;                       ///< 0 on a device
  std::int64_t device_memory_bytes = 0;  ///< free memory that a plan may use; 0 where planes live in host memory
};

/// Pixels of one image, wherever the backend keeps them: whole on the device, or on the host and streamed through it
/// in bands of rows. Immutable once made.
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

/// What the operations since the last take_counters() cost.
struct OpCounters {
  double device_ms = 0;         ///< between the first and the last event on the device; 0 on a CPU
  std::int64_t bytes_up = 0;    ///< host to device
  std::int64_t bytes_down = 0;  ///< device to host
};

/// One way of computing. Calls come from one thread at a time; different backends may run side by side. Every
/// operation is complete when it returns and, but for FFT convolution, gives the same bits on every backend that is
/// not the reference; see docs/numerics.md for each one's contract.
///   throws DeviceError where the device fails; InputError where an argument cannot be served (it says which);
///   InternalError where a plane or a plan belongs to another backend
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual BackendInfo info() const = 0;

  /// Fetches and decodes a whole plane. tiling says whether it stays resident or is streamed.
  [[nodiscard]] virtual std::unique_ptr<Plane> load(const PixelSource& source, const TilingPlan& tiling,
                                                    const Progress& progress) = 0;

  /// One quote an algorithm, in the order of the algorithm table; never empty.
  [[nodiscard]] virtual std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const = 0;
  /// algorithm: one that quote() called possible (else InputError).
  [[nodiscard]] virtual std::unique_ptr<ConvolutionPlan> plan_convolution(const ConvolutionSpec& spec, Shape shape,
                                                                          Algorithm algorithm) = 0;
  [[nodiscard]] virtual std::unique_ptr<Plane> convolve(const Plane& plane, const ConvolutionPlan& plan,
                                                        const Progress& progress) = 0;
  /// One plane by several plans, none of them null; result k has the bits of convolve(plane, *plans[k]). What plans
  /// share, a backend may do once. All results are held at a time: planes_at_once() of core/plan/tiling.hpp.
  [[nodiscard]] virtual std::vector<std::unique_ptr<Plane>> convolve_each(const Plane& plane,
                                                                          std::span<const ConvolutionPlan* const> plans,
                                                                          const Progress& progress) {
    std::vector<std::unique_ptr<Plane>> results;
    for (const ConvolutionPlan* plan : plans) results.push_back(convolve(plane, *plan, progress));
    return results;
  }

  [[nodiscard]] virtual PlaneStatistics statistics(const Plane& plane,
                                                   StatisticsParts parts = StatisticsParts::all) = 0;
  [[nodiscard]] virtual ClipStatistics clip(const Plane& plane, const ClipOptions& options) = 0;
  [[nodiscard]] virtual MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options,
                                       const Progress& progress) = 0;

  [[nodiscard]] virtual std::unique_ptr<IslandMap> label(const Plane& plane, const BackgroundModel& background,
                                                         const DetectOptions& options, const Progress& progress) = 0;
  /// One entry an island, in label order.
  [[nodiscard]] virtual std::vector<IslandSums> measure(const Plane& plane, const BackgroundModel& background,
                                                        const IslandMap& islands) = 0;

  /// Pixels of the islands of at least min_pixels pixels, on the host.
  [[nodiscard]] virtual IslandPixels island_pixels(const Plane& plane, const BackgroundModel& background,
                                                   const IslandMap& islands, std::int64_t min_pixels) = 0;

  /// Solves every problem of the batch, by Levenberg-Marquardt with analytic derivatives, steps cut back to the bounds.
  /// With weights V^-1 and the Jacobian J, errors are those of this estimator under the noise R of `errors`:
  /// A^-1 (J^T V^-1 R V^-1 J) A^-1, A = J^T V^-1 J, which holds where V is not the noise's true covariance. A problem
  /// that has no answer says so in its outcome and disturbs no other.   throws Cancelled
  [[nodiscard]] virtual FitResults fit(const FitBatch& batch, const Progress& progress) = 0;

  /// S/N of each pixel, (pixel - mean) / rms; blank as in render_rows.
  [[nodiscard]] virtual std::unique_ptr<Plane> snr_plane(const Plane& plane, const BackgroundModel& background) = 0;
  /// Planes of one shape and tiling.
  [[nodiscard]] virtual std::unique_ptr<Plane> combine(PlaneRule rule, const Plane& a, const Plane& b) = 0;
  /// A copy in which every pixel less than grow + 1 rows and columns from a pixel of an island is blank. grow >= 0.
  [[nodiscard]] virtual std::unique_ptr<Plane> without_islands(const Plane& plane, const IslandMap& islands,
                                                               std::int64_t grow) = 0;

  /// A rectangle of a map, its rows without gaps, into out. snr is (pixel - mean) / rms; NaN where the pixel is blank
  /// or the rms is not positive.
  virtual void render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where,
                      float* out) = 0;
  /// A rectangle of the label map: 0 outside islands. out null: it is drawn where planes are kept and dropped, which
  /// tells what drawing costs.
  virtual void draw_labels(const IslandMap& islands, const Rect& where, std::int32_t* out) = 0;
  /// Whole rows [y0, y0 + ny) of these maps.
  void render_rows(MapKind kind, const Plane& plane, const BackgroundModel* background, std::int64_t y0,
                   std::int64_t ny, float* out) {
    render(kind, plane, background, {y0, 0, ny, plane.shape().nx}, out);
  }
  void label_rows(const IslandMap& islands, std::int64_t y0, std::int64_t ny, std::int32_t* out) {
    draw_labels(islands, {y0, 0, ny, islands.shape().nx}, out);
  }
  /// The whole label map, on the host.
  [[nodiscard]] virtual LabelRuns label_runs(const IslandMap& islands) = 0;

  /// Cost since the last call; sets the counters to zero.
  virtual OpCounters take_counters() = 0;
};

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The walk of planes made of planes over their bands.
#include "kernels/cuda/maps/derived.hpp"

#include <algorithm>
#include <functional>

#include "kernels/cuda/device/load.hpp"
#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/cuda/maps/render.hpp"

namespace reber::cuda {
namespace {

/// Queues the rows of a band of the new plane into `out`, rows `pitch` apart, and adds the number of blank ones to
/// `blank`.
using FillBand = std::function<void(const Band& band, float* out, std::int64_t pitch, unsigned long long* blank)>;

bool is_made(const CudaPlane& plane) { return plane.maker() != nullptr; }

Rect rows_of(const CudaPlane& plane, std::int64_t y0, std::int64_t ny) { return {y0, 0, ny, plane.shape().nx}; }

void fill_snr(const CudaPlane& plane, const DeviceBackground& levels, const Band& band, float* out,
              unsigned long long* blank) {
  const HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
  const DeviceBackground::Rows here = levels.hold(band.y0, band.ny, band.stream);
  render_rows(band.stream, MapKind::snr, rows.window, here.view, band.y0, band.ny, out, plane.pitch(), blank);
}

void fill_combined(PlaneRule rule, const CudaPlane& a, const CudaPlane& b, const Band& band, float* out,
                   unsigned long long* blank) {
  const HeldRows from = hold_rows(a, band.y0, band.ny, band.stream);
  const HeldRows other = hold_rows(b, band.y0, band.ny, band.stream);
  combine_rows(band.stream, rule, from.window, other.window, band.y0, band.ny, out, a.pitch(), blank);
}

void fill_magnitude(const CudaPlane& plane, const Band& band, float* out, unsigned long long* blank) {
  const HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
  magnitude_rows(band.stream, rows.window, band.y0, band.ny, out, plane.pitch(), blank);
}

void fill_without(const CudaPlane& plane, const CudaIslands& islands, std::int64_t grow, const Band& band, float* out,
                  unsigned long long* blank) {
  const std::int64_t pitch = plane.pitch();
  if (is_made(plane)) {
    plane.maker()->make(band.y0, band.ny, out, band.stream);  // in place: no second copy of the band
  } else {
    const HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
    const float* from = rows.window.pixels + (band.y0 - rows.window.first) * pitch;
    // Pixels alone: what lies between a row's end and the pitch was never written.
    const auto row_bytes = static_cast<std::size_t>(pitch) * sizeof(float);
    check(cudaMemcpy2DAsync(out, row_bytes, from, row_bytes, static_cast<std::size_t>(plane.shape().nx) * sizeof(float),
                            static_cast<std::size_t>(band.ny), cudaMemcpyDeviceToDevice, band.stream),
          "cudaMemcpy2DAsync");
  }
  blank_runs(band.stream, islands, grow, rows_of(plane, band.y0, band.ny), out, pitch);
  count_blank(band.stream, out, band.ny, plane.shape().nx, pitch, blank);
}

/// The plane's rows are held as many at a time as its bands have.
void fill_every_nth(const CudaPlane& plane, std::int64_t n, std::int64_t nx, const Band& band, float* out,
                    unsigned long long* blank) {
  const std::int64_t most = plane.resident() ? band.ny : std::max<std::int64_t>(plane.tiling().band_rows / n, 1);
  for (std::int64_t done = 0; done < band.ny; done += most) {
    const std::int64_t rows = std::min(most, band.ny - done), y0 = band.y0 + done;
    const HeldRows held = hold_rows(plane, y0 * n + (n - 1) / 2, (rows - 1) * n + 1, band.stream);
    every_nth_rows(band.stream, held.window, n, y0, rows, nx, out + done * pitch_of(nx), pitch_of(nx), blank);
  }
}

template <class T>
DeviceBuffer<T> copy_of(const DeviceBuffer<T>& from, std::int64_t count, cudaStream_t stream) {
  DeviceBuffer<T> copy(count, stream);
  if (count > 0)
    check(cudaMemcpyAsync(copy.data(), from.data(), static_cast<std::size_t>(copy.bytes()), cudaMemcpyDeviceToDevice,
                          stream),
          "cudaMemcpyAsync");
  return copy;
}

/// The runs alone.
std::shared_ptr<const CudaIslands> copy_of(const CudaIslands& islands) {
  const cudaStream_t stream = islands.context()->stream();
  auto copy = std::make_shared<CudaIslands>(islands.context(), islands.shape(), islands.options());
  copy->islands = islands.islands;
  copy->run_count = islands.run_count;
  if (islands.run_count == 0) return copy;
  copy->runs = copy_of(islands.runs, islands.run_count, stream);
  copy->piece_begin = copy_of(islands.piece_begin, islands.piece_begin.size(), stream);
  islands.context()->wait();  // rows may be made on any stream
  return copy;
}

/// A plane of this shape and tiling, band by band.
std::unique_ptr<CudaPlane> plane_of_bands(const std::shared_ptr<Context>& home, Shape shape, const TilingPlan& tiling,
                                          const Job& job, const FillBand& fill) {
  Context& context = *home;
  auto result = std::make_unique<CudaPlane>(home, shape, tiling);
  if (shape.count() == 0) return result;
  const cudaStream_t stream = context.stream();
  const std::int64_t pitch = result->pitch();
  const DeviceBuffer<unsigned long long> count(1, stream);
  check(cudaMemsetAsync(count.data(), 0, static_cast<std::size_t>(count.bytes()), stream), "cudaMemsetAsync");
  for_each_band(context, band_edges(*result), 1, job, nullptr, [&](const Band& band) {
    const DeviceBuffer<float> held(result->resident() ? 0 : band.ny * pitch, band.stream);
    float* out = result->resident() ? result->device_pixels() + band.y0 * pitch : held.data();
    fill(band, out, pitch, count.data());
    if (!result->resident())
      context.stager().down_rows(band.stream, out, pitch, shape.nx, band.ny, result->host_row(band.y0));
  });
  if (!result->resident()) context.stager().drain();
  unsigned long long blank = 0;
  context.down(&blank, count.data(), count.bytes(), stream);
  result->set_blank(static_cast<std::int64_t>(blank), 0);
  return result;
}

/// Like this one.
std::unique_ptr<CudaPlane> plane_of_bands(const CudaPlane& like, const Job& job, const FillBand& fill) {
  return plane_of_bands(like.context(), like.shape(), like.tiling(), job, fill);
}

/// A copy of what a background refers to, for rows that are made later.
struct KeptBackground {
  explicit KeptBackground(const CudaBackground& background)
      : model(background.model), mean_map(background.mean_map), rms_map(background.rms_map) {}

  BackgroundModel model;  ///< keeps the maps
  const CudaPlane *mean_map = nullptr, *rms_map = nullptr;

  [[nodiscard]] CudaBackground view() const { return {model, mean_map, rms_map}; }
};

class SnrRows final : public RowMaker {
 public:
  SnrRows(const CudaPlane& plane, const CudaBackground& background)
      : RowMaker(plane.context(), plane.shape(), plane.tiling()),
        plane_(plane),
        background_(background),
        levels_(*plane.context(), background_.view()) {
    plane.context()->wait();  // rows may be made on any stream
  }

 private:
  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    fill_snr(plane_, levels_, {y0, ny, stream}, out, counts);
  }

  CudaPlane plane_;
  KeptBackground background_;
  DeviceBackground levels_;
};

class CombinedRows final : public RowMaker {
 public:
  CombinedRows(PlaneRule rule, const CudaPlane& a, const CudaPlane& b)
      : RowMaker(a.context(), a.shape(), a.resident() ? b.tiling() : a.tiling()), rule_(rule), a_(a), b_(b) {}

 private:
  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    fill_combined(rule_, a_, b_, {y0, ny, stream}, out, counts);
  }

  PlaneRule rule_;
  CudaPlane a_, b_;
};

class MagnitudeRows final : public RowMaker {
 public:
  explicit MagnitudeRows(const CudaPlane& plane)
      : RowMaker(plane.context(), plane.shape(), plane.tiling()), plane_(plane) {}

 private:
  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    fill_magnitude(plane_, {y0, ny, stream}, out, counts);
  }

  CudaPlane plane_;
};

/// Keeps the runs of the islands, not the islands.
class RowsWithoutIslands final : public RowMaker, public ChangedRows, public MakesRectangles {
 public:
  RowsWithoutIslands(const CudaPlane& plane, const CudaIslands& islands, std::int64_t grow, const TilingPlan& tiling)
      : RowMaker(plane.context(), plane.shape(), tiling),
        plane_(plane),
        rectangles_(rectangles_of(plane)),
        runs_(copy_of(islands)),
        grow_(grow) {}

  [[nodiscard]] const ChangedRows* changed_rows() const override { return this; }
  [[nodiscard]] const CudaPlane& base() const override { return plane_; }
  void change(std::int64_t y0, std::int64_t ny, float* rows, cudaStream_t stream) const override {
    blank_runs(stream, *runs_, grow_, rows_of(plane_, y0, ny), rows, plane_.pitch());
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return runs_->runs.bytes() + runs_->piece_begin.bytes(); }

  [[nodiscard]] MakesRectangles* rectangles() override { return rectangles_ != nullptr ? this : nullptr; }
  void make_rectangles(std::span<const Rect> where, std::span<float* const> out, cudaStream_t stream) override {
    rectangles_->make_rectangles(where, out, stream);
    for (std::size_t k = 0; k < where.size(); ++k)
      blank_runs(stream, *runs_, grow_, where[k], out[k], pitch_of(where[k].nx));
  }

 private:
  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    fill_without(plane_, *runs_, grow_, {y0, ny, stream}, out, counts);
  }
  [[nodiscard]] std::int64_t infinite(std::int64_t) const override { return plane_.infinite(); }

  CudaPlane plane_;
  MakesRectangles* rectangles_;  ///< of the plane's rows, or null
  std::shared_ptr<const CudaIslands> runs_;
  std::int64_t grow_;
};

class EveryNthRows final : public RowMaker {
 public:
  EveryNthRows(const CudaPlane& plane, std::int64_t n, Shape made, const TilingPlan& tiling)
      : RowMaker(plane.context(), made, tiling), plane_(plane), n_(n) {}

 private:
  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    fill_every_nth(plane_, n_, shape().nx, {y0, ny, stream}, out, counts);
  }

  CudaPlane plane_;
  std::int64_t n_;
};

std::unique_ptr<CudaPlane> made(const OwnSnr<CudaPlane>& of, const Job& job) {
  const auto& [plane, background] = of;
  if (is_made(plane)) return std::make_unique<CudaPlane>(std::make_shared<SnrRows>(plane, background));
  const DeviceBackground levels(*plane.context(), background);
  return plane_of_bands(plane, job, [&](const Band& band, float* out, std::int64_t, unsigned long long* blank) {
    fill_snr(plane, levels, band, out, blank);
  });
}

std::unique_ptr<CudaPlane> made(const OwnCombined<CudaPlane>& of, const Job& job) {
  const auto& [rule, a, b] = of;
  if (is_made(a) || is_made(b)) return std::make_unique<CudaPlane>(std::make_shared<CombinedRows>(rule, a, b));
  return plane_of_bands(a, job, [&](const Band& band, float* out, std::int64_t, unsigned long long* blank) {
    fill_combined(rule, a, b, band, out, blank);
  });
}

std::unique_ptr<CudaPlane> made(const OwnMinusMagnitude<CudaPlane>& of, const Job& job) {
  const CudaPlane& plane = of.plane;
  if (is_made(plane)) return std::make_unique<CudaPlane>(std::make_shared<MagnitudeRows>(plane));
  return plane_of_bands(plane, job, [&](const Band& band, float* out, std::int64_t, unsigned long long* blank) {
    fill_magnitude(plane, band, out, blank);
  });
}

std::unique_ptr<CudaPlane> made(const OwnWithoutIslands<CudaPlane, CudaIslands>& of, const Job& job) {
  const auto& [plane, islands, grow] = of;
  if (is_made(plane))
    return std::make_unique<CudaPlane>(std::make_shared<RowsWithoutIslands>(plane, islands, grow, plane.tiling()));
  auto result = plane_of_bands(plane, job, [&](const Band& band, float* out, std::int64_t, unsigned long long* blank) {
    fill_without(plane, islands, grow, band, out, blank);
  });
  result->set_blank(result->blank(), plane.infinite());
  return result;
}

std::unique_ptr<CudaPlane> made(const OwnEveryNth<CudaPlane>& of, const Job& job) {
  const auto& [plane, n, shape] = of;
  TilingPlan tiling = plane.tiling();
  const std::int64_t band = plane.resident() ? plane.shape().ny : tiling.band_rows;
  tiling.resident = plane.resident() || shape.count() <= band * plane.shape().nx;
  if (tiling.resident) {
    tiling.in_source = false;
    tiling.band_rows = shape.ny;
  } else if (is_made(plane)) {
    return std::make_unique<CudaPlane>(std::make_shared<EveryNthRows>(plane, n, shape, tiling));
  }
  return plane_of_bands(plane.context(), shape, tiling, job,
                        [&](const Band& b, float* out, std::int64_t, unsigned long long* blank) {
                          fill_every_nth(plane, n, shape.nx, b, out, blank);
                        });
}

}  // namespace

std::unique_ptr<CudaPlane> derive(const OwnExpression<CudaPlane, CudaIslands>& what, const Job& job) {
  return std::visit([&](const auto& of) { return made(of, job); }, what);
}

}  // namespace reber::cuda

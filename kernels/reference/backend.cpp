// SPDX-License-Identifier: BSD-3-Clause
// The oracle: every operation as plainly as it can be written, in double precision, on one thread.
#include "kernels/reference/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/seam/compute/variant_choice.hpp"
#include "kernels/reference/convolve.hpp"
#include "kernels/reference/derived.hpp"
#include "kernels/reference/detect.hpp"
#include "kernels/reference/fit.hpp"
#include "kernels/reference/plane.hpp"
#include "kernels/reference/resample.hpp"
#include "kernels/reference/rules.hpp"
#include "kernels/reference/statistics.hpp"
#include "kernels/shared/typed_backend.hpp"

namespace reber::reference {
namespace {

template <typename Stored>
double stored_value(const std::byte* bytes, const PixelFormat& format, bool& blank) {
  std::array<std::byte, sizeof(Stored)> raw;
  std::memcpy(raw.data(), bytes, sizeof(Stored));
  if (format.big_endian) std::ranges::reverse(raw);
  const auto stored = std::bit_cast<Stored>(raw);
  if constexpr (std::is_integral_v<Stored>) blank = format.blank && *format.blank == static_cast<std::int64_t>(stored);
  return static_cast<double>(stored);
}

double stored_value(const std::byte* bytes, const PixelFormat& format, bool& blank) {
  switch (format.type) {
    case PixelType::u8:
      return stored_value<std::uint8_t>(bytes, format, blank);
    case PixelType::i16:
      return stored_value<std::int16_t>(bytes, format, blank);
    case PixelType::i32:
      return stored_value<std::int32_t>(bytes, format, blank);
    case PixelType::i64:
      return stored_value<std::int64_t>(bytes, format, blank);
    case PixelType::f32:
      return stored_value<float>(bytes, format, blank);
    case PixelType::f64:
      return stored_value<double>(bytes, format, blank);
  }
  throw InternalError("reference backend: unknown pixel type");
}

constexpr std::string_view kVariant = "definition";

class Plan final : public ConvolutionPlan {
 public:
  Plan(ConvolutionSpec plan_spec, Shape plan_shape) : spec_(std::move(plan_spec)), shape_(plan_shape) {}
  [[nodiscard]] Algorithm algorithm() const override { return Algorithm::direct; }
  [[nodiscard]] std::string_view variant() const override { return kVariant; }
  [[nodiscard]] const ConvolutionSpec& spec() const override { return spec_; }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::string description() const override { return "double sum in double precision"; }

 private:
  ConvolutionSpec spec_;
  Shape shape_;
};

class ReferenceBackend final : public TypedBackend<HostPlane, HostIslands, Plan>, private FitEngine {
 public:
  ReferenceBackend() : TypedBackend("reference") {}

  [[nodiscard]] BackendInfo info() const override { return {"reference", "host, double precision, one thread", 1, 0}; }

  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    // 1.3 ns a multiply-add, double precision, no SIMD.
    const double cost = 1.3e-6 * static_cast<double>(shape.count()) * static_cast<double>(spec.kernel.shape.count());
    return {choose_variant(Algorithm::direct, spec.variant,
                           {{std::string(kVariant), true, "the definition, in double precision", cost, 0}}),
            {Algorithm::separable, false, "the reference knows the definition alone", 0, 0},
            {Algorithm::fft, false, "the reference knows the definition alone", 0, 0}};
  }

  FitEngine& fits() override { return *this; }

 private:
  std::unique_ptr<Plane> do_load(const PixelSource& source, const TilingPlan&, const Job& job) override {
    const Shape shape = source.shape();
    const PixelFormat format = source.format();
    const std::int64_t size = bytes_of(format.type);
    std::vector<std::byte> row(shape.nx * size);
    std::vector<double> pixels(shape.count());
    std::int64_t infinite = 0;
    for (std::int64_t y = 0; y < shape.ny; ++y) {
      job.check();
      source.read_rows(y, 1, row.data());
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        bool blank = false;
        const double stored = stored_value(row.data() + x * size, format, blank);
        infinite += std::isinf(stored) ? 1 : 0;
        pixels[y * shape.nx + x] = blank ? kBlank : pixel_of(stored, format.scale, format.zero);
      }
    }
    return std::make_unique<HostPlane>(shape, std::move(pixels), infinite);
  }

  std::unique_ptr<ConvolutionPlan> do_plan_convolution(const ConvolutionSpec& spec, Shape shape, Algorithm algorithm,
                                                       const Job&) override {
    if (algorithm != Algorithm::direct)
      throw InputError(
          fmt::format("backend 'reference' convolves by 'direct' alone, not by '{}'", to_string(algorithm)));
    if (const ConvolutionQuote direct = quote(spec, shape).front(); !direct.possible)
      throw InputError(fmt::format("algorithm 'direct' cannot do this convolution: {}", direct.reason));
    return std::make_unique<Plan>(spec, shape);
  }
  Planes do_convolve(const HostPlane& plane, std::span<const Plan* const> plans, const Job& job) override {
    Planes results;
    for (const Plan* plan : plans) results.push_back(reference::convolve(plane, plan->spec(), job));
    return results;
  }

  PlaneStatistics do_statistics(const HostPlane& plane, StatisticsParts parts, const Job&) override {
    return reference::statistics(plane, parts);
  }
  ClipStatistics do_clip(const HostPlane& plane, const ClipOptions& options, const Job&) override {
    return reference::clip(plane, options);
  }
  MeshCells do_mesh(const HostPlane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) override {
    return reference::mesh(plane, grid, options, job);
  }
  std::unique_ptr<IslandMap> do_label(const HostPlane& plane, const HostBackground& background,
                                      const DetectOptions& options, const Job& job) override {
    return reference::label(plane, background, options, job);
  }
  std::vector<IslandSums> do_measure(const HostPlane& plane, const HostBackground& background,
                                     const HostIslands& islands, const Job& job) override {
    return reference::measure(plane, background, islands, job);
  }
  IslandPixels do_island_pixels(const HostPlane& plane, const HostBackground& background, const HostIslands& islands,
                                std::int64_t min_pixels, const Job& job) override {
    return reference::island_pixels(plane, background, islands, min_pixels, job);
  }
  LabelRuns do_label_runs(const HostIslands& islands, const Job&) override;
  std::unique_ptr<IslandMap> do_islands_of(const LabelRuns& runs, std::int64_t count, const DetectOptions& options,
                                           const Job&) override {
    std::vector<std::int32_t> map(static_cast<std::size_t>(runs.shape.count()), 0);
    for (const LabelRuns::Run& run : runs.runs)
      std::fill_n(map.begin() + run.y * runs.shape.nx + run.x0, run.x1 - run.x0, run.label);
    return std::make_unique<HostIslands>(runs.shape, options, std::move(map), count);
  }

  std::unique_ptr<Plane> do_derive(const Expression& what, const Job& job) override {
    return reference::derive(what, job);
  }

  std::unique_ptr<Plane> do_resample(const HostPlane& plane, const PlaceGrid& places, const ResampleTable& table,
                                     const Job& job) override {
    return reference::resample(plane, places, table, job);
  }

  void do_render_pixels(const HostPlane& plane, const Rect& where, float* out, const Job&) override {
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y)
      for (std::int64_t x = where.x0; x < where.x0 + where.nx; ++x) *out++ = static_cast<float>(plane.at(y, x));
  }
  void do_render(MapKind kind, const HostPlane& plane, const HostBackground& background, const Rect& where, float* out,
                 const Job& job) override {
    const BackgroundAt at(background);
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y) {
      job.check();
      for (std::int64_t x = where.x0; x < where.x0 + where.nx; ++x) {
        const auto [mean, rms] = at(y, x);
        const float pixel = static_cast<float>(plane.at(y, x));
        *out++ = kind == MapKind::mean ? mean : kind == MapKind::rms ? rms : in_noise(height(pixel, mean, false), rms);
      }
    }
  }
  void do_draw_labels(const HostIslands& islands, const Rect& where, std::int32_t* out, const Job&) override {
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y)
      out = std::copy_n(islands.labels.data() + y * islands.shape().nx + where.x0, where.nx, out);
  }

  FitResults fit(const FitBatch& batch, const Job& job) override {
    job.check();
    return reference::fit(batch, job);
  }
};

LabelRuns ReferenceBackend::do_label_runs(const HostIslands& islands, const Job&) {
  const Shape shape = islands.shape();
  LabelRuns all{shape, {}};
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    const std::int32_t* row = islands.labels.data() + y * shape.nx;
    for (std::int64_t x = 0; x < shape.nx;) {
      std::int64_t end = x + 1;
      while (end < shape.nx && row[end] == row[x]) ++end;
      if (row[x] > 0)
        all.runs.push_back(
            {static_cast<std::int32_t>(y), static_cast<std::int32_t>(x), static_cast<std::int32_t>(end), row[x]});
      x = end;
    }
  }
  return all;
}

}  // namespace

std::string unavailable(const BackendOptions&) { return {}; }
std::unique_ptr<Backend> make(const BackendOptions&) { return std::make_unique<ReferenceBackend>(); }

}  // namespace reber::reference

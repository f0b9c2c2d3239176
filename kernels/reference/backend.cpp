// SPDX-License-Identifier: BSD-3-Clause
// The oracle: every operation as plainly as it can be written, in double precision, on one thread.
#include "kernels/reference/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/compute/variant_choice.hpp"
#include "kernels/reference/plane.hpp"
#include "kernels/shared/pixel_rules.hpp"

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

class ReferenceBackend final : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override { return {"reference", "host, double precision, one thread", 1, 0}; }

  std::unique_ptr<Plane> load(const PixelSource& source, const TilingPlan&, const Progress& progress) override {
    const Shape shape = source.shape();
    const PixelFormat format = source.format();
    const std::int64_t size = bytes_of(format.type);
    std::vector<std::byte> row(shape.nx * size);
    std::vector<double> pixels(shape.count());
    std::int64_t infinite = 0;
    for (std::int64_t y = 0; y < shape.ny; ++y) {
      progress.check();
      source.read_rows(y, 1, row.data());
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        bool blank = false;
        const double stored = stored_value(row.data() + x * size, format, blank);
        infinite += std::isinf(stored) ? 1 : 0;
        pixels[y * shape.nx + x] = blank ? rules::blank_value() : rules::decode(stored, format.scale, format.zero);
      }
    }
    return std::make_unique<HostPlane>(shape, std::move(pixels), infinite);
  }

  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    // 1.3 ns a multiply-add, double precision, no SIMD.
    const double cost = 1.3e-6 * static_cast<double>(shape.count()) * static_cast<double>(spec.kernel.shape.count());
    return {choose_variant(Algorithm::direct, spec.variant,
                           {{std::string(kVariant), true, "the definition, in double precision", cost, 0}}),
            {Algorithm::separable, false, "the reference knows the definition alone", 0, 0},
            {Algorithm::fft, false, "the reference knows the definition alone", 0, 0}};
  }
  std::unique_ptr<ConvolutionPlan> plan_convolution(const ConvolutionSpec& spec, Shape shape,
                                                    Algorithm algorithm) override {
    if (algorithm != Algorithm::direct)
      throw InputError(
          fmt::format("backend 'reference' convolves by 'direct' alone, not by '{}'", to_string(algorithm)));
    if (const ConvolutionQuote direct = quote(spec, shape).front(); !direct.possible)
      throw InputError(fmt::format("algorithm 'direct' cannot do this convolution: {}", direct.reason));
    return std::make_unique<Plan>(spec, shape);
  }
  std::unique_ptr<Plane> convolve(const Plane& plane, const ConvolutionPlan& plan, const Progress& progress) override {
    return reference::convolve(mine<HostPlane>(plane), mine<Plan>(plan).spec(), progress);
  }

  PlaneStatistics statistics(const Plane& plane, StatisticsParts parts) override {
    return reference::statistics(mine<HostPlane>(plane), parts);
  }
  ClipStatistics clip(const Plane& plane, const ClipOptions& options) override {
    return reference::clip(mine<HostPlane>(plane), options);
  }
  MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options, const Progress&) override {
    return reference::mesh(mine<HostPlane>(plane), grid, options);
  }
  std::unique_ptr<IslandMap> label(const Plane& plane, const BackgroundModel& background, const DetectOptions& options,
                                   const Progress&) override {
    return reference::label(mine<HostPlane>(plane), background, options);
  }
  std::vector<IslandSums> measure(const Plane& plane, const BackgroundModel& background,
                                  const IslandMap& islands) override {
    return reference::measure(mine<HostPlane>(plane), background, mine<HostIslands>(islands));
  }

  IslandPixels island_pixels(const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                             std::int64_t min_pixels) override {
    return reference::island_pixels(mine<HostPlane>(plane), background, mine<HostIslands>(islands), min_pixels);
  }

  FitResults fit(const FitBatch& batch, const Progress& progress) override { return reference::fit(batch, progress); }

  std::unique_ptr<Plane> snr_plane(const Plane& plane, const BackgroundModel& background) override {
    return reference::snr_plane(mine<HostPlane>(plane), background);
  }
  std::unique_ptr<Plane> combine(PlaneRule rule, const Plane& a, const Plane& b) override {
    return reference::combine(rule, mine<HostPlane>(a), mine<HostPlane>(b));
  }
  std::unique_ptr<Plane> without_islands(const Plane& plane, const IslandMap& islands, std::int64_t grow) override {
    return reference::without_islands(mine<HostPlane>(plane), mine<HostIslands>(islands), grow);
  }

  void render(MapKind kind, const Plane& plane, const BackgroundModel* background, const Rect& where,
              float* out) override {
    const auto& pixels = mine<HostPlane>(plane);
    if (kind != MapKind::image && background == nullptr)
      throw InternalError("reference backend: a background map was asked for without a background");
    std::optional<BackgroundAt> at;
    if (background != nullptr) at.emplace(*background);
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y)
      for (std::int64_t x = where.x0; x < where.x0 + where.nx; ++x) {
        const float pixel = static_cast<float>(pixels.at(y, x));
        float value = pixel;
        if (kind != MapKind::image) {
          const auto [mean, rms] = (*at)(y, x);
          value = kind == MapKind::mean ? mean : kind == MapKind::rms ? rms : rules::snr(pixel - mean, rms);
        }
        *out++ = value;
      }
  }
  void draw_labels(const IslandMap& islands, const Rect& where, std::int32_t* out) override {
    const auto& map = mine<HostIslands>(islands);
    if (out == nullptr) return;  // it keeps the map drawn
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y)
      out = std::copy_n(map.labels.data() + y * map.shape().nx + where.x0, where.nx, out);
  }
  LabelRuns label_runs(const IslandMap& islands) override {
    const auto& map = mine<HostIslands>(islands);
    const Shape shape = map.shape();
    LabelRuns all{shape, {}};
    for (std::int64_t y = 0; y < shape.ny; ++y) {
      const std::int32_t* row = map.labels.data() + y * shape.nx;
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

  OpCounters take_counters() override { return {}; }
};

}  // namespace

std::string unavailable(const BackendOptions&) { return {}; }
std::unique_ptr<Backend> make(const BackendOptions&) { return std::make_unique<ReferenceBackend>(); }

}  // namespace reber::reference

// SPDX-License-Identifier: BSD-3-Clause
// Fetching a plane: several threads read, the copy engine and the decoder follow.
#include "kernels/cuda/device/load.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/device/lent.hpp"

namespace reber::cuda {
namespace {

void load_resident(CudaPlane& plane, const PixelSource& source, const Job& job) {
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  const DecodeRule rule = decode_rule(source.format());
  DeviceBuffer<unsigned long long> counts(3, context.stream());
  check(cudaMemsetAsync(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), context.stream()),
        "cudaMemsetAsync");
  context.stager().up_bytes(
      context.stream(), shape.ny, shape.nx * bytes_of(rule.type),
      [&](std::int64_t first, std::int64_t rows, std::byte* out) { source.read_rows(first, rows, out); },
      [&](std::int64_t first, std::int64_t rows, const std::byte* stored) {
        const std::int64_t bytes = bytes_of(rule.type);
        decode_rows(context.stream(), {stored, shape.nx * bytes, bytes}, rule, rows, shape.nx,
                    plane.device_pixels() + first * plane.pitch(), plane.pitch(), counts.data());
      },
      job, "load");
  const trace::Span span("host", "finish the load");
  unsigned long long found[3] = {0, 0, 0};
  context.down(found, counts.data(), sizeof(found), context.stream());
  plane.set_blank(static_cast<std::int64_t>(found[0]), static_cast<std::int64_t>(found[1]));
  plane.set_largest(float_of(static_cast<std::uint32_t>(found[2])));
}

void load_streamed(CudaPlane& plane, const PixelSource& source, const Job& job) {
  const Shape shape = plane.shape();
  const DecodeRule rule = decode_rule(source.format());
  const std::int64_t width = bytes_of(rule.type);
  constexpr std::int64_t kShareBytes = 4 << 20;
  const std::int64_t share = std::max<std::int64_t>(1, kShareBytes / (shape.nx * width));
  std::atomic<std::int64_t> blank{0}, infinite{0}, rows_done{0};
  std::atomic<float> largest{0};
  plane.context()->threads().for_each((shape.ny + share - 1) / share, [&](std::int64_t i) {
    job.check();
    const std::int64_t y0 = i * share, ny = std::min(share, shape.ny - y0);
    std::vector<std::byte> stored(static_cast<std::size_t>(ny * shape.nx * width));
    source.read_rows(y0, ny, stored.data());
    const auto* bytes = reinterpret_cast<const unsigned char*>(stored.data());
    float* out = plane.host_row(y0);
    std::int64_t share_blank = 0, share_infinite = 0;
    float share_largest = 0;
    for (std::int64_t p = 0; p < ny * shape.nx; ++p) {
      const Decoded pixel = decode_pixel(bytes + p * width, rule);
      share_blank += std::isfinite(pixel.value) ? 0 : 1;
      share_infinite += pixel.infinite ? 1 : 0;
      if (std::abs(pixel.value) > share_largest) share_largest = std::abs(pixel.value);  // never where it is blank
      out[p] = pixel.value;
    }
    float seen = largest;
    while (share_largest > seen && !largest.compare_exchange_weak(seen, share_largest)) {
    }
    blank += share_blank;
    infinite += share_infinite;
    job.report("load", static_cast<double>(rows_done += ny) / static_cast<double>(shape.ny));
  });
  plane.set_blank(blank, infinite);
  plane.set_largest(largest);
}

}  // namespace

std::unique_ptr<CudaPlane> load_plane(const std::shared_ptr<Context>& context, const PixelSource& source,
                                      const TilingPlan& tiling, const Job& job) {
  const bool copied = tiling.resident && source.lent_pixels() == nullptr;
  std::future<void> beside;
  if (copied && context->stager().make_ready(source.shape().count() * bytes_of(source.format().type)))
    beside = run_beside([&context] {
      context->use();
      const trace::Span span("host", "bring code");
      EarlyCode::bring();
    });
  auto plane = [&] {
    const trace::Span span("host", "memory for the image");
    return std::make_unique<CudaPlane>(context, source.shape(), tiling);
  }();
  if (source.shape().count() == 0) return plane;
  if (const LentPixels* const lent = source.lent_pixels()) {
    load_lent(*plane, source.format(), *lent, job);
  } else if (plane->resident()) {
    load_resident(*plane, source, job);
  } else {
    load_streamed(*plane, source, job);
  }
  return plane;
}

std::unique_ptr<CudaPlane> stream_plane(const std::shared_ptr<Context>& context,
                                        std::shared_ptr<const PixelSource> source, const TilingPlan& tiling,
                                        const Job& job) {
  // Pixels on a card are no bytes to be read again.
  if (source->lent_pixels() != nullptr) return load_plane(context, *source, tiling, job);
  return std::make_unique<CudaPlane>(source_rows(context, std::move(source), tiling));
}

}  // namespace reber::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Clipped pixels, or a look at a map.
#include "core/studies/imaging/field_noise.hpp"

#include <algorithm>
#include <cmath>

#include "core/seam/compute/statistics.hpp"

namespace reber {
namespace {

/// The noise of larger fields is measured on every so many pixels.
constexpr std::int64_t kThin = 4, kThinFrom = 1024;
/// Bytes of rows that are looked at together.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;

/// Whether any pixel is finite and above 0. Reads rows until one is.
bool any_above_0(const PixelSource& pixels, const Progress& progress) {
  const Shape shape = pixels.shape();
  const PixelFormat format = pixels.format();
  const std::int64_t row_bytes = shape.nx * bytes_of(format.type);
  const std::int64_t rows = std::clamp<std::int64_t>(kPieceBytes / row_bytes, 1, shape.ny);
  std::vector<std::byte> raw(static_cast<std::size_t>(rows * row_bytes));
  std::vector<float> values(static_cast<std::size_t>(rows * shape.nx));
  for (std::int64_t y = 0; y < shape.ny; y += rows) {
    progress.check();
    const std::int64_t count = std::min(rows, shape.ny - y);
    pixels.read_rows(y, count, raw.data());
    decode_floats(raw.data(), count * shape.nx, format, values.data());
    if (std::any_of(values.begin(), values.begin() + count * shape.nx,
                    [](float value) { return std::isfinite(value) && value > 0; }))
      return true;
  }
  return false;
}

}  // namespace

bool measure_noise(MosaicField& field, Backend& backend, const Progress& progress) {
  progress.check();
  if (field.noise) return any_above_0(*field.noise, progress);
  if (!(field.rms > 0)) {
    const ClipOptions options;
    auto plane = plane_of(backend, field.pixels, progress);
    if (std::min(plane->shape().nx, plane->shape().ny) >= kThinFrom)
      plane = backend.derive(EveryNth{*plane, kThin}, progress);
    field.rms = backend.clip(*plane, options, progress).std / clip_bias(options.kappa);
  }
  return field.rms > 0;
}

}  // namespace reber

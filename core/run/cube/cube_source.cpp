// SPDX-License-Identifier: BSD-3-Clause
// Headers and pixels of the planes of an open file.
#include "core/run/cube/cube_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber {
namespace {

/// Bytes of rows that are looked at together.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;

/// A cube's sums need all of it: they are compared where the user asks.
void compare_sums(const ImageFile& file, const std::string& path, const Progress& progress, const LogSink& log) {
  const auto sums = file.sums();
  if (!sums)
    return log.warning(fmt::format("{} states no DATASUM or CHECKSUM: its bytes cannot be checked", printable(path)));
  const std::string problem = sums->verdict(progress);
  if (!problem.empty())
    throw DataError(fmt::format("'{}': {}; without --check it is read all the same", printable(path), problem));
}

}  // namespace

CubeSource CubeSource::open(const std::string& path, const OpenOptions& options, const Progress& progress,
                            const LogSink& log) {
  CubeSource cube;
  cube.file_ = open_image_file(path, options, Planes::many, progress);
  if (options.check) compare_sums(*cube.file_, path, progress, log);
  return cube;
}

CubeSource CubeSource::of(std::shared_ptr<const ImageFile> file) {
  CubeSource cube;
  cube.file_ = std::move(file);
  return cube;
}

std::shared_ptr<const ImageHeader> CubeSource::header(std::int64_t plane) const {
  return std::make_shared<const ImageHeader>(file_->header(plane));
}

std::shared_ptr<const PixelSource> CubeSource::pixels(std::int64_t plane, const Progress& progress) const {
  return pixels_of(file_, plane, progress);
}

bool any_pixel(const PixelSource& pixels, bool (*is)(float), const Progress& progress) {
  const Shape shape = pixels.shape();
  const PixelFormat format = pixels.format();
  const std::int64_t row_bytes = std::max<std::int64_t>(shape.nx * bytes_of(format.type), 1);
  const std::int64_t rows = std::clamp<std::int64_t>(kPieceBytes / row_bytes, 1, std::max<std::int64_t>(shape.ny, 1));
  std::vector<std::byte> raw(static_cast<std::size_t>(rows * row_bytes));
  std::vector<float> values(static_cast<std::size_t>(rows * shape.nx));
  for (std::int64_t y = 0; y < shape.ny; y += rows) {
    progress.check();
    const std::int64_t count = std::min(rows, shape.ny - y);
    pixels.read_rows(y, count, raw.data());
    decode_floats(raw.data(), count * shape.nx, format, values.data());
    if (std::any_of(values.begin(), values.begin() + count * shape.nx, is)) return true;
  }
  return false;
}

bool all_blank(const PixelSource& pixels, const Progress& progress) {
  return !any_pixel(
      pixels, [](float value) { return std::isfinite(value); }, progress);
}

}  // namespace reber

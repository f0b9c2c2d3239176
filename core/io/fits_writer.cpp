// SPDX-License-Identifier: BSD-3-Clause
// Writes one plane in bands, with checksums.
#include "core/io/fits_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/checksum.hpp"
#include "core/io/fits_cards.hpp"
#include "core/io/output_cards.hpp"

namespace reber {
namespace {

constexpr std::int64_t kBandBytes = std::int64_t{8} << 20;

template <class Pixel, class Rows>
void write_plane(const std::string& path, Shape shape, const OutputHeader& header, const Rows& rows, int bitpix,
                 bool overwrite, const Progress& progress) {
  static_assert(sizeof(Pixel) == 4, "to_big_endian and the checksum work on four-byte words");
  if (shape.nx < 1 || shape.ny < 1) throw InternalError("write_fits: an image needs pixels");
  AtomicFile file(path, overwrite, header.like != nullptr ? header.like->path : std::string());
  const std::string cards = fits::output_cards(shape, bitpix, header);
  const auto header_bytes = static_cast<std::int64_t>(fits::header_blocks(cards, 0).size());
  const std::int64_t row_bytes = shape.nx * static_cast<std::int64_t>(sizeof(Pixel));
  const std::int64_t band = std::clamp<std::int64_t>(kBandBytes / row_bytes, 1, shape.ny);
  std::vector<Pixel> pixels(static_cast<std::size_t>(band * shape.nx));
  fits::Checksum sum;
  std::int64_t offset = header_bytes;
  for (std::int64_t y = 0; y < shape.ny; y += band) {
    progress.report("writing", static_cast<double>(y) / static_cast<double>(shape.ny));
    const std::int64_t ny = std::min(band, shape.ny - y);
    rows(y, ny, pixels.data());
    const auto count = static_cast<std::size_t>(ny * shape.nx);
    fits::to_big_endian(pixels.data(), count);
    sum.add(pixels.data(), 4 * count);
    file.write_at(offset, pixels.data(), 4 * count);
    offset += static_cast<std::int64_t>(4 * count);
  }
  const std::int64_t total =
      header_bytes + (offset - header_bytes + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes;
  // Zero bytes: they leave the checksum as it is.
  const std::vector<char> padding(static_cast<std::size_t>(total - offset), 0);
  file.write_at(offset, padding.data(), padding.size());
  const std::string blocks = fits::header_blocks(cards, sum.sum());
  file.write_at(0, blocks.data(), blocks.size());
  progress.check();
  file.commit(total);
  progress.report("writing", 1);
}

}  // namespace

void write_fits(const std::string& path, Shape shape, const OutputHeader& header, const FloatRows& rows, bool overwrite,
                const Progress& progress) {
  write_plane<float>(path, shape, header, rows, -32, overwrite, progress);
}

void write_fits(const std::string& path, Shape shape, const OutputHeader& header, const IntRows& rows, bool overwrite,
                const Progress& progress) {
  write_plane<std::int32_t>(path, shape, header, rows, 32, overwrite, progress);
}

}  // namespace reber

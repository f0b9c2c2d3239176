// SPDX-License-Identifier: BSD-3-Clause
// Writes one plane in bands, with checksums.
#include "core/files/fits/fits_writer.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/base/error.hpp"
#include "core/files/fits/band_writer.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/checksum.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

template <class Pixel, class Rows>
void write_plane(const std::string& path, Shape shape, const OutputHeader& header, const Rows& rows, int bitpix,
                 const FileOptions& how, const Progress& progress) {
  if (shape.nx < 1 || shape.ny < 1) throw InternalError("write_fits: an image needs pixels");
  AtomicFile file(path, how, header.like != nullptr ? header.like->path : std::string());
  const std::string cards = fits::output_cards(shape, bitpix, header);
  const auto header_bytes = static_cast<std::int64_t>(fits::header_blocks(cards, 0).size());
  const std::int64_t end = header_bytes + 4 * shape.count();
  const std::int64_t total =
      header_bytes + (4 * shape.count() + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes;
  file.reserve(total);
  fits::BandWriter bands(file);
  bands.write<Pixel>(shape, header_bytes, rows, [&](std::int64_t y) {
    progress.report("writing", static_cast<double>(y) / static_cast<double>(shape.ny));
  });
  bands.wait();
  // Zero bytes: they leave the checksum as it is.
  const std::vector<char> padding(static_cast<std::size_t>(total - end), 0);
  file.write_at(end, padding.data(), padding.size());
  const std::string blocks = fits::header_blocks(cards, bands.sum());
  file.write_at(0, blocks.data(), blocks.size());
  progress.check();
  file.commit(total);
  progress.report("writing", 1);
}

}  // namespace

void write_fits(const std::string& path, Shape shape, const OutputHeader& header, const FloatRows& rows,
                const FileOptions& how, const Progress& progress) {
  write_plane<float>(path, shape, header, rows, -32, how, progress);
}

void write_fits(const std::string& path, Shape shape, const OutputHeader& header, const IntRows& rows,
                const FileOptions& how, const Progress& progress) {
  write_plane<std::int32_t>(path, shape, header, rows, 32, how, progress);
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// FITS: headers and pixels, tile-compressed images, the sky, the table of beams.
#include <algorithm>
#include <cmath>

#include "core/files/fits/beam_table.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/fits/header_beam.hpp"
#include "core/files/fits/rice_tiles.hpp"
#include "core/files/fits/tile_guard.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/wcs.hpp"
#include "tests/fuzz/targets.hpp"

namespace reber::fuzz {
namespace {

void read_pixels(const ImagePlane& image) {
  const Shape shape = image.header().shape;
  const auto pixels = image.pixels();
  const auto bytes = static_cast<std::size_t>(shape.nx * bytes_of(pixels->format().type));
  std::vector<std::byte> row(bytes);
  for (const std::int64_t y : {std::int64_t{0}, shape.ny / 2, shape.ny - 1}) pixels->read_rows(y, 1, row.data());
}

/// Rows of a plane of RICE_1 tiles, in bands that end inside tiles.
void read_rice(const MemoryBytes& file, const fits::Hdu& hdu) {
  constexpr std::int64_t kMostPixels = 1 << 20, kBand = 7;
  const auto rice = fits::read_rice_header(hdu, {}, 0, 1);
  if (!rice || hdu.axes[0] > kMostPixels / hdu.axes[1]) return;
  const auto rows = fits::rice_source(file, hdu, *rice, 0, "fuzz");
  if (!rows) return;
  std::vector<std::byte> band(static_cast<std::size_t>(kBand * hdu.axes[0] * bytes_of(rows->format().type)));
  for (std::int64_t y = 0; y < hdu.axes[1]; y += kBand)
    rows->read_rows(y, std::min(kBand, hdu.axes[1] - y), band.data());
}

/// Whether the places of a pixel agree, where it has one. Their values are checked by the tests of Wcs.
void walk_sky(const Wcs& wcs) {
  for (const double x : {0.0, -1e9, 17.5, 1e30}) {
    const auto sky = wcs.to_sky(x, 3);
    if (sky) (void)wcs.to_pixel(*sky);
    (void)wcs.sky_per_pixel(x, 3);
  }
  (void)wcs.frequency_hz();
  (void)wcs.frame_name();
}

}  // namespace

void header(Bytes bytes) {
  const NamedBytes file(bytes);
  OpenOptions options;
  options.max_inflated_bytes = std::int64_t{1} << 22;
  options.plane = 0;
  const ImagePlane image = ImagePlane::open(file.path(), options);
  const bool plain = image.header().hdus[static_cast<std::size_t>(image.header().hdu)].kind == "image";
  // A row must fit; compressed images are decoded by a child, which `tiles` guards.
  if (plain && image.header().shape.nx < (std::int64_t{1} << 24)) read_pixels(image);
  walk_sky(image.header().wcs);
}

void tiles(Bytes bytes) {
  const MemoryBytes file(bytes);
  fits::Scan scan = fits::scan(file, "fuzz");
  for (fits::Hdu& hdu : scan.hdus) {
    if (hdu.kind != fits::Hdu::Kind::compressed || !hdu.problem.empty()) continue;
    (void)fits::plain_cards(hdu);
    fits::check_descriptors(file, hdu, "fuzz");
    read_rice(file, hdu);
    fits::check_streams(file, hdu, "fuzz");
  }
}

void sky(Bytes bytes) {
  std::string text(text_of(bytes));
  text.resize((text.size() + fits::kCardBytes - 1) / fits::kCardBytes * fits::kCardBytes, ' ');
  const fits::CardTable cards(text);
  const Wcs wcs = Wcs::parse(cards.text(), 0, 1, {1, 1, 1}, 3, 64, 48);
  walk_sky(wcs);
  const fits::BeamTable none;
  (void)fits::read_beam(cards, &cards, wcs, {48, 64}, {&none, 0});
}

void beam_table(Bytes bytes) {
  if (bytes.empty()) return;
  const MemoryBytes file(bytes.subspan(1));
  const fits::Scan scan = fits::scan(file, "fuzz");
  const std::vector<std::int64_t> axes{8, 8, 1 + bytes[0] % 16, 1 + bytes[0] / 64};
  const fits::CardTable& cards = scan.hdus.front().cards;
  const fits::BeamTable table = fits::read_beam_table(file, scan, cards, axes, 0, 1);
  if (!table.planes.empty()) (void)fits::beam_table_blocks(table.planes, cards, axes, 0, 1);
}

}  // namespace reber::fuzz

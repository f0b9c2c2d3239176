// SPDX-License-Identifier: BSD-3-Clause
// Regions and catalogues.

#include "core/files/catalogue/catalogue_readers.hpp"
#include "core/sky/model/sky_list.hpp"
#include "core/sky/regions/region_parsers.hpp"
#include "core/sky/regions/region_writers.hpp"
#include "tests/fuzz/targets.hpp"

namespace reber::fuzz {
namespace {

const Wcs& plain_sky() {
  static const Wcs wcs = [] {
    std::string cards;
    for (const char* card :
         {"CTYPE1  = 'RA---SIN'", "CRVAL1  = 180.0", "CRPIX1  = 32.5", "CDELT1  = -0.001", "CTYPE2  = 'DEC--SIN'",
          "CRVAL2  = -30.0", "CRPIX2  = 24.5", "CDELT2  = 0.001", "RADESYS = 'ICRS'", "END"}) {
      cards += card;
      cards.resize((cards.size() + 79) / 80 * 80, ' ');
    }
    return Wcs::parse(cards, 0, 1, {1, 1}, 2, 64, 48);
  }();
  return wcs;
}

void use(const Catalogue& catalogue) { (void)sky_list(catalogue, {}); }

}  // namespace

void regions(Bytes bytes) {
  const std::string text(text_of(bytes));
  const RegionFormat format = region_format("fuzz.reg", text);
  const ParsedRegions parsed = format == RegionFormat::crtf ? parse_crtf(text) : parse_ds9(text);
  std::vector<Region> shapes;
  for (const FileRegion& region : parsed.regions) {
    try {
      shapes.push_back(to_region(region, plain_sky()));
    } catch (const InputError&) {
      continue;  // off this image's sky
    }
    (void)bounds_of(shapes.back(), {48, 64});
    (void)contains(shapes.back(), {20, 20});
  }
  for (const RegionFormat again : {RegionFormat::ds9, RegionFormat::crtf})
    (void)regions_text(shapes, plain_sky(), again, {}, true);
}

void tables(Bytes bytes) {
  if (text_of(bytes).starts_with("SIMPLE"))
    use(read_catalogue_fits(MemoryBytes(bytes), "fuzz", {}));
  else
    use(read_catalogue_text(text_of(bytes), "fuzz", {}));
}

void votable(Bytes bytes) { use(read_catalogue_votable(text_of(bytes), "fuzz", {})); }

}  // namespace reber::fuzz

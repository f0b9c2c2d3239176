// SPDX-License-Identifier: BSD-3-Clause
// Both readers' pixels as doubles: values that the file scales are rounded once on either side.
#include "core/studies/second_opinion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/files/foreign/cfitsio_image.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/studies/differences.hpp"

namespace reber {
namespace {

/// Pixels of one plane, blanks as NaN.
struct ReadPlane {
  ImageHeader header;
  PixelFormat format;
  std::vector<double> pixels;
};

ReadPlane read(const ImageFile& file, std::int64_t plane, const Progress& progress) {
  return {file.header(plane), file.format(), decode_doubles(*file.pixels(plane, progress))};
}

fits::CardTable table_of(const ImageHeader& header) {
  std::string text;
  for (const std::string& card : header.cards) text += card;
  return fits::CardTable(text);
}

/// Cards that say how the image is stored, which a reader takes away, and words without a value.
bool is_of_storage(const std::string& keyword) {
  constexpr std::array kStems{"SIMPLE",  "XTENSION", "BITPIX", "NAXIS",    "PCOUNT",  "GCOUNT",  "EXTEND",
                              "EXTNAME", "BSCALE",   "BZERO",  "CHECKSUM", "DATASUM", "BLANK",   "",
                              "COMMENT", "HISTORY",  "END",    "CONTINUE", "INHERIT", "LONGSTRN"};
  const std::string stem = fits::split_number(keyword).first;
  return std::ranges::find(kStems, stem) != kStems.end() || keyword.starts_with("Z");
}

/// Keywords whose values are not the same in both; the first of them for people.
std::pair<int, std::string> cards_apart(const ImageHeader& a, const ImageHeader& b) {
  const fits::CardTable one = table_of(a), other = table_of(b);
  std::set<std::string> keywords;
  for (const ImageHeader* header : {&a, &b})
    for (const std::string& card : header->cards) keywords.insert(fits::keyword_of(card));
  int apart = 0;
  std::string first;
  for (const std::string& keyword : keywords) {
    if (is_of_storage(keyword) || one.raw(keyword) == other.raw(keyword)) continue;
    if (apart++ == 0) first = keyword;
  }
  return {apart, first};
}

/// How far apart the positions are that both headers give a plane's corners and middle, at most.
double degrees_apart(const ImageHeader& a, const ImageHeader& b) {
  const auto right = static_cast<double>(a.shape.nx - 1), top = static_cast<double>(a.shape.ny - 1);
  double most = a.wcs.celestial() == b.wcs.celestial() ? 0 : 180;
  for (const PixelPosition at : {PixelPosition{0, 0}, {right, 0}, {0, top}, {right, top}, {right / 2, top / 2}}) {
    const auto one = a.wcs.to_sky(at.x, at.y), other = b.wcs.to_sky(at.x, at.y);
    if (one.has_value() != other.has_value()) return 180;
    if (one) most = std::max({most, std::abs(one->lon_deg - other->lon_deg), std::abs(one->lat_deg - other->lat_deg)});
  }
  return most;
}

bool same_beam(const std::optional<Beam>& a, const std::optional<Beam>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->major_deg == b->major_deg && a->minor_deg == b->minor_deg && a->pa_deg == b->pa_deg;
}

/// In words. What an extension inherits of the primary header is CFITSIO's callers' matter.
std::string facts_apart(const ImageHeader& a, const ImageHeader& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  std::string words;
  if (table_of(a).is_true("INHERIT")) return a.axes == b.axes && a.bitpix == b.bitpix ? "" : "axes";
  for (const auto& [equal, what] :
       {std::pair{a.axes == b.axes, "axes"}, std::pair{a.bitpix == b.bitpix, "BITPIX"},
        std::pair{a.unit.text == b.unit.text, "unit"}, std::pair{a.object == b.object, "object"},
        std::pair{a.telescope == b.telescope, "telescope"}, std::pair{a.date_obs == b.date_obs, "date"},
        std::pair{same_beam(a.beam, b.beam), "beam"},
        std::pair{same(a.wcs.frequency_hz(), b.wcs.frequency_hz()), "frequency"}})
    if (!equal) words += std::string(words.empty() ? "" : ", ") + what;
  return words;
}

}  // namespace

std::vector<StageCheck> compare_readers(const ImageFile& first, const ImageFile& second, std::int64_t plane,
                                        const Progress& progress) {
  const ReadPlane own = read(first, plane, progress), other = read(second, plane, progress);
  std::vector<StageCheck> checks;
  const auto add = [&](const char* stage, const char* metric, double worst, double bound, std::string where) {
    checks.push_back({stage, metric, worst, bound, std::move(where), worst <= bound});
  };
  const std::string facts = facts_apart(own.header, other.header);
  add("header", "facts that differ", static_cast<double>(!facts.empty()), 0, facts);
  const auto [cards, keyword] = cards_apart(own.header, other.header);
  add("header", "keywords whose value differs", cards, 0, keyword);
  add("header", "largest difference of a position, degrees", degrees_apart(own.header, other.header), 0, "");
  if (own.header.shape != other.header.shape) return checks;
  // CFITSIO takes denormal numbers for 0.
  const bool doubles = own.header.bitpix == -64;
  const double least = doubles ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  std::int64_t blank = 0;
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < own.pixels.size(); ++i) {
    const double a = own.pixels[i], b = other.pixels[i];
    if (std::isfinite(a) != std::isfinite(b)) ++blank;
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    if (std::abs(a) < least && std::abs(b) < least) continue;
    if (const double d = relative(a, b); !(d <= worst)) worst = d, at = i;
  }
  add("pixels", "blank for one of them alone", static_cast<double>(blank), 0, "");
  // CFITSIO gives floats of floats, scaled ones as well.
  const bool scaled = own.format.scale != 1 || own.format.zero != 0;
  const auto nx = static_cast<std::size_t>(own.header.shape.nx);
  add("pixels", "largest relative difference", worst,
      !scaled                    ? 0
      : own.header.bitpix == -32 ? 1.2e-7
                                 : 4.5e-16,
      worst > 0 ? fmt::format("x {} y {}", at % nx, at / nx) : "");
  return checks;
}

VerificationReport second_opinion(const Request& request, const Progress& progress) {
  const auto own = open_image_file(request.input, request.open, Planes::one, progress);
  OpenOptions same = request.open;
  const std::int64_t plane = same.plane.value_or(0);
  same.hdu = own->header(plane).hdu;
  const auto other = open_by_cfitsio(request.input, same, Planes::one, progress);
  return {request.input, "own reader", "FITS", cfitsio_name(), compare_readers(*own, *other, plane, progress)};
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// From cards to the headers of planes.
#include "core/files/fits/card_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/header_beam.hpp"
#include "core/files/fits/pixel_sources.hpp"

namespace reber::fits {
namespace {

/// 'x' for a longitude axis, 'y' for a latitude, ' ' for neither, by CTYPE.
char celestial_kind(const CardTable& cards, std::size_t axis) {
  const std::string type = cards.string(fmt::format("CTYPE{}", axis + 1)).value_or("");
  const std::string head = type.substr(0, 4);
  if (head == "RA--" || type == "RA") return 'x';
  if (head == "DEC-" || type == "DEC") return 'y';
  if (head.size() == 4 && (head.substr(1) == "LON" || head.substr(2) == "LN")) return 'x';
  if (head.size() == 4 && (head.substr(1) == "LAT" || head.substr(2) == "LT")) return 'y';
  return ' ';
}

/// The celestial pair of axes; else the first two longer than one pixel; else the first two.
void choose_axes(const CardTable& cards, ImageHeader& header) {
  std::vector<int> sky, wide;
  int longitudes = 0;
  for (std::size_t i = 0; i < header.axes.size(); ++i) {
    const char kind = celestial_kind(cards, i);
    if (kind != ' ') sky.push_back(static_cast<int>(i));
    if (kind == 'x') ++longitudes;
    if (header.axes[i] > 1) wide.push_back(static_cast<int>(i));
  }
  const bool pair = sky.size() == 2 && longitudes == 1;
  header.x_axis = pair ? sky[0] : wide.size() >= 2 ? wide[0] : 0;
  header.y_axis = pair ? sky[1] : wide.size() >= 2 ? wide[1] : 1;
  header.shape = {header.axes[static_cast<std::size_t>(header.y_axis)],
                  header.axes[static_cast<std::size_t>(header.x_axis)]};
}

void count_planes(ImageHeader& header) {
  header.planes = 1;
  for (std::size_t i = 0; i < header.axes.size(); ++i) {
    const int axis = static_cast<int>(i);
    if (axis != header.x_axis && axis != header.y_axis) header.planes *= header.axes[i];
  }
}

void read_texts(const CardTable& cards, const CardTable* inherited, ImageHeader& header) {
  const auto text = [&](const char* keyword) {
    const auto own = cards.string(keyword);
    std::string value = own ? *own : inherited != nullptr ? inherited->string(keyword).value_or("") : "";
    const bool clean = std::all_of(value.begin(), value.end(), [](char c) { return c >= 32 && c <= 126; });
    if (!clean)
      header.warnings.push_back(fmt::format("{} holds bytes that FITS does not allow: {}", keyword, printable(value)));
    return value;
  };
  header.object = text("OBJECT");
  header.telescope = text("TELESCOP");
  header.date_obs = text("DATE-OBS");
  header.unit = Unit::parse(text("BUNIT"));
}

/// Duplicate keywords that change what is read; the last of them counts.
std::string duplicate_warning(const CardTable& cards) {
  std::string names;
  for (const std::string& keyword : cards.duplicates()) {
    const std::string stem = split_number(keyword).first;
    for (const char* used :
         {"CTYPE",    "CUNIT", "CRVAL", "CRPIX",   "CDELT",   "CROTA",   "CD1_",  "CD2_",    "PC1_",
          "PC2_",     "PV1_",  "PV2_",  "LONPOLE", "LATPOLE", "EQUINOX", "EPOCH", "RADESYS", "RESTFRQ",
          "RESTFREQ", "BMAJ",  "BMIN",  "BPA",     "BUNIT",   "BSCALE",  "BZERO", "BLANK"}) {
      if (stem == used) names += (names.empty() ? "" : ", ") + keyword;
    }
  }
  return names.empty() ? names : fmt::format("duplicate keyword {}: the last value counts", names);
}

void read_beam_and_wcs(const CardTable& cards, const CardTable* inherited, const BeamTable& table,
                       ImageHeader& header) {
  std::vector<double> fixed;
  for (const std::int64_t at : plane_position(header.axes, header.x_axis, header.y_axis, header.plane)) {
    fixed.push_back(static_cast<double>(at + 1));
  }
  header.wcs = Wcs::parse(cards.text(), header.x_axis, header.y_axis, fixed, static_cast<int>(header.axes.size()),
                          static_cast<double>(header.shape.nx), static_cast<double>(header.shape.ny));
  if (!header.wcs.celestial()) {
    header.warnings.push_back(
        fmt::format("no usable WCS ({}): positions are in pixels only", printable(header.wcs.why_not())));
  }
  if (header.wcs.spectral_reading().starts_with("unreadable"))
    header.warnings.push_back("the spectral axis is " + printable(header.wcs.spectral_reading()));
  std::string duplicates = duplicate_warning(cards);
  const HeaderBeam beam = read_beam(cards, inherited, header.wcs, header.shape, {&table, header.plane});
  header.beam = beam.beam;
  header.beam_note = beam.note;
  std::string trouble = beam.warning;
  // Without a beam only fluxes per beam lack something.
  if (!beam.beam && trouble.empty() && header.unit.kind == Unit::Kind::jy_per_beam) {
    trouble = beam.note + ": total fluxes and convolution to a beam need one (--image-beam)";
  }
  if (!duplicates.empty() && !trouble.empty()) {
    duplicates += "; " + trouble;
    trouble.clear();
  }
  if (!duplicates.empty()) header.warnings.push_back(duplicates);
  if (!trouble.empty()) header.warnings.push_back(trouble);
}

std::vector<std::string> split_cards(const CardTable& cards) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < cards.count(); ++i) out.emplace_back(cards.card(i));
  return out;
}

}  // namespace

CardHeader::CardHeader(ImageHeader facts, CardTable cards, std::optional<CardTable> inherited,
                       const OpenOptions& options, Planes planes)
    : common_(std::move(facts)), cards_(std::move(cards)), inherited_(std::move(inherited)) {
  common_.cards = split_cards(cards_);
  choose_axes(cards_, common_);
  count_planes(common_);
  if (planes == Planes::one && common_.planes > 1 && !options.plane)
    throw InputError(fmt::format("'{}' is a cube of {} planes: choose one with --plane 0 to --plane {}",
                                 printable(common_.path), common_.planes, common_.planes - 1));
  if (planes == Planes::one) check(options.plane.value_or(0));
  read_texts(cards_, inherited_ ? &*inherited_ : nullptr, common_);
  if (options.unit) common_.unit = Unit::parse(*options.unit);
}

void CardHeader::take(BeamTable beams) {
  beams_ = std::move(beams);
  common_.plane_beams = beams_.planes;
}

void CardHeader::check(std::int64_t plane) const {
  if (plane < 0 || plane >= common_.planes)
    throw InputError(
        fmt::format("'{}' has no plane {}: --plane takes 0 to {}", printable(common_.path), plane, common_.planes - 1));
}

ImageHeader CardHeader::of(std::int64_t plane) const {
  check(plane);
  ImageHeader header = common_;
  header.plane = plane;
  read_beam_and_wcs(cards_, inherited_ ? &*inherited_ : nullptr, beams_, header);
  return header;
}

}  // namespace reber::fits

// SPDX-License-Identifier: BSD-3-Clause
// Keeps the input's keywords that still hold for one plane.
#include "core/files/fits/output_cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "core/files/fits/pixel_sources.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber::fits {
namespace {

/// Keywords (without axis numbers) that describe the array as stored, or that the output states anew.
bool describes_storage(const std::string& stem) {
  static const std::set<std::string> kStems = {
      "SIMPLE",  "XTENSION", "BITPIX",   "NAXIS",    "EXTEND",  "PCOUNT",   "GCOUNT",   "GROUPS",
      "EXTNAME", "EXTVER",   "EXTLEVEL", "INHERIT",  "BSCALE",  "BZERO",    "BLANK",    "BUNIT",
      "BMAJ",    "BMIN",     "BPA",      "CHECKSUM", "DATASUM", "MESHAX",   "INTERPOL", "DATAMAX",
      "DATAMIN", "CASAMBM",  "WCSAXES",  "END",      "NEXTEND", "ZHECKSUM", "ZDATASUM", "FREQ"};
  return kStems.count(stem) != 0;
}

bool all_digits(const std::string& text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
  }
  return true;
}

struct Axes {
  int x = 1, y = 2;  ///< 1-based axes of the input
  bool all = false;  ///< every axis is kept, x and y as the first two
  /// 1, 2 for x and y; the others' numbers behind them, or 0 where they are not kept.
  [[nodiscard]] int renumber(const std::string& digits) const {
    if (digits.size() > 3) return 0;
    const int axis = std::stoi(digits);
    if (all && axis != x && axis != y) return axis + (axis < x ? 1 : 0) + (axis < y ? 1 : 0);
    return axis == x ? 1 : axis == y ? 2 : 0;
  }
};

/// The keyword with its axis numbers changed; empty where it belongs to a dropped axis, nothing where it has none.
std::optional<std::string> renumbered(const std::string& keyword, const Axes& axes) {
  // A letter at the end names an alternative description.
  const bool letter = keyword.size() > 1 && std::isupper(static_cast<unsigned char>(keyword.back())) != 0 &&
                      std::isdigit(static_cast<unsigned char>(keyword[keyword.size() - 2])) != 0;
  const std::string alternative = letter ? keyword.substr(keyword.size() - 1) : "";
  const std::string body = keyword.substr(0, keyword.size() - alternative.size());
  for (const char* stem : {"CTYPE", "CUNIT", "CRVAL", "CRPIX", "CDELT", "CROTA", "CNAME", "CRDER", "CSYER"}) {
    const std::string head = body.substr(0, 5);
    if (head != stem || !all_digits(body.substr(std::min<std::size_t>(5, body.size())))) continue;
    const int axis = axes.renumber(body.substr(5));
    return axis == 0 ? std::string() : fmt::format("{}{}{}", stem, axis, alternative);
  }
  for (const char* stem : {"CD", "PC", "PV", "PS"}) {
    const std::size_t line = body.find('_');
    if (body.rfind(stem, 0) != 0 || line == std::string::npos) continue;
    const std::string first = body.substr(2, line - 2), second = body.substr(line + 1);
    if (!all_digits(first) || !all_digits(second)) continue;
    const bool matrix = stem[1] == 'C' || stem[1] == 'D' || std::strcmp(stem, "PC") == 0;
    const int i = axes.renumber(first);
    const int j = matrix ? axes.renumber(second) : std::stoi(second.substr(0, 4));
    if (i == 0 || (matrix && j == 0)) return std::string();
    return fmt::format("{}{}_{}{}", stem, i, j, alternative);
  }
  // The matrix of the first WCS drafts, PC001002: dropped with its axis, else kept as it is.
  if (body.size() == 8 && body.rfind("PC", 0) == 0 && all_digits(body.substr(2))) {
    const bool same =
        axes.x == 1 && axes.y == 2 && axes.renumber(body.substr(2, 3)) != 0 && axes.renumber(body.substr(5)) != 0;
    return same ? body : std::string();
  }
  return std::nullopt;
}

/// A card of the input as it goes into the output; empty where it is dropped.
std::string kept_card(std::string_view card, const Axes& axes) {
  const std::string keyword = keyword_of(card);
  std::string clean = restrict_to_ascii(card);
  if (keyword == "HISTORY" || keyword == "COMMENT" || keyword.empty()) {
    // The output's beam is stated by its own keywords, or there is none.
    const bool aips_beam = clean.find("AIPS") != std::string::npos && clean.find("BMAJ=") != std::string::npos;
    const bool blank = clean.find_first_not_of(' ') == std::string::npos;
    return aips_beam || blank ? std::string() : clean;
  }
  if (describes_storage(split_number(keyword).first)) return {};
  const auto changed = renumbered(keyword, axes);
  if (!changed) return clean;
  return changed->empty() ? std::string() : fmt::format("{:<8}", *changed) + clean.substr(8);
}

/// stated: keywords that the output has otherwise
std::string kept_cards(const ImageHeader& like, bool all_axes, const std::set<std::string>& stated) {
  const Axes axes{like.x_axis + 1, like.y_axis + 1, all_axes};
  // The last of duplicate keywords is the one that counted.
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < like.cards.size(); ++i) last[keyword_of(like.cards[i])] = i;
  std::string out;
  bool kept = false;
  for (std::size_t i = 0; i < like.cards.size(); ++i) {
    const std::string keyword = keyword_of(like.cards[i]);
    const bool repeats = keyword.empty() || keyword == "HISTORY" || keyword == "COMMENT" || keyword == "HIERARCH";
    std::string card;
    if (keyword == "CONTINUE") {
      if (kept) card = restrict_to_ascii(like.cards[i]);
    } else {
      if (repeats || last[keyword] == i) card = kept_card(like.cards[i], axes);
      if (!repeats && stated.contains(keyword)) card.clear();
      kept = !card.empty();
    }
    out += card;
  }
  return out;
}

std::string whole_card(std::string card) {
  card = restrict_to_ascii(card);
  card.resize(kCardBytes, ' ');
  return card;
}

void add_unit_beam_history(const OutputHeader& header, const CardTable& so_far, std::string& out) {
  if (!header.unit.empty() && !so_far.has("BUNIT")) out += make_text_card("BUNIT", header.unit);
  if (header.beam && !so_far.has("BMAJ")) {
    out += make_card("BMAJ", header.beam->major_deg, "[deg] FWHM of the beam");
    out += make_card("BMIN", header.beam->minor_deg, "[deg]");
    out += make_card("BPA", header.beam->pa_deg, "[deg] north through east");
  }
  for (const std::string& line : header.history) {
    for (const std::string& card : fold_cards("HISTORY", line)) out += card;
  }
}

/// The further axes of one pixel each: reference pixels move to where the image lies.
std::string at_places(const std::string& cards, const std::vector<double>& places) {
  std::string out;
  std::set<int> seen;
  for (std::size_t at = 0; at < cards.size(); at += kCardBytes) {
    const std::string card = cards.substr(at, kCardBytes), keyword = keyword_of(card);
    std::string digits = keyword.starts_with("CRPIX") ? keyword.substr(5) : std::string();
    if (!digits.empty() && std::isupper(static_cast<unsigned char>(digits.back())) != 0) digits.pop_back();
    const int axis = all_digits(digits) && digits.size() <= 3 ? std::stoi(digits) : 0;
    const auto value = parse_number(value_of(card));
    if (axis < 3 || axis > 2 + static_cast<int>(places.size()) || !value) {
      out += card;
      continue;
    }
    if (keyword.size() == 5 + digits.size()) seen.insert(axis);
    out += make_card(keyword, *value - (places[static_cast<std::size_t>(axis - 3)] - 1));
  }
  for (int axis = 3; axis < 3 + static_cast<int>(places.size()); ++axis)
    if (const double moved = places[static_cast<std::size_t>(axis - 3)] - 1; !seen.contains(axis) && moved != 0)
      out += make_card(fmt::format("CRPIX{}", axis), -moved);
  return out;
}

}  // namespace

std::optional<std::string> of_two_axes(const std::string& keyword, int x, int y) {
  return renumbered(keyword, {x, y, false});
}

std::vector<double> axis_places(const ImageHeader& header) {
  if (header.x_axis != 0 || header.y_axis != 1 || header.axes.size() < 3) return {};
  for (const std::string& card : header.cards)
    if (card.starts_with("CTYPE") && quoted_text(value_of(card)).value_or("").starts_with("SPECL")) return {};
  const auto position = plane_position(header.axes, 0, 1, header.plane);
  std::vector<double> places;
  for (std::size_t axis = 2; axis < position.size(); ++axis) places.push_back(static_cast<double>(position[axis] + 1));
  return places;
}

std::string output_cards(Shape shape, int bitpix, const OutputHeader& header) {
  std::string out = make_logical_card("SIMPLE", true, "conforms to the FITS standard");
  out += make_card("BITPIX", static_cast<std::int64_t>(bitpix), "type of the pixels");
  const int more_axes = std::max(header.more_axes, static_cast<int>(header.places.size()));
  out += make_card("NAXIS", static_cast<std::int64_t>(2 + more_axes));
  out += make_card("NAXIS1", shape.nx);
  out += make_card("NAXIS2", shape.ny);
  for (int axis = 3; axis < 3 + more_axes; ++axis) out += make_card(fmt::format("NAXIS{}", axis), std::int64_t{1});
  std::set<std::string> told;
  for (const std::string& card : header.cards) told.insert(keyword_of(card));
  if (header.like != nullptr) {
    const std::string kept = kept_cards(*header.like, !header.places.empty(), told);
    out += header.places.empty() ? kept : at_places(kept, header.places);
  }
  for (const std::string& card : header.cards) out += whole_card(card);
  const CardTable so_far(out);
  if (header.like != nullptr && header.places.empty()) {
    const double frequency = header.frequency_hz.value_or(header.like->wcs.frequency_hz());
    const bool stated = so_far.number("RESTFRQ") == frequency || so_far.number("RESTFREQ") == frequency;
    // The spectral axis is dropped; its value at the plane is not.
    if (std::isfinite(frequency) && !stated && !so_far.has("FREQ"))
      out += make_card("FREQ", frequency, "[Hz] frequency of the plane");
  }
  add_unit_beam_history(header, so_far, out);
  return out;
}

std::string cube_cards(const OutputHeader& header, bool beam_table) {
  std::string out = make_logical_card("SIMPLE", true, "conforms to the FITS standard");
  out += make_card("BITPIX", std::int64_t{-32}, "type of the pixels");
  out += make_card("NAXIS", static_cast<std::int64_t>(header.like->axes.size()));
  out += make_card("NAXIS1", header.like->shape.nx);
  out += make_card("NAXIS2", header.like->shape.ny);
  int number = 3;
  for (int axis = 0; axis < static_cast<int>(header.like->axes.size()); ++axis)
    if (axis != header.like->x_axis && axis != header.like->y_axis)
      out += make_card(fmt::format("NAXIS{}", number++), header.like->axes[static_cast<std::size_t>(axis)]);
  if (beam_table) {
    out += make_logical_card("EXTEND", true);
    out += make_logical_card("CASAMBM", true, "beams by channel are in the extension BEAMS");
  }
  out += kept_cards(*header.like, true, {});
  const CardTable so_far(out);
  add_unit_beam_history(header, so_far, out);
  return out;
}

}  // namespace reber::fits

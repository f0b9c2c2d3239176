// SPDX-License-Identifier: BSD-3-Clause
// Formatting and parsing of sky positions.
#include "core/sky/model/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/sky/model/sexagesimal.hpp"

namespace reber {
namespace {

/// Digits behind the point so that one unit of the last is at most `unit`.
int digits_for(double unit) { return std::clamp(static_cast<int>(std::ceil(-std::log10(unit) - 1e-9)), 0, 11); }

std::string sexagesimal(double units, int digits, bool sign, int width, int wrap) {
  const double scale = std::pow(10.0, digits);
  auto ticks = std::llround(std::abs(units) * 3600 * scale);
  const auto minute = std::llround(60 * scale);
  const bool negative = units < 0 && ticks != 0;
  auto whole = ticks / minute / 60;
  if (wrap > 0) whole %= wrap;
  const auto minutes = ticks / minute % 60;
  const double seconds = static_cast<double>(ticks % minute) / scale;
  return fmt::format("{}{:0{}}:{:02}:{:0{}.{}f}",
                     negative ? "-"
                     : sign   ? "+"
                              : "",
                     whole, width, minutes, seconds, digits > 0 ? digits + 3 : 2, digits);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// A plain number that fills the whole text.
std::optional<double> number(const std::string& text) {
  const char* first = text.data();
  const char* const last = text.data() + text.size();
  if (first != last && *first == '+') ++first;
  double value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool pixel_word(const std::string& word) { return word == "pixel" || word == "pix" || word == "px" || word == "image"; }

std::vector<std::string> words_of(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::vector<std::string> words;
  std::string word;
  for (const char c : lower(text) + " ") {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

void read_size(const std::string& word, bool pixels, TypedPlace& place) {
  const bool in_px = word.ends_with("px");
  if (in_px) {
    place.size_px = number(word.substr(0, word.size() - 2));
  } else if (const auto bare = number(word); bare && pixels) {
    place.size_px = *bare;
  } else {
    place.size_deg = parse_angle(word, false);
  }
  const double size = place.size_px ? *place.size_px : place.size_deg.value_or(0);
  if (!(size > 0)) throw InputError(fmt::format("'{}' is no field size: write 5', 30\", 1.5deg or 200px", word));
}

}  // namespace

double pixel_step_deg(const Wcs& wcs, double x, double y) {
  const auto m = wcs.sky_per_pixel(x, y);
  if (!m) return std::nan("");
  return std::min(std::hypot(m->a, m->c), std::hypot(m->b, m->d));
}

std::array<std::string, 2> position_text(const SkyPosition& p, const CoordinateStyle& style, double step_deg) {
  if (!std::isfinite(p.lon_deg) || !std::isfinite(p.lat_deg)) return {"--", "--"};
  const double last = 0.1 * (step_deg > 0 && std::isfinite(step_deg) ? step_deg : 0.1 / 3600);
  if (!style.sexagesimal) {
    const int digits = digits_for(last);
    std::string lon = fmt::format("{:.{}f}", p.lon_deg, digits);
    // 359.99996 with four digits is 0, not 360.
    if (number(lon).value_or(0) >= 360) lon = fmt::format("{:.{}f}", 0.0, digits);
    std::string lat = fmt::format("{:+.{}f}", p.lat_deg, digits);
    if (lat.find_first_of("123456789") == std::string::npos) lat[0] = '+';
    return {lon, lat};
  }
  const bool hours = style.system.equatorial();
  const int lon_digits = digits_for(last * 3600 / (hours ? 15 : 1)), lat_digits = digits_for(last * 3600);
  return {sexagesimal(hours ? p.lon_deg / 15 : p.lon_deg, lon_digits, false, hours ? 2 : 3, hours ? 24 : 360),
          sexagesimal(p.lat_deg, lat_digits, true, 2, 0)};
}

std::string angle_text(double degrees) {
  if (!std::isfinite(degrees)) return "--";
  const double size = std::abs(degrees);
  if (size < 1e-3 / 3600) return fmt::format("{:.3g} mas", degrees * 3.6e6);
  if (size < 59.95 / 3600) return fmt::format("{:.3g}\"", degrees * 3600);
  if (size < 59.95 / 60) return fmt::format("{:.3g}'", degrees * 60);
  return fmt::format("{:.3g}\xC2\xB0", degrees);
}

std::optional<double> parse_angle(const std::string& text, bool hours) {
  const auto angle = read_angle(text);
  if (!angle) return std::nullopt;
  return angle->form == AngleForm::fields && hours ? 15 * angle->value : angle->value;
}

TypedPlace parse_place(const std::string& text, const CoordinateStyle& style) {
  std::vector<std::string> words = words_of(text);
  TypedPlace place;
  place.system = style.system;
  bool pixels = false;
  for (auto word = words.begin(); word != words.end();) {
    const auto system = system_named(*word);
    if (system) place.system = *system;
    if (pixel_word(*word)) pixels = true;
    word = system || pixel_word(*word) ? words.erase(word) : word + 1;
  }
  if (words.size() < 2 || words.size() > 3) {
    throw InputError(fmt::format("'{}' is no place: write \"ra dec\", \"ra dec size\" or \"pixel x y\"", text));
  }
  if (words.size() == 3) read_size(words[2], pixels, place);
  if (pixels) {
    const auto x = number(words[0]), y = number(words[1]);
    if (!x || !y) throw InputError(fmt::format("'{} {}' are no pixel numbers", words[0], words[1]));
    const double base = style.one_based ? 1 : 0;
    place.pixel = PixelPosition{*x - base, *y - base};
    return place;
  }
  const auto lon = parse_angle(words[0], place.system.equatorial()), lat = parse_angle(words[1], false);
  if (!lon) throw InputError(fmt::format("'{}' is no longitude: write 12:34:56.7, 12h34m56.7s or 188.73625", words[0]));
  if (!lat || std::abs(*lat) > 90) {
    throw InputError(fmt::format("'{}' is no latitude between -90 and 90: write -12:34:56 or -12.5822", words[1]));
  }
  const double wrapped = std::fmod(std::fmod(*lon, 360) + 360, 360);
  place.sky = SkyPosition{wrapped, *lat};
  return place;
}

}  // namespace reber

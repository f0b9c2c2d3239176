// SPDX-License-Identifier: BSD-3-Clause
// Brightness units: words as observatories write them, WCSLIB's grammar, and what is left told apart by dimension.
#include "core/sky/model/unit.hpp"

#include <wcslib/wcsunits.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <string_view>

#include "core/sky/model/wcslib_call.hpp"

namespace reber {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr std::size_t kLongest = 72;  // of wcsutrn

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view strip(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Without the blanks at both ends and those after a prefix ("m Jy/beam"); micro is "u".
std::string tidied(std::string_view text) {
  std::string out(strip(text));
  for (const std::string_view micro : {"\xc2\xb5", "\xce\xbc", "\xb5"})
    for (std::size_t at = out.find(micro); at != std::string::npos; at = out.find(micro))
      out.replace(at, micro.size(), "u");
  const std::size_t next = out.find_first_not_of(' ', 1);
  const bool prefix = out.size() > 2 && std::string_view("munkMG").find(out[0]) != std::string_view::npos;
  if (prefix && out[1] == ' ' && next != std::string::npos && one_of(lower(out.substr(next, 1)), {"j", "k"}))
    out.erase(1, next - 1);
  return out;
}

/// A word as the FITS standard has it, or as it stands. before: the word that stands before it
std::string standard(const std::string& word, std::string_view before) {
  const std::string small = lower(word);
  if (one_of(small, {"beam", "beams", "bm", "bmarea", "beamarea"})) return "beam";
  if (one_of(small, {"pixel", "pixels", "pix", "px"})) return "pixel";
  if (one_of(small, {"sr", "ster", "steradian", "steradians"})) return "sr";
  if (one_of(small, {"arcsec", "arcsecs", "arcsecond", "arcseconds"})) return "arcsec";
  if (one_of(small, {"arcmin", "arcmins", "arcminute", "arcminutes"})) return "arcmin";
  if (one_of(small, {"deg", "degree", "degrees"})) return "deg";
  if (one_of(small, {"km", "sec", "second", "seconds"})) return small == "km" ? "km" : "s";
  // A siemens stands behind no length.
  if (word == "S" && one_of(before, {"km", "m", "M"})) return "s";
  if (small.starts_with("per")) return small.size() > 3 ? "/" + standard(word.substr(3), {}) : "/";
  for (const std::string_view name : {"janskys", "jansky", "kelvins", "kelvin"})
    if (small.ends_with(name)) return word.substr(0, word.size() - name.size()) + (name[0] == 'j' ? "Jy" : "K");
  const std::size_t at = small.find("jy");
  if (at == std::string::npos) return word;
  const std::string rest = word.substr(at + 2);
  return word.substr(0, at) + "Jy" + (rest.empty() ? "" : " " + standard(rest, {}));
}

struct Words {
  std::string text;
  bool mega_in_capitals = false;  ///< "MJY": mega where it is the usual prefix alone
};

/// The text in the standard's words; empty where they have two meanings.
std::optional<Words> standard_words(const std::string& text) {
  Words words;
  std::string before;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (!is_letter(c)) {
      const std::size_t next = text.find_first_not_of(' ', i + 1);
      const bool divides = c == '-' && next != std::string::npos && is_letter(text[next]);
      words.text += divides ? '/' : c;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    if (word == "MK" || word == "MKELVIN") return std::nullopt;  // a milli-kelvin in capitals?
    if (word.starts_with("MJ") && !word.starts_with("MJy")) words.mega_in_capitals = true;
    before = standard(word, before);
    words.text += before;
    i = end;
  }
  return words;
}

/// A power of ten to the last bit, where it is one.
double exact(double factor) {
  const double power = std::round(std::log10(factor)), ten = std::pow(10.0, power);
  return std::abs(factor / ten - 1) < 1e-12 ? ten : factor;
}

/// What WCSLIB makes of a text: powers of the fundamental units, and the factor to them.
struct Dimensions {
  std::array<double, WCSUNITS_NTYPE> power{};
  double scale = 0;

  /// Takes one power away. returns what it was
  double take(int type) {
    const double was = power[static_cast<std::size_t>(type)];
    power[static_cast<std::size_t>(type)] = 0;
    return was;
  }
  [[nodiscard]] bool none_left() const {
    return std::ranges::all_of(power, [](double p) { return p == 0; });
  }
};

std::optional<Dimensions> dimensions_of(const std::string& text) {
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  // What no unit is written with does not reach WCSLIB's scanners, which complain of it as they do of lost memory.
  const auto of_a_unit = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr(" .*/^()+-_", c) != nullptr;
  };
  if (!std::ranges::all_of(text, [&](char c) { return c != 0 && of_a_unit(static_cast<unsigned char>(c)); }))
    return std::nullopt;
  std::array<char, 2 * kLongest> buffer{};
  std::ranges::copy(text, buffer.begin());
  Dimensions found;
  int function = 0;
  // Apart: what one scanner leaves on the stack must not be where the other one jumps to as it gets no memory.
  (void)call_wcslib(WcslibCall::parses, [&] {
    wcsutrne(0, buffer.data(), nullptr);  // what it cannot translate stays as it is
    return 0;
  });
  const int status = call_wcslib(WcslibCall::parses, [&] {
    // Its status 2 is of an operator without a unit, and not of memory.
    return wcsulexe(buffer.data(), &function, &found.scale, found.power.data(), nullptr) == 0 ? 0 : 1;
  });
  if (status != 0 || function != 0 || !(found.scale > 0)) return std::nullopt;
  return found;
}

/// What a brightness is summed over, by its dimension; the rest of the dimensions is taken.
std::optional<std::string> spectral_part(Dimensions& of, bool names_hertz) {
  const double length = of.take(WCSUNITS_LENGTH), time = of.take(WCSUNITS_TIME);
  if (length == 0 && time == 0) return "";
  if (length == 1 && time == 0) return "m";
  if (length == 0 && time == -1 && names_hertz) return "Hz";
  if (length != 1 || time != -1) return std::nullopt;
  of.scale *= 1e-3;
  return "km/s";
}

Unit told_apart(Dimensions of, const Words& words) {
  constexpr double kJansky = 1e-26;
  const double pixel = of.take(WCSUNITS_PIXEL), beam = of.take(WCSUNITS_BEAM), sr = of.take(WCSUNITS_SOLID_ANGLE),
               angle = of.take(WCSUNITS_PLANE_ANGLE), mass = of.take(WCSUNITS_MASS),
               kelvin = of.take(WCSUNITS_TEMPERATURE);
  Unit unit, unknown;
  unit.per_pixel = unknown.per_pixel = pixel == -1;
  const double divisors = std::abs(pixel) + std::abs(beam) + std::abs(sr) + std::abs(angle) / 2;
  if (mass == 1 && kelvin == 0 && divisors == 1) {
    of.power[WCSUNITS_TIME] += 2;
    of.scale *= (angle == -2 ? kDegrees * kDegrees : 1) / kJansky;
    if (beam == -1) unit.kind = Unit::Kind::jy_per_beam;
    if (pixel == -1) unit.kind = Unit::Kind::jy_per_pixel;
    if (sr == -1 || angle == -2) unit.kind = Unit::Kind::jy_per_sr;
    if (words.mega_in_capitals && sr != -1) return unknown;
  } else if (kelvin == 1 && mass == 0 && divisors == 0) {
    unit.kind = Unit::Kind::kelvin;
  }
  const auto spectral = spectral_part(of, lower(words.text).find("hz") != std::string::npos);
  if (unit.kind == Unit::Kind::unknown || !spectral || !of.none_left()) return unknown;
  unit.spectral = *spectral;
  unit.factor = exact(of.scale);
  return unit;
}

Unit parsed(std::string_view text) {
  const auto words = standard_words(tidied(text));
  const auto dimensions = words ? dimensions_of(words->text) : std::nullopt;
  return dimensions ? told_apart(*dimensions, *words) : Unit();
}

}  // namespace

Unit Unit::parse(const std::string& text) {
  Unit unit = parsed(text);
  // A remark in brackets says which temperature: "K (Tb)".
  const std::size_t remark = text.find('(');
  if (unit.kind == Kind::unknown && remark != std::string::npos) {
    unit = parsed(text.substr(0, remark));
    if (unit.kind != Kind::kelvin) unit = Unit();
  }
  unit.text = text;
  return unit;
}

std::string Unit::name() const {
  if (kind == Kind::unknown) return text;
  if (kind == Kind::kelvin) return spectral.empty() ? "K" : "K " + spectral;
  const std::string over = kind == Kind::jy_per_beam ? "beam" : kind == Kind::jy_per_pixel ? "pixel" : "sr";
  if (spectral.empty()) return "Jy/" + over;
  // One way to read it: programs do not agree on what a second slash divides.
  return "Jy " + over + "-1 " + (spectral == "km/s" ? "km s-1" : spectral);
}

std::string Unit::total_name() const { return spectral.empty() ? "Jy" : "Jy " + spectral; }

std::pair<std::string, double> Unit::readable(double magnitude) const {
  if (kind == Kind::unknown) return {text, factor};  // 1 of all that was parsed
  const double size = std::abs(magnitude) * factor;
  const bool micro = size < 1e-3 && size > 0, milli = size < 1 && !micro && size > 0;
  std::string prefixed = micro ? "\xC2\xB5" : milli ? "m" : "";
  prefixed += name();
  return {prefixed, (micro ? 1e6 : milli ? 1e3 : 1.0) * factor};
}

}  // namespace reber

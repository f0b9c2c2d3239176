// SPDX-License-Identifier: BSD-3-Clause
// Spellings of brightness units.
#include "core/model/unit.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace reber {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// What stands behind "Jy", written as "/word": blanks, dots and exponents of -1 are spellings of the slash.
std::string divisor(std::string_view text) {
  std::string word;
  bool divides = false;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == '/' || c == '-') {
      if (divides) return {};
      divides = true;
    } else if (c != ' ' && c != '.' && c != '*' && c != '^' && c != '(' && c != ')' && c != '1') {
      return {};
    }
  }
  // "Jy per beam" has its slash as a word.
  if (!divides && word.rfind("per", 0) == 0) return word.substr(3);
  return divides ? word : std::string();
}

/// Factor of a prefix before Jy or K; empty for an unknown one. M is mega, m is milli.
std::optional<double> prefix_factor(std::string_view prefix) {
  if (prefix.empty()) return 1.0;
  if (prefix == "m") return 1e-3;
  if (prefix == "u" || prefix == "\xc2\xb5" || prefix == "\xce\xbc" || prefix == "\xb5") return 1e-6;
  if (prefix == "n") return 1e-9;
  if (prefix == "k") return 1e3;
  if (prefix == "M") return 1e6;
  if (prefix == "G") return 1e9;
  return std::nullopt;
}

std::string_view strip(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

bool parse_kelvin(std::string_view text, Unit& unit) {
  // A remark in brackets says which temperature: "K (Tb)".
  const std::string_view bare = strip(text.substr(0, text.find('(')));
  const std::string small = lower(bare);
  if (one_of(small, {"kelvin", "kelvins"})) {
    unit.kind = Unit::Kind::kelvin;
    return true;
  }
  if (bare.empty() || bare.back() != 'K') return false;
  const std::string_view prefix = bare.substr(0, bare.size() - 1);
  const auto factor = prefix_factor(prefix);
  // "MK" may be a milli-kelvin in capitals: not to be guessed.
  if (!factor || prefix == "M") return false;
  unit.kind = Unit::Kind::kelvin;
  unit.factor = *factor;
  return true;
}

bool parse_jansky(std::string_view text, Unit& unit) {
  const std::string small = lower(text);
  const std::size_t at = small.find("jy");
  const std::size_t word = small.find("jansky");
  std::size_t start = at, length = 2;
  if (at == std::string::npos && word != std::string::npos) {
    start = word;
    length = 6;
  }
  if (start == std::string::npos) return false;
  const std::string over = divisor(text.substr(start + length));
  Unit::Kind kind = Unit::Kind::unknown;
  if (one_of(over, {"beam", "bm", "beams", "bmarea", "beamarea"})) kind = Unit::Kind::jy_per_beam;
  if (one_of(over, {"pixel", "pix", "px", "pixels"})) kind = Unit::Kind::jy_per_pixel;
  if (one_of(over, {"sr", "ster", "steradian"})) kind = Unit::Kind::jy_per_sr;
  if (kind == Unit::Kind::unknown) return false;
  const std::string_view prefix = strip(text.substr(0, start));
  const auto factor = prefix_factor(prefix);
  if (!factor) return false;
  // "MJY/BEAM" all in capitals: a mega-jansky per beam is never meant for certain. Per steradian it is the usual unit.
  const bool capitals = text.substr(start, 2) == "JY";
  if (prefix == "M" && capitals && kind != Unit::Kind::jy_per_sr) return false;
  unit.kind = kind;
  unit.factor = *factor;
  return true;
}

}  // namespace

Unit Unit::parse(const std::string& text) {
  Unit unit;
  unit.text = text;
  const std::string_view bare = strip(text);
  if (!parse_jansky(bare, unit)) parse_kelvin(bare, unit);
  return unit;
}

std::string Unit::name() const {
  switch (kind) {
    case Kind::jy_per_beam:
      return "Jy/beam";
    case Kind::jy_per_pixel:
      return "Jy/pixel";
    case Kind::jy_per_sr:
      return "Jy/sr";
    case Kind::kelvin:
      return "K";
    case Kind::unknown:
      break;
  }
  return text;
}

std::pair<std::string, double> Unit::readable(double magnitude) const {
  if (kind == Kind::unknown) return {text, 1.0};
  const double size = std::abs(magnitude) * factor;
  const bool micro = size < 1e-3 && size > 0, milli = size < 1 && !micro && size > 0;
  std::string prefixed = micro ? "\xC2\xB5" : milli ? "m" : "";
  prefixed += name();
  return {prefixed, (micro ? 1e6 : milli ? 1e3 : 1.0) * factor};
}

}  // namespace reber

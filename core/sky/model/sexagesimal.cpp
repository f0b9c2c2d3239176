// SPDX-License-Identifier: BSD-3-Clause
// Written: rounded once, in the smallest unit shown, so that a carry runs through. Read: one way for tables, regions
// and typed places.
#include "core/sky/model/sexagesimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>

namespace reber {
namespace {

std::string sexagesimal(double seconds, int decimals, bool wrap_at_day) {
  const auto scale = static_cast<std::int64_t>(std::llround(std::pow(10, decimals)));
  auto units = static_cast<std::int64_t>(std::llround(seconds * static_cast<double>(scale)));
  if (wrap_at_day) units %= 86400 * scale;
  const std::int64_t whole = units / scale;
  std::string text = fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  if (decimals > 0) text += fmt::format(".{:0{}}", units % scale, decimals);
  return text;
}

/// A plain number that fills the whole text.
std::optional<double> number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Two or three fields (one, where letters say what it is), parted by any of the marks.
std::optional<double> fields(std::string_view rest, std::string_view marks, int fewest) {
  double sign = 1;
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    sign = rest.front() == '-' ? -1 : 1;
    rest.remove_prefix(1);
  }
  double value = 0, scale = 1;
  int count = 0;
  while (!rest.empty() && count < 3) {
    const std::size_t at = std::min(rest.find_first_of(marks), rest.size());
    const std::string_view field = rest.substr(0, at);
    const bool last = at + 1 >= rest.size();
    rest.remove_prefix(std::min(at + 1, rest.size()));
    if (field.empty() || field.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    const auto v = number(field);
    const bool too_large = v && count > 0 && (count == 1 ? *v >= 60 : *v > 60);
    if (!v || too_large || (!last && field.find('.') != std::string_view::npos)) return std::nullopt;
    value += *v * scale;
    scale /= 60;
    ++count;
  }
  if (!rest.empty() || count < fewest) return std::nullopt;
  return sign * value;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Lower case, ASCII marks, and blanks only where they part fields, one each.
std::string simplified(const std::string& given) {
  std::string text = given;
  for (const auto& [from, to] : {std::pair("\xE2\x88\x92", "-"), std::pair("\xC2\xB0", "d"),
                                 std::pair("\xE2\x80\xB2", "'"), std::pair("\xE2\x80\xB3", "\"")})
    replace_all(text, from, to);
  std::string out;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool needless = out.empty() || blank(out.back()) || out == "-" || out == "+";
    if (!blank(c) || !needless) out += blank(c) ? ' ' : c;
  }
  while (!out.empty() && blank(out.back())) out.pop_back();
  if (out.find_first_of("hdmsarc:'\"") != std::string::npos) std::erase(out, ' ');
  return out;
}

}  // namespace

std::optional<AngleText> read_angle(const std::string& given) {
  const std::string text = simplified(given);
  if (const auto v = number(text)) return AngleText{AngleForm::number, *v};
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{{{"hourangle", 15.0},
                                                                       {"arcsec", 1 / 3600.0},
                                                                       {"arcmin", 1 / 60.0},
                                                                       {"mas", 1 / 3.6e6},
                                                                       {"deg", 1.0},
                                                                       {"rad", 180 / std::numbers::pi},
                                                                       {"\"", 1 / 3600.0},
                                                                       {"'", 1 / 60.0}}};
  for (const auto& [unit, scale] : kUnits) {
    if (!text.ends_with(unit)) continue;
    if (const auto v = number(std::string_view(text).substr(0, text.size() - unit.size())))
      return AngleText{AngleForm::unit, *v * scale};
  }
  const auto made = [](AngleForm form, std::optional<double> value, double scale = 1) {
    return value ? std::optional(AngleText{form, *value * scale}) : std::nullopt;
  };
  if (text.find('h') != std::string::npos) return made(AngleForm::hours, fields(text, "hms'\"", 1), 15);
  if (text.find('d') != std::string::npos) return made(AngleForm::degrees, fields(text, "dms'\"", 1));
  if (text.find(':') != std::string::npos) return made(AngleForm::fields, fields(text, ":", 2));
  if (text.find(' ') != std::string::npos) return made(AngleForm::fields, fields(text, " ", 2));
  // Three points or two: CASA writes degrees as 12.34.56.7.
  const auto dots = std::ranges::count(text, '.');
  if (dots != 2 && dots != 3) return std::nullopt;
  std::string colons = text;
  for (int i = 0; i < 2; ++i) colons[colons.find('.')] = ':';
  return made(AngleForm::dots, fields(colons, ":", 3));
}

std::string sexagesimal_hours(double degrees, int decimals) {
  return std::isfinite(degrees) ? sexagesimal(degrees * 240, decimals, true) : std::string();
}

std::string sexagesimal_degrees(double degrees, int decimals) {
  if (!std::isfinite(degrees)) return {};
  return fmt::format("{}{}", degrees < 0 ? '-' : '+', sexagesimal(std::abs(degrees) * 3600, decimals, false));
}

}  // namespace reber

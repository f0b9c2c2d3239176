// SPDX-License-Identifier: BSD-3-Clause
// The kind of a column by its cells, then each cell by that kind.
#include "core/sky/model/angle_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <type_traits>

#include "core/base/printable.hpp"
#include "core/sky/model/sexagesimal.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string plain(const std::string& unit) {
  std::string out;
  for (const char c : unit) {
    if (c == ' ' || c == '\'' || c == '"' || c == '[' || c == ']' || c == '(' || c == ')') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

/// "h:m:s", "hh:mm:ss.s", "hms" ... and the same of degrees; a blank for other units.
char fields_of(const std::string& unit) {
  std::string letters;
  for (const char c : plain(unit))
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 && (letters.empty() || letters.back() != c)) letters += c;
  return letters == "hms" ? 'h' : letters == "dms" || letters == "degms" ? 'd' : ' ';
}

bool says_nothing(const std::string& cell) {
  static constexpr std::array<std::string_view, 10> kWords{"",     "nan", "null", "n/a", "na",
                                                           "none", "-",   "--",   "---", "***"};
  return std::ranges::find(kWords, plain(cell)) != kWords.end();
}

/// Kinds that a column is of: fields, with dots or not, are one.
enum class Kind { number, fields, hours, degrees, none };

Kind kind_of(const std::optional<AngleText>& angle) {
  if (!angle) return Kind::none;
  switch (angle->form) {
    case AngleForm::number:
      return Kind::number;
    case AngleForm::fields:
    case AngleForm::dots:
      return Kind::fields;
    case AngleForm::hours:
      return Kind::hours;
    case AngleForm::degrees:
    case AngleForm::unit:
      break;
  }
  return Kind::degrees;
}

constexpr std::array<const char*, 5> kKindNames{"a number", "fields", "hours", "degrees with their unit", "no angle"};

/// Of most cells; of the first of them where two kinds have as many.
Kind usual_kind(const std::vector<std::optional<AngleText>>& angles) {
  std::array<std::int64_t, 5> counts{};
  for (const auto& angle : angles) ++counts[static_cast<std::size_t>(kind_of(angle))];
  Kind best = Kind::none;
  std::int64_t most = 0;
  for (const auto& angle : angles) {
    const Kind kind = kind_of(angle);
    const std::int64_t count = counts[static_cast<std::size_t>(kind)];
    if (kind != Kind::none && count > most) best = kind, most = count;
  }
  return best;
}

/// Notes what is refused, and why.
void refuse(AngleColumn& out, std::size_t row, const std::string& what) {
  out.degrees[row] = kNan;
  out.refused.push_back(fmt::format("row {}: {}", row + 1, what));
}

void read_texts(const std::vector<std::string>& cells, bool hours, const std::string& unit, AngleColumn& out) {
  std::vector<std::optional<AngleText>> angles;
  angles.reserve(cells.size());
  for (const std::string& cell : cells) angles.push_back(read_angle(cell));
  const Kind kind = usual_kind(angles);
  const char said = fields_of(unit);
  const auto scale = degrees_per(unit);
  double factor = 1;
  if (kind == Kind::number) {
    factor = scale ? *scale : said == 'h' ? 15 : 1;
    out.unit = scale || said != ' ' ? unit : "deg";
    out.assumed = !scale && said == ' ';
  } else if (kind == Kind::fields) {
    const bool of_hours = said == 'h' || (scale && *scale == 15) || (said == ' ' && !scale && hours);
    factor = of_hours ? 15 : 1;
    out.unit = of_hours ? "h:m:s" : "d:m:s";
  } else {
    out.unit = kind == Kind::hours ? "h:m:s" : "d:m:s";
  }
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (says_nothing(cells[row])) continue;
    const Kind own = kind_of(angles[row]);
    const std::string shown = printable(cells[row].substr(0, 40));
    if (own == Kind::none)
      refuse(out, row, fmt::format("'{}' is no angle", shown));
    else if (own != kind)
      refuse(out, row,
             fmt::format("'{}' is {}, where the column has {}", shown, kKindNames[static_cast<std::size_t>(own)],
                         kKindNames[static_cast<std::size_t>(kind)]));
    else
      out.degrees[row] = angles[row]->value * factor;
  }
}

void check_range(const std::vector<std::string>* cells, bool latitude, AngleColumn& out) {
  const double most = latitude ? 90 : 360;
  for (std::size_t row = 0; row < out.degrees.size(); ++row) {
    const double value = out.degrees[row];
    if (!std::isfinite(value) || std::abs(value) <= most) continue;
    const std::string shown = cells != nullptr ? printable((*cells)[row].substr(0, 40)) : fmt::format("{}", value);
    refuse(out, row, fmt::format("'{}' ({}) is beyond {:g} degrees", shown, out.unit, most));
  }
}

}  // namespace

std::optional<double> degrees_per(const std::string& unit) {
  const std::string u = plain(unit);
  if (u == "deg" || u == "degree" || u == "degrees" || u == "d" || u == "\xC2\xB0") return 1;
  if (u == "arcsec" || u == "arcseconds" || u == "asec" || u == "arcsecond") return 1 / 3600.0;
  if (u == "mas" || u == "marcsec") return 1 / 3.6e6;
  if (u == "uas" || u == "uarcsec") return 1 / 3.6e9;
  if (u == "arcmin" || u == "arcminutes") return 1 / 60.0;
  if (u == "rad" || u == "radian" || u == "radians") return 180 / std::numbers::pi;
  if (u == "mrad") return 0.18 / std::numbers::pi;
  if (u == "hourangle" || u == "h" || u == "hr" || u == "hour" || u == "hours") return 15;
  return std::nullopt;
}

AngleColumn read_angles(const Column& column, bool latitude, bool hours, const std::string& unit) {
  AngleColumn out;
  const auto* texts = std::get_if<std::vector<std::string>>(&column.values);
  if (texts != nullptr) {
    out.degrees.assign(texts->size(), kNan);
    read_texts(*texts, hours, unit, out);
  } else {
    const auto scale = degrees_per(unit);
    out.unit = scale ? unit : "deg";
    out.assumed = !scale;
    std::visit(
        [&](const auto& values) {
          for (const auto& value : values)
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
              out.degrees.push_back(static_cast<double>(value) * scale.value_or(1));
        },
        column.values);
  }
  check_range(texts, latitude, out);
  return out;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Recognition of columns by name, UCD and unit.
#include "core/model/sky_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include "core/base/error.hpp"
#include "core/model/coordinates.hpp"
#include "core/model/sky_frames.hpp"
#include "core/model/sky_geometry.hpp"
#include "core/model/sky_quantities.hpp"
#include "core/model/unit.hpp"

namespace reber {
namespace {

using sky::Kind, sky::Quantity, sky::quantities;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDegrees = 180 / std::numbers::pi;

constexpr std::array kNameAliases{"source_name", "component_name", "name",   "source_id", "component_id",
                                  "uuid",        "gaus_id",        "number", "id"};

std::string_view strip(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<double> plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && stop == text.data() + text.size() && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

/// Lower case, without the "col_" of CASDA's VOTables.
std::string key_of(const std::string& name) {
  std::string key = name;
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return key.rfind("col_", 0) == 0 ? key.substr(4) : key;
}

std::string compact(const std::string& unit) {
  std::string out;
  for (const char c : unit)
    if (c != ' ' && c != '\'' && c != '"') out += c;
  return out;
}

/// Degrees of an angular unit.
std::optional<double> angle_factor(const std::string& unit) {
  const std::string u = key_of(compact(unit));
  if (u == "deg" || u == "degree" || u == "degrees" || u == "d") return 1;
  if (u == "arcsec" || u == "arcseconds" || u == "asec" || u == "arcsecond") return 1 / 3600.0;
  if (u == "mas" || u == "marcsec") return 1 / 3.6e6;
  if (u == "arcmin" || u == "arcminutes") return 1 / 60.0;
  if (u == "rad" || u == "radian" || u == "radians") return kDegrees;
  if (u == "hourangle" || u == "h" || u == "hr" || u == "hour") return 15;
  return std::nullopt;
}

/// Jy of a unit of flux density or brightness: the part in front of "Jy"; 1 and unknown for counts.
std::optional<double> flux_factor(const std::string& unit, bool& known) {
  const std::string u = compact(unit);
  const std::string lower = key_of(u);
  const std::size_t at = lower.find("jy");
  if (at == std::string::npos) {
    known = false;
    return 1.0;
  }
  const Unit brightness = Unit::parse(unit);
  if (brightness.kind == Unit::Kind::jy_per_beam || brightness.kind == Unit::Kind::jy_per_pixel)
    return brightness.factor;
  const std::string prefix = u.substr(0, at);
  if (prefix.empty()) return 1.0;
  if (prefix == "m") return 1e-3;
  if (prefix == "u" || prefix == "\xC2\xB5" || prefix == "\xCE\xBC" || prefix == "micro") return 1e-6;
  if (prefix == "n") return 1e-9;
  if (prefix == "k") return 1e3;
  if (prefix == "10-3") return 1e-3;
  return std::nullopt;
}

std::vector<double> numbers_of(const Column& column) {
  if (const auto* reals = std::get_if<std::vector<double>>(&column.values)) return *reals;
  std::vector<double> out;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column.values)) {
    for (const std::int64_t value : *whole) out.push_back(static_cast<double>(value));
  } else {
    out.assign(std::get<std::vector<std::string>>(column.values).size(), kNan);
  }
  return out;
}

/// A column of angles that is text.
struct TextAngles {
  std::vector<double> values;  ///< degrees of sexagesimal cells, plain numbers as they stand; NaN where refused
  bool sexagesimal = false;    ///< the kind of most cells
  std::vector<std::string> refused;
};

TextAngles read_text_angles(const Column& column, bool hours) {
  const auto& cells = std::get<std::vector<std::string>>(column.values);
  std::vector<std::optional<double>> plain, fields;
  std::size_t plains = 0, sexagesimals = 0;
  for (const std::string& cell : cells) {
    std::string text(strip(cell));
    plain.push_back(plain_number(text));
    std::ranges::replace(text, ' ', ':');  // "12 34 56.7"
    fields.push_back(plain.back() ? std::nullopt : parse_angle(text, hours));
    plains += plain.back() ? 1 : 0;
    sexagesimals += fields.back() ? 1 : 0;
  }
  TextAngles out;
  out.sexagesimal = sexagesimals > plains;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const std::optional<double>& value = out.sexagesimal ? fields[row] : plain[row];
    out.values.push_back(value.value_or(kNan));
    if (!value && !strip(cells[row]).empty())
      out.refused.push_back(fmt::format("{} of row {}, '{}'", column.info.name, row + 1, cells[row]));
  }
  return out;
}

double median_size(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v) || v <= 0; });
  if (values.empty()) return kNan;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One column found for a quantity.
struct Found {
  const Column* column = nullptr;
  std::string unit;  ///< of the alias or the user
  bool by_user = false;
  double factor = 1;
};

class Recogniser {
 public:
  Recogniser(const Catalogue& catalogue, const ColumnChoice& choice) : catalogue_(catalogue), choice_(choice) {
    for (const Column& column : catalogue.columns) by_key_.emplace(key_of(column.info.name), &column);
  }
  SkyList run();

 private:
  [[nodiscard]] const Column* column_named(const std::string& key) const;
  [[nodiscard]] Found find(const Quantity& quantity) const;
  void take(const Quantity& quantity, const Found& found);
  [[nodiscard]] double angle(const Quantity& quantity, const Found& found, const std::vector<double>& values,
                             UsedColumn& used) const;
  void names();
  void finish();

  const Catalogue& catalogue_;
  const ColumnChoice& choice_;
  std::map<std::string, const Column*> by_key_;  ///< the first of its name
  SkyList list_;
};

const Column* Recogniser::column_named(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

Found Recogniser::find(const Quantity& quantity) const {
  if (const auto chosen = choice_.find(quantity.key); chosen != choice_.end()) {
    const std::string& text = chosen->second;
    // A name may hold a colon itself: the whole text is tried first.
    Found found{catalogue_.find(text), "", true, 1};
    const std::size_t colon = text.rfind(':');
    if (found.column == nullptr && colon != std::string::npos)
      found = {catalogue_.find(text.substr(0, colon)), text.substr(colon + 1), true, 1};
    if (found.column == nullptr) {
      std::string known;
      for (const Column& column : catalogue_.columns) known += (known.empty() ? "" : ", ") + column.info.name;
      throw InputError(fmt::format("there is no column '{}' for {}; the catalogue has {}", text, quantity.key, known));
    }
    return found;
  }
  for (const sky::Alias& alias : quantity.aliases) {
    const Column* column = column_named(alias.name);
    const bool text = column != nullptr && std::holds_alternative<std::vector<std::string>>(column->values);
    if (column == nullptr || (text && quantity.kind != Kind::longitude && quantity.kind != Kind::latitude)) continue;
    return {column, alias.unit, false, alias.factor};
  }
  const char* ucd = quantity.kind == Kind::longitude  ? "pos.eq.ra"
                    : quantity.kind == Kind::latitude ? "pos.eq.dec"
                                                      : "";
  for (const std::string& wanted : {std::string(ucd) + ";meta.main", std::string(ucd)})
    for (const Column& column : catalogue_.columns)
      if (*ucd != 0 && column.info.ucd == wanted) return {&column, "", false, 1};
  return {};
}

double Recogniser::angle(const Quantity& quantity, const Found& found, const std::vector<double>& values,
                         UsedColumn& used) const {
  if (const auto factor = angle_factor(used.unit)) return *factor;
  if (found.by_user && !found.unit.empty())
    throw InputError(
        fmt::format("{} ({}): '{}' is no unit of an angle; known are deg, arcsec, arcmin, mas, rad, hourangle",
                    found.column->info.name, quantity.key, found.unit));
  used.assumed = true;
  constexpr double kErrorInDegrees = 0.02, kSizeInDegrees = 0.1;
  const double most = quantity.kind == Kind::error ? kErrorInDegrees : kSizeInDegrees;
  // PyBDSF's columns, and ours, are in degrees.
  const bool pybdsf = catalogue_.find("Isl_id") != nullptr || catalogue_.find("Isl_rms") != nullptr;
  const bool small =
      !pybdsf && (quantity.kind == Kind::error || quantity.kind == Kind::angle) && median_size(values) > most;
  used.unit = small ? "arcsec" : "deg";
  return small ? 1 / 3600.0 : 1;
}

void Recogniser::take(const Quantity& quantity, const Found& found) {
  const bool text = std::holds_alternative<std::vector<std::string>>(found.column->values);
  std::vector<double> values = numbers_of(*found.column);
  UsedColumn used{quantity.key, found.column->info.name, found.column->info.unit, false};
  if (found.by_user && !found.unit.empty()) {
    used.unit = found.unit;
  } else if (used.unit.empty()) {
    used.unit = found.unit;
    used.assumed = quantity.kind == Kind::flux || !found.unit.empty();
  }
  double factor = found.factor, shift = 0;
  if (quantity.kind == Kind::flux) {
    const std::string key = quantity.key;
    if (used.unit.empty()) used.unit = key.ends_with("total") ? "Jy" : "Jy/beam";
    const auto scale = flux_factor(used.unit, list_.flux_scale_known);
    if (!scale)
      throw InputError(fmt::format("{} ({}): unknown unit '{}'; known are Jy, mJy, uJy, nJy, with or without /beam",
                                   found.column->info.name, quantity.key, used.unit));
    factor *= *scale;
  } else if (quantity.kind == Kind::pixel) {
    used.assumed = false;
    if (key_of(found.column->info.name).find("_image") != std::string::npos) shift = -1;  // SExtractor counts from 1
  } else if (quantity.kind != Kind::plain) {
    const bool longitude = quantity.kind == Kind::longitude;
    const std::optional<double> stated = angle_factor(used.unit);
    // "12:34:56" is hours, but where the column says that it is in degrees.
    TextAngles angles;
    if (text) angles = read_text_angles(*found.column, longitude && !(stated && *stated == 1 && !used.assumed));
    if (text) values = angles.values;
    for (std::string& cell : angles.refused) list_.refused.push_back(std::move(cell));
    if (angles.sexagesimal)
      used = {used.key, used.column, longitude ? "h:m:s" : "d:m:s", false};
    else
      factor *= angle(quantity, found, values, used);
  }
  const bool positive = quantity.kind == Kind::error || quantity.kind == Kind::angle ||
                        (quantity.kind == Kind::flux && quantity.key[0] == 'e');
  for (double& value : values) {
    value = value * factor + shift;
    if (!std::isfinite(value) || (positive && value < 0)) value = kNan;  // -1 stands for no error in some programs
  }
  list_.*quantity.into = std::move(values);
  list_.used.push_back(std::move(used));
}

void Recogniser::names() {
  for (const char* alias : kNameAliases) {
    const Column* column = column_named(alias);
    if (column == nullptr) continue;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column->values)) {
      list_.name = *texts;
    } else {
      for (const double value : numbers_of(*column)) list_.name.push_back(fmt::format("{:.0f}", value));
    }
    return;
  }
  for (std::int64_t row = 0; row < list_.rows; ++row) list_.name.push_back(fmt::format("{}", row));
}

void Recogniser::finish() {
  for (std::size_t i = 0; i < list_.lon.size() && i < list_.lat.size(); ++i) {
    double& lon = list_.lon[i];
    double& lat = list_.lat[i];
    if (!(std::abs(lat) <= 90) || !std::isfinite(lon)) lon = lat = kNan;
  }
  bool galactic = false;
  for (const UsedColumn& used : list_.used) galactic = galactic || (used.key == "lon" && key_of(used.column) == "glon");
  if (galactic)
    for (std::size_t i = 0; i < list_.lon.size(); ++i) galactic_to_icrs(list_.lon[i], list_.lat[i]);
  for (double& lon : list_.lon)
    if (lon < 0 || lon >= 360) lon -= 360 * std::floor(lon / 360);
  list_.frame = galactic || catalogue_.frame.empty() ? "ICRS" : catalogue_.frame;
  if (const auto system = system_named(list_.frame, catalogue_.equinox)) list_.frame = name_of(*system);
  if (!list_.snr.empty()) return;
  const auto ratio = [&](const std::vector<double>& flux, const std::vector<double>& noise) {
    if (!list_.snr.empty() || flux.empty() || noise.empty()) return;
    for (std::size_t i = 0; i < flux.size(); ++i) list_.snr.push_back(noise[i] > 0 ? flux[i] / noise[i] : kNan);
  };
  ratio(list_.peak, list_.rms);
  ratio(list_.peak, list_.e_peak);
  ratio(list_.total, list_.e_total);
}

SkyList Recogniser::run() {
  list_.rows = catalogue_.rows();
  for (const Quantity& quantity : quantities())
    if (const Found found = find(quantity); found.column != nullptr) take(quantity, found);
  if (list_.lon.empty() || list_.lat.empty()) list_.lon = list_.lat = {};
  names();
  finish();
  return std::move(list_);
}

}  // namespace

ColumnChoice parse_columns(const std::string& text, const std::string& option) {
  ColumnChoice choice;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    std::string known;
    bool is_known = false;
    for (const Quantity& quantity : quantities()) {
      known += (known.empty() ? "" : ", ") + std::string(quantity.key);
      is_known = is_known || (equals != std::string::npos && part.substr(0, equals) == quantity.key);
    }
    if (!is_known || equals + 1 == part.size())
      throw InputError(fmt::format("{} '{}': expected QUANTITY=COLUMN or QUANTITY=COLUMN:UNIT, the quantity one of {}",
                                   option, part, known));
    choice[part.substr(0, equals)] = part.substr(equals + 1);
    begin = end + 1;
  }
  return choice;
}

SkyList sky_list(const Catalogue& catalogue, const ColumnChoice& choice) { return Recogniser(catalogue, choice).run(); }

SkyList in_frame(SkyList list, const std::string& frame) {
  if (list.frame == frame || list.lon.empty()) return list;
  const auto from = system_named(list.frame), to = system_named(frame);
  if (!from || !to)
    throw InputError(fmt::format("positions in the frame '{}' cannot be turned to '{}'", list.frame, frame));
  const SkyConverter convert(*from, *to);
  for (std::size_t i = 0; i < list.lon.size() && i < list.lat.size(); ++i) {
    const SkyPosition turned = convert({list.lon[i], list.lat[i]});
    list.lon[i] = turned.lon_deg;
    list.lat[i] = turned.lat_deg;
  }
  list.frame = frame;
  return list;
}

std::string describe_columns(const SkyList& list) {
  std::string text;
  for (const Quantity& quantity : quantities()) {
    if (*quantity.text == 0) continue;
    const auto used = std::ranges::find(list.used, quantity.key, &UsedColumn::key);
    if (used == list.used.end()) continue;
    const std::string unit =
        used->unit.empty() ? "" : fmt::format(" ({}{})", used->unit, used->assumed ? ", assumed" : "");
    text += fmt::format("{}{} {}{}", text.empty() ? "" : "; ", quantity.text, used->column, unit);
  }
  constexpr std::size_t kMostNamed = 3;
  for (std::size_t i = 0; i < std::min(list.refused.size(), kMostNamed); ++i)
    text += fmt::format("{}{}", i == 0 ? "; no positions: " : ", ", list.refused[i]);
  if (list.refused.size() > kMostNamed) text += fmt::format(" and {} more", list.refused.size() - kMostNamed);
  return text;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Recognition of columns by name, UCD and unit.
#include "core/sky/model/sky_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/sky/model/angle_column.hpp"
#include "core/sky/model/sky_quantities.hpp"
#include "core/sky/model/unit.hpp"

namespace reber {
namespace {

using sky::Kind, sky::Quantity, sky::quantities;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr std::array kNameAliases{"source_name", "component_name", "name",   "source_id", "component_id",
                                  "uuid",        "gaus_id",        "number", "id"};

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

/// A cell of text as a number; NaN where it is none.
double number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() ? value : kNan;
}

std::vector<double> numbers_of(const Column& column) {
  if (const auto* reals = std::get_if<std::vector<double>>(&column.values)) return *reals;
  std::vector<double> out;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&column.values)) {
    for (const std::int64_t value : *whole) out.push_back(static_cast<double>(value));
  } else {
    for (const std::string& text : std::get<std::vector<std::string>>(column.values)) out.push_back(number_of(text));
  }
  return out;
}

/// Whether a column holds numbers: a few odd cells make none of text.
bool holds_numbers(const Column& column) {
  if (!std::holds_alternative<std::vector<std::string>>(column.values)) return true;
  const std::vector<double> values = numbers_of(column);
  return 2 * std::ranges::count_if(values, [](double v) { return std::isfinite(v); }) > std::ssize(values);
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
  void take_place(const Quantity& quantity, const Found& found);
  [[nodiscard]] double angle(const Quantity& quantity, const Found& found, const std::vector<double>& values,
                             UsedColumn& used) const;
  void set_frame();
  void names();
  void finish();

  const Catalogue& catalogue_;
  const ColumnChoice& choice_;
  std::map<std::string, const Column*> by_key_;  ///< the first of its name
  bool of_equator_ = true;                       ///< longitudes are right ascensions
  bool turned_ = false;                          ///< columns of another frame's longitude become ICRS
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
    const bool place = quantity.kind == Kind::longitude || quantity.kind == Kind::latitude;
    if (column == nullptr || !(place || holds_numbers(*column))) continue;
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
  if (const auto factor = degrees_per(used.unit)) return *factor;
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

void Recogniser::take_place(const Quantity& quantity, const Found& found) {
  const std::string& unit = found.by_user && !found.unit.empty() ? found.unit : found.column->info.unit;
  const bool equatorial = !key_of(found.column->info.name).starts_with("glon") &&
                          !key_of(found.column->info.name).starts_with("elon") && of_equator_;
  const bool latitude = quantity.kind == Kind::latitude;
  AngleColumn angles = read_angles(*found.column, latitude, !latitude && equatorial, unit);
  for (const std::string& what : angles.refused)
    list_.refused.push_back(fmt::format("column {}, {}", found.column->info.name, what));
  list_.*quantity.into = std::move(angles.degrees);
  list_.used.push_back({quantity.key, found.column->info.name, angles.unit, angles.assumed});
}

void Recogniser::take(const Quantity& quantity, const Found& found) {
  if (quantity.kind == Kind::longitude || quantity.kind == Kind::latitude) return take_place(quantity, found);
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

/// Of the columns' own names, else of the catalogue.
void Recogniser::set_frame() {
  const auto used = std::ranges::find(list_.used, "lon", &UsedColumn::key);
  const std::string name = used == list_.used.end() ? "" : key_of(used->column);
  const std::optional<SkySystem> stated = system_named(catalogue_.frame, catalogue_.equinox);
  using Frame = SkySystem::Frame;
  list_.frame = catalogue_.frame.empty() ? "ICRS" : catalogue_.frame;
  list_.frame_assumed = catalogue_.frame.empty() && !stated;
  list_.system = stated;
  turned_ = name.starts_with("glon") || name.starts_with("elon");
  if (name.starts_with("glon")) {
    list_.system = SkySystem{Frame::galactic, 2000};
  } else if (name.starts_with("elon") && !(stated && stated->frame == Frame::ecliptic)) {
    list_.system = SkySystem{Frame::ecliptic, 2000};
  } else if (name.ends_with("b1950") && !stated) {
    list_.system = SkySystem{Frame::fk4, 1950};
  } else if (list_.frame_assumed) {
    list_.system = SkySystem{};
    return;
  }
  list_.frame_assumed = false;
  if (list_.system) list_.frame = name_of(*list_.system);
}

void Recogniser::finish() {
  set_frame();
  for (std::size_t i = 0; i < list_.lon.size() && i < list_.lat.size(); ++i) {
    double& lon = list_.lon[i];
    double& lat = list_.lat[i];
    if (!std::isfinite(lat) || !std::isfinite(lon)) lon = lat = kNan;
    if (lon < 0 || lon >= 360) lon -= 360 * std::floor(lon / 360);
  }
  if (turned_) list_ = in_system(std::move(list_), SkySystem{});
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
  const auto stated = system_named(catalogue_.frame, catalogue_.equinox);
  of_equator_ = !stated || stated->equatorial();
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

SkyList in_system(SkyList list, const SkySystem& to) {
  if (list.lon.empty() || list.system == to) return list;
  if (!list.system)
    throw InputError(fmt::format(
        "the positions of the list are of the frame '{}', which is not known: they cannot be turned into {}",
        printable(list.frame), name_of(to)));
  if (!(list.frame_assumed && is_usual(to))) {
    const SkyConverter convert(*list.system, to);
    for (std::size_t i = 0; i < list.lon.size() && i < list.lat.size(); ++i) {
      const SkyPosition given{list.lon[i], list.lat[i]}, turned = convert(given);
      if (i < list.pa.size() && std::isfinite(given.lon_deg)) list.pa[i] += convert.turn_deg(given);
      list.lon[i] = turned.lon_deg, list.lat[i] = turned.lat_deg;
    }
  }
  list.system = to;
  list.frame = name_of(to);
  list.frame_assumed = false;
  return list;
}

SkyList in_frame_of(SkyList list, const SkyList& other) {
  if (list.frame_assumed && other.frame_assumed) return list;
  if (other.frame_assumed && list.system && is_usual(*list.system)) return list;
  if (!other.system) {
    if (list.frame == other.frame) return list;
    throw InputError(
        fmt::format("the positions of the list are of the frame '{}', which is not known: {} cannot be "
                    "turned into it",
                    printable(other.frame), printable(list.frame)));
  }
  return in_system(std::move(list), *other.system);
}

std::string describe_refused(const SkyList& list) {
  constexpr std::size_t kTold = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kTold, list.refused.size()); ++i)
    text += (text.empty() ? "" : "; ") + list.refused[i];
  if (list.refused.size() > kTold) text += fmt::format("; and {} more", list.refused.size() - kTold);
  return text;
}

std::string describe_columns(const SkyList& list) {
  std::string text;
  for (const Quantity& quantity : quantities()) {
    if (*quantity.text == 0) continue;
    const auto used = std::ranges::find(list.used, quantity.key, &UsedColumn::key);
    if (used == list.used.end()) continue;
    const std::string unit =
        used->unit.empty() ? "" : fmt::format(" ({}{})", used->unit, used->assumed ? ", assumed" : "");
    const bool place = quantity.kind == Kind::longitude && !(list.frame_assumed || list.frame == "ICRS");
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : "; ", quantity.text, used->column, unit,
                        place ? " in " + list.frame : "");
  }
  return text;
}

}  // namespace reber

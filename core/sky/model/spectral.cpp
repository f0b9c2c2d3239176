// SPDX-License-Identifier: BSD-3-Clause
// Spectral axes, by WCSLIB.
#include "core/sky/model/spectral.hpp"

#include <fmt/format.h>
#include <wcslib/spx.h>
#include <wcslib/wcsfix.h>
#include <wcslib/wcsunits.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/sky/model/wcs_cards.hpp"
#include "core/sky/model/wcslib_call.hpp"
#include "core/sky/model/wcslib_system.hpp"

namespace reber {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLightSpeed = 299792458.0;  // m/s

constexpr std::array<std::string_view, 12> kTypes{"FREQ", "AFRQ", "ENER", "WAVN", "VRAD", "WAVE",
                                                  "VOPT", "ZOPT", "AWAV", "VELO", "BETA", "FELO"};
/// Names that WCSLIB does not know, and what they are.
constexpr std::array<std::pair<std::string_view, const char*>, 2> kOtherNames{
    {{"SPECLNMF", "FREQ"}, {"SPECLOGF", "FREQ"}}};
/// Spellings of units, in small letters, of those that WCSLIB refuses or reads as something else ("M/S", "A").
constexpr std::array<std::pair<std::string_view, const char*>, 27> kOtherUnits{{{"hz", "Hz"},
                                                                                {"hertz", "Hz"},
                                                                                {"khz", "kHz"},
                                                                                {"mhz", "MHz"},
                                                                                {"ghz", "GHz"},
                                                                                {"thz", "THz"},
                                                                                {"km/s", "km/s"},
                                                                                {"kms-1", "km/s"},
                                                                                {"km s-1", "km/s"},
                                                                                {"m/s", "m/s"},
                                                                                {"ms-1", "m/s"},
                                                                                {"cm/s", "cm/s"},
                                                                                {"mm", "mm"},
                                                                                {"cm", "cm"},
                                                                                {"um", "um"},
                                                                                {"nm", "nm"},
                                                                                {"micron", "um"},
                                                                                {"microns", "um"},
                                                                                {"a", "Angstrom"},
                                                                                {"angstrom", "Angstrom"},
                                                                                {"angstroms", "Angstrom"},
                                                                                {"cm-1", "cm-1"},
                                                                                {"cm**-1", "cm-1"},
                                                                                {"kayser", "cm-1"},
                                                                                {"kaysers", "cm-1"},
                                                                                {"ev", "eV"},
                                                                                {"kev", "keV"}}};
/// Whether `unit` is one of what an axis of `type` counts. unit: as WCSLIB has it
bool is_unit_of(const std::string& type, const char* unit) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kOwn{
      {{"FREQ", "Hz"}, {"AFRQ", "rad/s"}, {"ENER", "J"}, {"WAVN", "m-1"}, {"ZOPT", ""}}};
  const auto own = std::ranges::find(kOwn, type == "BETA" ? "ZOPT" : type, [](const auto& row) { return row.first; });
  const char* const wanted = own != kOwn.end() ? own->second : type == "WAVE" || type == "AWAV" ? "m" : "m/s";
  double scale = 0, offset = 0, power = 0;
  return call_wcslib(WcslibCall::parses, [&] { return wcsunitse(unit, wanted, &scale, &offset, &power, nullptr); }) ==
             0 &&
         power == 1;
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::optional<const char*> look_up(const auto& table, const std::string& word) {
  const auto found = std::ranges::find(table, word, [](const auto& row) { return row.first; });
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

/// "FREQ" of "FREQ-LSR"; empty where the axis is not spectral.
std::string spectral_type(const std::string& axis_type) {
  if (const auto other = look_up(kOtherNames, axis_type)) return *other;
  const std::string type = axis_type.substr(0, 4);
  return std::ranges::count(kTypes, type) > 0 ? type : std::string();
}

/// FREQ-LOG, VOPT-F2W, WAVE-TAB: the code says how the axis runs, and must not be dropped.
bool has_algorithm(const std::string& axis_type) {
  if (axis_type.size() < 8 || axis_type[4] != '-') return false;
  const std::string code = axis_type.substr(5, 3);
  return code == "LOG" || code == "TAB" || code == "GRI" || code == "GRA" || code[1] == '2';
}

/// A unit as WCSLIB's grammar reads it. One that is the axis's stays; of others a list of spellings in small letters
/// comes before WCSLIB's own translations, of which those are left out that could mean something else ("S" is siemens,
/// wcsutrn's ctrl).
void mend_unit(char* unit, const std::string& type) {
  if (is_unit_of(type, unit)) return;
  std::string small(unit, strnlen(unit, 71));  // not filled up with zeros yet
  small.erase(small.find_last_not_of(' ') + 1);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  if (const auto other = look_up(kOtherUnits, small)) std::strcpy(unit, *other);
}

/// AIPS's velocities by any frame: WCSLIB knows LSR, HEL and OBS alone, which it reads alike.
std::string known_frame(const std::string& axis_type) {
  const bool aips = axis_type.starts_with("VELO-") || axis_type.starts_with("FELO-");
  return aips && !has_algorithm(axis_type) ? axis_type.substr(0, 5) + "OBS" : axis_type;
}

}  // namespace

struct SpectralAxis::State {
  int axis = -1;
  std::string type, reading, why_not;
  double rest = kNaN, rest_wave = 0;
  bool stands = false;                   ///< the step is 0: every plane is at the reference pixel
  std::optional<wcslib::System> system;  ///< of this axis alone, or of all where they cannot be separated
  int at = 0;                            ///< the axis in `system`
  std::vector<double> planes;            ///< of SPECLNMF: frequency by plane from 0, NaN where the axis says it

  void read(const fits::CardTable& table);
  void mend_step(wcsprm& header);
  int set_up(const wcsprm& header, const std::string& axis_type);
  [[nodiscard]] bool known() { return system && system->prm().spec == at; }
  void read_planes(const fits::CardTable& table);
  [[nodiscard]] double world(const std::vector<double>& pixel) const;
};

/// Frequencies of Obit's image planes: NTERM terms of the spectrum at the reference frequency, then planes of channels.
void SpectralAxis::State::read_planes(const fits::CardTable& table) {
  constexpr std::int64_t kMostPlanes = 9999;
  const std::int64_t terms = std::clamp<std::int64_t>(table.integer("NTERM").value_or(0), 0, kMostPlanes);
  const double reference = table.number(fmt::format("CRVAL{}", axis + 1)).value_or(kNaN);
  planes.assign(static_cast<std::size_t>(terms), reference);
  for (std::int64_t k = 1; k <= kMostPlanes && table.has(fmt::format("FREQ{:04}", k)); ++k)
    planes.push_back(table.number(fmt::format("FREQ{:04}", k)).value_or(kNaN));
}

/// A step that WCSLIB would call singular: of 0, which axes of one plane often have, or in CDELT beside a matrix CD of
/// the other axes alone.
void SpectralAxis::State::mend_step(wcsprm& header) {
  constexpr int kHasCd = 2;
  double& step = header.cdelt[axis];
  if ((header.altlin & kHasCd) != 0) {
    const std::span<double> row(header.cd + static_cast<std::ptrdiff_t>(axis) * header.naxis,
                                static_cast<std::size_t>(header.naxis));
    if (std::ranges::any_of(row, [](double element) { return element != 0; })) return;
    row[static_cast<std::size_t>(axis)] = step == 0 ? 1 : step;
  }
  stands = step == 0;
  if (stands) step = 1;
}

/// returns WCSLIB's status; 0 with `system` set
int SpectralAxis::State::set_up(const wcsprm& header, const std::string& axis_type) {
  constexpr int kNotSeparable = 13;
  const std::array<int, 1> alone{axis + 1};
  system.emplace();
  int status = system->copy_axes(header, alone);
  at = 0;
  if (status == kNotSeparable) {
    status = system->copy_axes(header, {});
    at = axis;
  }
  if (status != 0) return status;
  wcsprm& prm = system->prm();
  // VELO-LSR and FELO-HEL of AIPS become VRAD, VOPT or VOPT-F2W.
  call_wcslib(WcslibCall::parses, [&prm] { return spcfix(&prm); });
  type = spectral_type(prm.ctype[at]);
  if (axis_type != prm.ctype[at] && (type != axis_type.substr(0, 4)))
    reading = fmt::format("{} taken as {}{}", axis_type, prm.ctype[at],
                          axis_type.starts_with("VELO") && prm.velref == 0 ? ", as VELREF is missing" : "");
  prm.flag = 0;
  return call_wcslib(WcslibCall::parses, [&prm] { return wcsset(&prm); });
}

void SpectralAxis::State::read(const fits::CardTable& table) {
  std::string axis_type;
  for (int i = 0; i < kMaxWcsAxes && axis < 0; ++i) {
    axis_type = capitals(table.string(fmt::format("CTYPE{}", i + 1)).value_or(""));
    type = spectral_type(axis_type);
    if (!type.empty()) axis = i;
  }
  if (axis < 0) return;
  const auto lock = wcslib::parsing_lock();
  const wcslib::ParsedHeader parsed(cards_for_wcslib(table));
  wcsprm* const header = parsed.primary();
  if (header == nullptr || header->naxis <= axis || header->naxis > kMaxWcsAxes) {
    why_not = "WCSLIB finds no description of it";
    return;
  }
  const auto name_axis = [&](const std::string& name) {
    std::strncpy(header->ctype[axis], name.c_str(), sizeof header->ctype[axis] - 1);
  };
  name_axis(known_frame(axis_type));
  if (const auto other = look_up(kOtherNames, axis_type)) {
    reading = fmt::format("{} taken as {}", axis_type, *other);
    name_axis(*other);
    read_planes(table);
  }
  mend_unit(header->cunit[axis], type);
  call_wcslib(WcslibCall::parses, [header] { return unitfix(0, header); });
  mend_step(*header);
  int status = set_up(*header, axis_type);
  // A name that WCSLIB does not know is a linear axis to it, in whatever unit: VELOCITY, FREQUENCY.
  if ((status != 0 || !known()) && !has_algorithm(axis_type)) {
    name_axis(type = spectral_type(axis_type));
    status = set_up(*header, axis_type);
  }
  if (status != 0 || !known() || !std::isfinite(world({}))) {
    const bool in_table = axis_type.substr(4) == "-TAB",
               other_unit = header->cunit[axis][0] != 0 && !is_unit_of(type, header->cunit[axis]);
    why_not = fmt::format("CTYPE{}='{}', CUNIT{}='{}': {}", axis + 1, axis_type, axis + 1, header->cunit[axis],
                          in_table     ? "coordinates in a table are not read; write the axis with CRVAL and CDELT"
                          : other_unit ? "not a unit of such an axis; write CUNIT as the FITS standard spells it"
                          : status > 0 && status < 14 ? wcs_errmsg[status]
                                                      : "WCSLIB finds no coordinates");
    system.reset();
    return;
  }
  wcsprm& prm = system->prm();
  if (!(prm.restfrq > 0)) prm.restfrq = std::max(table.number("RESTFREQ").value_or(0), 0.0);
  rest_wave = prm.restfrq > 0 ? 0 : std::max(prm.restwav, 0.0);
  rest = prm.restfrq > 0 ? prm.restfrq : rest_wave > 0 ? kLightSpeed / rest_wave : kNaN;
}

/// The coordinate in the SI unit of `type`; NaN where there is none.
double SpectralAxis::State::world(const std::vector<double>& pixel) const {
  if (!system) return kNaN;
  wcslib::System own(*system);  // WCSLIB writes into its structures
  wcsprm& prm = own.prm();
  std::array<double, kMaxWcsAxes> where{}, image{}, world{};
  for (int i = 0; i < prm.naxis; ++i) {
    const auto of_image = static_cast<std::size_t>(prm.naxis == 1 ? axis : i);
    const bool given = !stands && of_image < pixel.size() && (prm.naxis == 1 || (i != prm.lng && i != prm.lat));
    where[static_cast<std::size_t>(i)] = given ? pixel[of_image] : prm.crpix[i];
  }
  double phi = 0, theta = 0;
  int bad = 0;
  const int status = call_wcslib(WcslibCall::computes, [&] {
    return wcsp2s(&prm, 1, prm.naxis, where.data(), image.data(), &phi, &theta, world.data(), &bad);
  });
  return status == 0 && bad == 0 ? world[static_cast<std::size_t>(at)] : kNaN;
}

SpectralAxis::SpectralAxis() : state_(std::make_shared<State>()) {}

SpectralAxis::SpectralAxis(const fits::CardTable& table) {
  auto state = std::make_shared<State>();
  state->read(table);
  state_ = std::move(state);
}

int SpectralAxis::axis() const { return state_->axis; }
const std::string& SpectralAxis::type() const { return state_->type; }
const std::string& SpectralAxis::reading() const { return state_->reading; }
const std::string& SpectralAxis::why_not() const { return state_->why_not; }
double SpectralAxis::rest_hz() const { return state_->rest; }

double SpectralAxis::frequency_hz(const std::vector<double>& pixel) const {
  const State& state = *state_;
  const auto axis = static_cast<std::size_t>(state.axis);
  if (state.axis >= 0 && axis < pixel.size() && !state.planes.empty()) {
    const double plane = std::round(pixel[axis]) - 1;
    if (plane >= 0 && plane < static_cast<double>(state.planes.size()))
      return state.planes[static_cast<std::size_t>(plane)];
  }
  const double world = state.world(pixel);
  if (!std::isfinite(world)) return kNaN;
  spxprm found{};
  const double frequency = std::isfinite(state.rest) && state.rest_wave == 0 ? state.rest : 0;
  const int status = call_wcslib(WcslibCall::computes,
                                 [&] { return specx(state.type.c_str(), world, frequency, state.rest_wave, &found); });
  return status == 0 && (!of_velocity() || state.rest > 0) && found.freq > 0 ? found.freq : kNaN;
}

bool SpectralAxis::of_velocity() const {
  constexpr std::array<std::string_view, 5> kVelocities{"VRAD", "VOPT", "ZOPT", "VELO", "BETA"};
  return std::ranges::count(kVelocities, state_->type) > 0;
}

double SpectralAxis::velocity(const std::vector<double>& pixel) const {
  if (!of_velocity()) return kLightSpeed * (1 - frequency_hz(pixel) / state_->rest);
  const double world = state_->world(pixel);
  return type() == "ZOPT" || type() == "BETA" ? kLightSpeed * world : world;
}

std::string spectral_frame(const fits::CardTable& table, const SpectralAxis& axis) {
  if (const auto given = table.string("SPECSYS"); given && !given->empty()) return *given;
  if (axis.axis() < 0) return {};
  std::array<char, 9> from{}, type{}, frame{};
  const std::string axis_type = capitals(table.string(fmt::format("CTYPE{}", axis.axis() + 1)).value_or(""));
  std::copy_n(axis_type.begin(), std::min<std::size_t>(axis_type.size(), 8), from.begin());
  const auto velref = static_cast<int>(std::clamp<std::int64_t>(table.integer("VELREF").value_or(0), 0, 1000));
  call_wcslib(WcslibCall::computes, [&] { return spcaips(from.data(), velref, type.data(), frame.data()); });
  return frame.data();
}

double find_frequency(const fits::CardTable& table, const SpectralAxis& axis, int naxis,
                      const std::vector<double>& fixed_pixel) {
  std::vector<double> pixel = fixed_pixel;
  pixel.resize(std::min(pixel.size(), static_cast<std::size_t>(std::max(naxis, 0))));
  const auto usable = [](double f) { return std::isfinite(f) && f > 0; };
  const double rest = table.number("RESTFRQ").value_or(table.number("RESTFREQ").value_or(kNaN));
  for (const double frequency : {axis.frequency_hz(pixel), table.number("FREQ").value_or(kNaN)})
    if (usable(frequency)) return frequency;
  return axis.why_not().empty() && usable(rest) ? rest : kNaN;
}

}  // namespace reber

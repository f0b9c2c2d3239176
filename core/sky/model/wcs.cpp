// SPDX-License-Identifier: BSD-3-Clause
// Celestial coordinates of an image plane, by WCSLIB.
#include "core/sky/model/wcs.hpp"

#include <fmt/format.h>
#include <wcslib/wcs.h>
#include <wcslib/wcsfix.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/sky_frames.hpp"
#include "core/sky/model/spectral.hpp"
#include "core/sky/model/wcs_cards.hpp"
#include "core/sky/model/wcs_scale.hpp"
#include "core/sky/model/wcslib_call.hpp"
#include "core/sky/model/wcslib_system.hpp"

namespace reber {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

PhysicalPixels read_physical(const fits::CardTable& table, int x, int y) {
  const auto value = [&](const std::string& keyword, double otherwise) {
    const auto given = table.number(keyword);
    return given && std::isfinite(*given) ? *given : otherwise;
  };
  const auto scale = [&](int i, int j) { return value(fmt::format("LTM{}_{}", i, j), i == j ? 1 : 0); };
  const PhysicalPixels read{{scale(x, x), scale(x, y), scale(y, x), scale(y, y)},
                            {value(fmt::format("LTV{}", x), 0), value(fmt::format("LTV{}", y), 0)}};
  return std::abs(read.scale.determinant()) > 0 ? read : PhysicalPixels();
}

}  // namespace

struct Wcs::State {
  /// System of x and y alone, or of all axes where those cannot be separated. Empty without positions.
  std::unique_ptr<wcslib::System> solver;
  int x = 0, y = 1;           ///< axes of the system that are x and y
  std::vector<double> pixel;  ///< 1-based, x and y to be filled in
  std::vector<double> world;  ///< values of the other axes
  bool celestial = false;
  std::string why_not = "no header was read";
  Frame frame = Frame::none;
  double equinox = kNaN;
  double frequency = kNaN;
  PhysicalPixels physical;
  std::string frame_name, projection, spectral_reading;

  State() = default;
  State(const State& other)
      : solver(other.solver ? std::make_unique<wcslib::System>(*other.solver) : nullptr),
        x(other.x),
        y(other.y),
        pixel(other.pixel),
        world(other.world),
        celestial(other.celestial),
        why_not(other.why_not),
        frame(other.frame),
        equinox(other.equinox),
        frequency(other.frequency),
        physical(other.physical),
        frame_name(other.frame_name),
        projection(other.projection),
        spectral_reading(other.spectral_reading) {}

  void read(const fits::CardTable& table, const std::array<int, 2>& axes, const std::vector<double>& fixed_pixel,
            double nx, double ny);
  void read_frame(const fits::CardTable& table);
  bool choose_system(const wcsprm& parsed, const std::array<int, 2>& axes, const std::vector<double>& fixed_pixel,
                     const fits::CardTable& table);
  Matrix2 plane_per_pixel() const;  ///< d(projection plane)/d(x, y), degrees; distortions left out
  bool degenerate() const;
  bool round_trips(double nx, double ny);
  std::optional<SkyPosition> to_sky(double px, double py);
  std::optional<PixelPosition> to_pixel(SkyPosition sky);
};

Matrix2 Wcs::State::plane_per_pixel() const {
  const wcsprm& prm = solver->prm();
  const auto at = [&](int i, int j) { return prm.lin.cdelt[i] * prm.lin.pc[i * prm.naxis + j]; };
  return {at(prm.lng, x), at(prm.lng, y), at(prm.lat, x), at(prm.lat, y)};
}

/// True where the 2x2 matrix from pixels to the projection plane is singular within rounding.
bool Wcs::State::degenerate() const {
  const Matrix2 m = plane_per_pixel();
  return !(std::abs(m.a * m.d - m.b * m.c) > 1e-10 * (std::abs(m.a * m.d) + std::abs(m.b * m.c)));
}

bool Wcs::State::round_trips(double nx, double ny) {
  const double xs[] = {(nx - 1) / 2, 0, nx - 1, 0, nx - 1};
  const double ys[] = {(ny - 1) / 2, 0, 0, ny - 1, ny - 1};
  // A longitude is rounded by up to 3e-14 degrees, which a pixel of a micro-arcsecond notices.
  constexpr double kRoundingDeg = 1e-12;
  const double rounding_px = kRoundingDeg / std::sqrt(std::abs(plane_per_pixel().determinant()));
  int on_sky = 0;
  for (int i = 0; i < 5; ++i) {
    const auto sky = to_sky(xs[i], ys[i]);
    if (!sky) continue;
    ++on_sky;
    const auto back = to_pixel(*sky);
    // An all-sky map may come back on its other edge: one good point is enough.
    if (back && std::abs(back->x - xs[i]) <= 1e-6 * std::max(1.0, nx) + rounding_px &&
        std::abs(back->y - ys[i]) <= 1e-6 * std::max(1.0, ny) + rounding_px) {
      return true;
    }
  }
  return on_sky == 0;
}

void Wcs::State::read_frame(const fits::CardTable& table) {
  const wcsprm& prm = solver->prm();
  const std::string lon = prm.lngtyp;
  const std::string stated = table.string("RADESYS").value_or(table.string("RADECSYS").value_or(""));
  const auto year = [&](const char* keyword) {
    const auto number = table.number(keyword);
    return number ? *number : equinox_of(table.string(keyword).value_or(""));
  };
  equinox = year("EQUINOX");
  if (!std::isfinite(equinox)) equinox = year("EPOCH");
  projection = std::string(prm.ctype[prm.lng]).size() >= 8 ? std::string(prm.ctype[prm.lng]).substr(5, 3) : "";
  frame = Frame::other;
  frame_name = lon == "RA" ? stated : lon;
  if (lon == "GLON") {
    frame = Frame::galactic;
    frame_name = "Galactic";
    equinox = kNaN;
  } else if (lon == "ELON") {
    // Of the Julian year; the ecliptic of FK4 is another one, which is not converted.
    const auto equator = system_named(stated, equinox);
    const bool old = equator && equator->frame != SkySystem::Frame::icrs && equator->frame != SkySystem::Frame::fk5;
    frame = old ? Frame::other : Frame::ecliptic;
    frame_name = old ? "Ecliptic of " + name_of(*equator) : "Ecliptic";
  } else if (lon == "RA") {
    const bool nothing = stated.empty() && !std::isfinite(equinox);
    const auto system = nothing ? SkySystem{} : system_named(stated, equinox);
    if (!system || !system->equatorial()) return;
    frame_name = name_of(*system);
    frame = system->frame == SkySystem::Frame::icrs  ? Frame::icrs
            : system->frame == SkySystem::Frame::fk5 ? Frame::fk5
                                                     : Frame::fk4;
    if (frame != Frame::icrs) equinox = system->equinox;
  }
}

bool is_latitude(const std::string& ctype) {
  return ctype.starts_with("DEC") || ctype.find("LAT") != std::string::npos;
}

/// Whether a CTYPE says that a polynomial comes before its projection: TPV, or a code behind that, as in RA---TAN-SIP.
bool distorted(const std::string& ctype) { return ctype.size() > 8 || ctype.ends_with("TPV"); }

/// CDELT, PC and CROTA become CD where the projection is TPV: WCSLIB 7.12 evaluates its polynomial before it multiplies
/// by CDELT, degrees off. Axes 0 and 1 are the celestial ones.
void fold_steps(wcsprm& prm) {
  constexpr int kPc = 1, kCd = 2, kCrota = 4;
  if (!std::string(prm.ctype[0]).ends_with("TPV") || (prm.altlin & kCd) != 0) return;
  const int n = prm.naxis;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) prm.cd[i * n + j] = prm.cdelt[i] * prm.pc[i * n + j];
  if ((prm.altlin & kCrota) != 0 && (prm.altlin & kPc) == 0) {
    const int lat = is_latitude(prm.ctype[0]) ? 0 : 1, lon = 1 - lat;
    const double angle = prm.crota[lat] * std::numbers::pi / 180;
    prm.cd[lon * n + lon] = prm.cdelt[lon] * std::cos(angle);
    prm.cd[lon * n + lat] = -prm.cdelt[lat] * std::sin(angle);
    prm.cd[lat * n + lon] = prm.cdelt[lon] * std::sin(angle);
    prm.cd[lat * n + lat] = prm.cdelt[lat] * std::cos(angle);
  }
  prm.altlin = kCd;
}

bool Wcs::State::choose_system(const wcsprm& parsed, const std::array<int, 2>& axes,
                               const std::vector<double>& fixed_pixel, const fits::CardTable& table) {
  auto made = std::make_unique<wcslib::System>();
  const bool first_two = axes[0] == 1 && axes[1] == 2;
  // WCSLIB 7.12 takes its terms for those of other axes elsewhere, and places are off without a word.
  const std::string type = parsed.ctype[axes[0] - 1];
  if (distorted(type) && !(first_two && (type.find("SIP") != std::string::npos || !is_latitude(type)))) {
    why_not = fmt::format("CTYPE{}='{}': such a polynomial is read on the first two axes alone, longitude first",
                          axes[0], type);
    return false;
  }
  // 13: the axes cannot be separated. All of them are then kept, the others fixed.
  int status = parsed.naxis == 2 && first_two ? made->copy_axes(parsed, {}) : made->copy_axes(parsed, axes);
  x = 0;
  y = 1;
  if (status == 13) {
    status = made->copy_axes(parsed, {});
    x = axes[0] - 1;
    y = axes[1] - 1;
  }
  const wcsprm& prm = made->prm();
  if (status != 0) {
    const std::string types = fmt::format("CTYPE{}='{}', CTYPE{}='{}'", axes[0], parsed.ctype[axes[0] - 1], axes[1],
                                          parsed.ctype[axes[1] - 1]);
    const char* words = status >= 0 && status < 14 ? wcs_errmsg[status] : "unknown error";
    why_not = fmt::format("{}: {}", types, words);
    for (const int axis : axes) {
      const double value = table.number(fmt::format("CRVAL{}", axis)).value_or(0);
      if (is_latitude(parsed.ctype[axis - 1]) && std::abs(value) > 90)
        why_not = fmt::format("CRVAL{}={:g} is no latitude: {}", axis, value, words);
    }
    return false;
  }
  if (prm.lng < 0 || prm.lat < 0) {
    why_not = fmt::format("CTYPE{}='{}' and CTYPE{}='{}' are not a pair of celestial axes", axes[0],
                          parsed.ctype[axes[0] - 1], axes[1], parsed.ctype[axes[1] - 1]);
    return false;
  }
  pixel.assign(static_cast<std::size_t>(prm.naxis), 1);
  world.assign(static_cast<std::size_t>(prm.naxis), 0);
  for (int i = 0; prm.naxis > 2 && i < prm.naxis; ++i) {
    const auto k = static_cast<std::size_t>(i);
    pixel[k] = k < fixed_pixel.size() ? fixed_pixel[k] : prm.crpix[i];
  }
  solver = std::move(made);
  return true;
}

void Wcs::State::read(const fits::CardTable& table, const std::array<int, 2>& axes,
                      const std::vector<double>& fixed_pixel, double nx, double ny) {
  const std::string first = fmt::format("CTYPE{}", axes[0]), second = fmt::format("CTYPE{}", axes[1]);
  if (!table.has(first) && !table.has(second)) {
    why_not = fmt::format("the header has no {} and {}", first, second);
    return;
  }
  if (const std::string wrong = wrong_card(table, axes); !wrong.empty()) {
    why_not = fmt::format("{}={} has the wrong type or size", wrong, fits::restrict_to_ascii(table.raw(wrong)));
    return;
  }
  const bool has_cd = table.has(fmt::format("CD{}_{}", axes[0], axes[0])) ||
                      table.has(fmt::format("CD{}_{}", axes[1], axes[1])) ||
                      table.has(fmt::format("CD{}_{}", axes[0], axes[1]));
  for (const int axis : axes) {
    const std::string keyword = fmt::format("CDELT{}", axis);
    if (!has_cd && table.number(keyword) == 0.0) {
      why_not = fmt::format("{}=0", keyword);
      return;
    }
  }
  const auto lock = wcslib::parsing_lock();
  const wcslib::ParsedHeader parsed(cards_for_wcslib(table));
  wcsprm* const primary = parsed.primary();
  if (primary == nullptr || primary->naxis < std::max(axes[0], axes[1]) || primary->naxis > kMaxWcsAxes) {
    why_not = fmt::format("WCSLIB finds no description of both axes among at most {}", kMaxWcsAxes);
    return;
  }
  call_wcslib(WcslibCall::parses, [primary] { return unitfix(0, primary); });
  fold_steps(*primary);
  if (!choose_system(*primary, axes, fixed_pixel, table)) return;
  celestial = true;
  const char* const matrix = has_cd ? "CD" : "PC and CDELT";
  if (degenerate()) {
    why_not = fmt::format("the {} matrix is singular", matrix);
  } else if (solver->prm().naxis > 2 && !to_sky((nx - 1) / 2, (ny - 1) / 2)) {
    why_not = "the centre of the image is not on the sky";
  } else if (!round_trips(nx, ny)) {
    why_not = fmt::format("the {} matrix is singular: positions do not come back to their pixels", matrix);
  } else {
    why_not.clear();
    read_frame(table);
    return;
  }
  celestial = false;
  solver.reset();
}

std::optional<SkyPosition> Wcs::State::to_sky(double px, double py) {
  if (!celestial) return std::nullopt;
  wcsprm& prm = solver->prm();
  pixel[static_cast<std::size_t>(x)] = px + 1;
  pixel[static_cast<std::size_t>(y)] = py + 1;
  std::array<double, kMaxWcsAxes> image{}, at{};
  double phi = 0, theta = 0;
  int bad = 0;
  // The status word of the pixel decides: WCSLIB writes numbers for pixels off the sky too.
  const int status = call_wcslib(WcslibCall::computes, [&] {
    return wcsp2s(&prm, 1, prm.naxis, pixel.data(), image.data(), &phi, &theta, at.data(), &bad);
  });
  if (status != 0 || bad != 0) return std::nullopt;
  SkyPosition sky{at[static_cast<std::size_t>(prm.lng)], at[static_cast<std::size_t>(prm.lat)]};
  if (!std::isfinite(sky.lon_deg) || !std::isfinite(sky.lat_deg)) return std::nullopt;
  sky.lon_deg = std::fmod(sky.lon_deg, 360.0);
  if (sky.lon_deg < 0) sky.lon_deg += 360.0;
  if (sky.lon_deg >= 360.0) sky.lon_deg = 0;
  std::copy_n(at.begin(), prm.naxis, world.begin());
  return sky;
}

std::optional<PixelPosition> Wcs::State::to_pixel(SkyPosition sky) {
  if (!celestial) return std::nullopt;
  wcsprm& prm = solver->prm();
  world[static_cast<std::size_t>(prm.lng)] = sky.lon_deg;
  world[static_cast<std::size_t>(prm.lat)] = sky.lat_deg;
  std::array<double, kMaxWcsAxes> image{}, at{};
  double phi = 0, theta = 0;
  int bad = 0;
  const int status = call_wcslib(WcslibCall::computes, [&] {
    return wcss2p(&prm, 1, prm.naxis, world.data(), &phi, &theta, image.data(), at.data(), &bad);
  });
  if (status != 0 || bad != 0) return std::nullopt;
  const PixelPosition found{at[static_cast<std::size_t>(x)] - 1, at[static_cast<std::size_t>(y)] - 1};
  if (!std::isfinite(found.x) || !std::isfinite(found.y)) return std::nullopt;
  return found;
}

Wcs::Wcs() : state_(std::make_unique<State>()) {}
Wcs::~Wcs() = default;
Wcs::Wcs(const Wcs& other) : state_(std::make_unique<State>(other.state_ ? *other.state_ : State())) {}
Wcs::Wcs(Wcs&& other) noexcept = default;
Wcs& Wcs::operator=(const Wcs& other) {
  if (this != &other) state_ = std::make_unique<State>(other.state_ ? *other.state_ : State());
  return *this;
}
Wcs& Wcs::operator=(Wcs&& other) noexcept = default;

Wcs Wcs::parse(const std::string& header_cards, int x_axis, int y_axis, const std::vector<double>& fixed_pixel,
               int naxis, double nx, double ny) {
  if (x_axis < 0 || y_axis < 0 || x_axis == y_axis || header_cards.size() % fits::kCardBytes != 0) {
    throw InternalError("Wcs::parse: two different axes and whole cards are wanted");
  }
  Wcs wcs;
  const fits::CardTable table(header_cards);
  wcs.state_->read(table, {x_axis + 1, y_axis + 1}, fixed_pixel, nx, ny);
  wcs.state_->physical = read_physical(table, x_axis + 1, y_axis + 1);
  const SpectralAxis spectral(table);
  wcs.state_->frequency = find_frequency(table, spectral, naxis, fixed_pixel);
  wcs.state_->spectral_reading = spectral.why_not().empty() ? spectral.reading() : "unreadable: " + spectral.why_not();
  return wcs;
}

bool Wcs::celestial() const { return state_->celestial; }
const std::string& Wcs::why_not() const { return state_->why_not; }
Wcs::Frame Wcs::frame() const { return state_->frame; }
double Wcs::equinox() const { return state_->equinox; }
std::string Wcs::frame_name() const { return state_->frame_name; }
std::string Wcs::projection() const { return state_->projection; }
double Wcs::frequency_hz() const { return state_->frequency; }
const PhysicalPixels& Wcs::physical() const { return state_->physical; }
const std::string& Wcs::spectral_reading() const { return state_->spectral_reading; }
std::optional<SkyPosition> Wcs::to_sky(double x, double y) const { return state_->to_sky(x, y); }
std::optional<PixelPosition> Wcs::to_pixel(SkyPosition sky) const { return state_->to_pixel(sky); }

std::optional<Matrix2> Wcs::sky_per_pixel(double x, double y) const {
  if (!state_->celestial) return std::nullopt;
  State& state = *state_;
  state.pixel[static_cast<std::size_t>(state.x)] = x + 1;
  state.pixel[static_cast<std::size_t>(state.y)] = y + 1;
  return reber::sky_per_pixel(state.solver->prm(), state.pixel, state.x, state.y);
}

}  // namespace reber

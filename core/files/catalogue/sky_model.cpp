// SPDX-License-Identifier: BSD-3-Clause
// Text of makesourcedb and of WSClean: the same Gaussians in two spellings.
#include "core/files/catalogue/sky_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/sexagesimal.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

/// Of synchrotron sources, where none is measured; the value that PyBDSF writes.
constexpr double kUsualIndex = -0.8;
/// Where the image names no frequency: LSMTool wants a number.
constexpr double kUsualFrequency = 1e8;

/// One Gaussian of the model. Angles in degrees, axes in arcsec.
struct Component {
  std::int64_t gaussian = 0, island = 0, source = 0;
  double ra = 0, dec = 0, flux = 0, major = 0, minor = 0, pa = 0, index = kUsualIndex;
  [[nodiscard]] bool is_point() const { return major == 0 && minor == 0; }
};

template <class Value>
const std::vector<Value>& column(const Catalogue& catalogue, const char* name) {
  if (const Column* found = catalogue.find(name))
    if (const auto* values = std::get_if<std::vector<Value>>(&found->values)) return *values;
  throw InputError(fmt::format("a sky model is made of the Gaussians of a search: this table has no column {}", name));
}

std::vector<Component> components_of(const Catalogue& catalogue) {
  const auto own = system_named(catalogue.frame, catalogue.equinox);
  if (!own)
    throw InputError(fmt::format("a sky model is in equatorial coordinates, J2000; positions of this image are {}",
                                 catalogue.frame.empty() ? "unknown" : catalogue.frame));
  const SkyConverter convert(*own, is_usual(*own) ? *own : SkySystem{SkySystem::Frame::fk5, 2000});
  const PlaceColumns places = place_columns(catalogue);
  if (places.lon == nullptr || places.lat == nullptr)
    throw InputError("a sky model is made of the Gaussians of a search: this table has no positions on the sky");
  const auto real = [&](const char* name) -> const std::vector<double>& { return column<double>(catalogue, name); };
  const auto whole = [&](const char* name) -> const std::vector<std::int64_t>& {
    return column<std::int64_t>(catalogue, name);
  };
  const Column* const spectrum = catalogue.find("Spec_Indx");
  std::vector<Component> all;
  for (std::size_t row = 0; row < static_cast<std::size_t>(catalogue.rows()); ++row) {
    Component one{whole("Gaus_id")[row],      whole("Isl_id")[row],
                  whole("Source_id")[row],    (*places.lon)[row],
                  (*places.lat)[row],         real("Total_flux")[row],
                  real("DC_Maj")[row] * 3600, real("DC_Min")[row] * 3600,
                  real("DC_PA")[row],         kUsualIndex};
    if (spectrum != nullptr)
      if (const double index = std::get<std::vector<double>>(spectrum->values)[row]; std::isfinite(index))
        one.index = index;
    if (!std::isfinite(one.ra + one.dec + one.flux + one.major + one.minor)) continue;
    if (!std::isfinite(one.pa) || one.is_point())
      one.pa = 0;
    else
      one.pa += convert.turn_deg({one.ra, one.dec});
    const SkyPosition place = convert({one.ra, one.dec});
    one.ra = place.lon_deg, one.dec = place.lat_deg;
    all.push_back(one);
  }
  return all;
}

/// Dots for colons: so both tools want declinations.
std::string dotted(std::string text) {
  std::ranges::replace(text, ':', '.');
  return text;
}

/// The image's name without folder and endings, in letters that a name of a patch may have.
std::string root_of(const Catalogue& catalogue) {
  std::string name = catalogue.image.substr(catalogue.image.rfind('/') + 1);
  name = name.substr(0, name.find(".fits"));
  for (char& c : name)
    if (c == ',' || c == ' ' || c == '#' || c == '\'' || c == '"') c = '_';
  constexpr std::size_t kLongest = 60;  // LSMTool takes 100 letters, and numbers follow
  return name.empty() ? "sky" : printable(name.substr(0, kLongest));
}

double frequency_of(const Catalogue& catalogue) {
  return std::isfinite(catalogue.frequency_hz) ? catalogue.frequency_hz : kUsualFrequency;
}

std::string patch_of(const Component& one, Patches patches, const std::string& root) {
  switch (patches) {
    case Patches::none:
      return {};
    case Patches::source:
      return fmt::format("{}_patch_s{}", root, one.source);
    case Patches::gaussian:
      return fmt::format("{}_patch_w0_g{}", root, one.gaussian);
    case Patches::single:
      return root + "_patch";
  }
  return {};
}

std::string bbs_line(const Component& one, const std::string& patch, const std::string& root, double frequency) {
  std::string line = fmt::format("{}_w0_i{}_s{}_g{}, {}, ", root, one.island, one.source, one.gaussian,
                                 one.is_point() ? "POINT" : "GAUSSIAN");
  if (!patch.empty()) line += patch + ", ";
  return line + fmt::format("{}, {}, {:.3e}, 0.0, 0.0, 0.0, {:.5e}, {:.5e}, {:.5e}, {:.5e}, [{}]\n",
                            sexagesimal_hours(one.ra, 6), dotted(sexagesimal_degrees(one.dec, 6)), one.flux, one.major,
                            one.minor, one.pa, frequency, one.index);
}

void write_text(const std::string& text, const std::string& path, const FileOptions& how) {
  AtomicFile file(path, how);
  file.write(text);
  file.commit(static_cast<std::int64_t>(text.size()));
}

}  // namespace

void write_sky_model(const Catalogue& catalogue, Patches patches, const std::string& path, const FileOptions& how) {
  std::vector<Component> all = components_of(catalogue);
  const std::string root = root_of(catalogue);
  const double frequency = frequency_of(catalogue);
  std::map<std::string, double> flux_of_patch;
  for (const Component& one : all) flux_of_patch[patch_of(one, patches, root)] += one.flux;
  const auto patch_flux = [&](const Component& one) { return flux_of_patch.at(patch_of(one, patches, root)); };
  std::ranges::stable_sort(all, [&](const Component& a, const Component& b) {
    const double of_a = patch_flux(a), of_b = patch_flux(b);
    if (of_a != of_b) return of_a > of_b;
    if (a.source != b.source && patches == Patches::source) return a.source < b.source;
    return a.flux > b.flux;
  });
  std::string text = fmt::format(
      "format = Name, Type, {}Ra, Dec, I, Q, U, V, MajorAxis, MinorAxis, Orientation, "
      "ReferenceFrequency='{:.5e}', SpectralIndex='[]'\n\n",
      patches == Patches::none ? "" : "Patch, ", frequency);
  std::string before;
  for (const Component& one : all) {
    const std::string patch = patch_of(one, patches, root);
    if (patch != before) text += fmt::format(", , {}, 00:00:00, +00.00.00\n", patch);
    before = patch;
    text += bbs_line(one, patch, root, frequency);
  }
  write_text(text, path, how);
}

void write_sky_model(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  write_sky_model(catalogue, Patches::source, path, how);
}

void write_component_list(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  std::vector<Component> all = components_of(catalogue);
  std::ranges::stable_sort(all, std::ranges::greater{}, &Component::flux);
  const double frequency = frequency_of(catalogue);
  std::string text = fmt::format(
      "Format = Name, Type, Ra, Dec, I, SpectralIndex, LogarithmicSI, ReferenceFrequency='{}', MajorAxis, MinorAxis, "
      "Orientation\n",
      frequency);
  std::size_t number = 0;
  for (const Component& one : all) {
    std::string dec = dotted(sexagesimal_degrees(one.dec, 4));
    if (dec.starts_with('+')) dec.erase(0, 1);
    // WSClean's polynomial is linear: I + c0 (x - 1), so that the slope at the reference frequency is index x I.
    text += fmt::format("s0c{},{},{},{},{},[{}],false,{},", number++, one.is_point() ? "POINT" : "GAUSSIAN",
                        sexagesimal_hours(one.ra, 4), dec, one.flux, one.index * one.flux, frequency);
    text += one.is_point() ? ",,\n" : fmt::format("{},{},{}\n", one.major, one.minor, one.pa);
  }
  write_text(text, path, how);
}

}  // namespace reber

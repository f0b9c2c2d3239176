// SPDX-License-Identifier: BSD-3-Clause
// The columns of forced photometry.
#include "core/studies/forced.hpp"

namespace reber {

Catalogue forced_catalogue(const std::vector<ForcedSource>& sources, const SkyList& list, const ImageHeader& header,
                           const std::vector<std::string>& history) {
  Catalogue out;
  out.frame = header.wcs.celestial() ? header.wcs.frame_name() : "";
  out.equinox = header.wcs.equinox();
  out.frequency_hz = header.wcs.frequency_hz();
  out.history = history;
  std::vector<std::int64_t> row, together, flag;
  std::vector<std::string> name;
  for (const ForcedSource& s : sources) {
    row.push_back(s.row), together.push_back(s.together), flag.push_back(s.flag);
    name.push_back(list.name[static_cast<std::size_t>(s.row)]);
  }
  const auto real = [&](const char* title, const std::string& unit, const char* ucd, const char* text,
                        double ForcedSource::*member) {
    std::vector<double> values;
    for (const ForcedSource& s : sources) values.push_back(s.*member);
    out.columns.push_back({{title, unit, ucd, text}, std::move(values)});
  };
  using F = ForcedSource;
  const std::string brightness = header.unit.name(), flux = header.unit.total_name();
  const bool galactic = header.wcs.frame() == Wcs::Frame::galactic;
  out.columns.push_back({{"Source_id", "", "meta.id;meta.main", "Row of the list, from 0"}, std::move(row)});
  out.columns.push_back({{"Name", "", "meta.id", "Name or number in the list"}, std::move(name)});
  real(galactic ? "GLON" : "RA", "deg", galactic ? "pos.galactic.lon" : "pos.eq.ra;meta.main",
       "Longitude, held or fitted", &F::lon);
  real(galactic ? "E_GLON" : "E_RA", "deg", "stat.error", "1-sigma error on the sky; none where held", &F::e_lon);
  real(galactic ? "GLAT" : "DEC", "deg", galactic ? "pos.galactic.lat" : "pos.eq.dec;meta.main",
       "Latitude, held or fitted", &F::lat);
  real(galactic ? "E_GLAT" : "E_DEC", "deg", "stat.error", "1-sigma error; none where held", &F::e_lat);
  real("Total_flux", flux, "phot.flux.density;em.radio", "Flux density of the shape that was held", &F::total);
  real("E_Total_flux", flux, "stat.error;phot.flux.density;em.radio", "1-sigma error of Total_flux", &F::e_total);
  real("Peak_flux", brightness, "phot.flux.density;stat.max;em.radio", "Peak of the shape that was held", &F::peak);
  real("E_Peak_flux", brightness, "stat.error;phot.flux.density;stat.max;em.radio", "1-sigma error of Peak_flux",
       &F::e_peak);
  real("Upper_limit", flux, "phot.flux.density;stat.max", "max(flux, 0) + --limit errors where S/N is below --limit",
       &F::limit);
  real("SNR", "", "stat.snr", "Flux over its error", &F::snr);
  real("Maj", "deg", "phys.angSize.smajAxis", "FWHM of the major axis, held", &F::major);
  real("Min", "deg", "phys.angSize.sminAxis", "FWHM of the minor axis, held", &F::minor);
  real("PA", "deg", "pos.posAng", "Position angle, held", &F::pa);
  real("Xposn", "pix", "pos.cartesian.x;instr.det", "Column; the first pixel's centre is 0", &F::x);
  real("Yposn", "pix", "pos.cartesian.y;instr.det", "Row; the first pixel's centre is 0", &F::y);
  real("Isl_rms", brightness, "stat.stdev;phot.flux.density;em.radio", "Local noise rms", &F::rms);
  real("Isl_mean", brightness, "phot.flux.density;em.radio;stat.mean", "Local background", &F::mean);
  real("Chi2", "", "stat.fit.chi2", "Mean square of what is left over rms^2", &F::chi2);
  out.columns.push_back({{"N_fit", "", "meta.number", "Sources fitted together"}, std::move(together)});
  out.columns.push_back(
      {{"Flag", "", "meta.code.qual",
        "Sum of 1: partly beyond the edge, 2: partly blank, 4: off the image, 8: blank, 16: no position, 32: upper "
        "limit, 64: beam's shape taken, 128: position held, 256: equal part of rows at one place, 512: not measured, "
        "shape between pixels"},
       std::move(flag)});
  return out;
}

}  // namespace reber

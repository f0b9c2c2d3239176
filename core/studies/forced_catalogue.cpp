// SPDX-License-Identifier: BSD-3-Clause
// The columns of forced photometry.
#include "core/measure/sources/plane_columns.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/sky/model/column_row.hpp"
#include "core/studies/forced.hpp"

namespace reber {
namespace {

/// A row of the list, measured.
struct Named : ForcedSource {
  const std::string& name;
};
using F = Named;

/// unit: as of the catalogue of sources
const std::vector<ColumnRow<F>>& table() {
  static const std::vector<ColumnRow<F>> rows{
      {{"Source_id", "", "meta.id;meta.main", "Row of the list, from 0"}, &F::row},
      {{"Name", "", "meta.id", "Name or number in the list"}, [](const F& f) -> std::string { return f.name; }},
      {{"RA", "deg", "pos.eq.ra;meta.main", "Longitude, held or fitted"}, &F::lon},
      {{"E_RA", "deg", "stat.error", "1-sigma error on the sky; none where held"}, &F::e_lon},
      {{"DEC", "deg", "pos.eq.dec;meta.main", "Latitude, held or fitted"}, &F::lat},
      {{"E_DEC", "deg", "stat.error", "1-sigma error; none where held"}, &F::e_lat},
      {{"Total_flux", "Jy", "phot.flux.density;em.radio", "Flux density of the shape that was held"}, &F::total},
      {{"E_Total_flux", "Jy", "stat.error;phot.flux.density;em.radio", "1-sigma error of Total_flux"}, &F::e_total},
      {{"Peak_flux", "Jy/beam", "phot.flux.density;stat.max;em.radio", "Peak of the shape that was held"}, &F::peak},
      {{"E_Peak_flux", "Jy/beam", "stat.error;phot.flux.density;stat.max;em.radio", "1-sigma error of Peak_flux"},
       &F::e_peak},
      {{"Upper_limit", "Jy", "phot.flux.density;stat.max", "max(flux, 0) + --limit errors where S/N is below --limit"},
       &F::limit},
      {{"SNR", "", "stat.snr", "Flux over its error"}, &F::snr},
      {{"Maj", "deg", "phys.angSize.smajAxis", "FWHM of the major axis, held"}, &F::major},
      {{"Min", "deg", "phys.angSize.sminAxis", "FWHM of the minor axis, held"}, &F::minor},
      {{"PA", "deg", "pos.posAng", "Position angle, held"}, &F::pa},
      {{"Xposn", "pix", "pos.cartesian.x;instr.det", "Column; the first pixel's centre is 0"}, &F::x},
      {{"Yposn", "pix", "pos.cartesian.y;instr.det", "Row; the first pixel's centre is 0"}, &F::y},
      {{"Isl_rms", "Jy/beam", "stat.stdev;phot.flux.density;em.radio", "Local noise rms"}, &F::rms},
      {{"Isl_mean", "Jy/beam", "phot.flux.density;em.radio;stat.mean", "Local background"}, &F::mean},
      {{"Chi2", "", "stat.fit.chi2", "Mean square of what is left over rms^2"}, &F::chi2},
      {{"N_fit", "", "meta.number", "Sources fitted together"}, &F::together},
      {{"Flag", "", "meta.code.qual",
        "Sum of 1: partly beyond the edge, 2: partly blank, 4: off the image, 8: blank, 16: no position, 32: upper "
        "limit, 64: beam's shape taken, 128: position held, 256: equal part of rows at one place, 512: not measured, "
        "shape between pixels"},
       &F::flag},
  };
  return rows;
}

ColumnInfo named_in(const ColumnInfo& own, const ImageHeader& header) {
  ColumnInfo info = in_frame_of(own, header);
  if (info.ucd.starts_with("pos.galactic")) info.ucd = info.ucd.substr(0, info.ucd.find(';'));
  return info;
}

}  // namespace

Catalogue forced_catalogue(const std::vector<ForcedSource>& sources, const SkyList& list, const ImageHeader& header,
                           const std::vector<std::string>& history) {
  Catalogue out;
  out.frame = header.wcs.celestial() ? header.wcs.frame_name() : "";
  out.equinox = header.wcs.equinox();
  out.frequency_hz = header.wcs.frequency_hz();
  out.history = history;
  std::vector<Named> named;
  for (const ForcedSource& one : sources) named.push_back({one, list.name[static_cast<std::size_t>(one.row)]});
  out.columns = columns_of<F>(table(), named, [&](const ColumnInfo& info) { return named_in(info, header); });
  return out;
}

std::string forced_columns_document() {
  return "\n## reber measure\n\nOne row per row of the list.\n\n" + columns_table(infos_of<F>(table()));
}

}  // namespace reber

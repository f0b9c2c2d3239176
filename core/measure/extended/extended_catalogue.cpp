// SPDX-License-Identifier: BSD-3-Clause
// Columns of extended sources.
#include "core/measure/extended/extended_catalogue.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/measure/sources/plane_columns.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/sky/model/column_row.hpp"
#include "core/sky/model/decimals.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

/// A structure, on the sky of its image.
struct Structure : ExtendedSource {
  const Wcs& wcs;
};
using E = Structure;

std::string region_of(const ExtendedSource& source, const Wcs& wcs) {
  if (source.outline.empty() || !wcs.celestial()) return {};
  // STC-S knows FK5 of J2000 and FK4 of B1950 alone: others are written in ICRS.
  const auto own = system_of(wcs);
  if (!own) return {};
  constexpr std::array<const char*, 5> kWords{"ICRS", "FK5", "FK4", "GALACTIC", "ECLIPTIC"};
  const SkySystem written = in_region_files(*own);
  const SkyView view(wcs, written);
  const int decimals = decimals_for(source.extent_deg / 100, 7);
  std::string text = fmt::format("POLYGON {}", kWords[static_cast<std::size_t>(written.frame)]);
  for (const PixelPosition& corner : source.outline) {
    const auto sky = view.to_sky(corner.x, corner.y);
    if (!sky) return {};
    text += fmt::format(" {:.{}f} {:.{}f}", sky->lon_deg, decimals, sky->lat_deg, decimals);
  }
  return text;
}

const std::vector<ColumnRow<E>>& extended_rows() {
  static const std::vector<ColumnRow<E>> rows{
      {{"Source_id", "", "meta.id;meta.main", "Number of the structure, from 1; a parent comes before what is in it"},
       &E::id},
      {{"Parent_id", "", "meta.id.parent", "Structure that it lies in; 0: none"}, &E::parent},
      {{"Root_id", "", "meta.id.parent", "The outermost of these; itself where it lies in none"}, &E::root},
      {{"N_parts", "", "meta.number", "Structures right inside it"}, &E::parts},
      {{"N_compact", "", "meta.number", "Compact sources inside it, at any depth"}, &E::compacts},
      {{"Row", "", "meta.id.assoc", "Of a compact source, its Source_id in the catalogue of sources; -1 for others"},
       &E::row},
      {{"Class", "", "src.class", "compact, multiple, shell, filament or extended"},
       [](const E& source) { return std::string(to_string(source.kind)); }},
      {{"RA", "deg", "pos.eq.ra;meta.main", "Longitude of the centroid of the pixels inside"}, &E::ra},
      {{"E_RA", "deg", "stat.error;pos.eq.ra", "1-sigma error of RA, in degrees on the sky"}, &E::e_ra},
      {{"DEC", "deg", "pos.eq.dec;meta.main", "Latitude of the centroid of the pixels inside"}, &E::dec},
      {{"E_DEC", "deg", "stat.error;pos.eq.dec", "1-sigma error of DEC"}, &E::e_dec},
      {{"Total_flux", "Jy", "phot.flux.density;em.radio",
        "Everything inside, and of a root a beam's width around it: Diffuse_flux and Compact_flux"},
       &E::total},
      {{"E_Total_flux", "Jy", "stat.error;phot.flux.density;em.radio", "1-sigma error of Total_flux"}, &E::e_total},
      {{"Diffuse_flux", "Jy", "phot.flux.density;em.radio", "Sum of the pixels without compact sources"}, &E::diffuse},
      {{"E_Diffuse_flux", "Jy", "stat.error;phot.flux.density;em.radio",
        "1-sigma error of Diffuse_flux: correlated noise and background"},
       &E::e_diffuse},
      {{"Compact_flux", "Jy", "phot.flux.density;em.radio", "Sum of the Total_flux of the compact sources inside"},
       &E::compact},
      {{"Peak_flux", "Jy/beam", "phot.flux.density;stat.max;em.radio", "Brightest pixel, less background"}, &E::peak},
      {{"Isl_rms", "Jy/beam", "stat.stdev;phot.flux.density;em.radio", "Local noise rms there"}, &E::rms},
      {{"Isl_mean", "Jy/beam", "phot.flux.density;em.radio;stat.mean", "Local background there"}, &E::mean},
      {{"Scale", "deg", "phys.angSize", "FWHM of the smoothing at which it stands out; 0: the image itself"},
       &E::scale_deg},
      {{"Area", "deg2", "phys.angArea", "Area of its pixels"}, &E::area_deg2},
      {{"Extent", "deg", "phys.angSize", "Largest distance between two corners of its outline"}, &E::extent_deg},
      {{"Maj", "deg", "phys.angSize.smajAxis", "Major FWHM of the Gaussian that has its second moments"},
       &E::major_deg},
      {{"Min", "deg", "phys.angSize.sminAxis", "Minor FWHM of the Gaussian that has its second moments"},
       &E::minor_deg},
      {{"PA", "deg", "pos.posAng", "Position angle of that, north through east"}, &E::pa_deg},
      {{"Brightness", "Jy.arcsec-2", "phot.flux.sb;em.radio", "Total_flux over Area"}, &E::brightness},
      {{"Length_over_width", "", "src.morph", "Square of Extent over Area: 1.3 for a disc"}, &E::length_over_width},
      {{"Hollowness", "", "src.morph",
        "1 less the mean brightness about the centre over that farther out; 1: an empty shell, 0: flat"},
       &E::hollowness},
      {{"Xposn", "pix", "pos.cartesian.x;instr.det", "Column of the centroid; the first pixel's centre is 0"}, &E::x},
      {{"E_Xposn", "pix", "stat.error;pos.cartesian.x;instr.det", "1-sigma error of Xposn"}, &E::e_x},
      {{"Yposn", "pix", "pos.cartesian.y;instr.det", "Row of the centroid; the first pixel's centre is 0"}, &E::y},
      {{"E_Yposn", "pix", "stat.error;pos.cartesian.y;instr.det", "1-sigma error of Yposn"}, &E::e_y},
      {{"Npix", "pix", "phys.area;instr.pixel", "Pixels inside"}, &E::npix},
      {{"X_min", "pix", "pos.cartesian.x;stat.min", "First column of these pixels"}, &E::x0},
      {{"X_max", "pix", "pos.cartesian.x;stat.max", "Last column of these pixels"}, &E::x1},
      {{"Y_min", "pix", "pos.cartesian.y;stat.min", "First row of these pixels"}, &E::y0},
      {{"Y_max", "pix", "pos.cartesian.y;stat.max", "Last row of these pixels"}, &E::y1},
      {{"Flag", "", "meta.code.qual",
        "1: cut by the image's edge or by blank pixels; of a compact source its Flag in the catalogue of sources"},
       &E::flag},
      {{"s_region", "", "pos.outline;obs.field", "Outline of its pixels"},
       [](const E& source) { return region_of(source, source.wcs); }},
  };
  return rows;
}

}  // namespace

Catalogue extended_catalogue(const ExtendedSources& found, const ImageHeader& header,
                             const std::vector<std::string>& history) {
  Catalogue table;
  table.frame = header.wcs.celestial() ? header.wcs.frame_name() : "";
  table.equinox = header.wcs.equinox();
  table.frequency_hz = header.wcs.frequency_hz();
  table.image = header.path;
  table.history = history;
  for (const std::string& note : found.notes) table.history.push_back("extended sources: " + note);
  std::vector<Structure> structures;
  for (const ExtendedSource& source : found.sources) structures.push_back({source, header.wcs});
  table.columns =
      columns_of<E>(extended_rows(), structures, [&](const ColumnInfo& info) { return in_frame_of(info, header); });
  return table;
}

std::string extended_columns_document() {
  return "\n## --extended\n\nOne row per structure, and one per compact source inside a structure.\n\n" +
         columns_table(infos_of<E>(extended_rows()));
}

}  // namespace reber

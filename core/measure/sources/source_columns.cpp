// SPDX-License-Identifier: BSD-3-Clause
// The one table of catalogue columns: what each is called, its unit, UCD and meaning, and where it comes from.
#include "core/measure/sources/source_columns.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/measure/sources/source.hpp"
#include "core/sky/model/column_row.hpp"

namespace reber {
namespace {

constexpr FlagWord kFlagWords[] = {
    {kFlagEdge, "cut by the image's edge or by blank pixels"},
    {kFlagSmall, "too small for a shape"},
    {kFlagNoSky, "no sky position"},
    {kFlagNegative, "negative"},
    {kFlagComplex, "no Gaussian shape"},
    {kFlagBeamShape, "fitted with the beam's shape"},
    {kFlagNotFitted, "not fitted"},
    {kFlagPlainWeights, "fitted with ordinary weights"},
    {kFlagBound, "fit at a bound"},
    {kFlagExtra, "found in what a fit left"},
    {kFlagPart, "fitted to its part of the island alone"},
    {kFlagCore, "a core fitted above the emission around it (with 64: that emission, without the core)"},
    {kFlagNoise, "no more than a peak of the noise (rows only with --keep-noise-peaks)"},
    {kFlagRest, "emission around the other rows of its island, what they leave"},
    {kFlagBeyond, "centre where pixels are missing, flux extrapolated"},
};

std::string sum_of_flags() {
  std::string text = "Sum of ";
  for (const FlagWord& one : kFlagWords)
    text += (&one == kFlagWords ? "" : ", ") + std::to_string(one.bit) + ": " + std::string(one.words);
  return text;
}

/// unit: "Jy" and "Jy/beam" stand for the image's own total and brightness units.
using Row = ColumnRow<Source>;

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {{"Source_id", "", "meta.id;meta.main", "Number of the source, from 0, by the peak's row, then column"},
       RowNumber{}},
      {{"Isl_id", "", "meta.id.parent", "Label of the source's island in the label map"}, &Source::island},
      {{"RA", "deg", "pos.eq.ra;meta.main", "Longitude of the centroid, or of the fitted centre"}, &Source::ra},
      {{"E_RA", "deg", "stat.error;pos.eq.ra", "1-sigma error of RA, in degrees on the sky"}, &Source::e_ra},
      {{"DEC", "deg", "pos.eq.dec;meta.main", "Latitude of the centroid, or of the fitted centre"}, &Source::dec},
      {{"E_DEC", "deg", "stat.error;pos.eq.dec", "1-sigma error of DEC"}, &Source::e_dec},
      {{"Total_flux", "Jy", "phot.flux.density;em.radio",
        "Total flux density: the fit's, or the pixels' corrected for the part below the flood threshold"},
       &Source::total},
      {{"E_Total_flux", "Jy", "stat.error;phot.flux.density;em.radio", "1-sigma error of Total_flux"},
       &Source::e_total},
      {{"Peak_flux", "Jy/beam", "phot.flux.density;stat.max;em.radio",
        "Peak brightness at the centroid or of the fit, less background"},
       &Source::peak},
      {{"E_Peak_flux", "Jy/beam", "stat.error;phot.flux.density;stat.max;em.radio", "1-sigma error of Peak_flux"},
       &Source::e_peak},
      {{"RA_max", "deg", "pos.eq.ra", "Longitude of the brightest pixel"}, &Source::ra_peak},
      {{"DEC_max", "deg", "pos.eq.dec", "Latitude of the brightest pixel"}, &Source::dec_peak},
      {{"Xposn", "pix", "pos.cartesian.x;instr.det",
        "Column of the centroid or the fitted centre; the first pixel's centre is 0"},
       &Source::x},
      {{"E_Xposn", "pix", "stat.error;pos.cartesian.x;instr.det", "1-sigma error of Xposn"}, &Source::e_x},
      {{"Yposn", "pix", "pos.cartesian.y;instr.det",
        "Row of the centroid or the fitted centre; the first pixel's centre is 0"},
       &Source::y},
      {{"E_Yposn", "pix", "stat.error;pos.cartesian.y;instr.det", "1-sigma error of Yposn"}, &Source::e_y},
      {{"Maj", "deg", "phys.angSize.smajAxis", "FWHM of the major axis, from second moments or the fit"},
       &Source::major_deg},
      {{"E_Maj", "deg", "stat.error;phys.angSize.smajAxis", "1-sigma error of Maj"}, &Source::e_major_deg},
      {{"Min", "deg", "phys.angSize.sminAxis", "FWHM of the minor axis, from second moments or the fit"},
       &Source::minor_deg},
      {{"E_Min", "deg", "stat.error;phys.angSize.sminAxis", "1-sigma error of Min"}, &Source::e_minor_deg},
      {{"PA", "deg", "pos.posAng", "Position angle of the major axis, north through east"}, &Source::pa_deg},
      {{"E_PA", "deg", "stat.error;pos.posAng", "1-sigma error of PA"}, &Source::e_pa_deg},
      {{"DC_Maj", "deg", "phys.angSize.smajAxis;meta.modelled",
        "Major axis without the beam, best estimate: where it is not well above E_DC_Maj, noise hides it"},
       &Source::likely_major_deg},
      {{"E_DC_Maj", "deg", "stat.error;phys.angSize.smajAxis", "1-sigma error of DC_Maj"}, &Source::e_likely_major_deg},
      {{"DC_Min", "deg", "phys.angSize.sminAxis;meta.modelled",
        "Minor axis without the beam, best estimate: where it is not well above E_DC_Min, noise hides it"},
       &Source::likely_minor_deg},
      {{"E_DC_Min", "deg", "stat.error;phys.angSize.sminAxis", "1-sigma error of DC_Min"}, &Source::e_likely_minor_deg},
      {{"DC_PA", "deg", "pos.posAng;meta.modelled", "Position angle after deconvolution"}, &Source::dc_pa_deg},
      {{"E_DC_PA", "deg", "stat.error;pos.posAng", "1-sigma error of DC_PA"}, &Source::e_dc_pa_deg},
      {{"DC_Maj_max", "deg", "phys.angSize.smajAxis;stat.max", "2-sigma upper limit of DC_Maj"},
       &Source::dc_major_most_deg},
      {{"Resolved", "", "meta.code",
        "1 where Total_flux over Peak_flux is larger than noise makes it for a point source, else 0"},
       &Source::resolved},
      {{"Isl_Total_flux", "Jy", "phot.flux.density;em.radio", "Sum of the island's pixels, less background"},
       &Source::isl_total},
      {{"E_Isl_Total_flux", "Jy", "stat.error;phot.flux.density;em.radio", "1-sigma error of Isl_Total_flux"},
       &Source::e_isl_total},
      {{"Isl_Rest_flux", "Jy", "phot.flux.density;em.radio;arith.diff",
        "Isl_Total_flux less the Total_flux of all rows of the island; below 0 where these reach beyond its pixels"},
       &Source::isl_rest},
      {{"Isl_rms", "Jy/beam", "stat.stdev;phot.flux.density;em.radio", "Local noise rms at the peak"}, &Source::rms},
      {{"Isl_mean", "Jy/beam", "phot.flux.density;em.radio;stat.mean", "Local background at the peak"}, &Source::mean},
      {{"Peak_pixel", "Jy/beam", "phot.flux.density;stat.max;em.radio", "Brightest pixel, less background"},
       &Source::peak_pixel},
      {{"SNR", "", "stat.snr", "Peak_pixel over Isl_rms"}, &Source::snr},
      {{"Reliability", "", "stat.probability",
        "Part of detections like this one that are real, judged by the negative ones; "
        "only with --reliability"},
       &Source::reliability},
      {{"X_peak", "pix", "pos.cartesian.x;instr.det", "Column of the brightest pixel, from 0"}, &Source::peak_x},
      {{"Y_peak", "pix", "pos.cartesian.y;instr.det", "Row of the brightest pixel, from 0"}, &Source::peak_y},
      {{"Npix", "pix", "phys.area;instr.pixel",
        "Pixels of the source: of its part of the island, where others share it"},
       &Source::npix},
      {{"X_min", "pix", "pos.cartesian.x;stat.min", "First column of these pixels"}, &Source::x0},
      {{"X_max", "pix", "pos.cartesian.x;stat.max", "Last column of these pixels"}, &Source::x1},
      {{"Y_min", "pix", "pos.cartesian.y;stat.min", "First row of these pixels"}, &Source::y0},
      {{"Y_max", "pix", "pos.cartesian.y;stat.max", "Last row of these pixels"}, &Source::y1},
      {{"S_Code", "", "meta.code.class", "S: alone in its island; C: one of several in an island"},
       [](const Source& source) -> std::string { return source.shared ? "C" : "S"; }},
      {{"Flag", "", "meta.code.qual", sum_of_flags()}, &Source::flag},
  };
  return rows;
}

}  // namespace

std::span<const FlagWord> flag_words() { return kFlagWords; }

ColumnInfo in_frame_of(ColumnInfo info, const ImageHeader& header) {
  const auto frame = header.wcs.frame();
  const bool galactic = frame == Wcs::Frame::galactic, ecliptic = frame == Wcs::Frame::ecliptic;
  if (galactic || ecliptic) {
    const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    };
    for (const std::string& axis : {std::string("RA"), std::string("DEC")}) {
      const std::string sky = std::string(galactic ? "G" : "E") + (axis == "RA" ? "LON" : "LAT");
      for (const std::string& name : {axis, "E_" + axis, axis + "_max", "E_" + axis + "_max"})
        if (info.name == name) {
          replace(info.name, axis, sky);
          break;
        }
    }
    replace(info.ucd, "pos.eq.ra", galactic ? "pos.galactic.lon" : "pos.ecliptic.lon");
    replace(info.ucd, "pos.eq.dec", galactic ? "pos.galactic.lat" : "pos.ecliptic.lat");
  }
  if (info.unit == "Jy/beam") info.unit = header.unit.name();
  if (info.unit == "Jy") info.unit = header.unit.total_name();
  if (info.unit == "Jy.arcsec-2" && !header.unit.spectral.empty())
    info.unit = header.unit.spectral == "km/s" ? "Jy km s-1 arcsec-2" : "Jy " + header.unit.spectral + " arcsec-2";
  return info;
}

Catalogue make_catalogue(const std::vector<Source>& sources, const ImageHeader& header,
                         const std::vector<std::string>& history) {
  constexpr std::size_t kFew = 2000;
  Catalogue catalogue;
  const bool judged = std::ranges::any_of(sources, [](const Source& s) { return std::isfinite(s.reliability); });
  std::vector<const Row*> rows;
  for (const Row& row : table())
    if (judged || row.info.name != "Reliability") rows.push_back(&row);
  catalogue.columns.resize(rows.size());
  ThreadPool pool(sources.size() > kFew ? 0 : 1);
  pool.for_each(static_cast<std::int64_t>(rows.size()), [&](std::int64_t k) {
    const auto column = static_cast<std::size_t>(k);
    catalogue.columns[column] = column_of<Source>(in_frame_of(rows[column]->info, header), *rows[column], sources);
  });
  catalogue.frame = header.wcs.celestial() ? header.wcs.frame_name() : "";
  catalogue.equinox = header.wcs.equinox();
  catalogue.frequency_hz = header.wcs.frequency_hz();
  catalogue.image = header.path;
  catalogue.history = history;
  return catalogue;
}

std::vector<ColumnInfo> catalogue_columns() { return infos_of<Source>(table()); }

}  // namespace reber

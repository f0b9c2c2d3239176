// SPDX-License-Identifier: BSD-3-Clause
// The table of column names. An alias stands before another where a catalogue that has both means the first.
#include "core/sky/model/sky_quantities.hpp"

#include <initializer_list>

namespace reber::sky {
namespace {

/// SExtractor gives standard deviations.
constexpr double kFwhmPerSigma = 2.3548200450309493;

std::vector<Alias> plain(std::initializer_list<const char*> names) {
  std::vector<Alias> aliases;
  for (const char* name : names) aliases.push_back({name, "", 1});
  return aliases;
}

std::vector<Alias> operator+(std::vector<Alias> a, const std::vector<Alias>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

const std::vector<Quantity>& quantities() {
  using L = SkyList;
  static const std::vector<Quantity> table{
      {"lon", "positions", Kind::longitude, &L::lon,
       plain({"ra",      "raj2000",         "_raj2000",       "ra_deg_cont", "ra_j2000", "ra_icrs",
              "ra_deg",  "alpha_j2000",     "alphawin_j2000", "alpha_sky",   "x_world",  "_ra",
              "ra_2000", "right_ascension", "glon",           "ra_hms_cont", "ra_hms",   "ra_str",
              "ra_cent", "ra_core",         "elon",           "rab1950",     "ra_b1950"})},
      {"lat", "", Kind::latitude, &L::lat,
       plain({"dec",         "dej2000",        "_dej2000",  "dec_deg_cont", "dec_j2000", "de_icrs", "dec_deg",
              "delta_j2000", "deltawin_j2000", "delta_sky", "y_world",      "_de",       "_dec",    "dec_2000",
              "decj2000",    "declination",    "glat",      "dec_dms_cont", "dec_dms",   "dec_str", "dec_cent",
              "dec_core",    "elat",           "deb1950",   "dec_b1950"})},
      {"e_lon", "position errors", Kind::error, &L::e_lon,
       plain({"e_ra", "err_ra", "ra_err", "e_raj2000", "ra_error", "e_ra_sys", "e_glon", "ra_uncertainty", "err_x"})},
      {"e_lat", "", Kind::error, &L::e_lat,
       plain({"e_dec", "err_dec", "dec_err", "e_dej2000", "dec_error", "e_glat", "dec_uncertainty", "err_y"})},
      {"x", "", Kind::pixel, &L::x, plain({"xposn", "x", "x_image", "xwin_image"})},
      {"y", "", Kind::pixel, &L::y, plain({"yposn", "y", "y_image", "ywin_image"})},
      {"peak", "peak flux", Kind::flux, &L::peak,
       std::vector<Alias>{{"flux_peak", "mJy/beam", 1},
                          {"fpeak", "mJy/beam", 1},
                          {"sp", "mJy/beam", 1},
                          {"speak", "mJy/beam", 1},
                          {"flux_max", "count", 1}} +
           plain({"peak_flux", "peak_flux_wide", "peak_flux_source", "peak", "f_max"})},
      {"e_peak", "", Kind::flux, &L::e_peak,
       std::vector<Alias>{{"flux_peak_err", "mJy/beam", 1}, {"e_sp", "mJy/beam", 1}, {"e_fpeak", "mJy/beam", 1}} +
           plain({"e_peak_flux", "err_peak_flux", "err_peak_flux_wide", "peak_err", "e_peak_flux_source"})},
      {"total", "total flux", Kind::flux, &L::total,
       std::vector<Alias>{{"flux_int", "mJy", 1},
                          {"fint", "mJy", 1},
                          {"st", "mJy", 1},
                          {"s1.4", "mJy", 1},
                          {"flux_jy", "Jy", 1},
                          {"sint", "mJy", 1},
                          {"flux_auto", "count", 1},
                          {"flux_iso", "count", 1}} +
           plain({"total_flux", "int_flux", "total_flux_source", "int_flux_wide", "integrated_flux", "flux", "f_sum",
                  "isl_total_flux", "flux_density"})},
      {"e_total", "", Kind::flux, &L::e_total,
       std::vector<Alias>{{"flux_int_err", "mJy", 1},
                          {"e_st", "mJy", 1},
                          {"e_fint", "mJy", 1},
                          {"e_s1.4", "mJy", 1},
                          {"fluxerr_auto", "count", 1},
                          {"fluxerr_iso", "count", 1}} +
           plain(
               {"e_total_flux", "err_int_flux", "e_total_flux_source", "err_int_flux_wide", "flux_err", "err_f_sum"})},
      {"major", "sizes", Kind::angle, &L::major,
       std::vector<Alias>{{"maj_axis", "arcsec", 1},
                          {"a", "arcsec", 1},
                          {"smaj_asec", "arcsec", 2},
                          {"a_world", "deg", kFwhmPerSigma},
                          {"a_wide", "arcsec", 1},
                          {"majaxis", "arcsec", 1}} +
           plain({"maj", "major", "fwhm_maj", "major_axis"})},
      {"minor", "", Kind::angle, &L::minor,
       std::vector<Alias>{{"min_axis", "arcsec", 1},
                          {"b", "arcsec", 1},
                          {"smin_asec", "arcsec", 2},
                          {"b_world", "deg", kFwhmPerSigma},
                          {"b_wide", "arcsec", 1},
                          {"minaxis", "arcsec", 1}} +
           plain({"min", "minor", "fwhm_min", "minor_axis"})},
      {"pa", "", Kind::plain, &L::pa,
       plain({"pa", "pos_ang", "theta_j2000", "pa_wide", "theta_celes", "position_angle"})},
      {"rms", "local noise", Kind::flux, &L::rms,
       std::vector<Alias>{{"rms_image", "mJy/beam", 1}} +
           plain({"isl_rms", "local_rms", "local_rms_wide", "rms", "noise"})},
      {"snr", "S/N", Kind::plain, &L::snr, plain({"snr", "s_n", "sig", "snr_win", "peak_snr"})},
  };
  return table;
}

}  // namespace reber::sky

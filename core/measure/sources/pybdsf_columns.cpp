// SPDX-License-Identifier: BSD-3-Clause
// One table of rows for both, as most columns stand in both. Names and order are PyBDSF 1.14's.
#include "core/measure/sources/pybdsf_columns.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/measure/sources/source_columns.hpp"
#include "core/sky/model/column_row.hpp"

namespace reber {
namespace {

/// What the cells of one row are made of.
struct Cells {
  const Source& s;
  const IslandValues& island;
  std::int64_t id = 0, source = 0;
  char code = 'S';
  double e_ra_peak = 0, e_dec_peak = 0;
  Ellipse plane, plane_dc;  ///< on the pixel grid, degrees
};

constexpr unsigned kSrl = 1, kGaul = 2, kBoth = kSrl | kGaul;
using Row = ColumnRow<Cells>;

/// The error of a length that is `to` where it was `from`.
double scaled(double error, double to, double from) { return from > 0 ? error * to / from : error; }

// clang-format off
const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {{"Gaus_id", "", "meta.id;meta.main", "Number of the Gaussian, from 0"}, [](const Cells& c) -> std::int64_t { return c.id; }, kGaul},
      {{"Source_id", "", "meta.id;meta.main", "Number of the source, from 0"}, [](const Cells& c) -> std::int64_t { return c.id; }, kSrl},
      {{"Isl_id", "", "meta.id.parent", "Island, from 0: its label in the label map less 1"}, [](const Cells& c) -> std::int64_t { return c.s.island - 1; }, kBoth},
      {{"Source_id", "", "meta.id.parent", "Number of the source that the Gaussian belongs to"}, [](const Cells& c) -> std::int64_t { return c.source; }, kGaul},
      {{"Wave_id", "", "meta.code", "Wavelet plane that found it, of the highest S/N in its island; 0: the image"}, [](const Cells& c) -> std::int64_t { return c.s.wave; }, kGaul},
      {{"RA", "deg", "pos.eq.ra;meta.main", "Longitude"}, [](const Cells& c) -> double { return c.s.ra; }, kBoth},
      {{"E_RA", "deg", "stat.error;pos.eq.ra", "1-sigma error of RA, in degrees on the sky"}, [](const Cells& c) -> double { return c.s.e_ra; }, kBoth},
      {{"DEC", "deg", "pos.eq.dec;meta.main", "Latitude"}, [](const Cells& c) -> double { return c.s.dec; }, kBoth},
      {{"E_DEC", "deg", "stat.error;pos.eq.dec", "1-sigma error of DEC"}, [](const Cells& c) -> double { return c.s.e_dec; }, kBoth},
      {{"Total_flux", "Jy", "phot.flux.density;em.radio", "Total flux density; of several Gaussians, their sum"}, [](const Cells& c) -> double { return c.s.total; }, kBoth},
      {{"E_Total_flux", "Jy", "stat.error;phot.flux.density;em.radio", "1-sigma error of Total_flux"}, [](const Cells& c) -> double { return c.s.e_total; }, kBoth},
      {{"Peak_flux", "Jy/beam", "phot.flux.density;stat.max;em.radio", "Peak brightness; of several Gaussians, that of their sum"}, [](const Cells& c) -> double { return c.s.peak; }, kBoth},
      {{"E_Peak_flux", "Jy/beam", "stat.error;phot.flux.density;stat.max;em.radio", "1-sigma error of Peak_flux; Isl_rms of several Gaussians"}, [](const Cells& c) -> double { return c.s.e_peak; }, kBoth},
      {{"RA_max", "deg", "pos.eq.ra", "Longitude of the maximum"}, [](const Cells& c) -> double { return c.s.ra_peak; }, kSrl},
      {{"E_RA_max", "deg", "stat.error;pos.eq.ra", "1-sigma error of RA_max, on the sky"}, [](const Cells& c) -> double { return c.e_ra_peak; }, kSrl},
      {{"DEC_max", "deg", "pos.eq.dec", "Latitude of the maximum"}, [](const Cells& c) -> double { return c.s.dec_peak; }, kSrl},
      {{"E_DEC_max", "deg", "stat.error;pos.eq.dec", "1-sigma error of DEC_max"}, [](const Cells& c) -> double { return c.e_dec_peak; }, kSrl},
      {{"Xposn", "pix", "pos.cartesian.x;instr.det", "Column of the centre; the first pixel's centre is 0"}, [](const Cells& c) -> double { return c.s.x; }, kGaul},
      {{"E_Xposn", "pix", "stat.error;pos.cartesian.x;instr.det", "1-sigma error of Xposn"}, [](const Cells& c) -> double { return c.s.e_x; }, kGaul},
      {{"Yposn", "pix", "pos.cartesian.y;instr.det", "Row of the centre; the first pixel's centre is 0"}, [](const Cells& c) -> double { return c.s.y; }, kGaul},
      {{"E_Yposn", "pix", "stat.error;pos.cartesian.y;instr.det", "1-sigma error of Yposn"}, [](const Cells& c) -> double { return c.s.e_y; }, kGaul},
      {{"Maj", "deg", "phys.angSize.smajAxis", "FWHM of the major axis"}, [](const Cells& c) -> double { return c.s.major_deg; }, kBoth},
      {{"E_Maj", "deg", "stat.error;phys.angSize.smajAxis", "1-sigma error of Maj"}, [](const Cells& c) -> double { return c.s.e_major_deg; }, kBoth},
      {{"Min", "deg", "phys.angSize.sminAxis", "FWHM of the minor axis"}, [](const Cells& c) -> double { return c.s.minor_deg; }, kBoth},
      {{"E_Min", "deg", "stat.error;phys.angSize.sminAxis", "1-sigma error of Min"}, [](const Cells& c) -> double { return c.s.e_minor_deg; }, kBoth},
      {{"PA", "deg", "pos.posAng", "Position angle of the major axis, north through east"}, [](const Cells& c) -> double { return c.s.pa_deg; }, kBoth},
      {{"E_PA", "deg", "stat.error;pos.posAng", "1-sigma error of PA"}, [](const Cells& c) -> double { return c.s.e_pa_deg; }, kBoth},
      {{"Maj_img_plane", "deg", "phys.angSize.smajAxis", "FWHM of the major axis on the pixel grid"}, [](const Cells& c) -> double { return c.plane.major; }, kBoth},
      {{"E_Maj_img_plane", "deg", "stat.error;phys.angSize.smajAxis", "1-sigma error of Maj_img_plane"}, [](const Cells& c) -> double { return scaled(c.s.e_major_deg, c.plane.major, c.s.major_deg); }, kBoth},
      {{"Min_img_plane", "deg", "phys.angSize.sminAxis", "FWHM of the minor axis on the pixel grid"}, [](const Cells& c) -> double { return c.plane.minor; }, kBoth},
      {{"E_Min_img_plane", "deg", "stat.error;phys.angSize.sminAxis", "1-sigma error of Min_img_plane"}, [](const Cells& c) -> double { return scaled(c.s.e_minor_deg, c.plane.minor, c.s.minor_deg); }, kBoth},
      {{"PA_img_plane", "deg", "pos.posAng", "Angle of the major axis on the pixel grid, from +y towards -x"}, [](const Cells& c) -> double { return c.plane.pa_deg; }, kBoth},
      {{"E_PA_img_plane", "deg", "stat.error;pos.posAng", "1-sigma error of PA_img_plane"}, [](const Cells& c) -> double { return c.s.e_pa_deg; }, kBoth},
      {{"DC_Maj", "deg", "phys.angSize.smajAxis;meta.modelled", "FWHM of the major axis, deconvolved from the beam"}, [](const Cells& c) -> double { return c.s.dc_major_deg; }, kBoth},
      {{"E_DC_Maj", "deg", "stat.error;phys.angSize.smajAxis", "1-sigma error of DC_Maj"}, [](const Cells& c) -> double { return c.s.e_dc_major_deg; }, kBoth},
      {{"DC_Min", "deg", "phys.angSize.sminAxis;meta.modelled", "FWHM of the minor axis, deconvolved from the beam"}, [](const Cells& c) -> double { return c.s.dc_minor_deg; }, kBoth},
      {{"E_DC_Min", "deg", "stat.error;phys.angSize.sminAxis", "1-sigma error of DC_Min"}, [](const Cells& c) -> double { return c.s.e_dc_minor_deg; }, kBoth},
      {{"DC_PA", "deg", "pos.posAng;meta.modelled", "Position angle of the major axis, north through east, deconvolved from the beam"}, [](const Cells& c) -> double { return c.s.dc_pa_deg; }, kBoth},
      {{"E_DC_PA", "deg", "stat.error;pos.posAng", "1-sigma error of DC_PA"}, [](const Cells& c) -> double { return c.s.e_dc_pa_deg; }, kBoth},
      {{"DC_Maj_img_plane", "deg", "phys.angSize.smajAxis", "FWHM of the major axis on the pixel grid, deconvolved from the beam"}, [](const Cells& c) -> double { return c.plane_dc.major; }, kBoth},
      {{"E_DC_Maj_img_plane", "deg", "stat.error;phys.angSize.smajAxis", "1-sigma error of DC_Maj_img_plane"}, [](const Cells& c) -> double { return scaled(c.s.e_dc_major_deg, c.plane_dc.major, c.s.dc_major_deg); }, kBoth},
      {{"DC_Min_img_plane", "deg", "phys.angSize.sminAxis", "FWHM of the minor axis on the pixel grid, deconvolved from the beam"}, [](const Cells& c) -> double { return c.plane_dc.minor; }, kBoth},
      {{"E_DC_Min_img_plane", "deg", "stat.error;phys.angSize.sminAxis", "1-sigma error of DC_Min_img_plane"}, [](const Cells& c) -> double { return scaled(c.s.e_dc_minor_deg, c.plane_dc.minor, c.s.dc_minor_deg); }, kBoth},
      {{"DC_PA_img_plane", "deg", "pos.posAng", "Angle of the major axis on the pixel grid, from +y towards -x, deconvolved from the beam"}, [](const Cells& c) -> double { return c.plane_dc.pa_deg; }, kBoth},
      {{"E_DC_PA_img_plane", "deg", "stat.error;pos.posAng", "1-sigma error of DC_PA_img_plane"}, [](const Cells& c) -> double { return c.s.e_dc_pa_deg; }, kBoth},
      {{"Isl_Total_flux", "Jy", "phot.flux.density;em.radio", "Sum of the island's pixels, less background"}, [](const Cells& c) -> double { return c.island.total; }, kBoth},
      {{"E_Isl_Total_flux", "Jy", "stat.error;phot.flux.density;em.radio", "1-sigma error of Isl_Total_flux"}, [](const Cells& c) -> double { return c.island.e_total; }, kBoth},
      {{"Isl_rms", "Jy/beam", "stat.stdev;phot.flux.density;em.radio", "Mean noise rms over the island's pixels"}, [](const Cells& c) -> double { return c.island.rms; }, kBoth},
      {{"Isl_mean", "Jy/beam", "phot.flux.density;em.radio;stat.mean", "Mean background over the island's pixels"}, [](const Cells& c) -> double { return c.island.mean; }, kBoth},
      {{"Resid_Isl_rms", "Jy/beam", "stat.stdev;phot.flux.density", "Standard deviation of what the island's Gaussians leave of its pixels"}, [](const Cells& c) -> double { return c.island.residual_spread; }, kBoth},
      {{"Resid_Isl_mean", "Jy/beam", "phot.flux.density;stat.mean", "Mean of the same"}, [](const Cells& c) -> double { return c.island.residual_mean; }, kBoth},
      {{"Wave_Isl_rms", "Jy/beam", "stat.stdev;phot.flux.density;em.radio", "Isl_rms of the wavelet plane: of the image"}, [](const Cells& c) -> double { return c.island.rms; }, kGaul},
      {{"Wave_Isl_mean", "Jy/beam", "phot.flux.density;em.radio;stat.mean", "Isl_mean of the wavelet plane: of the image"}, [](const Cells& c) -> double { return c.island.mean; }, kGaul},
      {{"S_Code", "", "meta.code.class", "S: one Gaussian, alone in its island; C: one Gaussian, others in its island; M: several Gaussians"}, [](const Cells& c) -> std::string { return std::string(1, c.code); }, kBoth},
  };
  return rows;
}
// clang-format on

/// Ellipse of FWHM^2 on the grid: +y is north, -x east.
Ellipse on_grid(const Covariance& c, double pixel_deg) {
  Ellipse e = ellipse_of({c.xx, -c.xy, c.yy});
  e.major *= pixel_deg, e.minor *= pixel_deg;
  return e;
}

struct Grid {
  double pixel_deg = std::nan("");
  BeamField beams;
  std::optional<Covariance> beam;  ///< of a beam that does not vary
};

Grid grid_of(const ImageHeader& header, const BeamField& beams) {
  Grid grid;
  grid.beams = beams;
  const std::optional<Beam>& beam = beams.nominal();
  const auto centre = header.centre_geometry();
  if (!centre) return grid;
  grid.pixel_deg = std::sqrt(std::abs(centre->determinant()));
  if (beam) grid.beam = to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *centre);
  return grid;
}

void set_plane(Cells& cells, const Grid& grid) {
  const Covariance& own = cells.s.model.fwhm2;
  const double x = cells.s.model.x, y = cells.s.model.y;
  const double pixel_deg = grid.beams.areas_vary() ? std::sqrt(grid.beams.pixel_deg2(x, y)) : grid.pixel_deg;
  cells.plane = on_grid(own, pixel_deg);
  const double unknown = std::nan("");
  const auto beam = grid.beams.varies() ? grid.beams.at(x, y).pixels : grid.beam;
  cells.plane_dc = beam ? on_grid(own - *beam, pixel_deg) : Ellipse{unknown, unknown, unknown};
}

std::vector<Cells> cells_of(PybdsfTable table, const SourceList& list, const Grid& grid) {
  std::vector<Cells> all;
  const bool by_source = table == PybdsfTable::srl;
  const std::size_t count = by_source ? list.sources.size() : list.gaussians.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto its = static_cast<std::int64_t>(i);
    const std::int64_t source = by_source ? its : list.source_of[i];
    const GroupedSource& group = list.sources[static_cast<std::size_t>(source)];
    const Source& values = by_source ? group.values : list.gaussians[i];
    all.push_back({values,
                   list.islands[static_cast<std::size_t>(group.island)],
                   its,
                   source,
                   group.code,
                   group.e_ra_peak,
                   group.e_dec_peak,
                   {},
                   {}});
    set_plane(all.back(), grid);
  }
  return all;
}

unsigned bit_of(PybdsfTable of) { return of == PybdsfTable::srl ? kSrl : kGaul; }

}  // namespace

std::vector<Column> pybdsf_columns(PybdsfTable of, const SourceList& list, const ImageHeader& header,
                                   const BeamField& beams) {
  const std::vector<Cells> cells = cells_of(of, list, grid_of(header, beams));
  return columns_of<Cells>(
      table(), cells, [&](const ColumnInfo& info) { return in_frame_of(info, header); }, bit_of(of));
}

std::vector<ColumnInfo> pybdsf_column_infos(PybdsfTable of) { return infos_of<Cells>(table(), bit_of(of)); }

}  // namespace reber

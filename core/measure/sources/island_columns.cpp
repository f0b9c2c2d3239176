// SPDX-License-Identifier: BSD-3-Clause
// One table of rows per tool. Names and order as Selavy's (CASDA islands) and Aegean 2.3's.
#include "core/measure/sources/island_columns.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/measure/sources/column_sets.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/sky/model/column_row.hpp"

namespace reber {
namespace {

/// What all islands share.
struct ImageFacts {
  std::string path;
  double frequency_hz = 0, milli = 1;  ///< milli: from the image's brightness unit to that of Selavy's table
  double pixel_deg2 = 0;               ///< at the image's centre
  char letter = 'J';
};

/// Where one island lies.
struct Island {
  const ImageFacts& image;
  const IslandValues& values;
  SkyPosition sky, peak_sky;  ///< of the centroid and of the brightest pixel; NaN off the sky
  Ellipse axes;               ///< FWHM, degrees on the sky
  double length_deg = 0, length_pa = 0;
  std::int64_t flag = 0;  ///< of any of its components
  double beam_deg2 = 0;   ///< of the beam there
  double pixel_deg2 = 0;  ///< of a pixel there
};

using Row = ColumnRow<Island>;

/// J123456-123456, truncated.
std::string position_name(const Island& c) {
  const SkyPosition& sky = c.sky;
  if (!std::isfinite(sky.lon_deg) || !std::isfinite(sky.lat_deg)) return {};
  const auto hours = static_cast<std::int64_t>(sky.lon_deg * 240),
             degrees = static_cast<std::int64_t>(std::abs(sky.lat_deg) * 3600);
  return fmt::format("{}{:02}{:02}{:02}{}{:02}{:02}{:02}", c.image.letter, hours / 3600, hours / 60 % 60, hours % 60,
                     sky.lat_deg < 0 ? '-' : '+', degrees / 3600, degrees / 60 % 60, degrees % 60);
}

/// Aegean's eta.
double part_above(const IslandValues& i) {
  const double part = std::erf(std::sqrt(std::log(std::abs(i.peak) / i.rms)));
  return part * part;
}

// clang-format off
const std::vector<Row>& casda_rows() {
  static const std::vector<Row> rows{
      {{"island_id", "", "meta.id;meta.main", "Island"}, [](const Island& c) -> std::string { return fmt::format("island_{}", c.values.label); }},
      {{"island_name", "", "meta.id", "Name by position, truncated"}, [](const Island& c) -> std::string { return position_name(c); }},
      {{"n_components", "", "meta.number", "Components of the island"}, [](const Island& c) -> std::int64_t { return c.values.components; }},
      {{"ra_hms_cont", "", "pos.eq.ra", "Right ascension, hours"}, [](const Island& c) -> std::string { return sexagesimal_hours(c.sky.lon_deg, 1); }},
      {{"dec_dms_cont", "", "pos.eq.dec", "Declination, degrees"}, [](const Island& c) -> std::string { return sexagesimal_degrees(c.sky.lat_deg, 0); }},
      {{"ra_deg_cont", "deg", "pos.eq.ra;meta.main", "Right ascension of the centroid"}, [](const Island& c) -> double { return c.sky.lon_deg; }},
      {{"dec_deg_cont", "deg", "pos.eq.dec;meta.main", "Declination of the centroid"}, [](const Island& c) -> double { return c.sky.lat_deg; }},
      {{"freq", "MHz", "em.freq", "Frequency of the image"}, [](const Island& c) -> double { return c.image.frequency_hz * 1e-6; }},
      {{"maj_axis", "arcsec", "phys.angSize.smajAxis", "FWHM of the major axis, from moments"}, [](const Island& c) -> double { return c.axes.major * 3600; }},
      {{"min_axis", "arcsec", "phys.angSize.sminAxis", "FWHM of the minor axis, from moments"}, [](const Island& c) -> double { return c.axes.minor * 3600; }},
      {{"pos_ang", "deg", "pos.posAng", "Position angle, north through east"}, [](const Island& c) -> double { return c.axes.pa_deg; }},
      {{"flux_int", "mJy", "phot.flux.density;em.radio", "Sum of the island's pixels"}, [](const Island& c) -> double { return c.values.total * 1e3; }},
      {{"flux_int_err", "mJy", "stat.error;phot.flux.density;em.radio", "Its 1-sigma error"}, [](const Island& c) -> double { return c.values.e_total * 1e3; }},
      {{"flux_peak", "mJy/beam", "phot.flux.density;stat.max;em.radio", "Brightest pixel, less background"}, [](const Island& c) -> double { return c.values.peak * c.image.milli; }},
      {{"mean_background", "mJy/beam", "phot.flux.density;stat.mean", "Mean background"}, [](const Island& c) -> double { return c.values.mean * c.image.milli; }},
      {{"background_noise", "mJy/beam", "stat.stdev;phot.flux.density", "Mean noise rms"}, [](const Island& c) -> double { return c.values.rms * c.image.milli; }},
      {{"max_residual", "mJy/beam", "phot.flux.density;arith.diff;stat.max", "Largest residual"}, [](const Island& c) -> double { return c.values.residual_most * c.image.milli; }},
      {{"min_residual", "mJy/beam", "phot.flux.density;arith.diff;stat.min", "Least residual"}, [](const Island& c) -> double { return c.values.residual_least * c.image.milli; }},
      {{"mean_residual", "mJy/beam", "phot.flux.density;arith.diff;stat.mean", "Mean residual"}, [](const Island& c) -> double { return c.values.residual_mean * c.image.milli; }},
      {{"rms_residual", "mJy/beam", "stat.stdev;arith.diff", "Root of the mean square of the residual"}, [](const Island& c) -> double { return c.values.residual_rms * c.image.milli; }},
      {{"stdev_residual", "mJy/beam", "stat.stdev;arith.diff", "Standard deviation of the residual"}, [](const Island& c) -> double { return c.values.residual_spread * c.image.milli; }},
      {{"x_min", "", "pos.cartesian.x;stat.min", "First column"}, [](const Island& c) -> std::int64_t { return c.values.x0; }},
      {{"x_max", "", "pos.cartesian.x;stat.max", "Last column"}, [](const Island& c) -> std::int64_t { return c.values.x1; }},
      {{"y_min", "", "pos.cartesian.y;stat.min", "First row"}, [](const Island& c) -> std::int64_t { return c.values.y0; }},
      {{"y_max", "", "pos.cartesian.y;stat.max", "Last row"}, [](const Island& c) -> std::int64_t { return c.values.y1; }},
      {{"n_pix", "", "meta.number;phys.angArea;instr.pixel", "Pixels"}, [](const Island& c) -> std::int64_t { return c.values.npix; }},
      {{"solid_angle", "arcmin2", "phys.angArea", "Solid angle"}, [](const Island& c) -> double { return static_cast<double>(c.values.npix) * c.pixel_deg2 * 3600; }},
      {{"beam_area", "arcmin2", "phys.angArea;instr.beam", "Solid angle of the beam"}, [](const Island& c) -> double { return c.beam_deg2 * 3600; }},
      {{"x_ave", "", "pos.cartesian.x;stat.mean", "Mean column"}, [](const Island& c) -> double { return c.values.x_mean; }},
      {{"y_ave", "", "pos.cartesian.y;stat.mean", "Mean row"}, [](const Island& c) -> double { return c.values.y_mean; }},
      {{"x_cen", "", "pos.cartesian.x;askap:src.centroid", "Column of the centroid"}, [](const Island& c) -> double { return c.values.x_centre; }},
      {{"y_cen", "", "pos.cartesian.y;askap:src.centroid", "Row of the centroid"}, [](const Island& c) -> double { return c.values.y_centre; }},
      {{"x_peak", "", "pos.cartesian.x;stat.max", "Column of the brightest pixel"}, [](const Island& c) -> std::int64_t { return c.values.peak_x; }},
      {{"y_peak", "", "pos.cartesian.y;stat.max", "Row of the brightest pixel"}, [](const Island& c) -> std::int64_t { return c.values.peak_y; }},
      {{"flag_i1", "", "meta.code", "1: cut by the edge of the image or by blank pixels"}, [](const Island& c) -> std::int64_t { return c.flag & kFlagEdge; }},
      {{"flag_i2", "", "meta.code", "0"}, [](const Island&) -> std::int64_t { return 0; }},
      {{"flag_i3", "", "meta.code", "0"}, [](const Island&) -> std::int64_t { return 0; }},
      {{"flag_i4", "", "meta.code", "0"}, [](const Island&) -> std::int64_t { return 0; }},
      {{"comment", "", "meta.note", "Empty"}, [](const Island&) -> std::string { return {}; }},
  };
  return rows;
}

const std::vector<Row>& aegean_rows() {
  static const std::vector<Row> rows{
      {{"island", "", "meta.id;meta.main", "Island"}, [](const Island& c) -> std::int64_t { return c.values.label; }},
      {{"components", "", "meta.number", "Components of the island"}, [](const Island& c) -> std::int64_t { return c.values.components; }},
      {{"background", "Jy/beam", "phot.flux.density;stat.mean", "Mean background"}, [](const Island& c) -> double { return c.values.mean; }},
      {{"local_rms", "Jy/beam", "stat.stdev;phot.flux.density", "Mean noise rms"}, [](const Island& c) -> double { return c.values.rms; }},
      {{"ra_str", "", "pos.eq.ra", "Right ascension, hours"}, [](const Island& c) -> std::string { return sexagesimal_hours(c.peak_sky.lon_deg, 2); }},
      {{"dec_str", "", "pos.eq.dec", "Declination, degrees"}, [](const Island& c) -> std::string { return sexagesimal_degrees(c.peak_sky.lat_deg, 2); }},
      {{"ra", "deg", "pos.eq.ra;meta.main", "Right ascension of the brightest pixel"}, [](const Island& c) -> double { return c.peak_sky.lon_deg; }},
      {{"dec", "deg", "pos.eq.dec;meta.main", "Declination of the brightest pixel"}, [](const Island& c) -> double { return c.peak_sky.lat_deg; }},
      {{"peak_flux", "Jy/beam", "phot.flux.density;stat.max;em.radio", "Brightest pixel, less background"}, [](const Island& c) -> double { return c.values.peak; }},
      {{"int_flux", "Jy", "phot.flux.density;em.radio", "Sum of the island's pixels"}, [](const Island& c) -> double { return c.values.total; }},
      {{"err_int_flux", "Jy", "stat.error;phot.flux.density;em.radio", "Its 1-sigma error"}, [](const Island& c) -> double { return c.values.e_total; }},
      {{"eta", "", "stat.value", "Part of the volume of a point source above the noise: erf(sqrt(ln(peak / rms)))^2"}, [](const Island& c) -> double { return part_above(c.values); }},
      {{"x_width", "pix", "phys.size;pos.cartesian.x", "Columns that it covers"}, [](const Island& c) -> std::int64_t { return c.values.x1 - c.values.x0 + 1; }},
      {{"y_width", "pix", "phys.size;pos.cartesian.y", "Rows that it covers"}, [](const Island& c) -> std::int64_t { return c.values.y1 - c.values.y0 + 1; }},
      {{"max_angular_size", "deg", "phys.angSize", "Longest distance between two of its pixels"}, [](const Island& c) -> double { return c.length_deg; }},
      {{"pa", "deg", "pos.posAng", "Position angle of that line"}, [](const Island& c) -> double { return c.length_pa; }},
      {{"pixels", "", "meta.number;instr.pixel", "Pixels"}, [](const Island& c) -> std::int64_t { return c.values.npix; }},
      {{"area", "deg2", "phys.angArea", "Solid angle"}, [](const Island& c) -> double { return static_cast<double>(c.values.npix) * c.pixel_deg2; }},
      {{"beam_area", "deg2", "phys.angArea;instr.beam", "Solid angle of the beam"}, [](const Island& c) -> double { return c.beam_deg2; }},
      {{"flags", "", "meta.code.qual", "1: cut by the edge of the image or by blank pixels"}, [](const Island& c) -> std::int64_t { return c.flag & kFlagEdge; }},
      {{"uuid", "", "meta.id", "Made of image, island and place: the same in every run"}, [](const Island& c) -> std::string { return table_uuid(c.image.path, c.values.label, 0, c.values.x_centre, c.values.y_centre); }},
  };
  return rows;
}
// clang-format on

const std::vector<Row>& rows_of(IslandTable table) {
  return table == IslandTable::casda ? casda_rows() : aegean_rows();
}

ImageFacts facts_of(const ImageHeader& header, const std::string& path) {
  const auto centre = header.centre_geometry();
  ImageFacts facts{path, header.wcs.frequency_hz()};
  facts.milli = header.unit.name() == "Jy/beam" ? 1e3 : 1;
  facts.pixel_deg2 = centre ? std::abs(centre->determinant()) : std::nan("");
  facts.letter = header.wcs.frame() == Wcs::Frame::fk4 ? 'B' : 'J';
  return facts;
}

Island place_of(const IslandValues& values, const SourceList& list, const ImageHeader& header, const BeamField& beams,
                const ImageFacts& facts) {
  const double unknown = std::nan("");
  const SkyPosition nowhere{unknown, unknown};
  Island island{facts,   values,  nowhere, nowhere, {unknown, unknown, unknown},
                unknown, unknown, 0,       unknown, facts.pixel_deg2};
  for (std::int64_t k = values.first; k < values.first + values.components; ++k)
    island.flag |= list.gaussians[static_cast<std::size_t>(k)].flag;
  const std::optional<Beam>& beam = beams.nominal();
  island.beam_deg2 = beam ? beam->area_deg2() : unknown;
  if (values.npix == 0) return island;
  if (beams.areas_vary()) island.pixel_deg2 = beams.pixel_deg2(values.x_centre, values.y_centre);
  if (beams.varies()) island.beam_deg2 = beams.at(values.x_centre, values.y_centre).sky.area_deg2();
  island.sky = header.wcs.to_sky(values.x_centre, values.y_centre).value_or(nowhere);
  island.peak_sky =
      header.wcs.to_sky(static_cast<double>(values.peak_x), static_cast<double>(values.peak_y)).value_or(nowhere);
  const auto local = header.wcs.sky_per_pixel(values.x_centre, values.y_centre);
  if (!local) return island;
  island.axes = ellipse_of(to_sky(values.moments, *local));
  const double angle = values.length_angle * std::numbers::pi / 180;
  const double dx = values.length_px * std::cos(angle), dy = values.length_px * std::sin(angle);
  const double east = local->a * dx + local->b * dy, north = local->c * dx + local->d * dy;
  island.length_deg = std::hypot(east, north);
  const double pa = std::atan2(east, north) * 180 / std::numbers::pi;
  island.length_pa = pa < 0 ? pa + 180 : pa;
  return island;
}

/// A step of SplitMix64 (Steele et al. 2014).
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
  return z ^ z >> 31U;
}

}  // namespace

std::string table_uuid(const std::string& image, std::int64_t island, std::int64_t row, double x, double y) {
  std::array<std::uint64_t, 2> half{1, 2};
  for (std::uint64_t& word : half) {
    for (const char c : image) word = mixed(word ^ static_cast<unsigned char>(c));
    for (const std::uint64_t part : {static_cast<std::uint64_t>(island), static_cast<std::uint64_t>(row),
                                     std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y)})
      word = mixed(word ^ part);
  }
  half[0] = (half[0] & ~0xf000ULL) | 0x8000U;
  half[1] = (half[1] & 0x3fffffffffffffffULL) | 0x8000000000000000ULL;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", half[0] >> 32U, half[0] >> 16U & 0xffffU, half[0] & 0xffffU,
                     half[1] >> 48U, half[1] & 0xffffffffffffU);
}

std::vector<Column> island_columns(IslandTable table, const SourceList& list, const ImageHeader& header,
                                   const BeamField& beams, const std::string& image) {
  const ImageFacts facts = facts_of(header, image);
  std::vector<Island> places;
  for (const IslandValues& values : list.islands) places.push_back(place_of(values, list, header, beams, facts));
  return columns_of<Island>(rows_of(table), places, [&](const ColumnInfo& own) {
    ColumnInfo info = in_frame_of(own, header);
    if (info.unit == "mJy/beam" && facts.milli == 1) info.unit = header.unit.name();
    if (info.unit == "mJy") info.unit = "m" + header.unit.total_name();
    return info;
  });
}

std::vector<ColumnInfo> island_column_infos(IslandTable table) { return infos_of<Island>(rows_of(table)); }

}  // namespace reber

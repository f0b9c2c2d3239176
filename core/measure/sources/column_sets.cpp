// SPDX-License-Identifier: BSD-3-Clause
// One table per set of columns: names, units and order as Aegean 2.3 and Selavy (CASDA components 1.9) have them.
#include "core/measure/sources/column_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/error.hpp"
#include "core/measure/sources/island_columns.hpp"
#include "core/measure/sources/plane_columns.hpp"
#include "core/measure/sources/pybdsf_columns.hpp"
#include "core/measure/sources/source_columns.hpp"

namespace reber {
namespace {

/// What the columns of a set are made of.
struct Rows {
  const Catalogue& catalogue;
  std::span<const Source> sources;
  BeamField beams;
  const ListedSources* listed = nullptr;
  Catalogue residuals{};  ///< columns that our own table has not
};

using Values = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>>;

/// from: the column of our own table that is copied, its unit converted; make: for what has no such column.
struct Row {
  ColumnInfo info;
  const char* from = nullptr;
  Values (*make)(const Rows&) = nullptr;
};

struct Conversion {
  const char *from, *to;
  double factor;
};
constexpr std::array kConversions{Conversion{"deg", "arcsec", 3600}, Conversion{"Jy", "mJy", 1e3},
                                  Conversion{"Jy/beam", "mJy/beam", 1e3}};

/// Our own column of that name, under the name that it has in other frames than an equatorial one too.
const Column* own_column(const Catalogue& catalogue, const std::string& name) {
  if (const Column* column = catalogue.find(name)) return column;
  for (const auto& [equatorial, others] :
       {std::pair{"RA", std::array{"GLON", "ELON"}}, std::pair{"DEC", std::array{"GLAT", "ELAT"}}}) {
    const std::size_t at = name.find(equatorial);
    if (at == std::string::npos) continue;
    for (const char* other : others) {
      std::string renamed = name;
      if (const Column* column = catalogue.find(renamed.replace(at, std::string(equatorial).size(), other)))
        return column;
    }
  }
  return nullptr;
}

template <typename Value, typename Maker>
Values for_each_source(const Rows& rows, Maker maker) {
  std::vector<Value> values;
  values.reserve(rows.sources.size());
  for (const Source& source : rows.sources) values.push_back(maker(source));
  return values;
}

/// Number of each source among those of its island, in the catalogue's order, from 0.
std::vector<std::int64_t> place_in_island(const Rows& rows) {
  std::map<std::int64_t, std::int64_t> seen;
  std::vector<std::int64_t> places;
  for (const Source& source : rows.sources) places.push_back(seen[source.island]++);
  return places;
}

Values component_number(const Rows& rows) { return place_in_island(rows); }

Values island_name(const Rows& rows) {
  return for_each_source<std::string>(rows, [](const Source& s) { return fmt::format("island_{}", s.island); });
}

/// "component_12a": the island and a letter for its place in it; aa follows z.
Values component_name(const Rows& rows) {
  const std::vector<std::int64_t> places = place_in_island(rows);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::string letters;
    for (std::int64_t rest = places[i] + 1; rest > 0; rest = (rest - 1) / 26)
      letters.insert(letters.begin(), static_cast<char>('a' + (rest - 1) % 26));
    names.push_back(fmt::format("component_{}{}", rows.sources[i].island, letters));
  }
  return names;
}

/// J123456-123456, truncated as the IAU wants names; B for B1950.
Values position_name(const Rows& rows) {
  const char letter = rows.catalogue.frame.rfind("FK4", 0) == 0 ? 'B' : 'J';
  return for_each_source<std::string>(rows, [&](const Source& s) {
    if (!std::isfinite(s.ra) || !std::isfinite(s.dec)) return std::string();
    const auto hours = static_cast<std::int64_t>(s.ra * 240),
               degrees = static_cast<std::int64_t>(std::abs(s.dec) * 3600);
    return fmt::format("{}{:02}{:02}{:02}{}{:02}{:02}{:02}", letter, hours / 3600, hours / 60 % 60, hours % 60,
                       s.dec < 0 ? '-' : '+', degrees / 3600, degrees / 60 % 60, degrees % 60);
  });
}

template <int decimals>
Values ra_text(const Rows& rows) {
  return for_each_source<std::string>(rows, [](const Source& s) { return sexagesimal_hours(s.ra, decimals); });
}
template <int decimals>
Values dec_text(const Rows& rows) {
  return for_each_source<std::string>(rows, [](const Source& s) { return sexagesimal_degrees(s.dec, decimals); });
}

/// Aegean's bits: 1 too few pixels for a fit, 4 fixed to the beam, 16 not fitted, 32 no sky position.
Values aegean_flags(const Rows& rows) {
  return for_each_source<std::int64_t>(rows, [](const Source& s) {
    const auto bit = [&](std::int64_t ours, std::int64_t theirs) { return (s.flag & ours) != 0 ? theirs : 0; };
    return bit(kFlagSmall, 1) | bit(kFlagBeamShape, 4) | (s.fitted ? 0 : 16) | bit(kFlagNoSky, 32);
  });
}

template <double Beam::*axis>
Values beam_axis(const Rows& rows) {
  const double scale = axis == &Beam::pa_deg ? 1 : 3600;
  return for_each_source<double>(rows, [&](const Source& s) {
    const std::optional<Beam> beam = rows.beams.varies() ? rows.beams.at(s.x, s.y).sky : rows.beams.nominal();
    return beam ? (*beam).*axis * scale : std::nan("");
  });
}

/// The island of each source.   pick: of its values
template <class Pick>
std::vector<double> of_island(const Rows& rows, Pick pick) {
  std::vector<double> values;
  for (const Source& source : rows.sources) {
    const auto found = std::ranges::lower_bound(rows.listed->list.islands, source.island, {}, &IslandValues::label);
    values.push_back(pick(*found));
  }
  return values;
}

/// Selavy's 999 and -99 for no value; it has neither spectra nor Taylor terms to look at.
Values chi_squared(const Rows& rows) {
  if (rows.listed == nullptr) return std::vector<double>(rows.sources.size(), 999.0);
  return of_island(rows, [](const IslandValues& island) { return std::isfinite(island.chi2) ? island.chi2 : 999.0; });
}
Values no_spectrum(const Rows& rows) { return std::vector<double>(rows.sources.size(), -99.0); }
Values no_taylor_terms(const Rows& rows) { return std::vector<std::int64_t>(rows.sources.size(), 0); }
Values no_comment(const Rows& rows) { return std::vector<std::string>(rows.sources.size()); }
Values is_doubtful(const Rows& rows) {
  return for_each_source<std::int64_t>(
      rows, [](const Source& s) { return std::int64_t{(s.flag & (kFlagNoise | kFlagBound)) != 0}; });
}

/// Made of what the source is, so that a second run gives the same.
Values unique_id(const Rows& rows) {
  std::vector<std::string> ids;
  std::int64_t row = 0;
  for (const Source& s : rows.sources) ids.push_back(table_uuid(rows.catalogue.image, s.island, row++, s.x, s.y));
  return ids;
}

Values frequency_mhz(const Rows& rows) {
  return std::vector<double>(rows.sources.size(), rows.catalogue.frequency_hz * 1e-6);
}
Values has_siblings(const Rows& rows) {
  return for_each_source<std::int64_t>(rows, [](const Source& s) { return std::int64_t{s.shared}; });
}
Values fit_is_estimate(const Rows& rows) {
  return for_each_source<std::int64_t>(rows, [](const Source& s) { return std::int64_t{!s.fitted}; });
}

// clang-format off
const std::vector<Row>& aegean_rows() {
  static const std::vector<Row> rows{
      {{"island", "", "meta.id.parent", "Island"}, "Isl_id"},
      {{"source", "", "meta.id", "Number within the island, from 0"}, nullptr, component_number},
      {{"background", "Jy/beam", "phot.flux.density;em.radio;stat.mean", "Local background"}, "Isl_mean"},
      {{"local_rms", "Jy/beam", "stat.stdev;phot.flux.density;em.radio", "Local noise rms"}, "Isl_rms"},
      {{"ra_str", "", "pos.eq.ra", "Right ascension, hours"}, nullptr, ra_text<2>},
      {{"dec_str", "", "pos.eq.dec", "Declination, degrees"}, nullptr, dec_text<2>},
      {{"ra", "deg", "pos.eq.ra;meta.main", "Right ascension"}, "RA"},
      {{"err_ra", "deg", "stat.error;pos.eq.ra", "Its 1-sigma error, on the sky"}, "E_RA"},
      {{"dec", "deg", "pos.eq.dec;meta.main", "Declination"}, "DEC"},
      {{"err_dec", "deg", "stat.error;pos.eq.dec", "Its 1-sigma error"}, "E_DEC"},
      {{"peak_flux", "Jy/beam", "phot.flux.density;stat.max;em.radio", "Peak brightness"}, "Peak_flux"},
      {{"err_peak_flux", "Jy/beam", "stat.error;phot.flux.density;stat.max;em.radio", "Its 1-sigma error"}, "E_Peak_flux"},
      {{"int_flux", "Jy", "phot.flux.density;em.radio", "Total flux density"}, "Total_flux"},
      {{"err_int_flux", "Jy", "stat.error;phot.flux.density;em.radio", "Its 1-sigma error"}, "E_Total_flux"},
      {{"a", "arcsec", "phys.angSize.smajAxis", "FWHM of the major axis"}, "Maj"},
      {{"err_a", "arcsec", "stat.error;phys.angSize.smajAxis", "Its 1-sigma error"}, "E_Maj"},
      {{"b", "arcsec", "phys.angSize.sminAxis", "FWHM of the minor axis"}, "Min"},
      {{"err_b", "arcsec", "stat.error;phys.angSize.sminAxis", "Its 1-sigma error"}, "E_Min"},
      {{"pa", "deg", "pos.posAng", "Position angle, north through east"}, "PA"},
      {{"err_pa", "deg", "stat.error;pos.posAng", "Its 1-sigma error"}, "E_PA"},
      {{"flags", "", "meta.code.qual", "Sum of 1: too few pixels, 4: the beam's shape, 16: not fitted, 32: no sky position"}, nullptr, aegean_flags},
      {{"residual_mean", "Jy/beam", "phot.flux.density;stat.mean", "Mean residual of the island"}, "Resid_Isl_mean"},
      {{"residual_std", "Jy/beam", "stat.stdev;phot.flux.density", "Residual rms of the island"}, "Resid_Isl_rms"},
      {{"uuid", "", "meta.id;meta.main", "Made of image, island and place: the same in every run"}, nullptr, unique_id},
      {{"psf_a", "arcsec", "phys.angSize.smajAxis;instr.beam", "FWHM of the beam's major axis"}, nullptr, beam_axis<&Beam::major_deg>},
      {{"psf_b", "arcsec", "phys.angSize.sminAxis;instr.beam", "FWHM of the beam's minor axis"}, nullptr, beam_axis<&Beam::minor_deg>},
      {{"psf_pa", "deg", "pos.posAng;instr.beam", "Position angle of the beam"}, nullptr, beam_axis<&Beam::pa_deg>},
  };
  return rows;
}

const std::vector<Row>& casda_rows() {
  static const std::vector<Row> rows{
      {{"island_id", "", "meta.id.parent", "Island"}, nullptr, island_name},
      {{"component_id", "", "meta.id;meta.main", "Island and letter within it"}, nullptr, component_name},
      {{"component_name", "", "meta.id", "Name by position, truncated"}, nullptr, position_name},
      {{"ra_hms_cont", "", "pos.eq.ra", "Right ascension, hours"}, nullptr, ra_text<1>},
      {{"dec_dms_cont", "", "pos.eq.dec", "Declination, degrees"}, nullptr, dec_text<0>},
      {{"ra_deg_cont", "deg", "pos.eq.ra;meta.main", "Right ascension"}, "RA"},
      {{"dec_deg_cont", "deg", "pos.eq.dec;meta.main", "Declination"}, "DEC"},
      {{"ra_err", "arcsec", "stat.error;pos.eq.ra", "1-sigma error of the right ascension, on the sky"}, "E_RA"},
      {{"dec_err", "arcsec", "stat.error;pos.eq.dec", "1-sigma error of the declination"}, "E_DEC"},
      {{"freq", "MHz", "em.freq", "Frequency of the image"}, nullptr, frequency_mhz},
      {{"flux_peak", "mJy/beam", "phot.flux.density;stat.max;em.radio;stat.fit", "Peak brightness"}, "Peak_flux"},
      {{"flux_peak_err", "mJy/beam", "stat.error;phot.flux.density;stat.max;em.radio;stat.fit", "Its 1-sigma error"}, "E_Peak_flux"},
      {{"flux_int", "mJy", "phot.flux.density;em.radio;stat.fit", "Total flux density"}, "Total_flux"},
      {{"flux_int_err", "mJy", "stat.error;phot.flux.density;em.radio;stat.fit", "Its 1-sigma error"}, "E_Total_flux"},
      {{"maj_axis", "arcsec", "phys.angSize.smajAxis;em.radio;stat.fit", "FWHM of the major axis"}, "Maj"},
      {{"min_axis", "arcsec", "phys.angSize.sminAxis;em.radio;stat.fit", "FWHM of the minor axis"}, "Min"},
      {{"pos_ang", "deg", "phys.angSize;pos.posAng;em.radio;stat.fit", "Position angle, north through east"}, "PA"},
      {{"maj_axis_err", "arcsec", "stat.error;phys.angSize.smajAxis;em.radio", "1-sigma error of maj_axis"}, "E_Maj"},
      {{"min_axis_err", "arcsec", "stat.error;phys.angSize.sminAxis;em.radio", "1-sigma error of min_axis"}, "E_Min"},
      {{"pos_ang_err", "deg", "stat.error;phys.angSize;pos.posAng;em.radio", "1-sigma error of pos_ang"}, "E_PA"},
      {{"maj_axis_deconv", "arcsec", "phys.angSize.smajAxis;em.radio;meta.modelled", "maj_axis deconvolved from the beam; 0 where not resolved"}, "DC_Maj"},
      {{"min_axis_deconv", "arcsec", "phys.angSize.sminAxis;em.radio;meta.modelled", "min_axis deconvolved from the beam; 0 where not resolved"}, "DC_Min"},
      {{"pos_ang_deconv", "deg", "phys.angSize;pos.posAng;em.radio;meta.modelled", "pos_ang after deconvolution"}, "DC_PA"},
      {{"maj_axis_deconv_err", "arcsec", "stat.error;phys.angSize.smajAxis;em.radio;meta.modelled", "1-sigma error of maj_axis_deconv"}, "E_DC_Maj"},
      {{"min_axis_deconv_err", "arcsec", "stat.error;phys.angSize.sminAxis;em.radio;meta.modelled", "1-sigma error of min_axis_deconv"}, "E_DC_Min"},
      {{"pos_ang_deconv_err", "deg", "stat.error;phys.angSize;pos.posAng;em.radio;meta.modelled", "1-sigma error of pos_ang_deconv"}, "E_DC_PA"},
      {{"chi_squared_fit", "", "stat.fit.chi2", "Sum of squares of the island's residual over the noise; 999: none"}, nullptr, chi_squared},
      {{"rms_fit_gauss", "mJy/beam", "stat.stdev;stat.fit", "Residual rms of the island"}, "Resid_Isl_rms"},
      {{"spectral_index", "", "spect.index;em.radio", "-99: not measured"}, nullptr, no_spectrum},
      {{"spectral_curvature", "", "askap:spect.curvature;em.radio", "-99: not measured"}, nullptr, no_spectrum},
      {{"spectral_index_err", "", "stat.error;spect.index;em.radio", "-99: not measured"}, nullptr, no_spectrum},
      {{"spectral_curvature_err", "", "stat.error;askap:spect.curvature;em.radio", "-99: not measured"}, nullptr, no_spectrum},
      {{"rms_image", "mJy/beam", "stat.stdev;phot.flux.density", "Local noise rms"}, "Isl_rms"},
      {{"has_siblings", "", "meta.code", "1: one of several components of its island"}, nullptr, has_siblings},
      {{"fit_is_estimate", "", "meta.code", "1: measured by moments, not by a fit"}, nullptr, fit_is_estimate},
      {{"spectral_index_from_TT", "", "meta.code", "1: from Taylor terms; 0: not"}, nullptr, no_taylor_terms},
      {{"flag_c4", "", "meta.code", "1: a fit at its bound, or no more than a peak of the noise"}, nullptr, is_doubtful},
      {{"comment", "", "meta.note", "Empty"}, nullptr, no_comment},
  };
  return rows;
}
// clang-format on

const std::vector<Row>& rows_of(ColumnSet set) { return set == ColumnSet::aegean ? aegean_rows() : casda_rows(); }

/// A copy of our column in the set's unit.
Column converted(const Row& row, const Column& own, bool minus_one_for_none) {
  Column column{row.info, own.values};
  column.info.ucd =
      own.info.ucd.find("pos.galactic") != std::string::npos || own.info.ucd.find("pos.ecliptic") != std::string::npos
          ? own.info.ucd
          : row.info.ucd;
  column.info.unit = own.info.unit;
  double factor = 1;
  for (const Conversion& conversion : kConversions) {
    if (own.info.unit != conversion.from || row.info.unit != conversion.to) continue;
    factor = conversion.factor;
    column.info.unit = conversion.to;
  }
  if (auto* values = std::get_if<std::vector<double>>(&column.values)) {
    for (double& value : *values) value = std::isnan(value) && minus_one_for_none ? -1 : value * factor;
  }
  return column;
}

/// Before lon and lat in a column's name; a blank for equatorial frames.
char frame_letter(const Catalogue& catalogue) {
  return catalogue.frame == "Galactic" ? 'g' : catalogue.frame == "Ecliptic" ? 'e' : ' ';
}

/// ra and dec inside a name become glon and glat, or elon and elat.
std::string in_frame(const std::string& name, char frame) {
  std::string out = fmt::format("_{}_", name);
  for (const auto& [equatorial, other] : {std::pair{"_ra_", "lon"}, std::pair{"_dec_", "lat"}}) {
    const std::size_t at = out.find(equatorial);
    if (at != std::string::npos) out.replace(at, std::string(equatorial).size(), fmt::format("_{}{}_", frame, other));
  }
  return out.substr(1, out.size() - 2);
}

/// What stands before the rows: that of `catalogue`, and how they are called.
Catalogue headed_like(const Catalogue& catalogue, ColumnSet set) {
  Catalogue out = catalogue;
  out.columns.clear();
  out.history.push_back(fmt::format("columns: {}", to_string(set)));
  const bool of_pybdsf = set == ColumnSet::srl || set == ColumnSet::gaul;
  out.short_integers = of_pybdsf || set == ColumnSet::aegean || set == ColumnSet::aegean_isle;
  // PyBDSF states an equinox for every frame.
  if (of_pybdsf && std::isnan(out.equinox) && out.frame == "ICRS") out.equinox = 2000;
  return out;
}

bool needs_list(ColumnSet set) {
  return set != ColumnSet::pybdsf && set != ColumnSet::aegean && set != ColumnSet::casda;
}

std::vector<Column> listed_columns(const Catalogue& catalogue, const ListedSources& listed, ColumnSet set,
                                   const BeamField& beams) {
  if (set == ColumnSet::srl || set == ColumnSet::gaul)
    return pybdsf_columns(set == ColumnSet::srl ? PybdsfTable::srl : PybdsfTable::gaul, listed.list, listed.header,
                          beams);
  const IslandTable table = set == ColumnSet::aegean_isle ? IslandTable::aegean : IslandTable::casda;
  std::vector<Column> columns = island_columns(table, listed.list, listed.header, beams, catalogue.image);
  const char frame = frame_letter(catalogue);
  if (frame == ' ') return columns;
  std::erase_if(columns, [](const Column& column) {
    return column.info.ucd == "pos.eq.ra" || column.info.ucd == "pos.eq.dec" || column.info.name == "island_name";
  });
  for (Column& column : columns) column.info.name = in_frame(column.info.name, frame);
  return columns;
}

void add_residuals(Rows& rows) {
  const std::string unit = rows.listed->header.unit.name();
  rows.residuals.columns = {
      {{"Resid_Isl_mean", unit, "", ""}, of_island(rows, [](const IslandValues& v) { return v.residual_mean; })},
      {{"Resid_Isl_rms", unit, "", ""}, of_island(rows, [](const IslandValues& v) { return v.residual_rms; })}};
}

}  // namespace

Catalogue in_columns(const Catalogue& catalogue, std::span<const Source> sources, ColumnSet set, const BeamField& beams,
                     const ListedSources* listed) {
  if (set == ColumnSet::pybdsf) return catalogue;
  Rows rows{catalogue, sources, beams, listed};
  Catalogue out = headed_like(catalogue, set);
  if (needs_list(set)) {
    if (listed == nullptr) throw InternalError("a table of sources or islands without the list of them");
    out.columns = listed_columns(catalogue, *listed, set, beams);
    return out;
  }
  if (listed != nullptr) add_residuals(rows);
  const char frame = frame_letter(catalogue);
  for (const Row& row : rows_of(set)) {
    if (row.make != nullptr) {
      // Hours and names by position are for equatorial positions alone.
      const bool of_position = row.info.ucd.rfind("pos.eq", 0) == 0 || row.make == position_name;
      if (of_position && (frame != ' ' || catalogue.frame.empty())) continue;
      out.columns.push_back({row.info, row.make(rows)});
      continue;
    }
    const Column* own = own_column(catalogue, row.from);
    if (own == nullptr) own = rows.residuals.find(row.from);
    if (own == nullptr) continue;
    const bool error = row.info.name.rfind("err_", 0) == 0;
    out.columns.push_back(converted(row, *own, set == ColumnSet::aegean && error));
    if (frame != ' ') out.columns.back().info.name = in_frame(row.info.name, frame);
  }
  return out;
}

std::vector<SetColumn> set_columns(ColumnSet set) {
  std::vector<SetColumn> columns;
  if (set == ColumnSet::pybdsf) {
    for (const ColumnInfo& info : catalogue_columns()) columns.push_back({info, info.name});
    return columns;
  }
  if (needs_list(set)) {
    const bool islands = set == ColumnSet::aegean_isle || set == ColumnSet::casda_islands;
    const auto infos =
        islands ? island_column_infos(set == ColumnSet::aegean_isle ? IslandTable::aegean : IslandTable::casda)
                : pybdsf_column_infos(set == ColumnSet::srl ? PybdsfTable::srl : PybdsfTable::gaul);
    for (const ColumnInfo& info : infos) columns.push_back({info, ""});
    return columns;
  }
  for (const Row& row : rows_of(set)) columns.push_back({row.info, row.from != nullptr ? row.from : ""});
  return columns;
}

std::string columns_document() {
  std::string text =
      "# Columns of the catalogues\n\nWhat `reber --list-columns` prints. Sizes are FWHM, angles are north through "
      "east, NaN is no value.\nJy/beam stands for the image's own unit where that is another. In galactic images RA "
      "and DEC are GLON and GLAT,\nin ecliptic ones ELON and ELAT.\n";
  for (const Word<ColumnSet>& word : words<ColumnSet>) {
    const ColumnSet set = word.value;
    const bool own = set == ColumnSet::pybdsf || needs_list(set);
    text += fmt::format("\n## --columns {}\n\n| name | unit |{} UCD | what it is |\n|---|---|{}---|---|\n",
                        to_string(set), own ? "" : " from |", own ? "" : "---|");
    for (const SetColumn& column : set_columns(set)) {
      text += fmt::format("| `{}` | {} |{} {} | {} |\n", column.info.name, column.info.unit,
                          own ? std::string() : fmt::format(" {} |", column.from), column.info.ucd, column.info.text);
    }
  }
  return text + plane_columns_document();
}

}  // namespace reber

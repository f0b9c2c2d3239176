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
#include "core/sky/model/column_row.hpp"

namespace reber {
namespace {

/// What all components share.
struct Facts {
  const Catalogue& catalogue;
  const BeamField& beams;
  const ListedSources* listed = nullptr;
};

/// A row of the catalogue, for columns that our own table has not.
struct Component {
  const Source& s;
  const Facts& of;
  std::int64_t row = 0, place = 0;  ///< among all, and among those of its island; from 0
};
using Row = ColumnRow<Component>;

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

std::string island_name(const Component& c) { return fmt::format("island_{}", c.s.island); }

/// "component_12a": the island and a letter for its place in it; aa follows z.
std::string component_name(const Component& c) {
  std::string letters;
  for (std::int64_t rest = c.place + 1; rest > 0; rest = (rest - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('a' + (rest - 1) % 26));
  return fmt::format("component_{}{}", c.s.island, letters);
}

/// J123456-123456, truncated as the IAU wants names; B for B1950.
std::string position_name(const Component& c) {
  const double lon = c.s.ra, lat = c.s.dec;
  if (!std::isfinite(lon) || !std::isfinite(lat)) return {};
  const char letter = c.of.catalogue.frame.rfind("FK4", 0) == 0 ? 'B' : 'J';
  const auto hours = static_cast<std::int64_t>(lon * 240), degrees = static_cast<std::int64_t>(std::abs(lat) * 3600);
  return fmt::format("{}{:02}{:02}{:02}{}{:02}{:02}{:02}", letter, hours / 3600, hours / 60 % 60, hours % 60,
                     lat < 0 ? '-' : '+', degrees / 3600, degrees / 60 % 60, degrees % 60);
}

template <int decimals>
std::string ra_text(const Component& c) {
  return sexagesimal_hours(c.s.ra, decimals);
}
template <int decimals>
std::string dec_text(const Component& c) {
  return sexagesimal_degrees(c.s.dec, decimals);
}

/// Aegean's bits: 1 too few pixels for a fit, 4 fixed to the beam, 16 not fitted, 32 no sky position.
std::int64_t aegean_flags(const Component& c) {
  const auto bit = [&](std::int64_t ours, std::int64_t theirs) { return (c.s.flag & ours) != 0 ? theirs : 0; };
  return bit(kFlagSmall, 1) | bit(kFlagBeamShape, 4) | (c.s.fitted ? 0 : 16) | bit(kFlagNoSky, 32);
}

template <double Beam::*axis>
double beam_axis(const Component& c) {
  const std::optional<Beam> beam = c.of.beams.varies() ? c.of.beams.at(c.s.x, c.s.y).sky : c.of.beams.nominal();
  return beam ? (*beam).*axis * (axis == &Beam::pa_deg ? 1 : 3600) : std::nan("");
}

/// C - B, 0 where that is below 0, as these tables have it; degrees to arcsec.
template <double Source::*axis>
double without_beam(const Component& c) {
  return c.s.*axis * 3600;
}

/// Its island's; there must be a list.
const IslandValues& island_of(const Source& source, const ListedSources& listed) {
  return *std::ranges::lower_bound(listed.list.islands, source.island, {}, &IslandValues::label);
}

/// Selavy's 999 and -99 for no value; it has neither spectra nor Taylor terms to look at.
double chi_squared(const Component& c) {
  const double chi2 = c.of.listed != nullptr ? island_of(c.s, *c.of.listed).chi2 : std::nan("");
  return std::isfinite(chi2) ? chi2 : 999;
}
double no_spectrum(const Component&) { return -99; }
std::int64_t no_taylor_terms(const Component&) { return 0; }
std::string no_comment(const Component&) { return {}; }
std::int64_t is_doubtful(const Component& c) { return (c.s.flag & (kFlagNoise | kFlagBound)) != 0 ? 1 : 0; }

/// Made of what the source is, so that a second run gives the same.
std::string unique_id(const Component& c) { return table_uuid(c.of.catalogue.image, c.s.island, c.row, c.s.x, c.s.y); }

double frequency_mhz(const Component& c) { return c.of.catalogue.frequency_hz * 1e-6; }

// clang-format off
const std::vector<Row>& aegean_rows() {
  static const std::vector<Row> rows{
      {{"island", "", "meta.id.parent", "Island"}, CopyOf{"Isl_id"}},
      {{"source", "", "meta.id", "Number within the island, from 0"}, &Component::place},
      {{"background", "Jy/beam", "phot.flux.density;em.radio;stat.mean", "Local background"}, CopyOf{"Isl_mean"}},
      {{"local_rms", "Jy/beam", "stat.stdev;phot.flux.density;em.radio", "Local noise rms"}, CopyOf{"Isl_rms"}},
      {{"ra_str", "", "pos.eq.ra", "Right ascension, hours"}, ra_text<2>},
      {{"dec_str", "", "pos.eq.dec", "Declination, degrees"}, dec_text<2>},
      {{"ra", "deg", "pos.eq.ra;meta.main", "Right ascension"}, CopyOf{"RA"}},
      {{"err_ra", "deg", "stat.error;pos.eq.ra", "Its 1-sigma error, on the sky"}, CopyOf{"E_RA"}},
      {{"dec", "deg", "pos.eq.dec;meta.main", "Declination"}, CopyOf{"DEC"}},
      {{"err_dec", "deg", "stat.error;pos.eq.dec", "Its 1-sigma error"}, CopyOf{"E_DEC"}},
      {{"peak_flux", "Jy/beam", "phot.flux.density;stat.max;em.radio", "Peak brightness"}, CopyOf{"Peak_flux"}},
      {{"err_peak_flux", "Jy/beam", "stat.error;phot.flux.density;stat.max;em.radio", "Its 1-sigma error"}, CopyOf{"E_Peak_flux"}},
      {{"int_flux", "Jy", "phot.flux.density;em.radio", "Total flux density"}, CopyOf{"Total_flux"}},
      {{"err_int_flux", "Jy", "stat.error;phot.flux.density;em.radio", "Its 1-sigma error"}, CopyOf{"E_Total_flux"}},
      {{"a", "arcsec", "phys.angSize.smajAxis", "FWHM of the major axis"}, CopyOf{"Maj"}},
      {{"err_a", "arcsec", "stat.error;phys.angSize.smajAxis", "Its 1-sigma error"}, CopyOf{"E_Maj"}},
      {{"b", "arcsec", "phys.angSize.sminAxis", "FWHM of the minor axis"}, CopyOf{"Min"}},
      {{"err_b", "arcsec", "stat.error;phys.angSize.sminAxis", "Its 1-sigma error"}, CopyOf{"E_Min"}},
      {{"pa", "deg", "pos.posAng", "Position angle, north through east"}, CopyOf{"PA"}},
      {{"err_pa", "deg", "stat.error;pos.posAng", "Its 1-sigma error"}, CopyOf{"E_PA"}},
      {{"flags", "", "meta.code.qual", "Sum of 1: too few pixels, 4: the beam's shape, 16: not fitted, 32: no sky position"}, aegean_flags},
      {{"residual_mean", "Jy/beam", "phot.flux.density;stat.mean", "Mean residual of the island"}, CopyOf{"Resid_Isl_mean"}},
      {{"residual_std", "Jy/beam", "stat.stdev;phot.flux.density", "Residual rms of the island"}, CopyOf{"Resid_Isl_rms"}},
      {{"uuid", "", "meta.id;meta.main", "Made of image, island and place: the same in every run"}, unique_id},
      {{"psf_a", "arcsec", "phys.angSize.smajAxis;instr.beam", "FWHM of the beam's major axis"}, beam_axis<&Beam::major_deg>},
      {{"psf_b", "arcsec", "phys.angSize.sminAxis;instr.beam", "FWHM of the beam's minor axis"}, beam_axis<&Beam::minor_deg>},
      {{"psf_pa", "deg", "pos.posAng;instr.beam", "Position angle of the beam"}, beam_axis<&Beam::pa_deg>},
  };
  return rows;
}

const std::vector<Row>& casda_rows() {
  static const std::vector<Row> rows{
      {{"island_id", "", "meta.id.parent", "Island"}, island_name},
      {{"component_id", "", "meta.id;meta.main", "Island and letter within it"}, component_name},
      {{"component_name", "", "meta.id", "Name by position, truncated"}, position_name},
      {{"ra_hms_cont", "", "pos.eq.ra", "Right ascension, hours"}, ra_text<1>},
      {{"dec_dms_cont", "", "pos.eq.dec", "Declination, degrees"}, dec_text<0>},
      {{"ra_deg_cont", "deg", "pos.eq.ra;meta.main", "Right ascension"}, CopyOf{"RA"}},
      {{"dec_deg_cont", "deg", "pos.eq.dec;meta.main", "Declination"}, CopyOf{"DEC"}},
      {{"ra_err", "arcsec", "stat.error;pos.eq.ra", "1-sigma error of the right ascension, on the sky"}, CopyOf{"E_RA"}},
      {{"dec_err", "arcsec", "stat.error;pos.eq.dec", "1-sigma error of the declination"}, CopyOf{"E_DEC"}},
      {{"freq", "MHz", "em.freq", "Frequency of the image"}, frequency_mhz},
      {{"flux_peak", "mJy/beam", "phot.flux.density;stat.max;em.radio;stat.fit", "Peak brightness"}, CopyOf{"Peak_flux"}},
      {{"flux_peak_err", "mJy/beam", "stat.error;phot.flux.density;stat.max;em.radio;stat.fit", "Its 1-sigma error"}, CopyOf{"E_Peak_flux"}},
      {{"flux_int", "mJy", "phot.flux.density;em.radio;stat.fit", "Total flux density"}, CopyOf{"Total_flux"}},
      {{"flux_int_err", "mJy", "stat.error;phot.flux.density;em.radio;stat.fit", "Its 1-sigma error"}, CopyOf{"E_Total_flux"}},
      {{"maj_axis", "arcsec", "phys.angSize.smajAxis;em.radio;stat.fit", "FWHM of the major axis"}, CopyOf{"Maj"}},
      {{"min_axis", "arcsec", "phys.angSize.sminAxis;em.radio;stat.fit", "FWHM of the minor axis"}, CopyOf{"Min"}},
      {{"pos_ang", "deg", "phys.angSize;pos.posAng;em.radio;stat.fit", "Position angle, north through east"}, CopyOf{"PA"}},
      {{"maj_axis_err", "arcsec", "stat.error;phys.angSize.smajAxis;em.radio", "1-sigma error of maj_axis"}, CopyOf{"E_Maj"}},
      {{"min_axis_err", "arcsec", "stat.error;phys.angSize.sminAxis;em.radio", "1-sigma error of min_axis"}, CopyOf{"E_Min"}},
      {{"pos_ang_err", "deg", "stat.error;phys.angSize;pos.posAng;em.radio", "1-sigma error of pos_ang"}, CopyOf{"E_PA"}},
      {{"maj_axis_deconv", "arcsec", "phys.angSize.smajAxis;em.radio;meta.modelled", "maj_axis deconvolved from the beam; 0 where not resolved"}, without_beam<&Source::dc_major_deg>},
      {{"min_axis_deconv", "arcsec", "phys.angSize.sminAxis;em.radio;meta.modelled", "min_axis deconvolved from the beam; 0 where not resolved"}, without_beam<&Source::dc_minor_deg>},
      {{"pos_ang_deconv", "deg", "phys.angSize;pos.posAng;em.radio;meta.modelled", "pos_ang after deconvolution"}, CopyOf{"DC_PA"}},
      {{"maj_axis_deconv_err", "arcsec", "stat.error;phys.angSize.smajAxis;em.radio;meta.modelled", "1-sigma error of maj_axis_deconv"}, without_beam<&Source::e_dc_major_deg>},
      {{"min_axis_deconv_err", "arcsec", "stat.error;phys.angSize.sminAxis;em.radio;meta.modelled", "1-sigma error of min_axis_deconv"}, without_beam<&Source::e_dc_minor_deg>},
      {{"pos_ang_deconv_err", "deg", "stat.error;phys.angSize;pos.posAng;em.radio;meta.modelled", "1-sigma error of pos_ang_deconv"}, CopyOf{"E_DC_PA"}},
      {{"chi_squared_fit", "", "stat.fit.chi2", "Sum of squares of the island's residual over the noise; 999: none"}, chi_squared},
      {{"rms_fit_gauss", "mJy/beam", "stat.stdev;stat.fit", "Residual rms of the island"}, CopyOf{"Resid_Isl_rms"}},
      {{"spectral_index", "", "spect.index;em.radio", "-99: not measured"}, no_spectrum},
      {{"spectral_curvature", "", "askap:spect.curvature;em.radio", "-99: not measured"}, no_spectrum},
      {{"spectral_index_err", "", "stat.error;spect.index;em.radio", "-99: not measured"}, no_spectrum},
      {{"spectral_curvature_err", "", "stat.error;askap:spect.curvature;em.radio", "-99: not measured"}, no_spectrum},
      {{"rms_image", "mJy/beam", "stat.stdev;phot.flux.density", "Local noise rms"}, CopyOf{"Isl_rms"}},
      {{"has_siblings", "", "meta.code", "1: one of several components of its island"}, [](const Component& c) -> std::int64_t { return c.s.shared; }},
      {{"fit_is_estimate", "", "meta.code", "1: measured by moments, not by a fit"}, [](const Component& c) -> std::int64_t { return !c.s.fitted; }},
      {{"spectral_index_from_TT", "", "meta.code", "1: from Taylor terms; 0: not"}, no_taylor_terms},
      {{"flag_c4", "", "meta.code", "1: a fit at its bound, or no more than a peak of the noise"}, is_doubtful},
      {{"comment", "", "meta.note", "Empty"}, no_comment},
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

/// Columns of our own for each source, which make_catalogue() leaves to these sets.
Catalogue residuals_of(std::span<const Source> sources, const ListedSources& listed) {
  std::vector<double> mean, rms;
  for (const Source& source : sources) {
    const IslandValues& island = island_of(source, listed);
    mean.push_back(island.residual_mean), rms.push_back(island.residual_rms);
  }
  const std::string unit = listed.header.unit.name();
  Catalogue made;
  made.columns = {{{"Resid_Isl_mean", unit, "", ""}, std::move(mean)},
                  {{"Resid_Isl_rms", unit, "", ""}, std::move(rms)}};
  return made;
}

std::vector<Component> components_of(std::span<const Source> sources, const Facts& facts) {
  std::map<std::int64_t, std::int64_t> seen;
  std::vector<Component> components;
  for (const Source& source : sources)
    components.push_back({source, facts, std::ssize(components), seen[source.island]++});
  return components;
}

}  // namespace

Catalogue in_columns(const Catalogue& catalogue, std::span<const Source> sources, ColumnSet set, const BeamField& beams,
                     const ListedSources* listed) {
  if (set == ColumnSet::pybdsf) return catalogue;
  Catalogue out = headed_like(catalogue, set);
  if (needs_list(set)) {
    if (listed == nullptr) throw InternalError("a table of sources or islands without the list of them");
    out.columns = listed_columns(catalogue, *listed, set, beams);
    return out;
  }
  const Facts facts{catalogue, beams, listed};
  const std::vector<Component> components = components_of(sources, facts);
  const Catalogue residuals = listed != nullptr ? residuals_of(sources, *listed) : Catalogue();
  const char frame = frame_letter(catalogue);
  for (const Row& row : rows_of(set)) {
    const auto* const copy = std::get_if<CopyOf>(&row.value);
    if (copy == nullptr) {
      // Hours and names by position are for equatorial positions alone.
      const bool of_position = row.info.ucd.rfind("pos.eq", 0) == 0 || row.info.name == "component_name";
      if (of_position && (frame != ' ' || catalogue.frame.empty())) continue;
      out.columns.push_back(column_of<Component>(row.info, row, components));
      continue;
    }
    const Column* own = own_column(catalogue, copy->name);
    if (own == nullptr) own = residuals.find(copy->name);
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
  for (const Row& row : rows_of(set)) {
    const auto* const copy = std::get_if<CopyOf>(&row.value);
    columns.push_back({row.info, copy != nullptr ? copy->name : ""});
  }
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

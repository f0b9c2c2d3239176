// SPDX-License-Identifier: BSD-3-Clause
// What a catalogue of any origin says of its sources, in one set of units.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {

/// Which column served for a quantity.
struct UsedColumn {
  std::string key;       ///< the quantity, as in SkyList: "lon", "total" ...
  std::string column;    ///< its name in the catalogue
  std::string unit;      ///< as found, or taken for granted
  bool assumed = false;  ///< the unit stands nowhere in the file
};

/// Quantities of a list of sources. A vector is empty where the catalogue has no such column; NaN: no value.
struct SkyList {
  std::int64_t rows = 0;
  std::string frame = "ICRS";  ///< of lon and lat, as name_of() writes it; "ICRS" where none is stated. Columns
                               ///< of galactic and ecliptic longitude become ICRS
  std::optional<SkySystem> system = SkySystem{};  ///< the same; empty for a frame that is not known here
  bool frame_assumed = true;                      ///< neither the catalogue nor the columns' names state one
  std::vector<std::string> name;                  ///< of the source: its name or number in the catalogue
  std::vector<double> lon, lat;                   ///< degrees
  std::vector<double> e_lon, e_lat;               ///< 1 sigma, degrees on the sky
  std::vector<double> x, y;                       ///< 0-based pixels
  std::vector<double> peak, e_peak;               ///< Jy/beam
  std::vector<double> total, e_total;             ///< Jy
  std::vector<double> major, minor;               ///< FWHM as fitted (the beam not taken out), degrees
  std::vector<double> pa;                         ///< degrees, north through east
  std::vector<double> rms;                        ///< local noise, Jy/beam
  std::vector<double> snr;           ///< as given, else peak / rms, else peak / e_peak, else total / e_total
  bool flux_scale_known = true;      ///< false: counts or the like, good for scatter alone
  std::vector<UsedColumn> used;      ///< in the order of the quantities above
  std::vector<std::string> refused;  ///< cells of positions: "column ra, row 3: 'masked' is no angle"; NaN stands there
};

/// The user's own choice of columns: quantity -> "COLUMN" or "COLUMN:UNIT".
using ColumnChoice = std::map<std::string, std::string>;

/// Reads "lon=RA_1,total=S150:mJy".   throws InputError where a quantity is unknown (lists the known ones)
[[nodiscard]] ColumnChoice parse_columns(const std::string& text, const std::string& option);

/// Knows the columns of PyBDSF, Aegean, Selavy/CASDA, SExtractor, PySE, SoFiA, Reber, and of the surveys in VizieR.
/// Names are compared without regard to case; positions are known by UCD too, and read from text (angle_column.hpp).
/// Units are the file's own, else those of the program that uses the name. Without either, errors with a median below
/// 0.02 and sizes with one below 0.1 are taken for degrees, others for arcseconds.
///   throws InputError where the choice names a missing column or a unit of the wrong kind
[[nodiscard]] SkyList sky_list(const Catalogue& catalogue, const ColumnChoice& choice = {});

/// The list with lon, lat and pa in another system. Without a stated frame it is taken as ICRS, or as FK5 J2000 where
/// that is asked for.
///   throws InputError where the list's frame is not known
[[nodiscard]] SkyList in_system(SkyList list, const SkySystem& to);

/// The list in the system of another one. Where one of them states no frame, it is ICRS or FK5 J2000 as the other is.
///   throws InputError where one frame is not known and the other is not the same
[[nodiscard]] SkyList in_frame_of(SkyList list, const SkyList& other);

/// The first cells that were refused, for a warning; empty where none was.
[[nodiscard]] std::string describe_refused(const SkyList& list);

/// "RA, DEC (deg); total flux int_flux (Jy, assumed)": for a report.
[[nodiscard]] std::string describe_columns(const SkyList& list);

}  // namespace reber

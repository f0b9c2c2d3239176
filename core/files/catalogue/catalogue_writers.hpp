// SPDX-License-Identifier: BSD-3-Clause
// The writers of catalogue formats, and what they share.
#pragma once

#include <string>
#include <vector>

#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

void write_catalogue_csv(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
void write_catalogue_ecsv(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
void write_catalogue_fits(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
void write_catalogue_votable(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
void write_catalogue_sqlite(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
void write_catalogue_regions(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
void write_catalogue_crtf(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
void write_catalogue_karma(const Catalogue& catalogue, const std::string& path, const FileOptions& how);

/// PyBDSF's text tables, of a catalogue in its columns: two lines of title, then one row per source.
void write_catalogue_pybdsf(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
/// A sky model in the text format of makesourcedb (BBS), with one patch per source; see sky_model.hpp.
void write_sky_model(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
/// A component list in the text format of WSClean.
void write_component_list(const Catalogue& catalogue, const std::string& path, const FileOptions& how);

/// Columns that place a source; null where the catalogue has none.
struct PlaceColumns {
  const std::vector<double>* lon = nullptr;    ///< RA, GLON or ELON, degrees
  const std::vector<double>* lat = nullptr;    ///< DEC, GLAT or ELAT
  const std::vector<double>* x = nullptr;      ///< Xposn, 0-based
  const std::vector<double>* y = nullptr;      ///< Yposn
  const std::vector<double>* major = nullptr;  ///< Maj, FWHM in degrees
  const std::vector<double>* minor = nullptr;  ///< Min
  const std::vector<double>* pa = nullptr;     ///< PA, degrees north through east
};
[[nodiscard]] PlaceColumns place_columns(const Catalogue& catalogue);

/// Shortest text that reads back as the same number; "NaN" for no value.
[[nodiscard]] std::string number_text(double value);

/// throws InternalError where columns differ in length
void check_columns(const Catalogue& catalogue);

/// The header line and the rows of CSV behind these comments.
void write_comma_separated(const Catalogue& catalogue, const std::string& head, const std::string& path,
                           const FileOptions& how);

/// "# frame: FK4 B1950" and a line end, for text formats; empty for ICRS, for FK5 J2000 (within .025
/// arcsec of it) and without positions. Our reader knows it.
[[nodiscard]] std::string frame_comment(const Catalogue& catalogue);

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Multi-order coverage maps (MOC) of masks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/files/io/atomic_file.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// Number of the HEALPix cell that holds a direction, NESTED (Gorski et al. 2005).   order: 0 to 29
[[nodiscard]] std::int64_t healpix_cell(double lon_deg, double lat_deg, int order);

/// Cells of a map: uniq = 4 x 4^order + number, ascending; four that fill a larger one are that one.
struct Moc {
  int order = 0;  ///< of the smallest cells that may stand in it
  std::vector<std::int64_t> cells;
};

/// The cells that hold a pixel of the mask, in ICRS. order < 0: cells of a 256th of the image's longer side.
///   throws InputError for an image without sky positions, or an order above 29
[[nodiscard]] Moc moc_of(const Mask& mask, const Wcs& wcs, int order = -1);

/// FITS table of MOC 2.0 (ORDERING NUNIQ, COORDSYS C).   throws as AtomicFile
void write_moc(const Moc& moc, const std::string& path, const FileOptions& how);

}  // namespace reber

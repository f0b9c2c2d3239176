// SPDX-License-Identifier: BSD-3-Clause
// Writes one float or integer plane as FITS, whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// What changes against the input's header. WCS, equinox, observation and instrument keywords are kept; BSCALE, BZERO,
/// BLANK, checksums, compression keywords and the axes other than the plane's are not.
struct OutputHeader {
  const ImageHeader* like = nullptr;  ///< header to keep; null for none
  std::string unit;                   ///< BUNIT
  std::optional<Beam> beam;           ///< BMAJ, BMIN, BPA; left out where empty
  std::vector<std::string> history;   ///< HISTORY cards, folded at 72 characters
  std::vector<std::string> cards;     ///< further 80-character cards, in place of those of `like` of their names
  int more_axes = 0;                  ///< axes of one pixel behind the plane's, which `cards` describe
  /// The same for those that `like` has: where the image lies on each, in pixels from 1, as axis_places() has them.
  /// Empty: its further axes are dropped.
  std::vector<double> places;
  std::optional<double> frequency_hz;  ///< of the pixels, in place of that of `like`
};

/// Fills rows [y0, y0 + ny) of the output.
using FloatRows = std::function<void(std::int64_t y0, std::int64_t ny, float* out)>;
using IntRows = std::function<void(std::int64_t y0, std::int64_t ny, std::int32_t* out)>;

/// Rows are asked for in order and in bands, byte-swapped and written at their place. DATASUM and CHECKSUM are set.
///   throws InputError where the file exists and may not be replaced, or where it is the input; DataError with the
///   system's words where writing fails. After a failure the old file is as it was and nothing new is left.
void write_fits(const std::string& path, Shape shape, const OutputHeader& header, const FloatRows& rows,
                const FileOptions& how, const Progress& progress = {});
void write_fits(const std::string& path, Shape shape, const OutputHeader& header, const IntRows& rows,
                const FileOptions& how, const Progress& progress = {});

}  // namespace reber

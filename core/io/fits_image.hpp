// SPDX-License-Identifier: BSD-3-Clause
// Opens a FITS image: header first, pixels later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/compute/pixel_source.hpp"
#include "core/model/beam.hpp"
#include "core/model/unit.hpp"
#include "core/model/wcs.hpp"

namespace reber {

/// One header-data unit as a listing shows it.
struct HduInfo {
  int index = 0;                   ///< 0 for the primary
  std::string kind;                ///< "image", "compressed image", "binary table", "table"
  std::string name;                ///< EXTNAME
  int bitpix = 0;                  ///< 0 where it has no pixels
  std::vector<std::int64_t> axes;  ///< NAXIS1 first
};

/// What the header says of the chosen plane. Text from the file is as stored: escape it for the sink it goes to.
struct ImageHeader {
  std::string path;
  int hdu = 0;
  std::vector<HduInfo> hdus;
  std::vector<std::int64_t> axes;  ///< all axes of the HDU, NAXIS1 first
  int x_axis = 0, y_axis = 1;      ///< which of them are x and y (0-based)
  Shape shape;                     ///< of one plane
  std::int64_t planes = 1;         ///< product of the other axes
  std::int64_t plane = 0;          ///< the one this header speaks of, 0-based
  int bitpix = -32;
  std::string object, telescope, date_obs;
  Unit unit;
  std::optional<Beam> beam;  ///< restoring beam of the plane; empty where the header has no usable one
  std::vector<std::optional<Beam>> plane_beams;  ///< CASA's table of beams: one a plane; empty where there is none
  std::string beam_note;     ///< where it came from, or why there is none (names the keyword and its value)
  Wcs wcs;
  std::vector<std::string> cards;     ///< the HDU's 80-character cards, END left out
  std::vector<std::string> warnings;  ///< each names the keyword or the fact that it is about
};

struct OpenOptions {
  std::optional<int> hdu;             ///< the first HDU with a 2-D image where empty
  std::optional<std::int64_t> plane;  ///< 0-based; needed where the image is a cube
  std::optional<std::string> unit;      ///< brightness unit, in place of BUNIT
  /// Largest inflated size of a compressed file.
  std::int64_t max_inflated_bytes = std::int64_t{64} << 30;
  bool operator==(const OpenOptions&) const = default;
};

/// An open FITS file, and one plane of it. The file name is taken literally: no sections, no URLs, no wildcards.
class FitsImage {
 public:
  /// Reads headers only and checks that the file holds the pixels they promise.
  ///   throws DataError for a file that is missing, not FITS, damaged, or without an image (the message says which),
  ///   InputError where it is a cube and no plane was chosen, or the HDU or plane is not there
  static FitsImage open(const std::string& path, const OpenOptions& options = {});

  ~FitsImage();
  FitsImage(FitsImage&&) noexcept;
  FitsImage& operator=(FitsImage&&) noexcept;

  [[nodiscard]] const ImageHeader& header() const;

  /// The plane's pixels as stored. Plain files are read by position from several threads; compressed ones and planes
  /// whose axes are not the first two are decoded here. Valid for as long as this FitsImage lives.
  ///   throws DataError where decoding fails
  [[nodiscard]] std::unique_ptr<PixelSource> pixels() const;

 private:
  FitsImage();
  struct State;
  std::unique_ptr<State> state_;
};

/// Source over pixels in memory (native byte order), for tests and simulated skies. Does not copy.
[[nodiscard]] std::unique_ptr<PixelSource> memory_source(const float* pixels, Shape shape);

}  // namespace reber

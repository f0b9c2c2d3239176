// SPDX-License-Identifier: BSD-3-Clause
// The level of the background under compact sources: bowls and haloes narrower than a cell of the mesh.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/measure/background/background_pixels.hpp"
#include "core/seam/compute/background.hpp"

namespace reber {

/// Three rings about a source in eight sectors each, to four beams; the same pixels about every source.
class LevelRings {
 public:
  static constexpr std::size_t kRings = 3, kSectors = 8;
  /// beam_px: FWHM
  explicit LevelRings(double beam_px);

  [[nodiscard]] double beam_px() const { return beam_px_; }
  [[nodiscard]] double reach_px() const;

  /// Level of each ring and its error by the scatter of the sectors, in the unit of the values.
  struct Levels {
    double peak = 0;  ///< of the source
    std::array<double, kRings> level{}, error{};
    std::array<std::array<double, kSectors>, kRings> sector{};  ///< NaN where not known
  };
  /// From the S/N of a rectangle about a source's brightest pixel (y, x). Means of the sectors without what is far from
  /// their medians; the middle half of these stands for the ring, so that a neighbour in one or two counts for nothing.
  /// Pixels that the source itself reaches, by the shape of its pixels above half of the peak, take no part.   returns
  /// nothing for a source wider than 1.8 beam areas, or where fewer than six sectors of a ring are half known
  [[nodiscard]] std::optional<Levels> measure(std::span<const float> snr, const Rect& where, std::int64_t y,
                                              std::int64_t x) const;

  /// A Gaussian level about a source.
  struct Profile {
    double centre = 0, error = 0;  ///< in the unit of the values
    double fwhm_px = 0;
    double sigma = 0;  ///< square root of what it takes of chi^2
  };
  /// Gaussians of 4 to 30 beams FWHM weighed by how well they describe the rings: their mean centre, and the width
  /// nearest to that.   returns nothing where no Gaussian describes them
  [[nodiscard]] std::optional<Profile> profile(const Levels& levels) const;

 private:
  struct Place {
    std::int64_t dy, dx;
    std::size_t ring, sector;
  };
  double beam_px_;
  std::vector<Place> places_;  ///< by rings and sectors
  std::array<std::array<std::size_t, kSectors>, kRings> count_{};
  std::vector<double> widths_;                        ///< FWHMs in beams
  std::vector<std::array<double, kRings>> at_rings_;  ///< of each width: mean over a ring of a Gaussian of height 1
};

/// Levels about the brightest 1000 of these sources, where they are certain: about a source with hardly more pixels
/// than a point, the inner rings of one sign, seven of eight sectors as well, four errors from 0. A ring's error is the
/// larger of its own and that which the noise of all sources' rings has. None about sources whose own sidelobes raised
/// the noise (BackgroundModel::raised). Levels above 2 rms are 0, and their error what they would be: emission.
///   beam_px: FWHM; nothing below 2.5   throws DeviceError, Cancelled
[[nodiscard]] std::vector<LocalLevel> measure_levels(const BackgroundPixels& pixels, const BackgroundModel& model,
                                                     std::vector<BrightSource> sources, double beam_px);

/// The model with these levels added to its mean, on more nodes near them; where several reach, the largest stands.
/// Of large images the first ones, until 2^20 nodes were added: of the others the level is an
/// error. The same model, to the bit, where there are none.
[[nodiscard]] BackgroundModel with_levels(const BackgroundModel& model, std::vector<LocalLevel> levels, double beam_px);

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// One image of many planes: mean, weighted mean, maximum, moments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.hpp"
#include "core/base/words.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber {

struct CollapseRequest {
  enum class How { mean, weighted, max, moment0, moment1, moment2 } how = How::mean;
  std::vector<std::int64_t> planes;  ///< ascending, at least one
  std::vector<double> rms;           ///< of each of them, where it is known; empty: measured where it is needed
  double snr = 0;                    ///< pixels not above this many times their plane's rms do not take part; 0: all do
  bool given_beam = false;           ///< the user's beam stands in place of the planes', none of which then lacks one
  int threads = 0;                   ///< 0: all; the answer is the same for any number
};
template <>
inline constexpr auto words<CollapseRequest::How> = std::to_array<Word<CollapseRequest::How>>(
    {{"mean", CollapseRequest::How::mean, "mean"},
     {"weighted", CollapseRequest::How::weighted, "mean weighted by 1/rms^2 of each plane"},
     {"max", CollapseRequest::How::max, "maximum"},
     {"moment0", CollapseRequest::How::moment0, "integral over the spectral axis"},
     {"moment1", CollapseRequest::How::moment1, "mean coordinate, weighted by brightness"},
     {"moment2", CollapseRequest::How::moment2, "dispersion of the coordinate, weighted by brightness"}});

/// The image, and a header that it is written with.
struct Collapsed {
  std::vector<float> pixels;                  ///< NaN where no pixel took part, or a moment is not defined
  std::shared_ptr<const ImageHeader> header;  ///< of the middle plane used, with the image's unit and beam
  std::vector<std::string> history;           ///< what was done
  std::vector<std::int64_t> used;             ///< planes that took part
  std::vector<double> places;                 ///< of the image on the cube's further axes, as OutputHeader's
  std::optional<double> frequency_hz;         ///< the planes' mean, by their weights; empty where they have none
};

/// Over the finite pixels v_p of planes p that are not flagged (why_flagged), above the mask, with x_p and its width
/// dx_p of spectral_coordinates():
///   mean      sum v / n                              weighted  sum v / s^2 / sum 1 / s^2, s the plane's clipped rms
///   max       the largest v                          moment0   M0 = sum v dx
///   moment1   M1 = sum v x dx / M0                   moment2   sqrt(sum v (x - M1)^2 dx / M0)
/// The image's place on the spectral axis is the mean of the planes', with weights 1 / s^2 where pixels have them.
/// Moments 1 and 2 are NaN where M0 is not above 0 or the variance is negative. Each pixel is summed in double in the
/// order of planes by one thread, so the bits do not depend on threads. The backend measures the noise where it is
/// asked for; all else is host code, since it waits for memory. Memory: the sums, three doubles a pixel at the most,
/// and two planes as stored.   log: planes left out, beams that differ
///   throws InputError where moments have no spectral axis, DataError where all planes are blank; Cancelled
[[nodiscard]] Collapsed collapse(const CubeSource& cube, const CollapseRequest& request, Backend& backend,
                                 const Progress& progress, const LogSink& log);

/// What the image is written with.   beam: given by the user, in place of the planes'
///   first, options: lines of HISTORY before what was done
[[nodiscard]] OutputHeader collapsed_header(const Collapsed& made, const std::optional<Beam>& beam,
                                            const std::string& first, const std::vector<std::string>& options);
/// throws as write_fits
void write_collapsed(const std::string& path, const Collapsed& made, Shape shape, const OutputHeader& header,
                     bool overwrite, const Progress& progress);

}  // namespace reber

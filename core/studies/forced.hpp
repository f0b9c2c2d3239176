// SPDX-License-Identifier: BSD-3-Clause
// Fluxes at given positions: forced and priorised photometry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/words.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/sky_list.hpp"

namespace reber {

struct ForcedRequest {
  enum class Free { flux, position } free = Free::flux;
  enum class ShapeOf { beam, catalogue } shape = ShapeOf::beam;
  double limit_sigma = 3;  ///< below this S/N a source has an upper limit
  int threads = 0;         ///< 0: all; the answer is the same for any number
};
template <>
inline constexpr auto words<ForcedRequest::Free> = std::to_array<Word<ForcedRequest::Free>>(
    {{"flux", ForcedRequest::Free::flux, "flux"}, {"position", ForcedRequest::Free::position, "position"}});
template <>
inline constexpr auto words<ForcedRequest::ShapeOf> = std::to_array<Word<ForcedRequest::ShapeOf>>(
    {{"beam", ForcedRequest::ShapeOf::beam, "beam"}, {"catalogue", ForcedRequest::ShapeOf::catalogue, "catalogue"}});

inline constexpr std::int64_t kForcedEdge = 1;         ///< part of its area lies beyond the image
inline constexpr std::int64_t kForcedBlankPart = 2;    ///< part of its area is blank
inline constexpr std::int64_t kForcedOffImage = 4;     ///< not measured: off the image
inline constexpr std::int64_t kForcedBlank = 8;        ///< not measured: on blank pixels
inline constexpr std::int64_t kForcedNoPosition = 16;  ///< not measured: no position in the list
inline constexpr std::int64_t kForcedLimit = 32;       ///< below limit_sigma
inline constexpr std::int64_t kForcedBeamShape = 64;   ///< the list has no size of it, or one below the beam's
inline constexpr std::int64_t kForcedHeld = 128;       ///< position held: too faint, or the fit did not settle
inline constexpr std::int64_t kForcedShared = 256;     ///< an equal part of the flux of rows at one place
inline constexpr std::int64_t kForcedUnsolved = 512;   ///< not measured: its shape is nothing on all pixels

/// One entry of the list, measured. NaN where it could not be.
struct ForcedSource {
  std::int64_t row = 0;
  double lon = 0, lat = 0, e_lon = 0, e_lat = 0;  ///< image's frame, degrees; errors NaN where the position was held
  double x = 0, y = 0;                            ///< 0-based pixels
  double major = 0, minor = 0, pa = 0;            ///< shape held, degrees
  double peak = 0, e_peak = 0;                    ///< Jy/beam
  double total = 0, e_total = 0;                  ///< Jy
  double limit = 0;  ///< of the total (of the peak without one): max(F, 0) + limit_sigma errors
  double snr = 0, rms = 0, mean = 0, chi2 = 0;  ///< chi2: mean square of what is left over rms^2
  std::int64_t together = 0;                    ///< sources fitted together
  std::int64_t flag = 0;                        ///< kForced... bits
};

/// Amplitudes of Gaussians of held shape at held positions by generalised least squares,
///   a = (J^T V^-1 J)^-1 J^T V^-1 d,   V = R_beam + floor, as in the fits of sources,
/// errors from the measured noise correlation R: A^-1 J^T V^-1 R V^-1 J A^-1. Sources whose shapes overlap are solved
/// together; those that cannot be told apart share their flux in equal parts. In a crowd too large for that, sources
/// within .02 FWHM are one place, and each place is solved with its neighbours. Pixels within one FWHM take part; where
/// the beam is wide, every n-th of them, n below two fifths of the beam's minor FWHM. Position free: sources above 3
/// sigma that share with none are then fitted by Backend::fit with their shape held, what the others add taken away
/// first. result: a finished run with background and islands.   One result per entry of `list`, in its order.
///   throws InputError where the list's frame is not the image's or the image has no beam and no shape is given
[[nodiscard]] std::vector<ForcedSource> measure_forced(const SkyList& list, const Result& result,
                                                       const ForcedRequest& request, const Progress& progress);

[[nodiscard]] Catalogue forced_catalogue(const std::vector<ForcedSource>& sources, const SkyList& list,
                                         const ImageHeader& header, const std::vector<std::string>& history);

/// Its columns as Markdown: the end of docs/columns.md.
[[nodiscard]] std::string forced_columns_document();

}  // namespace reber

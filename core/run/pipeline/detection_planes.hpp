// SPDX-License-Identifier: BSD-3-Clause
// Detection at several scales: the S/N of smoothed planes and of wavelet planes, and the largest of them a pixel.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// One step of the a-trous transform: c_j = c_(j-1) convolved with the outer product of [1 4 6 4 1] / 16 with
/// 2^(j-1) - 1 zeros between its weights (Holschneider et al. 1989; Starck & Murtagh 2006), zeros outside the image,
/// blank pixels interpolated over and kept.   j >= 1
[[nodiscard]] std::unique_ptr<Plane> smoothed_by_b3(Backend& backend, const Plane& plane, int j, const Job& job);

/// The boxes asked for as wavelet plane j takes them. Its noise is the same over a filter: a box has five of them a
/// side at least (2^(j+1) + 1 px each), and steps by a third of that at least; smaller ones near bright sources are
/// left out where they would be hardly smaller than the others. The rule is PyBDSF's (Mohan & Rafferty 2015).
[[nodiscard]] BackgroundRequest boxes_of_wavelet(const BackgroundRequest& image, int j);

struct DetectionPlane {
  std::unique_ptr<Plane> snr;      ///< of each pixel the largest S/N of all scales, or the smallest where negative
  std::vector<std::string> notes;  ///< one per scale: what it is, its noise
  struct Wavelet {
    int j;
    BackgroundModel background;
  };
  std::vector<Wavelet> wavelets;  ///< the planes that were searched
};

/// For each scale: smooth, measure background and noise again on what came out (a smoothed map has another noise), S/N.
/// Scale 0 and the wavelets' own image take `background`. Wavelet planes w_j = c_(j-1) - c_j whose scale 2^j px is at
/// least the beam are used: finer ones show the noise of compact sources alone. beam_px: geometric mean FWHM.
///   throws InputError for a scale in beams without a beam
[[nodiscard]] DetectionPlane make_detection_plane(Backend& backend, const Plane& plane,
                                                  const BackgroundModel& background, const ScaleRequest& scales,
                                                  const BackgroundRequest& boxes, std::optional<double> beam_px,
                                                  bool negative, const Job& job);

/// Of each island, by its label, the searched wavelet plane that has the highest S/N there; empty where none was
/// searched. The planes are made once more: all of them at a time would not fit.
///   plane: as make_detection_plane() had it   throws as that
[[nodiscard]] std::vector<std::int64_t> best_wavelets(Backend& backend, const Plane& plane, const DetectionPlane& made,
                                                      const IslandMap& islands, const Job& job);

}  // namespace reber

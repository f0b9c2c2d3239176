// SPDX-License-Identifier: BSD-3-Clause
// Simulated skies with a known truth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/words.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

struct SimulationOptions {
  enum class Scene { field, galactic_plane, dirac_grid } scene = Scene::field;
  Shape shape{1024, 1024};
  std::uint64_t seed = 1;
  double pixel_arcsec = 2;
  Beam beam{10.0 / 3600, 10.0 / 3600, 0};
  double frequency_hz = 150e6;
  double ra_deg = 180, dec_deg = -30;
  double rms = 20e-6;                ///< Jy/beam at the centre; 0: no noise
  double rms_rise = 0.75;            ///< rms(r) = rms (1 + rise r^2), r = 1 at the middle of an edge
  double background = 0;             ///< amplitude of a smooth wave, Jy/beam
  std::int64_t point_sources = 300;  ///< N(>S) ~ S^-1 from 2.5 rms
  double brightest = 0.1;            ///< Jy/beam
  std::int64_t extended_sources = 10;
  std::int64_t rings = 0;  ///< supernova shells
  bool blank_corners = false;
  std::int64_t grid_step = 64;  ///< of the Dirac grid
};
template <>
inline constexpr auto words<SimulationOptions::Scene> = std::to_array<Word<SimulationOptions::Scene>>(
    {{"field", SimulationOptions::Scene::field, "field"},
     {"galactic_plane", SimulationOptions::Scene::galactic_plane, "galactic plane"},
     {"dirac_grid", SimulationOptions::Scene::dirac_grid, "grid of points"}});

struct SimulatedSky {
  Image image;
  std::vector<std::string> cards;  ///< WCS, beam, unit
  Catalogue truth;                 ///< id, kind, RA, DEC, x, y, Peak_flux, Total_flux, Maj, Min, PA, local_rms, snr
};

/// The same sky for the same options on every backend and machine. Random numbers are Philox4x32-10 in the layout of
/// cuRAND's generator; noise is smoothed by direct or separable convolution, which has the same bits on every backend.
[[nodiscard]] SimulatedSky simulate(const SimulationOptions& options, Backend& backend, const Progress& progress);

/// Philox4x32-10: four 32-bit words for a 64-bit key and a 128-bit counter (Salmon et al. 2011).
struct Philox {
  std::uint32_t word[4];
};
[[nodiscard]] Philox philox(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high);

}  // namespace reber

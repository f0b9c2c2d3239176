// SPDX-License-Identifier: BSD-3-Clause
// A table: what, its value, the least and the most.
#include "core/studies/simulation_bounds.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/host_memory.hpp"

namespace reber {
namespace {

/// What a number may be.
struct Bound {
  const char* what;
  double value, least, most;
};

}  // namespace

void check_bounds(const SimulationOptions& options) {
  constexpr double kMostSide = 1 << 20, kMostSources = 1e8, kMostFlux = 1e30, kHuge = 1e20;
  constexpr double kMostBeams = 4;  // diagonals of the image
  const auto ny = static_cast<double>(options.shape.ny), nx = static_cast<double>(options.shape.nx);
  const double widest = kMostBeams * std::hypot(ny, nx) * options.pixel_arcsec / 3600;
  const auto count = [](std::int64_t value) { return static_cast<double>(value); };
  for (const Bound& bound : {
           Bound{"rows of the image", ny, 8, kMostSide},
           Bound{"columns of the image", nx, 8, kMostSide},
           Bound{"pixel size in arcsec", options.pixel_arcsec, 1e-12, 36'000},
           Bound{"beam's minor axis in degrees", options.beam.minor_deg, 1e-18, options.beam.major_deg},
           Bound{"beam's major axis in degrees", options.beam.major_deg, options.beam.minor_deg, widest},
           Bound{"beam's position angle in degrees", options.beam.pa_deg, -360, 360},
           Bound{"frequency in Hz", options.frequency_hz, 1e-3, kHuge},
           Bound{"right ascension in degrees", options.ra_deg, -360, 360},
           Bound{"declination in degrees", options.dec_deg, -90, 90},
           Bound{"rms in Jy/beam", options.rms, 0, kMostFlux},
           Bound{"rise of the rms", options.rms_rise, 0, 1e6},
           Bound{"background in Jy/beam", options.background, -kMostFlux, kMostFlux},
           Bound{"brightest source in Jy/beam", options.brightest, 1e-30, kMostFlux},
           Bound{"number of point sources", count(options.point_sources), 0, kMostSources},
           Bound{"number of extended sources", count(options.extended_sources), 0, kMostSources},
           Bound{"number of rings", count(options.rings), 0, kMostSources},
           Bound{"grid step in pixels", count(options.grid_step), 1, kMostSide},
       })
    if (!(bound.value >= bound.least && bound.value <= bound.most))
      throw InputError(fmt::format("simulation: the {} is {:g}, and must be within {:g} and {:g}", bound.what,
                                   bound.value, bound.least, bound.most));
  constexpr double kBytesPerPixel = 12;
  if (kBytesPerPixel * ny * nx > static_cast<double>(host_memory_bytes()))
    throw InputError(fmt::format("simulation: an image of {} x {} pixels takes more memory than there is",
                                 options.shape.nx, options.shape.ny));
}

}  // namespace reber

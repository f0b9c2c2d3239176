// SPDX-License-Identifier: BSD-3-Clause
// The scenes: a field of sources with a known count law, and a crowded piece of the Galactic plane.
#include "core/studies/simulation_scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/studies/random.hpp"

namespace reber {
namespace {

constexpr double kEdgePx = 15;  ///< no source centre nearer to the edge than this
/// The Galactic plane runs at this position angle near the Galactic centre.
constexpr double kPlanePa = 31.4;

double log_uniform(Uniforms& random, double low, double high) { return low * std::pow(high / low, random.next()); }

struct Place {
  double x, y;
};

Place anywhere(Uniforms& random, Shape shape) {
  const double margin = std::min({kEdgePx, static_cast<double>(shape.nx) / 4, static_cast<double>(shape.ny) / 4});
  const double x = random.between(margin, static_cast<double>(shape.nx - 1) - margin);
  return {x, random.between(margin, static_cast<double>(shape.ny - 1) - margin)};
}

/// Integral counts N(>S) ~ S^-1 between the limits.
double draw_flux(Uniforms& random, double faintest, double brightest) {
  return 1 / (1 / faintest - random.next() * (1 / faintest - 1 / brightest));
}

void add_points(const SimulationOptions& options, const SceneGrid& grid, DrawnScene& scene) {
  Uniforms random(options.seed, RandomStream::points);
  const double faintest = options.rms > 0 ? 2.5 * options.rms : 1e-3 * options.brightest;
  const double brightest = std::max(options.brightest, faintest);
  for (std::int64_t i = 0; i < options.point_sources; ++i) {
    const Place place = anywhere(random, grid.shape);
    scene.gaussians.push_back({"point", place.x, place.y, draw_flux(random, faintest, brightest), grid.beam});
  }
}

/// Intrinsic sizes of 3 to 25 pixels, peaks of 6 to 200 times the local noise.
void add_extended(const SimulationOptions& options, const SceneGrid& grid, DrawnScene& scene) {
  Uniforms random(options.seed, RandomStream::extended);
  for (std::int64_t i = 0; i < options.extended_sources; ++i) {
    const Place place = anywhere(random, grid.shape);
    const double major = random.between(3, 25);
    const double minor = major * random.between(0.3, 1);
    const Covariance shape = grid.beam + sky_covariance(major, minor, random.between(0, 180));
    const double local = options.rms > 0 ? grid.rms_at(place.x, place.y) : 1e-3 * options.brightest;
    scene.gaussians.push_back({"extended", place.x, place.y, local * log_uniform(random, 6, 200), shape});
  }
}

/// Pixel position of galactic offsets (along, across the plane) in pixels from the middle. East is to the left.
Place on_plane(const SceneGrid& grid, double along, double across) {
  const double angle = kPlanePa * std::numbers::pi / 180;
  const double east = along * std::sin(angle) - across * std::cos(angle);
  const double north = along * std::cos(angle) + across * std::sin(angle);
  return {static_cast<double>(grid.shape.nx - 1) / 2 - east, static_cast<double>(grid.shape.ny - 1) / 2 + north};
}

/// Ellipse of FWHM major x minor pixels at a position angle on the sky, behind the beam.
Covariance on_sky(const SceneGrid& grid, double major, double minor, double pa_deg) {
  const double pixel = std::sqrt(std::abs(grid.sky_per_pixel.determinant()));
  return grid.beam + to_pixels(sky_covariance(major * pixel, minor * pixel, pa_deg), grid.sky_per_pixel);
}

/// Galactic disc: random sizes and places; most near the plane.
void add_rings(const SimulationOptions& options, const SceneGrid& grid, DrawnScene& scene) {
  Uniforms random(options.seed, RandomStream::rings);
  const double side = static_cast<double>(std::min(grid.shape.nx, grid.shape.ny));
  const bool plane = options.scene == SimulationOptions::Scene::galactic_plane;
  for (std::int64_t i = 0; i < options.rings; ++i) {
    DrawnRing ring;
    Place place = anywhere(random, grid.shape);
    if (plane) {
      const double along = random.between(-0.48, 0.48) * side;
      const double across = (random.next() + random.next() + random.next() - 1.5) * 0.3 * side;
      place = on_plane(grid, along, across);
    }
    ring.x = place.x;
    ring.y = place.y;
    ring.outer_px = log_uniform(random, 0.01, 0.045) * side;
    ring.inner_px = ring.outer_px * random.between(0.75, 0.9);
    ring.peak = std::max(options.rms, 1e-3 * options.brightest) * log_uniform(random, 12, 80);
    scene.rings.push_back(ring);
  }
}

/// Bright extended centre, the ridge of diffuse emission, filaments across the plane.
void add_galactic_plane(const SimulationOptions& options, const SceneGrid& grid, DrawnScene& scene) {
  Uniforms random(options.seed, RandomStream::ridge);
  const double side = static_cast<double>(std::min(grid.shape.nx, grid.shape.ny));
  const double top = options.brightest;
  const auto add = [&](const char* kind, Place place, double peak, double major, double minor, double pa) {
    scene.gaussians.push_back({kind, place.x, place.y, peak, on_sky(grid, major * side, minor * side, pa)});
  };
  add("core", on_plane(grid, 0, 0), top, 0.012, 0.008, kPlanePa);
  add("core", on_plane(grid, 0.012 * side, -0.004 * side), 0.35 * top, 0.035, 0.022, kPlanePa + 10);
  add("diffuse", on_plane(grid, 0, 0), 0.05 * top, 0.16, 0.08, kPlanePa);
  add("diffuse", on_plane(grid, 0, 0), 0.005 * top, 1.1, 0.2, kPlanePa);
  for (int i = 0; i < 24; ++i) {
    const double along = random.between(-0.5, 0.5) * side;
    const double across = (random.next() + random.next() - 1) * 0.08 * side;
    const double size = log_uniform(random, 0.03, 0.12);
    add("diffuse", on_plane(grid, along, across), 0.006 * top * random.next(), size, size * random.between(0.4, 0.9),
        random.between(0, 180));
  }
  for (int i = 0; i < 5; ++i) {
    const double along = random.between(-0.12, 0.2) * side;
    const double across = random.between(-0.06, 0.06) * side;
    add("filament", on_plane(grid, along, across), 0.04 * top * random.between(0.4, 1), random.between(0.05, 0.12),
        0.0015, kPlanePa + 90 + random.between(-12, 12));
  }
}

}  // namespace

SceneGrid::SceneGrid(const SimulationOptions& options)
    : shape(options.shape), rms(options.rms), rms_rise(options.rms_rise) {
  const double pixel = options.pixel_arcsec / 3600;
  sky_per_pixel = {-pixel, 0, 0, pixel};
  beam = to_pixels(sky_covariance(options.beam.major_deg, options.beam.minor_deg, options.beam.pa_deg), sky_per_pixel);
}

double SceneGrid::rms_at(double x, double y) const {
  const double half_x = static_cast<double>(shape.nx) / 2;
  const double half_y = static_cast<double>(shape.ny) / 2;
  const double dx = (x + 0.5 - half_x) / half_x;
  const double dy = (y + 0.5 - half_y) / half_y;
  return rms * (1 + rms_rise * (dx * dx + dy * dy));
}

double SceneGrid::beam_area_px() const { return gaussian_area(beam); }

DrawnScene make_scene(const SimulationOptions& options, const SceneGrid& grid) {
  DrawnScene scene;
  if (options.scene == SimulationOptions::Scene::dirac_grid) return scene;
  if (options.scene == SimulationOptions::Scene::galactic_plane) add_galactic_plane(options, grid, scene);
  add_points(options, grid, scene);
  add_extended(options, grid, scene);
  add_rings(options, grid, scene);
  return scene;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Pixels of a simulated sky: correlated noise of known rms, components, blanks, header and truth.
#include "core/studies/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/wcs.hpp"
#include "core/studies/random.hpp"
#include "core/studies/simulation_bounds.hpp"
#include "core/studies/simulation_scene.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kFourLn2 = 4 * std::numbers::ln2;
/// A component is drawn out to 1e-9 of its peak: 2.74 FWHM.
constexpr double kDrawnFwhm = 2.74;
/// Sub-pixels on a side over which a shell's sharp edges are averaged.
constexpr int kRingSamples = 4;
/// Part of the half diagonal beyond which a corner is blank.
constexpr double kBlankRadius = 0.88;

std::string card(const char* key, const std::string& value, const char* comment) {
  return fmt::format("{:<80.80}", fmt::format("{:<8}= {:>20} / {}", key, value, comment));
}
std::string text_card(const char* key, const std::string& value, const char* comment) {
  return fmt::format("{:<80.80}", fmt::format("{:<8}= {:<20} / {}", key, fmt::format("'{:<8}'", value), comment));
}
std::string number_card(const char* key, double value, const char* comment) {
  std::string digits = fmt::format("{:.15G}", value);
  if (digits.find_first_of(".EN") == std::string::npos) digits += ".0";
  return card(key, digits, comment);
}

std::string object_of(SimulationOptions::Scene scene) {
  switch (scene) {
    case SimulationOptions::Scene::galactic_plane:
      return "SIMULATED GALACTIC PLANE";
    case SimulationOptions::Scene::dirac_grid:
      return "DIRAC GRID";
    case SimulationOptions::Scene::field:
      break;
  }
  return "SIMULATED FIELD";
}

std::vector<std::string> make_cards(const SimulationOptions& options) {
  const bool grid = options.scene == SimulationOptions::Scene::dirac_grid;
  const double pixel = options.pixel_arcsec / 3600;
  std::vector<std::string> cards = {
      text_card("OBJECT", object_of(options.scene), "no real sky"),
      text_card("TELESCOP", "SIMULATE", ""),
      text_card("BUNIT", grid ? "JY/PIXEL" : "JY/BEAM", ""),
      text_card("RADESYS", "FK5", ""),
      number_card("EQUINOX", 2000, ""),
      text_card("CTYPE1", "RA---SIN", ""),
      number_card("CRVAL1", options.ra_deg, "[deg]"),
      number_card("CRPIX1", (static_cast<double>(options.shape.nx) + 1) / 2, ""),
      number_card("CDELT1", -pixel, "[deg]"),
      text_card("CUNIT1", "deg", ""),
      text_card("CTYPE2", "DEC--SIN", ""),
      number_card("CRVAL2", options.dec_deg, "[deg]"),
      number_card("CRPIX2", (static_cast<double>(options.shape.ny) + 1) / 2, ""),
      number_card("CDELT2", pixel, "[deg]"),
      text_card("CUNIT2", "deg", ""),
      number_card("RESTFRQ", options.frequency_hz, "[Hz]"),
  };
  if (!grid) {
    cards.push_back(number_card("BMAJ", options.beam.major_deg, "[deg] FWHM"));
    cards.push_back(number_card("BMIN", options.beam.minor_deg, "[deg] FWHM"));
    cards.push_back(number_card("BPA", options.beam.pa_deg, "[deg] north through east"));
  }
  return cards;
}

Wcs parse_cards(const std::vector<std::string>& cards, Shape shape) {
  std::string header;
  for (const std::string& line : cards) header += line;
  header += fmt::format("{:<80}", "END");
  return Wcs::parse(header, 0, 1, {1, 1}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
}

Image zeros(Shape shape) {
  Image image(shape);
  std::fill_n(image.data(), shape.count(), 0.0f);
  return image;
}

/// Convolves with the kernel by an algorithm whose bits are the same on every backend; zero outside.
Image smooth(const Image& image, Kernel kernel, Backend& backend, const Progress& progress) {
  const Shape shape = image.shape();
  const Algorithm algorithm = kernel.separable() ? Algorithm::separable : Algorithm::direct;
  ConvolutionSpec spec;
  spec.kernel = std::move(kernel);
  spec.nan = NanRule::fill;
  TilingPlan tiling;
  tiling.band_rows = shape.ny;
  tiling.reason = "simulation";
  const auto plan = backend.plan_convolution(spec, shape, algorithm, progress);
  const auto plane = backend.load(*memory_source(image.data(), shape), tiling, progress);
  const auto smoothed = backend.convolve(*plane, *plan, progress);
  Image result(shape);
  backend.render_rows(MapKind::image, *smoothed, nullptr, 0, shape.ny, result.data(), progress);
  return result;
}

/// Noise smoothed by the beam, of unit rms up to the edges: white noise on a larger grid, smoothed by weights whose
/// squares add up to one.
Image unit_noise(const SimulationOptions& options, const SceneGrid& grid, Backend& backend, const Progress& progress) {
  Kernel kernel = gaussian_kernel(grid.beam, Normalise::peak);
  double squares = 0;
  for (const double weight : kernel.weights) squares += weight * weight;
  for (double& weight : kernel.weights) weight /= std::sqrt(squares);
  for (double& weight : kernel.row) weight /= std::sqrt(squares);

  const std::int64_t pad_y = kernel.shape.ny / 2;
  const std::int64_t pad_x = kernel.shape.nx / 2;
  Image white({grid.shape.ny + 2 * pad_y, grid.shape.nx + 2 * pad_x});
  const std::int64_t nx = white.shape().nx;
  const auto pairs = static_cast<std::uint64_t>((nx + 1) / 2);
  ThreadPool pool;
  pool.for_each(white.shape().ny, [&](std::int64_t y) {
    progress.check();
    float* row = white.data() + y * nx;
    for (std::uint64_t k = 0; k < pairs; ++k) {
      const auto pair = normal_pair(options.seed, RandomStream::noise, static_cast<std::uint64_t>(y) * pairs + k);
      const auto x = static_cast<std::int64_t>(2 * k);
      row[x] = static_cast<float>(pair.first);
      if (x + 1 < nx) row[x + 1] = static_cast<float>(pair.second);
    }
  });
  const Image smoothed = smooth(white, std::move(kernel), backend, progress);
  Image noise(grid.shape);
  for (std::int64_t y = 0; y < grid.shape.ny; ++y) {
    std::copy_n(smoothed.data() + (y + pad_y) * nx + pad_x, grid.shape.nx, noise.data() + y * grid.shape.nx);
  }
  return noise;
}

/// noise x rms(r) + a smooth wave.
void scale_noise(const SimulationOptions& options, const SceneGrid& grid, Image& image, const Progress& progress) {
  const double wave_x = 2 * std::numbers::pi / (0.61 * static_cast<double>(grid.shape.nx));
  const double wave_y = 2 * std::numbers::pi / (0.76 * static_cast<double>(grid.shape.ny));
  ThreadPool pool;
  pool.for_each(grid.shape.ny, [&](std::int64_t row) {
    progress.check();
    const auto y = static_cast<double>(row);
    for (std::int64_t column = 0; column < grid.shape.nx; ++column) {
      const auto x = static_cast<double>(column);
      const double wave = options.background * std::cos(wave_x * x) * std::cos(wave_y * y);
      image.at(row, column) = static_cast<float>(image.at(row, column) * grid.rms_at(x, y) + wave);
    }
  });
}

/// Rows or columns [first, last) that a reach about a centre covers inside the image.
struct Span {
  std::int64_t first, last;
};
Span covered(double centre, double reach, std::int64_t size) {
  return {std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(centre - reach)), 0, size),
          std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(centre + reach)) + 1, 0, size)};
}

void draw_gaussian(const DrawnGaussian& g, Image& image, const Progress& progress) {
  const Covariance& c = g.shape;
  const double scale = -kFourLn2 / (c.xx * c.yy - c.xy * c.xy);
  const Span rows = covered(g.y, kDrawnFwhm * std::sqrt(c.yy), image.shape().ny);
  const Span columns = covered(g.x, kDrawnFwhm * std::sqrt(c.xx), image.shape().nx);
  for (std::int64_t y = rows.first; y < rows.last; ++y) {
    progress.check();
    for (std::int64_t x = columns.first; x < columns.last; ++x) {
      const double dx = static_cast<double>(x) - g.x;
      const double dy = static_cast<double>(y) - g.y;
      const double form = c.yy * dx * dx - 2 * c.xy * dx * dy + c.xx * dy * dy;
      image.at(y, x) = static_cast<float>(image.at(y, x) + g.peak * std::exp(scale * form));
    }
  }
}

/// Length of the line of sight between two spheres, 1 at the inner edge where it is longest.
double shell_brightness(const DrawnRing& ring, double r) {
  const double outer2 = ring.outer_px * ring.outer_px;
  const double inner2 = ring.inner_px * ring.inner_px;
  const double depth = std::sqrt(std::max(outer2 - r * r, 0.0)) - std::sqrt(std::max(inner2 - r * r, 0.0));
  return depth / std::sqrt(outer2 - inner2);
}

void draw_ring(const DrawnRing& ring, Image& image) {
  const Span rows = covered(ring.y, ring.outer_px + 1, image.shape().ny);
  const Span columns = covered(ring.x, ring.outer_px + 1, image.shape().nx);
  for (std::int64_t y = rows.first; y < rows.last; ++y) {
    for (std::int64_t x = columns.first; x < columns.last; ++x) {
      double sum = 0;
      for (int k = 0; k < kRingSamples * kRingSamples; ++k) {
        const int sub_y = k / kRingSamples;
        const int sub_x = k % kRingSamples;
        const double dy = static_cast<double>(y) - ring.y + (sub_y + 0.5) / kRingSamples - 0.5;
        const double dx = static_cast<double>(x) - ring.x + (sub_x + 0.5) / kRingSamples - 0.5;
        sum += shell_brightness(ring, std::hypot(dx, dy));
      }
      image.at(y, x) += static_cast<float>(ring.peak * sum / (kRingSamples * kRingSamples));
    }
  }
}

void add(const Image& other, Image& image) {
  for (std::int64_t i = 0; i < image.shape().count(); ++i) image.data()[i] += other.data()[i];
}

void blank_corners(Image& image) {
  const double half_x = static_cast<double>(image.shape().nx) / 2;
  const double half_y = static_cast<double>(image.shape().ny) / 2;
  const double limit = 2 * kBlankRadius * kBlankRadius;
  for (std::int64_t y = 0; y < image.shape().ny; ++y) {
    for (std::int64_t x = 0; x < image.shape().nx; ++x) {
      const double dx = (static_cast<double>(x) + 0.5 - half_x) / half_x;
      const double dy = (static_cast<double>(y) + 0.5 - half_y) / half_y;
      if (dx * dx + dy * dy > limit) image.at(y, x) = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

/// One row of the truth.
struct TrueSource {
  std::string kind;
  double x, y, peak, total, major_deg, minor_deg, pa_deg;
};

TrueSource truth_of(const DrawnGaussian& g, const SceneGrid& grid) {
  const Ellipse sky = ellipse_of(to_sky(g.shape, grid.sky_per_pixel));
  const double area = std::sqrt(g.shape.xx * g.shape.yy - g.shape.xy * g.shape.xy);
  const double beam_area = std::sqrt(grid.beam.xx * grid.beam.yy - grid.beam.xy * grid.beam.xy);
  return {g.kind, g.x, g.y, g.peak, g.peak * area / beam_area, sky.major, sky.minor, sky.pa_deg};
}

/// Peak of the smoothed shells under this one; flux by the shell's volume; size by its outer diameter.
TrueSource truth_of(const DrawnRing& ring, const SceneGrid& grid, const Image& smoothed) {
  double peak = 0;
  const Span rows = covered(ring.y, ring.outer_px, grid.shape.ny);
  const Span columns = covered(ring.x, ring.outer_px, grid.shape.nx);
  for (std::int64_t y = rows.first; y < rows.last; ++y) {
    for (std::int64_t x = columns.first; x < columns.last; ++x) peak = std::max<double>(peak, smoothed.at(y, x));
  }
  const double outer3 = std::pow(ring.outer_px, 3);
  const double inner3 = std::pow(ring.inner_px, 3);
  const double depth = std::sqrt(ring.outer_px * ring.outer_px - ring.inner_px * ring.inner_px);
  const double volume = 2.0 / 3 * std::numbers::pi * (outer3 - inner3) / depth;
  const double diameter = 2 * ring.outer_px * std::abs(grid.sky_per_pixel.d);
  return {"ring", ring.x, ring.y, peak, ring.peak * volume / grid.beam_area_px(), diameter, diameter, 0};
}

Catalogue make_truth(const std::vector<TrueSource>& sources, const SimulationOptions& options, const SceneGrid& grid,
                     const Wcs& wcs, const Progress& progress) {
  std::vector<std::int64_t> id;
  std::vector<std::string> kind;
  std::vector<double> ra, dec, x, y, peak, total, major, minor, pa, rms, snr;
  for (const TrueSource& s : sources) {
    progress.check();
    const auto sky = wcs.to_sky(s.x, s.y);
    const double local = grid.rms_at(s.x, s.y);
    id.push_back(static_cast<std::int64_t>(id.size()) + 1);
    kind.push_back(s.kind);
    ra.push_back(sky ? sky->lon_deg : kNan);
    dec.push_back(sky ? sky->lat_deg : kNan);
    x.push_back(s.x);
    y.push_back(s.y);
    peak.push_back(s.peak);
    total.push_back(s.total);
    major.push_back(s.major_deg);
    minor.push_back(s.minor_deg);
    pa.push_back(s.pa_deg);
    rms.push_back(local);
    snr.push_back(local > 0 ? s.peak / local : kNan);
  }
  Catalogue truth;
  truth.frame = wcs.frame_name();
  truth.equinox = wcs.equinox();
  truth.frequency_hz = options.frequency_hz;
  truth.columns = {
      {{"id", "", "meta.id", "number"}, std::move(id)},
      {{"kind", "", "src.class", "point, extended, ring, core, filament or pulse"}, std::move(kind)},
      {{"RA", "deg", "pos.eq.ra", "right ascension"}, std::move(ra)},
      {{"DEC", "deg", "pos.eq.dec", "declination"}, std::move(dec)},
      {{"x", "pix", "pos.cartesian.x", "column, 0-based"}, std::move(x)},
      {{"y", "pix", "pos.cartesian.y", "row, 0-based"}, std::move(y)},
      {{"Peak_flux", "Jy/beam", "phot.flux.density;stat.max", "peak, without noise and neighbours"}, std::move(peak)},
      {{"Total_flux", "Jy", "phot.flux.density", "integrated flux"}, std::move(total)},
      {{"Maj", "deg", "phys.angSize.smajAxis", "FWHM of the major axis, beam included; diameter of a ring"},
       std::move(major)},
      {{"Min", "deg", "phys.angSize.sminAxis", "FWHM of the minor axis, beam included"}, std::move(minor)},
      {{"PA", "deg", "pos.posAng", "position angle of the major axis, north through east"}, std::move(pa)},
      {{"local_rms", "Jy/beam", "stat.stdev;phot.flux.density", "noise rms at the source"}, std::move(rms)},
      {{"snr", "", "stat.snr", "Peak_flux / local_rms"}, std::move(snr)},
  };
  return truth;
}

std::vector<TrueSource> draw_dirac_grid(const SimulationOptions& options, Image& image) {
  std::vector<TrueSource> pulses;
  for (std::int64_t y = options.grid_step / 2; y < options.shape.ny; y += options.grid_step) {
    for (std::int64_t x = options.grid_step / 2; x < options.shape.nx; x += options.grid_step) {
      image.at(y, x) += 1;
      pulses.push_back({"pulse", static_cast<double>(x), static_cast<double>(y), 1, 1, 0, 0, 0});
    }
  }
  return pulses;
}

}  // namespace

SimulatedSky simulate(const SimulationOptions& options, Backend& backend, const Progress& progress) {
  check_bounds(options);
  const SceneGrid grid(options);
  SimulatedSky sky;
  sky.cards = make_cards(options);
  const Wcs wcs = parse_cards(sky.cards, options.shape);

  progress.report("noise", 0);
  sky.image = options.rms > 0 ? unit_noise(options, grid, backend, progress) : zeros(options.shape);
  scale_noise(options, grid, sky.image, progress);

  progress.report("sources", 0.5);
  std::vector<TrueSource> sources;
  if (options.scene == SimulationOptions::Scene::dirac_grid) sources = draw_dirac_grid(options, sky.image);
  const DrawnScene scene = make_scene(options, grid);
  for (const DrawnGaussian& gaussian : scene.gaussians) {
    progress.check();
    draw_gaussian(gaussian, sky.image, progress);
    if (gaussian.kind != "diffuse") sources.push_back(truth_of(gaussian, grid));
  }
  if (!scene.rings.empty()) {
    Image shells = zeros(options.shape);
    for (const DrawnRing& ring : scene.rings) draw_ring(ring, shells);
    const Image smoothed = smooth(shells, gaussian_kernel(grid.beam, Normalise::sum), backend, progress);
    add(smoothed, sky.image);
    for (const DrawnRing& ring : scene.rings) sources.push_back(truth_of(ring, grid, smoothed));
  }
  if (options.blank_corners) blank_corners(sky.image);

  const auto hidden = [&](const TrueSource& s) {
    const auto x = static_cast<std::int64_t>(std::lround(s.x));
    const auto y = static_cast<std::int64_t>(std::lround(s.y));
    const bool inside = x >= 0 && y >= 0 && x < options.shape.nx && y < options.shape.ny;
    return !inside || std::isnan(sky.image.at(y, x));
  };
  std::erase_if(sources, hidden);
  sky.truth = make_truth(sources, options, grid, wcs, progress);
  progress.report("sources", 1);
  return sky;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Reading along the spectral axis: the same small rectangle of every plane.
#include "gui/model/cube/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/error.hpp"
#include "core/run/cube/channel_noise.hpp"
#include "core/run/cube/spectra_walk.hpp"
#include "core/sky/regions/region_spans.hpp"
#include "gui/model/cube/polarised_file.hpp"
#include "gui/model/image/file_levels.hpp"
#include "gui/model/regions/region_flux.hpp"

namespace reber::gui {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// For the bands of the walk that measures noise.
constexpr std::int64_t kNoiseBytes = std::int64_t{256} << 20;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A region's pixels as they are read, each with its area.
struct RegionPixels {
  Rect where;
  std::vector<RegionSpan> spans;
  std::vector<double> areas;  ///< in the order of the spans

  RegionPixels(const Region& region, const ImageHeader& header, const Progress& progress)
      : where(bounds_of(region, header.shape)) {
    const PixelAreas area(where, header.shape, Wcs(header.wcs), header.unit);
    for_each_span(
        region, header.shape,
        [&](const RegionSpan& span) {
          spans.push_back(span);
          for (std::int64_t x = span.x0; x < span.x1; ++x) areas.push_back(area.at(x, span.y));
        },
        progress);
  }

  /// pixels: of `where`, row by row
  [[nodiscard]] RegionSums sums(const float* pixels) const {
    RegionSums sums;
    std::size_t next = 0;
    for (const RegionSpan& span : spans) {
      const float* const row = pixels + (span.y - where.y0) * where.nx - where.x0;
      for (std::int64_t x = span.x0; x < span.x1; ++x, ++next)
        if (std::isfinite(row[x])) sums.add(row[x], areas[next]);
    }
    return sums;
  }
};

}  // namespace

SpectrumCube::SpectrumCube(const std::string& path, const OpenOptions& options, std::shared_ptr<const CubeAxes> axes,
                           std::int64_t plane, LinearPolarisation linear, const Progress& progress)
    : SpectrumCube(open_image_file(path, options, Planes::many, progress), std::move(axes), plane, linear, progress) {}

SpectrumCube::SpectrumCube(const std::shared_ptr<const ImageFile>& file, std::shared_ptr<const CubeAxes> axes,
                           std::int64_t plane, LinearPolarisation linear, const Progress& progress)
    : file_(CubeSource::of(file)),
      shown_(PolarisedFile::of(file, linear)),
      cube_(CubeSource::of(shown_)),
      linear_(linear),
      axes_(std::move(axes)),
      header_(cube_.header(plane)),
      planes_(axes_->along(plane)) {
  for (const std::int64_t each : planes_) {
    progress.check();
    frequency_.push_back(axes_->frequency_hz(each));
    velocity_.push_back(axes_->velocity_kms(each));
    if (cube_.file().stored() != Stored::coded_whole) sources_.push_back(cube_.pixels(each, progress));
  }
}

void SpectrumCube::read(std::int64_t index, const Rect& where, float* out, const Progress& progress) const {
  const auto i = static_cast<std::size_t>(index);
  read_floats(sources_.empty() ? *cube_.pixels(planes_[i], progress) : *sources_[i], where, out);
}

void SpectrumCube::for_each_plane(const Progress& progress, const std::function<void(std::int64_t)>& body) const {
  const auto count = static_cast<std::int64_t>(planes_.size());
  constexpr std::int64_t kPiece = 16;
  if (sources_.empty()) {  // each is decoded by all threads
    for (std::int64_t i = 0; i < count; ++i) {
      progress.report("reading the spectrum", static_cast<double>(i) / static_cast<double>(count));
      body(i);
    }
    return;
  }
  pool_.for_each((count + kPiece - 1) / kPiece, [&](std::int64_t piece) {
    progress.check();
    for (std::int64_t i = piece * kPiece; i < std::min(count, (piece + 1) * kPiece); ++i) body(i);
  });
}

Spectrum SpectrumCube::empty(Spectrum::Of of, std::string what) const {
  Spectrum made;
  made.of = of;
  made.what = std::move(what);
  made.planes = planes_;
  made.value.assign(planes_.size(), kNaN);
  made.error.assign(planes_.size(), kNaN);
  made.unit = header_->unit;
  return made;
}

Spectrum SpectrumCube::at(std::int64_t x, std::int64_t y, const std::vector<double>& noise,
                          const Progress& progress) const {
  const auto start = std::chrono::steady_clock::now();
  Spectrum made = empty(Spectrum::Of::pixel, "pixel");
  const Shape shape = header_->shape;
  if (x < 0 || y < 0 || x >= shape.nx || y >= shape.ny) return made;
  for_each_plane(progress, [&](std::int64_t k) {
    float value = 0;
    read(k, {y, x, 1, 1}, &value, progress);
    made.value[static_cast<std::size_t>(k)] = static_cast<double>(value);
  });
  if (!noise.empty()) made.error = noise;
  made.seconds = seconds_since(start);
  return made;
}

Spectrum SpectrumCube::of(const Region& region, Spectrum::Of how, const std::vector<double>& noise,
                          const Progress& progress) const {
  if (!region.has_area())
    throw InputError("a line or a point has no pixels inside: draw an ellipse, a box or a polygon");
  const auto start = std::chrono::steady_clock::now();
  Spectrum made = empty(how, how == Spectrum::Of::sum ? "sum" : "mean");
  const RegionPixels pixels(region, *header_, progress);
  made.pixels = static_cast<std::int64_t>(pixels.areas.size());
  if (pixels.areas.empty()) return made;
  std::mutex mutex;
  for_each_plane(progress, [&](std::int64_t k) {
    const auto i = static_cast<std::size_t>(k);
    std::vector<float> values(static_cast<std::size_t>(pixels.where.nx * pixels.where.ny));
    read(k, pixels.where, values.data(), progress);
    const RegionSums sums = pixels.sums(values.data());
    if (sums.pixels == 0) return;
    const auto plane = static_cast<std::size_t>(planes_[i]);
    const bool own_beam = plane < header_->plane_beams.size();
    const BrightnessScale scale{header_->unit, own_beam ? header_->plane_beams[plane] : header_->beam, frequency_[i]};
    const double sigma = noise.empty() ? kNaN : noise[i];
    if (how == Spectrum::Of::mean) {
      made.value[i] = sums.value / static_cast<double>(sums.pixels);
      made.error[i] = mean_error(sums, scale, sigma);
      return;
    }
    const RegionFlux flux = flux_of(sums, scale);
    made.value[i] = flux.jy;
    made.error[i] = sum_error(sums, scale, sigma);
    if (flux.why_not.empty()) return;
    const std::lock_guard lock(mutex);
    made.no_flux = flux.why_not;
  });
  made.seconds = seconds_since(start);
  return made;
}

PvCut SpectrumCube::cut(const PvLine& line, const Progress& progress) const {
  ImageHeader header = *header_;  // a Wcs is one thread's
  PvCut cut(line, header, static_cast<std::int64_t>(planes_.size()));
  const std::vector<std::int64_t>& needed = cut.needed();
  const std::int64_t nx = header_->shape.nx;
  Strip strip;
  strip.resize(static_cast<std::int64_t>(planes_.size()));
  for (std::size_t i = 0; i < needed.size();) {
    progress.report("cutting", static_cast<double>(i) / static_cast<double>(needed.size()));
    strip.first = needed[i];
    const std::int64_t row_end = std::min(strip.first / nx * nx + nx, strip.first + Strip::kPixels);
    std::int64_t last = strip.first;
    for (; i < needed.size() && needed[i] < row_end; ++i) last = needed[i];
    strip.pixels = last - strip.first + 1;
    const Rect where{strip.first / nx, strip.first % nx, 1, strip.pixels};
    for_each_plane(progress, [&](std::int64_t k) { read(k, where, strip.plane(k), progress); });
    cut.take(strip);
  }
  return cut;
}

std::vector<double> SpectrumCube::measure_noise(const Progress& progress) const {
  const std::string stokes = axes_->stokes(planes_.front());
  const bool polarised = linear_ != LinearPolarisation::off;
  if (polarised || stokes == "Q" || stokes == "U" || stokes == "V") {
    std::vector<double> noise;
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      progress.report("measuring noise", static_cast<double>(i) / static_cast<double>(planes_.size()));
      const auto one = [&](std::int64_t plane) {
        return noise_of_either_sign(*file_.pixels(plane, progress), progress);
      };
      const auto both = axes_->q_and_u(planes_[i]);
      const double sigma =
          polarised ? std::sqrt(0.5) * std::hypot(one(both->first), one(both->second)) : one(planes_[i]);
      noise.push_back(sigma > 0 ? sigma : kNaN);
    }
    return noise;
  }
  const SpectraWalk::Steps none;
  const SpectraWalk walk(file_, planes_, std::vector<bool>(planes_.size(), false), none, kNoiseBytes, 0);
  return ChannelNoise::measure(walk, static_cast<std::int64_t>(planes_.size()), std::nullopt, progress).planes();
}

std::pair<std::string, double> readable_unit(const Spectrum& spectrum) {
  double most = 0;
  for (const double v : spectrum.value)
    if (std::isfinite(v)) most = std::max(most, std::abs(v));
  if (spectrum.of != Spectrum::Of::sum) return spectrum.unit.readable(most);
  const std::string total = spectrum.unit.total_name();
  if (most >= 1 || most == 0) return {total, 1};
  return most >= 1e-3 ? std::pair{"m" + total, 1e3} : std::pair{"\xC2\xB5" + total, 1e6};
}

Catalogue spectrum_table(const Spectrum& spectrum, const SpectrumCube& cube, const std::string& path) {
  const bool sum = spectrum.of == Spectrum::Of::sum;
  const std::string value = sum ? "Flux" : "Brightness", unit = sum ? spectrum.unit.total_name() : spectrum.unit.text;
  Catalogue table;
  table.image = path;
  table.history = {fmt::format("spectrum of {}, {} pixels", spectrum.what, spectrum.pixels)};
  if (!cube.axes().convention().empty()) table.history.push_back("spectral axis: " + cube.axes().convention());
  table.columns = {
      {{"Plane", "", "meta.id;instr", "Plane of the cube, from 0"}, spectrum.planes},
      {{"Frequency", "Hz", "em.freq", "Frequency of the plane"}, cube.frequency_hz()},
      {{"Velocity", "km/s", "spect.dopplerVeloc", "Velocity of the plane: " + cube.axes().convention()},
       cube.velocity_kms()},
      {{value, unit, "phot.flux", "Of " + spectrum.what}, spectrum.value},
      {{"E_" + value, unit, "stat.error;phot.flux", "One sigma, from the noise of the plane"}, spectrum.error},
  };
  return table;
}

}  // namespace reber::gui

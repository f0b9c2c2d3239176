// SPDX-License-Identifier: BSD-3-Clause
// The transform is the host's, in double: the seam transforms tiles for convolution alone.
#include "core/studies/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/studies/fourier.hpp"

namespace reber {
namespace {

/// Length of the frequency (fx, fy), in cycles per pixel, on the sky: M^-T f, per the unit of M.
struct Frequencies {
  Matrix2 pixel;
  double determinant;
  explicit Frequencies(const Matrix2& of) : pixel(of), determinant(of.determinant()) {}
  [[nodiscard]] double operator()(double fx, double fy) const {
    return std::hypot(pixel.d * fx - pixel.c * fy, pixel.a * fy - pixel.b * fx) / std::abs(determinant);
  }
};

/// Sums over the modes of an annulus; of those that are independent of each other: a mode and its conjugate are one.
struct Sums {
  double power = 0, frequency = 0, squares = 0;  ///< squares: of the independent ones
  double independent_power = 0;
  std::int64_t modes = 0, independent = 0;
  void add(double p, double f, int times) {
    power += times * p;
    frequency += times * f;
    modes += times;
    independent_power += p;
    squares += p * p;
    ++independent;
  }
};

SpectrumBin bin_of(const Sums& sums, double low, double high) {
  const auto modes = static_cast<double>(sums.modes), n = static_cast<double>(sums.independent);
  const double mean = sums.independent_power / n;
  const double scatter = std::sqrt(std::max(0.0, sums.squares / n - mean * mean) / (n - 1));
  return {low,       high, sums.frequency / modes, sums.power / modes, sums.independent > 1 ? scatter : std::nan(""),
          sums.modes};
}

/// Edges of the annuli between the lowest and the highest frequency.
struct Annuli {
  double lowest, highest;
  std::int64_t count;
  bool log;
  Annuli(double low, double high, std::int64_t bins) : lowest(low), highest(high), count(bins), log(bins > 0) {
    if (!log) count = static_cast<std::int64_t>(std::floor(high / low + 0.5));
  }
  [[nodiscard]] double edge(std::int64_t i) const {
    if (!log) return (static_cast<double>(i) + 0.5) * lowest;
    return lowest * std::pow(highest / lowest, static_cast<double>(i) / static_cast<double>(count));
  }
  [[nodiscard]] std::size_t of(double frequency) const {
    const double place = log ? static_cast<double>(count) * std::log(frequency / lowest) / std::log(highest / lowest)
                             : frequency / lowest - 0.5;
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(count - 1)));
  }
};

void share_out(PowerSpectrum& made, const std::vector<std::complex<double>>& spectrum, const Matrix2& pixel,
               std::int64_t bins) {
  const auto [ny, nx] = made.shape;
  const auto pixels = static_cast<double>(made.shape.count());
  const Frequencies frequency(pixel);
  const std::int64_t columns = nx / 2 + 1;
  const auto of = [&, ny = ny, nx = nx](std::int64_t ky, std::int64_t kx) {
    const std::int64_t y = ky > ny / 2 ? ky - ny : ky;
    return frequency(static_cast<double>(kx) / static_cast<double>(nx),
                     static_cast<double>(y) / static_cast<double>(ny));
  };
  double lowest = INFINITY, highest = 0;
  for (std::int64_t ky = 0; ky < ny; ++ky)
    for (std::int64_t kx = 0; kx < columns; ++kx)
      if (const double f = of(ky, kx); f > 0) lowest = std::min(lowest, f), highest = std::max(highest, f);
  if (highest == 0) return;  // one pixel
  const Annuli annuli(lowest, highest * (1 + 1e-12), bins);
  std::vector<Sums> sums(static_cast<std::size_t>(annuli.count));
  for (std::int64_t ky = 0; ky < ny; ++ky)
    for (std::int64_t kx = 0; kx < columns; ++kx) {
      if (ky == 0 && kx == 0) continue;
      const double power = std::norm(spectrum[static_cast<std::size_t>(ky * columns + kx)]) / (pixels * pixels);
      const bool stored_twice = kx == 0 || 2 * kx == nx;  // the conjugate is in the same column
      const std::int64_t conjugate = (ny - ky) % ny;
      made.variance += (stored_twice ? 1 : 2) * power;
      if (stored_twice && conjugate < ky) continue;
      const double f = of(ky, kx);
      sums[annuli.of(f)].add(power, f, stored_twice && conjugate == ky ? 1 : 2);
    }
  for (std::int64_t i = 0; i < annuli.count; ++i)
    if (const Sums& one = sums[static_cast<std::size_t>(i)]; one.modes > 0)
      made.bins.push_back(bin_of(one, annuli.edge(i), annuli.edge(i + 1)));
}

}  // namespace

PowerSpectrum power_spectrum(const Request& request, std::int64_t bins, Backend& backend, int threads,
                             const Progress& progress) {
  const ImagePlane image = ImagePlane::open(request.input, request.open, progress);
  const ImageHeader& header = image.header();
  PowerSpectrum made;
  made.input = request.input;
  made.unit = header.unit.name();
  made.shape = header.shape;
  TilingPlan whole;
  whole.band_rows = header.shape.ny;
  const auto pixels = image.pixels(progress);
  const auto plane = backend.load(*pixels, whole, progress);
  const ClipStatistics clip = backend.clip(*plane, {});
  if (clip.kept == 0) throw DataError(request.input + ": no pixel is finite");
  made.background = clip.median;
  std::vector<float> stored(static_cast<std::size_t>(header.shape.count()));
  backend.render_rows(MapKind::image, *plane, nullptr, 0, header.shape.ny, stored.data());
  std::vector<double> values(stored.size());
  std::ranges::transform(stored, values.begin(), [&](float pixel) {
    return std::isfinite(pixel) ? static_cast<double>(pixel) - made.background : 0.0;
  });
  made.blank = static_cast<double>(plane->blank()) / static_cast<double>(values.size());
  made.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  Matrix2 pixel;
  if (const auto geometry = header.centre_geometry()) {
    made.sky = true;
    pixel = {geometry->a * 3600, geometry->b * 3600, geometry->c * 3600, geometry->d * 3600};
  }
  if (const auto& beam = request.beam ? request.beam : header.beam; beam && made.sky)
    made.beam = 3600 * std::sqrt(beam->major_deg * beam->minor_deg);
  ThreadPool pool(threads);
  share_out(made, fourier_image(values, header.shape, pool, progress), pixel, bins);
  return made;
}

}  // namespace reber

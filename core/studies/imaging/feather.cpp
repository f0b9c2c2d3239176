// SPDX-License-Identifier: BSD-3-Clause
// Transforms, the low beam's weight, and the way back.
#include "core/studies/imaging/feather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/studies/fourier.hpp"

namespace reber {
namespace {

using Complex = std::complex<double>;
/// Grids differ where a corner lies elsewhere by more than this.   [pixels]
constexpr double kSamePlace = 0.1;

/// The image of a spectrum as fourier_image() gives it.
std::vector<double> inverse_image(std::vector<Complex> spectrum, Shape shape, ThreadPool& pool,
                                  const Progress& progress) {
  const std::int64_t half = shape.nx / 2 + 1;
  const FourierLine columns(shape.ny), rows(shape.nx);
  pool.for_each(half, [&](std::int64_t kx) {
    progress.check();
    std::vector<Complex> line(static_cast<std::size_t>(shape.ny)), spare;
    for (std::int64_t y = 0; y < shape.ny; ++y)
      line[static_cast<std::size_t>(y)] = std::conj(spectrum[static_cast<std::size_t>(y * half + kx)]);
    columns.transform(line.data(), spare);
    for (std::int64_t y = 0; y < shape.ny; ++y)
      spectrum[static_cast<std::size_t>(y * half + kx)] = line[static_cast<std::size_t>(y)];
  });
  std::vector<double> image(static_cast<std::size_t>(shape.count()));
  const double scale = 1 / static_cast<double>(shape.count());
  pool.for_each(shape.ny, [&](std::int64_t y) {
    std::vector<Complex> line(static_cast<std::size_t>(shape.nx)), spare;
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      const Complex own = spectrum[static_cast<std::size_t>(y * half + std::min(x, shape.nx - x))];
      line[static_cast<std::size_t>(x)] = x < half ? own : std::conj(own);
    }
    rows.transform(line.data(), spare);
    for (std::int64_t x = 0; x < shape.nx; ++x)
      image[static_cast<std::size_t>(y * shape.nx + x)] = scale * line[static_cast<std::size_t>(x)].real();
  });
  return image;
}

std::string what(const CubeSource& cube) { return printable(cube.header(0)->path); }

/// The factor that turns the low image's values into the high one's unit, but for beams.
double unit_factor(const ImageHeader& high, const ImageHeader& low) {
  if (high.unit.text == low.unit.text) return 1;
  if (!high.unit.alike(low.unit))
    throw InputError(fmt::format("{} is in {} and {} in {}: feathering needs units of one kind; --unit names another",
                                 printable(high.path), high.unit.name(), printable(low.path), low.unit.name()));
  return low.unit.factor / high.unit.factor;
}

void check_grid(const ImageHeader& high, const ImageHeader& low) {
  const auto refuse = [&](const std::string& why) {
    return InputError(
        fmt::format("{} does not lie on the pixels of {}: {}. Put it there first, with reber regrid --like",
                    printable(low.path), printable(high.path), why));
  };
  if (!(low.shape == high.shape))
    throw refuse(
        fmt::format("it has {} x {} pixels, not {} x {}", low.shape.nx, low.shape.ny, high.shape.nx, high.shape.ny));
  for (const double fx : {0.0, 1.0})
    for (const double fy : {0.0, 1.0}) {
      const double x = fx * static_cast<double>(high.shape.nx - 1), y = fy * static_cast<double>(high.shape.ny - 1);
      const auto sky = high.wcs.to_sky(x, y);
      const auto place = sky ? low.wcs.to_pixel(*sky) : std::nullopt;
      if (sky && (!place || !(std::hypot(place->x - x, place->y - y) <= kSamePlace)))
        throw refuse("a corner is elsewhere");
    }
}

class Feather {
 public:
  Feather(const CubeSource& high, const FeatherRequest& request, const Progress& progress, const LogSink& log)
      : high_(high),
        low_(CubeSource::open(request.low, {}, progress, log)),
        request_(request),
        progress_(progress),
        pool_(request.threads) {}

  void check() const;
  [[nodiscard]] std::vector<float> plane(std::int64_t k);
  [[nodiscard]] Beam low_beam(std::int64_t k) const;
  [[nodiscard]] double ratio(std::int64_t k) const;

 private:
  [[nodiscard]] std::int64_t low_plane(std::int64_t k) const { return low_.planes() == 1 ? 0 : k; }
  /// B at every place of a half spectrum times its values; times 1 - B where `rest`.
  void weigh(std::vector<Complex>& spectrum, const Beam& beam, const Matrix2& geometry, bool rest);

  const CubeSource& high_;
  CubeSource low_;
  const FeatherRequest& request_;
  const Progress& progress_;
  ThreadPool pool_;
};

Beam Feather::low_beam(std::int64_t k) const {
  const auto header = low_.header(low_plane(k));
  if (request_.low_beam) return *request_.low_beam;
  if (!header->beam)
    throw InputError(
        fmt::format("{}: feathering needs its beam; {}. Give it as sdfwhm=ARCSEC", what(low_), header->beam_note));
  return *header->beam;
}

double Feather::ratio(std::int64_t k) const {
  const auto high = high_.header(k), low = low_.header(low_plane(k));
  const double factor = request_.scale * unit_factor(*high, *low);
  if (high->unit.kind != Unit::Kind::jy_per_beam) return factor;
  if (!high->beam)
    throw InputError(
        fmt::format("{}: feathering in {} needs its beam; {}", what(high_), high->unit.name(), high->beam_note));
  return factor * high->beam->area_deg2() / low_beam(k).area_deg2();
}

void Feather::check() const {
  const auto high = high_.header(0);
  if (!high->centre_geometry())
    throw InputError(fmt::format("{}: feathering needs the sky geometry of the image", what(high_)));
  check_grid(*high, *low_.header(0));
  if (low_.planes() != 1 && low_.planes() != high_.planes())
    throw InputError(fmt::format("{} has {} planes and {} has {}: feathering needs as many, or one", what(high_),
                                 high_.planes(), what(low_), low_.planes()));
  (void)ratio(0);
  if (high->beam && low_beam(0).area_deg2() <= high->beam->area_deg2())
    throw InputError(
        fmt::format("{} has a smaller beam than {}: the low-resolution image comes second", what(low_), what(high_)));
}

void Feather::weigh(std::vector<Complex>& spectrum, const Beam& beam, const Matrix2& geometry, bool rest) {
  const Shape shape = high_.shape();
  const Covariance c = to_pixels(sky_covariance(beam.major_deg, beam.minor_deg, beam.pa_deg), geometry);
  const double scale = -std::numbers::pi * std::numbers::pi / (4 * std::numbers::ln2);
  const std::int64_t half = shape.nx / 2 + 1;
  pool_.for_each(shape.ny, [&](std::int64_t ky) {
    const double v = static_cast<double>(ky <= shape.ny / 2 ? ky : ky - shape.ny) / static_cast<double>(shape.ny);
    for (std::int64_t kx = 0; kx < half; ++kx) {
      const double u = static_cast<double>(kx) / static_cast<double>(shape.nx);
      const double b = std::exp(scale * (c.xx * u * u + 2 * c.xy * u * v + c.yy * v * v));
      spectrum[static_cast<std::size_t>(ky * half + kx)] *= rest ? 1 - b : b;
    }
  });
}

std::vector<float> Feather::plane(std::int64_t k) {
  const Shape shape = high_.shape();
  const auto header = high_.header(k);
  const Matrix2 geometry = *header->centre_geometry();
  std::vector<double> high = decode_doubles(*high_.pixels(k, progress_));
  std::vector<double> low = decode_doubles(*low_.pixels(low_plane(k), progress_));
  std::vector<bool> blank(high.size());
  const double r = ratio(k);
  for (std::size_t i = 0; i < high.size(); ++i) {
    blank[i] = !std::isfinite(high[i]);
    if (blank[i]) high[i] = 0;
    low[i] = std::isfinite(low[i]) ? r * low[i] : 0;
  }
  const Beam beam = low_beam(k);
  std::vector<Complex> spectrum = fourier_image(high, shape, pool_, progress_);
  weigh(spectrum, beam, geometry, true);
  if (request_.lowpass) {
    std::vector<Complex> other = fourier_image(low, shape, pool_, progress_);
    weigh(other, beam, geometry, false);
    for (std::size_t i = 0; i < spectrum.size(); ++i) spectrum[i] += other[i];
    std::ranges::fill(low, 0.0);
  }
  const std::vector<double> sum = inverse_image(std::move(spectrum), shape, pool_, progress_);
  std::vector<float> out(sum.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = blank[i] ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum[i] + low[i]);
  return out;
}

}  // namespace

FeatherRequest FeatherRequest::parse(const std::string& text) {
  FeatherRequest request;
  std::size_t at = text.find(',');
  request.low = text.substr(0, at);
  const auto refuse = [&] {
    return InputError(
        fmt::format("step 'feather:{}': expected the low-resolution file, and scale=1.0, sdfwhm=ARCSEC or "
                    "lowpass behind it",
                    printable(text)));
  };
  if (request.low.empty()) throw refuse();
  while (at != std::string::npos) {
    const std::size_t next = text.find(',', at + 1);
    const std::string word = text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    at = next;
    if (word == "lowpass") {
      request.lowpass = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    char* end = nullptr;
    const std::string number = equals == std::string::npos ? "" : word.substr(equals + 1);
    const double value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != 0 || !(value > 0) || !(value < 1e9)) throw refuse();
    if (word.starts_with("scale=")) {
      request.scale = value;
    } else if (word.starts_with("sdfwhm=")) {
      request.low_beam = Beam{value / 3600, value / 3600, 0};
    } else {
      throw refuse();
    }
  }
  return request;
}

std::vector<std::string> feather(const CubeSource& high, const FeatherRequest& request, const std::string& output,
                                 const Progress& progress, const LogSink& log) {
  Feather work(high, request, progress, log);
  work.check();
  const Beam beam = work.low_beam(0);
  std::vector<std::string> told{fmt::format(
      "feather: with {}, beam {:.6g} x {:.6g} arcsec, PA {:.5g} deg, its fluxes times {:.9g} x {:.9g}", request.low,
      beam.major_deg * 3600, beam.minor_deg * 3600, beam.pa_deg, request.scale, work.ratio(0) / request.scale)};
  const auto header = high.header(0);
  OutputHeader out;
  out.like = header.get();
  out.unit = header->unit.text;
  if (header->plane_beams.empty()) out.beam = header->beam;
  out.history = request.history;
  out.history.insert(out.history.end(), told.begin(), told.end());
  CubeWriter writer(output, out, header->plane_beams, request.how);
  for (std::int64_t k = 0; k < high.planes(); ++k) {
    progress.report("feathering planes", static_cast<double>(k) / static_cast<double>(high.planes()));
    std::vector<float> plane = work.plane(k);
    writer.write_rows(k, 0, high.shape().ny, plane.data());
  }
  writer.finish();
  return told;
}

}  // namespace reber

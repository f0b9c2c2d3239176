// SPDX-License-Identifier: BSD-3-Clause
// Sums over planes, plane after plane.
#include "core/run/cube/collapse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/run/cube/cube_header.hpp"
#include "core/run/cube/moment_sums.hpp"
#include "core/run/cube/plane_walk.hpp"
#include "core/run/cube/spectral_axis.hpp"
#include "core/seam/plan/tiling.hpp"

namespace reber {
namespace {

using How = CollapseRequest::How;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Bytes of stored rows that one thread takes at a time.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 18;

bool is_moment(How how) { return how == How::moment0 || how == How::moment1 || how == How::moment2; }

/// What a plane's pixels count.
struct PlaneTerms {
  double weight = 1;  ///< 1/rms^2, or the width of the channel
  double at = 0;      ///< coordinate less that of the middle plane, so that squares lose no digits
  float above = -std::numeric_limits<float>::infinity();
};

/// The running sums of every pixel.
class Sums {
 public:
  Sums(How how, Shape shape)
      : how_(how),
        moments_(how == How::moment2   ? 2
                 : how == How::moment1 ? 1
                                       : 0,
                 is_moment(how) ? count(shape) : 0),
        zeroth_(is_moment(how) ? 0 : count(shape), how == How::max ? kNaN : 0.0),
        weight_(is_mean() ? count(shape) : 0, 0.0) {}

  void add(const float* values, std::size_t from, std::size_t count, const PlaneTerms& terms);
  [[nodiscard]] float value(std::size_t i, double middle) const;

 private:
  [[nodiscard]] static std::size_t count(Shape shape) { return static_cast<std::size_t>(shape.count()); }
  [[nodiscard]] bool is_mean() const { return how_ == How::mean || how_ == How::weighted; }

  How how_;
  MomentSums moments_;
  std::vector<double> zeroth_, weight_;
};

void Sums::add(const float* values, std::size_t from, std::size_t count, const PlaneTerms& terms) {
  if (is_moment(how_)) return moments_.add(values, from, count, terms.weight, terms.at, terms.above);
  for (std::size_t k = 0; k < count; ++k) {
    const float v = values[k];
    if (!std::isfinite(v) || !(v > terms.above)) continue;
    const std::size_t i = from + k;
    if (how_ == How::max) {
      if (!(zeroth_[i] >= static_cast<double>(v))) zeroth_[i] = static_cast<double>(v);
      continue;
    }
    zeroth_[i] += static_cast<double>(v) * terms.weight;
    weight_[i] += terms.weight;
  }
}

float Sums::value(std::size_t i, double middle) const {
  if (how_ == How::max) return static_cast<float>(zeroth_[i]);
  if (is_mean()) return weight_[i] > 0 ? static_cast<float>(zeroth_[i] / weight_[i]) : std::nanf("");
  if (how_ == How::moment0) return static_cast<float>(moments_.zeroth(i));
  if (how_ == How::moment1) return static_cast<float>(middle + moments_.mean(i));
  return static_cast<float>(moments_.dispersion(i));
}

/// One collapse on its way.
class Collapse {
 public:
  Collapse(const CubeSource& cube, const CollapseRequest& request, Backend& backend, const Progress& progress,
           const LogSink& log)
      : cube_(cube),
        request_(request),
        backend_(backend),
        progress_(progress),
        log_(log),
        pool_(request.threads),
        sums_(request.how, cube.shape()) {}

  Collapsed run();

 private:
  [[nodiscard]] bool measures_noise() const { return request_.how == How::weighted || request_.snr > 0; }
  [[nodiscard]] double noise(const PixelSource& pixels);
  void add(const PixelSource& pixels, const PlaneTerms& terms);
  void take(const CubePlane& plane, std::size_t index);
  void leave_out(std::int64_t plane, const std::string& why);
  void place();
  [[nodiscard]] Collapsed finish();

  const CubeSource& cube_;
  const CollapseRequest& request_;
  Backend& backend_;
  const Progress& progress_;
  const LogSink& log_;
  ThreadPool pool_;
  Sums sums_;
  SpectralCoordinates spectrum_;
  double middle_ = 0, weights_ = 0;
  Collapsed made_;
  std::vector<std::optional<Beam>> beams_;
  std::vector<double> shares_;  ///< weights of the planes that took part
};

double Collapse::noise(const PixelSource& pixels) {
  MemoryNeeds needs;
  needs.shape = cube_.shape();
  const auto plane = backend_.load(pixels, plan_tiling(needs, backend_.info().device_memory_bytes), progress_);
  const ClipOptions options;
  return backend_.clip(*plane, options, progress_).std / clip_bias(options.kappa);
}

void Collapse::add(const PixelSource& pixels, const PlaneTerms& terms) {
  const Shape shape = cube_.shape();
  const PixelFormat format = pixels.format();
  const std::int64_t row_bytes = std::max<std::int64_t>(shape.nx * bytes_of(format.type), 1);
  const std::int64_t rows = std::max<std::int64_t>(1, kPieceBytes / row_bytes);
  pool_.for_each((shape.ny + rows - 1) / rows, [&](std::int64_t piece) {
    progress_.check();
    const std::int64_t y0 = piece * rows, count = std::min(rows, shape.ny - y0);
    std::vector<std::byte> raw(static_cast<std::size_t>(count * row_bytes));
    std::vector<float> values(static_cast<std::size_t>(count * shape.nx));
    pixels.read_rows(y0, count, raw.data());
    decode_floats(raw.data(), count * shape.nx, format, values.data());
    sums_.add(values.data(), static_cast<std::size_t>(y0 * shape.nx), values.size(), terms);
  });
}

void Collapse::leave_out(std::int64_t plane, const std::string& why) {
  log_.warning(fmt::format("plane {} is left out: {}", plane, why));
  made_.history.push_back(fmt::format("collapse: plane {} left out: {}", plane, why));
}

void Collapse::take(const CubePlane& plane, std::size_t index) {
  if (const std::string why = why_flagged(plane, request_.given_beam, progress_); !why.empty())
    return leave_out(plane.plane, why);
  PlaneTerms terms;
  if (measures_noise()) {
    const double rms = request_.rms.empty() ? noise(*plane.pixels) : request_.rms[index];
    if (!(rms > 0)) return leave_out(plane.plane, "its noise cannot be measured");
    if (request_.snr > 0) terms.above = static_cast<float>(request_.snr * rms);
    if (request_.how == How::weighted) terms.weight = 1 / (rms * rms);
    made_.history.push_back(fmt::format("collapse: plane {}, rms {:.6g}", plane.plane, rms));
  }
  if (is_moment(request_.how)) {
    terms.weight = spectrum_.width[index];
    terms.at = spectrum_.at[index] - middle_;
  }
  weights_ += terms.weight;
  shares_.push_back(request_.how == How::weighted ? terms.weight : 1);
  add(*plane.pixels, terms);
  made_.used.push_back(plane.plane);
  beams_.push_back(plane.header->beam);
}

/// Where the image lies: on the spectral axis, and in frequency, at the mean of the planes that took part.
void Collapse::place() {
  double all = 0, pixels = 0, frequencies = 0;
  const int axis = spectral_axis(*cube_.header(made_.used.front()));
  std::vector<double> places;
  for (std::size_t i = 0; i < made_.used.size(); ++i) {
    const auto header = cube_.header(made_.used[i]);
    places = fits::axis_places(*header);
    all += shares_[i];
    if (axis >= 2 && !places.empty()) pixels += shares_[i] * places[static_cast<std::size_t>(axis - 2)];
    frequencies += shares_[i] * header->wcs.frequency_hz();
  }
  if (axis >= 2 && !places.empty()) places[static_cast<std::size_t>(axis - 2)] = pixels / all;
  made_.places = places;
  if (std::isfinite(frequencies)) made_.frequency_hz = frequencies / all;
}

Collapsed Collapse::finish() {
  if (made_.used.empty())
    throw DataError(fmt::format("{}: none of the planes has pixels to collapse", printable(cube_.header(0)->path)));
  ImageHeader header = *cube_.header(made_.used[made_.used.size() / 2]);
  const std::string brightness = header.unit.text;
  std::string unit = brightness;
  if (request_.how == How::moment0) unit += (unit.empty() ? "" : " ") + spectrum_.unit;
  if (request_.how == How::moment1 || request_.how == How::moment2) unit = spectrum_.unit;
  header.unit = Unit::parse(unit);
  header.beam = median_beam(beams_, log_);
  header.plane_beams.clear();
  place();
  std::string first = fmt::format("collapse: {} of {} planes, {} to {}", to_string(request_.how), made_.used.size(),
                                  made_.used.front(), made_.used.back());
  if (request_.snr > 0) first += fmt::format(", pixels above {:g} times their plane's rms", request_.snr);
  made_.history.insert(made_.history.begin(), first);
  if (is_moment(request_.how)) made_.history.push_back("collapse: over " + spectrum_.convention);
  if (request_.how == How::weighted)
    made_.history.push_back(fmt::format("collapse: expected rms {:.6g} {}", 1 / std::sqrt(weights_), brightness));
  made_.header = std::make_shared<const ImageHeader>(std::move(header));
  made_.pixels.resize(static_cast<std::size_t>(cube_.shape().count()));
  const std::int64_t nx = cube_.shape().nx;
  pool_.for_each(cube_.shape().ny, [&](std::int64_t y) {
    for (std::int64_t i = y * nx; i < (y + 1) * nx; ++i)
      made_.pixels[static_cast<std::size_t>(i)] = sums_.value(static_cast<std::size_t>(i), middle_);
  });
  return std::move(made_);
}

Collapsed Collapse::run() {
  const auto header = cube_.header(request_.planes.front());
  check_one_spectrum(*header, request_.planes);
  if (is_moment(request_.how)) {
    spectrum_ = spectral_coordinates(*header, request_.planes);
    middle_ = spectrum_.at[spectrum_.at.size() / 2];
  }
  PlaneWalk walk(cube_, request_.planes);
  for (std::size_t index = 0; index < request_.planes.size(); ++index) {
    progress_.report("collapsing planes", static_cast<double>(index) / static_cast<double>(request_.planes.size()));
    take(*walk.next(progress_), index);
  }
  return finish();
}

}  // namespace

Collapsed collapse(const CubeSource& cube, const CollapseRequest& request, Backend& backend, const Progress& progress,
                   const LogSink& log) {
  return Collapse(cube, request, backend, progress, log).run();
}

OutputHeader collapsed_header(const Collapsed& made, const std::optional<Beam>& beam, const std::string& first,
                              const std::vector<std::string>& options) {
  OutputHeader header;
  header.like = made.header.get();
  header.unit = made.header->unit.text;
  header.beam = beam ? beam : made.header->beam;
  header.places = made.places;
  header.frequency_hz = made.frequency_hz;
  header.history = {first};
  for (const std::string& line : options) header.history.push_back("option: " + line);
  header.history.insert(header.history.end(), made.history.begin(), made.history.end());
  return header;
}

void write_collapsed(const std::string& path, const Collapsed& made, Shape shape, const OutputHeader& header,
                     bool overwrite, const Progress& progress) {
  const FloatRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    std::copy_n(made.pixels.begin() + y0 * shape.nx, ny * shape.nx, out);
  };
  write_fits(path, shape, header, rows, overwrite, progress);
}

}  // namespace reber

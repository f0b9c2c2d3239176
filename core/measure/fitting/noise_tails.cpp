// SPDX-License-Identifier: BSD-3-Clause
// A sample of local minima, then islands.
#include "core/measure/fitting/noise_tails.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

/// Of the rms: a mesh knows it no better in places.
constexpr double kUnsureNoise = 0.03;
constexpr double kImprobable = 1e-3, kWorthCounting = 0.05;

/// Pixels of a strip below -t, and below all eight neighbours but those that come later and are alike.
std::int64_t minima(const std::vector<float>& snr, std::int64_t rows, std::int64_t nx, double t) {
  std::int64_t found = 0;
  for (std::int64_t y = 1; y + 1 < rows; ++y)
    for (std::int64_t x = 1; x + 1 < nx; ++x) {
      const float* const at = snr.data() + y * nx + x;
      if (!(*at < -t)) continue;
      const bool lowest = !(at[-nx - 1] <= *at || at[-nx] <= *at || at[-nx + 1] <= *at || at[-1] <= *at ||
                            at[1] < *at || at[nx - 1] < *at || at[nx] < *at || at[nx + 1] < *at);
      found += lowest ? 1 : 0;
    }
  return found;
}

bool sample_is_worth_it(Backend& backend, const Plane& plane, const BackgroundModel& background, double t,
                        double pixels, const Job& job) {
  constexpr std::int64_t kRows = 16, kPart = 16, kSmall = 1 << 20, kMost = 1 << 26;
  const Shape shape = plane.shape();
  const std::int64_t apart = kRows * std::max(kPart, shape.count() / kMost);
  if (shape.count() < kSmall || shape.ny < apart) return true;
  std::vector<float> snr(static_cast<std::size_t>(kRows * shape.nx));
  std::int64_t found = 0, seen = 0;
  for (std::int64_t y = apart / 2; y + kRows <= shape.ny; y += apart, seen += kRows) {
    backend.render_rows(MapKind::snr, plane, &background, y, kRows, snr.data(), job);
    found += minima(snr, kRows, shape.nx, t);
  }
  const double part = static_cast<double>(seen) / static_cast<double>(shape.ny);
  return found > 0 && chance_of_more(found, pixels_above(part * pixels, t)) < kWorthCounting;
}

}  // namespace

double chance_of_more(std::int64_t found, double expected) {
  // 1 - the sum of those below, or the sum of those above where that is small.
  const auto term = [&](std::int64_t k) {
    const auto n = static_cast<double>(k);
    return std::exp(n * std::log(expected) - expected - std::lgamma(n + 1));
  };
  double sum = 0;
  if (static_cast<double>(found) <= expected) {
    for (std::int64_t k = 0; k < found; ++k) sum += term(k);
    return 1 - sum;
  }
  for (std::int64_t k = found;; ++k) {
    const double one = term(k);
    sum += one;
    if (one <= 1e-12 * sum) return sum;
  }
}

double pixels_above(double pixels, double t) { return pixels * 0.5 * std::erfc(t / std::numbers::sqrt2); }

std::optional<NegativePeaks> too_many_negative_peaks(Backend& backend, const Plane& plane,
                                                     const BackgroundModel& background, const DetectOptions& options,
                                                     double pixels, const Job& job) {
  const double seed = options.seed;
  if (!(pixels > 0) || !sample_is_worth_it(backend, plane, background, seed, pixels, job)) return std::nullopt;
  DetectOptions negative = options;
  negative.negative = true;
  const NegativePeaks peaks{backend.label(plane, background, negative, job)->count(), pixels_above(pixels, seed)};
  const double most = pixels_above(pixels, seed / (1 + kUnsureNoise));
  if (peaks.found == 0 || !(chance_of_more(peaks.found, most) < kImprobable)) return std::nullopt;
  return peaks;
}

bool may_be_negative(const ImageHeader& header) {
  std::string text;
  for (const std::string& card : header.cards) text += card;
  const fits::CardTable cards(text);
  if (const auto name = cards.string("STOKES"); name && !name->empty())
    return std::string_view("QUV").find((*name)[0]) != std::string_view::npos;
  std::int64_t planes = 1;
  for (std::size_t axis = 0; axis < header.axes.size(); ++axis) {
    if (static_cast<int>(axis) == header.x_axis || static_cast<int>(axis) == header.y_axis) continue;
    const std::int64_t length = header.axes[axis], index = header.plane / planes % std::max<std::int64_t>(length, 1);
    planes *= std::max<std::int64_t>(length, 1);
    const std::string n = std::to_string(axis + 1);
    if (!cards.string("CTYPE" + n).value_or("").starts_with("STOKES")) continue;
    const double code = cards.number("CRVAL" + n).value_or(0) +
                        (static_cast<double>(index) + 1 - cards.number("CRPIX" + n).value_or(0)) *
                            cards.number("CDELT" + n).value_or(1);
    const auto stokes = std::llround(code);
    return (stokes >= 2 && stokes <= 4) || stokes == -3 || stokes == -4 || stokes == -7 || stokes == -8;
  }
  return false;
}

}  // namespace reber

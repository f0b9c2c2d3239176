// SPDX-License-Identifier: BSD-3-Clause
// A wave stands out among the modes of a Fourier transform: of its neighbours, and of the others of its length.
#include "core/studies/quality/waves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/base/thread_pool.hpp"
#include "core/studies/fourier.hpp"

namespace reber {
namespace {

constexpr std::int64_t kMostBlocks = 1024, kFewestBlocks = 32;
constexpr double kClip = 3;
constexpr std::int64_t kFirst = 3;               ///< modes below it are structure, not waves
constexpr std::int64_t kInner = 4, kOuter = 12;  ///< of a wave's neighbours, modes

double hann(std::int64_t i, std::int64_t n) {
  const double s = std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n));
  return s * s;
}

/// The image without its sources in units of its noise, averaged over blocks and tapered.
struct Blocks {
  Shape shape;
  std::vector<double> values;
  double weight = 0;  ///< sum of the taper where there are pixels
};

Blocks blocks_of(const Result& result, std::int64_t block, const Job& job) {
  const Shape shape = result.plane()->shape();
  Backend& backend = *result.backend;
  const ClipStatistics clip = backend.clip(*result.plane(), {}, job);
  Blocks out{{shape.ny / block, shape.nx / block}, {}, 0};
  const auto nx = static_cast<std::size_t>(shape.nx), band = nx * static_cast<std::size_t>(block);
  std::vector<float> image(band), rms(band);
  std::vector<std::int32_t> labels(band);
  out.values.resize(static_cast<std::size_t>(out.shape.count()));
  for (std::int64_t j = 0; j < out.shape.ny; ++j) {
    backend.render_rows(MapKind::image, *result.plane(), nullptr, j * block, block, image.data(), job);
    backend.render_rows(MapKind::rms, *result.plane(), result.background(), j * block, block, rms.data(), job);
    if (result.islands()) backend.label_rows(*result.islands(), j * block, block, labels.data(), job);
    for (std::int64_t i = 0; i < out.shape.nx; ++i) {
      double sum = 0;
      std::int64_t count = 0;
      for (std::int64_t k = 0; k < block * block; ++k) {
        const std::size_t at =
            static_cast<std::size_t>(k / block) * nx + static_cast<std::size_t>(i * block + k % block);
        const double value = (static_cast<double>(image[at]) - clip.median) / static_cast<double>(rms[at]);
        if (labels[at] != 0 || !(rms[at] > 0) || !std::isfinite(value)) continue;
        sum += std::clamp(value, -kClip, kClip);
        ++count;
      }
      if (count == 0) continue;
      const double taper = hann(j, out.shape.ny) * hann(i, out.shape.nx);
      out.values[static_cast<std::size_t>(j * out.shape.nx + i)] = taper * sum / static_cast<double>(count);
      out.weight += taper;
    }
  }
  return out;
}

/// Powers of all modes of half a plane, as fourier_image() has them.
class Modes {
 public:
  Modes(const std::vector<std::complex<double>>& spectrum, Shape shape) : shape_(shape), columns_(shape.nx / 2 + 1) {
    power_.reserve(spectrum.size());
    for (const std::complex<double>& one : spectrum) power_.push_back(std::norm(one));
  }
  /// kx, ky may be negative.
  [[nodiscard]] double at(std::int64_t kx, std::int64_t ky) const {
    const auto turned = [](std::int64_t k, std::int64_t n) { return ((k % n) + n) % n; };
    kx = turned(kx, shape_.nx), ky = turned(ky, shape_.ny);
    if (kx >= columns_) kx = shape_.nx - kx, ky = turned(-ky, shape_.ny);
    return power_[static_cast<std::size_t>(ky * columns_ + kx)];
  }
  [[nodiscard]] double around(std::int64_t kx, std::int64_t ky) const {
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t dy = -kOuter; dy <= kOuter; ++dy)
      for (std::int64_t dx = -kOuter; dx <= kOuter; ++dx) {
        const std::int64_t d2 = dx * dx + dy * dy;
        if (d2 < kInner * kInner || d2 > kOuter * kOuter) continue;
        sum += at(kx + dx, ky + dy);
        ++count;
      }
    return sum / static_cast<double>(count);
  }
  [[nodiscard]] std::int64_t columns() const { return columns_; }

  // Rings of waves: half an octave of length each.
  [[nodiscard]] std::int64_t rings() const { return ring_of(columns_, shape_.ny) + 1; }
  [[nodiscard]] static std::int64_t ring_of(std::int64_t kx, std::int64_t ky) {
    const std::int64_t k2 = std::max<std::int64_t>(1, kx * kx + ky * ky);
    return std::bit_width(static_cast<std::uint64_t>(k2)) - 1;
  }
  /// The mean power of those waves of a ring and the two beside it that have power at all: an array of few antennas
  /// leaves most of them empty. Waves below it hold a quarter of the power if that is exponential about the mean, as
  /// noise is. The strongest wave does not count.   0 where there are too few waves
  [[nodiscard]] double usual(std::int64_t ring) const {
    constexpr std::size_t kFewest = 128;
    constexpr double kPart = 0.25, kLevel = 0.96128;  // 1 - (1 + x) exp(-x) = part
    struct Wave {
      double power = 0;
      std::int64_t kx = 0, ky = 0;
    };
    std::vector<Wave> waves;
    for (std::int64_t row = 0; row < shape_.ny; ++row) {
      const std::int64_t ky = row > shape_.ny / 2 ? row - shape_.ny : row;
      for (std::int64_t kx = 0; kx < columns_; ++kx)
        if (std::abs(ring_of(kx, ky) - ring) <= 1) waves.push_back({at(kx, ky), kx, ky});
    }
    if (waves.empty()) return 0;
    const Wave top = *std::ranges::max_element(waves, {}, &Wave::power);
    std::erase_if(waves, [&](const Wave& one) {
      const std::int64_t x = one.kx - top.kx, y = one.ky - top.ky;
      return x * x + y * y <= kInner * kInner;
    });
    if (waves.size() < kFewest) return 0;
    std::ranges::sort(waves, {}, &Wave::power);
    double all = 0, sum = 0;
    for (const Wave& one : waves) all += one.power;
    for (const Wave& one : waves)
      if (sum += one.power; sum >= kPart * all) return one.power / kLevel;
    return 0;
  }

 private:
  Shape shape_;
  std::int64_t columns_;
  std::vector<double> power_;
};

}  // namespace

StrongestWave strongest_wave(const Result& result, const Job& job, int threads) {
  const Shape image = result.plane()->shape();
  const std::int64_t block = (std::max(image.ny, image.nx) + kMostBlocks - 1) / kMostBlocks;
  if (result.background() == nullptr || std::min(image.ny, image.nx) / block < kFewestBlocks) return {};
  const Blocks blocks = blocks_of(result, block, job);
  if (!(blocks.weight > 0)) return {};
  ThreadPool pool(threads);
  const auto [ny, nx] = blocks.shape;
  const Modes modes(fourier_image(blocks.values, blocks.shape, pool, job.progress()), blocks.shape);
  struct Best {
    double ratio = -1;
    std::int64_t kx = 0, ky = 0;
  };
  std::vector<double> usual(static_cast<std::size_t>(modes.rings()));
  pool.for_each(modes.rings(), [&](std::int64_t ring) { usual[static_cast<std::size_t>(ring)] = modes.usual(ring); });
  std::vector<Best> bests(static_cast<std::size_t>(ny));
  // A wave at most as strong as the 3 x 3 modes about it is no peak: few are left to be compared with their neighbours.
  pool.for_each(ny, [&, nx = nx, ny = ny](std::int64_t row) {
    Best& best = bests[static_cast<std::size_t>(row)];
    const std::int64_t ky = row > ny / 2 ? row - ny : row;
    for (std::int64_t kx = 0; kx < modes.columns(); ++kx) {
      if (kx * kx + ky * ky < kFirst * kFirst) continue;
      const double power = modes.at(kx, ky);
      bool peak = power > 0;
      for (std::int64_t k = 0; peak && k < 9; ++k) peak = modes.at(kx + k % 3 - 1, ky + k / 3 - 1) <= power;
      if (!peak) continue;
      const double usually = usual[static_cast<std::size_t>(Modes::ring_of(kx, ky))];
      if (!(power > best.ratio * usually)) continue;
      const double ratio = power / std::max(usually, modes.around(kx, ky));
      if (ratio > best.ratio) best = {ratio, kx, ky};
    }
  });
  const Best best = *std::ranges::max_element(bests, {}, &Best::ratio);
  if (!(best.ratio > 0)) return {};
  StrongestWave out;
  out.strength = best.ratio / std::log(0.5 * static_cast<double>(blocks.shape.count()));
  out.amplitude = 2 * std::sqrt(modes.at(best.kx, best.ky)) / blocks.weight;
  const double fx = static_cast<double>(best.kx) / static_cast<double>(nx),
               fy = static_cast<double>(best.ky) / static_cast<double>(ny);
  out.wavelength_px = static_cast<double>(block) / std::hypot(fx, fy);
  out.angle_deg = std::atan2(fy, fx) * 180 / std::numbers::pi;
  return out;
}

}  // namespace reber

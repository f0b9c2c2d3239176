// SPDX-License-Identifier: BSD-3-Clause
// Bands of rows become rows of blocks; levels are looked up.
#include "core/picture/sky_pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/large_vectors.hpp"
#include "core/display/level_rules.hpp"

namespace reber {
namespace {

using levels::kLowest;
/// A band is reduced while it is in the cache.
constexpr std::int64_t kBandPixels = std::int64_t{1} << 20;
const cv::Vec3b kBlank(146, 146, 150);

/// Largest finite value of each column of `ny` rows; kLowest where there is none.
void column_peaks(const float* rows, std::int64_t ny, std::int64_t nx, float* peaks) {
  std::fill_n(peaks, nx, kLowest);
  for (std::int64_t y = 0; y < ny; ++y) {
    const float* const row = rows + y * nx;
    for (std::int64_t x = 0; x < nx; ++x) {
      peaks[x] = levels::larger(peaks[x], levels::endless_low(row[x]));
    }
  }
}

/// Levels by table. A bin holds one step of the level at most, so that one comparison gives the rounded curve.
class LevelTable {
 public:
  LevelTable() {
    for (std::size_t k = 0; k < 255; ++k) steps_[k] = unstretched(kSkyCurve, (static_cast<double>(k) + 0.5) / 255);
    steps_[255] = 2;
    std::size_t level = 0;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      lowest_[bin] = static_cast<std::uint8_t>(level);
      while (steps_[level] < static_cast<double>(bin + 1) / kBins) ++level;
    }
    lowest_[kBins] = 255;
  }
  /// t: 0 to 1
  [[nodiscard]] std::uint8_t at(double t) const {
    const std::uint8_t level = lowest_[static_cast<std::size_t>(t * kBins)];
    return static_cast<std::uint8_t>(level + (t >= steps_[level] ? 1 : 0));
  }

 private:
  /// The steepest part rises by 255 x 10 / asinh(10) = 850 levels per unit of t.
  static constexpr std::size_t kBins = 4096;
  std::array<double, 256> steps_{};  ///< of t: where level k + 1 begins
  std::array<std::uint8_t, kBins + 1> lowest_{};
};

std::array<cv::Vec3b, 256> make_colours() {
  cv::Mat ramp(1, 256, CV_8UC1), table;
  for (int s = 0; s < 256; ++s) ramp.at<std::uint8_t>(0, s) = static_cast<std::uint8_t>(s);
  cv::applyColorMap(ramp, table, cv::COLORMAP_INFERNO);
  std::array<cv::Vec3b, 256> colours;
  for (int s = 0; s < 256; ++s) {
    const auto bgr = table.at<cv::Vec3b>(0, s);
    colours[static_cast<std::size_t>(s)] = {bgr[2], bgr[1], bgr[0]};
  }
  return colours;
}

const std::array<cv::Vec3b, 256>& colours() {
  static const std::array<cv::Vec3b, 256> table = make_colours();
  return table;
}

const LevelTable& level_table() {
  static const LevelTable table;
  return table;
}

}  // namespace

cv::Mat reduced_peaks(Shape shape, const PixelRows& rows, int reduce, ThreadPool& pool, const Progress& progress) {
  const std::int64_t block = reduce, nx = (shape.nx + block - 1) / block, ny = (shape.ny + block - 1) / block;
  cv::Mat out(static_cast<int>(ny), static_cast<int>(nx), CV_32FC1);
  const std::int64_t blocks =
      std::clamp<std::int64_t>(kBandPixels * std::min(pool.threads(), 8) / (shape.nx * block), 1, ny);
  // Not filled: the threads that bring the rows make its pages.
  const auto band = make_large<float>(static_cast<std::size_t>(std::min(blocks * block, shape.ny) * shape.nx));
  std::vector<std::vector<float>> columns(static_cast<std::size_t>(pool.threads()));
  for (std::int64_t first = 0; first < ny; first += blocks) {
    progress.report("drawing", static_cast<double>(first) / static_cast<double>(ny));
    const std::int64_t y0 = first * block, here = std::min(blocks, ny - first);
    rows(y0, std::min(here * block, shape.ny - y0), band.get());
    pool.for_each_worker(here, [&](std::int64_t i, int worker) {
      auto& peaks = columns[static_cast<std::size_t>(worker)];
      peaks.resize(static_cast<std::size_t>(shape.nx));
      const std::int64_t y = i * block;
      column_peaks(band.get() + y * shape.nx, std::min(block, shape.ny - y0 - y), shape.nx, peaks.data());
      auto* const to = out.ptr<float>(static_cast<int>(ny - 1 - first - i));
      for (std::int64_t x = 0; x < nx; ++x) {
        float peak = kLowest;
        for (std::int64_t at = x * block; at < std::min((x + 1) * block, shape.nx); ++at)
          peak = std::max(peak, peaks[static_cast<std::size_t>(at)]);
        to[x] = levels::low_blank(peak);
      }
    });
  }
  return out;
}

cv::Mat upright_peaks(Shape shape, const std::vector<float>& peaks, int reduce, ThreadPool& pool) {
  const std::int64_t nx = (shape.nx + reduce - 1) / reduce, ny = (shape.ny + reduce - 1) / reduce;
  if (static_cast<std::int64_t>(peaks.size()) != ny * nx) throw InternalError("upright_peaks: peaks of another image");
  cv::Mat out(static_cast<int>(ny), static_cast<int>(nx), CV_32FC1);
  constexpr std::int64_t kRows = 64;  // of a thread's turn
  pool.for_each((ny + kRows - 1) / kRows, [&](std::int64_t i) {
    for (std::int64_t y = i * kRows; y < std::min((i + 1) * kRows, ny); ++y)
      std::copy_n(peaks.data() + y * nx, nx, out.ptr<float>(static_cast<int>(ny - 1 - y)));
  });
  return out;
}

cv::Vec3b sky_colour(int s) { return colours()[static_cast<std::size_t>(std::clamp(s, 0, 255))]; }

void prepare_to_paint() {
  (void)colours();
  (void)level_table();
}

void paint_sky(const cv::Mat& values, const DisplayLimits& limits, ThreadPool& pool, cv::Mat out) {
  const LevelTable& table = level_table();
  const auto& colour = colours();
  const double scale = 1 / (limits.high - limits.low);
  const int wide = out.cols / values.cols, high = out.rows / values.rows;
  if (out.cols != wide * values.cols || out.rows != high * values.rows || wide < 1 || high < 1)
    throw InternalError("paint_sky: a picture of another size");
  constexpr int kRows = 64;  // of a thread's turn
  const auto paint_row = [&](int y) {
    const auto* const from = values.ptr<float>(y);
    auto* to = out.ptr<cv::Vec3b>(y * high);
    for (int x = 0; x < values.cols; ++x, to += wide) {
      const bool blank = !std::isfinite(from[x]);
      std::fill_n(to, wide, blank ? kBlank : colour[table.at(std::clamp((from[x] - limits.low) * scale, 0.0, 1.0))]);
    }
    for (int again = 1; again < high; ++again)
      std::copy_n(out.ptr<cv::Vec3b>(y * high), out.cols, out.ptr<cv::Vec3b>(y * high + again));
  };
  pool.for_each((values.rows + kRows - 1) / kRows, [&](std::int64_t i) {
    for (int y = static_cast<int>(i) * kRows; y < std::min(static_cast<int>(i + 1) * kRows, values.rows); ++y)
      paint_row(y);
  });
}

}  // namespace reber

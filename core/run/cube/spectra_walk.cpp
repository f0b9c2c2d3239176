// SPDX-License-Identifier: BSD-3-Clause
// Bands, strips and steps.
#include "core/run/cube/spectra_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/sky/model/rectangle_source.hpp"

namespace reber {
namespace {

/// Bytes of one plane that a disk is asked for at a time.
constexpr std::int64_t kPieceBytes = std::int64_t{256} << 10;
/// Of all bands, where the user says nothing: what caches and calls are content with, and what bands of one row or of
/// coded files may take.
constexpr std::int64_t kUsualBytes = std::int64_t{40} << 20, kMostBytes = std::int64_t{384} << 20;

std::int64_t row_bytes(const CubeSource& cube) { return cube.shape().nx * bytes_of(cube.file().format().type); }

/// A band as read and as written, for one row.
std::int64_t row_need(const CubeSource& cube, std::size_t planes) {
  return static_cast<std::int64_t>(planes) * (row_bytes(cube) + 4 * cube.shape().nx);
}

int threads_that_fit(const CubeSource& cube, std::size_t planes, std::int64_t memory, int asked) {
  const std::int64_t most = memory / std::max<std::int64_t>(row_need(cube, planes), 1);
  if (most < 1)
    throw InputError(fmt::format("a row of all {} planes takes {} MiB, and {} MiB may be used: raise --host-memory",
                                 planes, (row_need(cube, planes) >> 20) + 1, memory >> 20));
  return static_cast<int>(std::clamp<std::int64_t>(most, 1, asked > 0 ? asked : usable_threads()));
}

}  // namespace

SpectraWalk::SpectraWalk(CubeSource cube, std::vector<std::int64_t> planes, std::vector<bool> skipped,
                         const Steps& steps, std::int64_t memory_bytes, int threads)
    : cube_(std::move(cube)),
      planes_(std::move(planes)),
      skipped_(std::move(skipped)),
      steps_(steps),
      pool_(std::make_unique<ThreadPool>(
          threads_that_fit(cube_, planes_.size(), memory_bytes > 0 ? memory_bytes : kMostBytes, threads))) {
  const Stored stored = cube_.file().stored();
  const bool coded = stored == Stored::coded_by_rows || stored == Stored::coded_whole;
  const std::int64_t most = memory_bytes > 0 ? memory_bytes : coded ? kMostBytes : kUsualBytes;
  const std::int64_t share = most / pool_->threads() / std::max<std::int64_t>(row_need(cube_, planes_.size()), 1);
  const std::int64_t wanted = kPieceBytes / std::max<std::int64_t>(row_bytes(cube_), 1);
  rows_ = std::clamp<std::int64_t>(std::min(share, wanted), 1, std::max<std::int64_t>(shape().ny, 1));
  asked_ = std::max<std::int64_t>(wanted / rows_, 1);
  for (const std::int64_t plane : planes_) sources_.push_back(cube_.pixels(plane));
}

std::int64_t SpectraWalk::bands(std::int64_t every) const {
  if (every > 0) return (shape().ny - every / 2 + every - 1) / every;
  return (shape().ny + rows_ - 1) / rows_;
}

void SpectraWalk::walk(std::int64_t every, const std::string& stage, const Visit& visit, const Done& done,
                       const Progress& progress) const {
  const std::int64_t count = bands(every);
  std::atomic<std::int64_t> finished{0};
  std::vector<Room> rooms(static_cast<std::size_t>(workers()));
  const bool asks = every == 0 && asked_ > 1;
  if (asks) ask(0, asked_ * rows_);
  pool_->for_each_worker(count, [&](std::int64_t i, int worker) {
    Band band{i, i * rows_, std::min(rows_, shape().ny - i * rows_)};
    if (every > 0) band = {i, every / 2 + i * every, 1};
    if (asks && i % asked_ == 0) ask((i + asked_) * rows_, asked_ * rows_);
    take_band(band, worker, rooms[static_cast<std::size_t>(worker)], visit, progress);
    if (done) done(band, worker);
    progress.report(stage, static_cast<double>(++finished) / static_cast<double>(count));
  });
}

void SpectraWalk::ask(std::int64_t y0, std::int64_t ny) const {
  const std::int64_t rows = std::min(ny, shape().ny - y0);
  if (rows <= 0) return;
  for (std::size_t k = 0; k < planes_.size(); ++k)
    if (!skipped_[k]) sources_[k]->will_need(y0, rows);
}

void SpectraWalk::read_band(const Band& band, std::int64_t plane_bytes, std::byte* raw,
                            const Progress& progress) const {
  std::vector<const PixelSource*> sources;
  std::vector<const RectangleSource*> planes;
  std::vector<std::byte*> places;
  for (std::size_t k = 0; k < planes_.size(); ++k) {
    if (skipped_[k]) continue;
    sources.push_back(sources_[k].get());
    planes.push_back(sources_[k]->rectangle_source());
    places.push_back(raw + static_cast<std::int64_t>(k) * plane_bytes);
  }
  if (!planes.empty() && planes[0] != nullptr && planes[0]->read_planes(planes, band.y0, band.ny, places)) return;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (k % 16 == 0) progress.check();
    sources[k]->read_rows(band.y0, band.ny, places[k]);
  }
}

void SpectraWalk::take_band(const Band& band, int worker, Room& room, const Visit& visit,
                            const Progress& progress) const {
  const PixelFormat format = cube_.file().format();
  const std::int64_t size = bytes_of(format.type), pixels = band.ny * shape().nx;
  const auto planes = static_cast<std::int64_t>(planes_.size());
  room.raw.resize(static_cast<std::size_t>(planes * pixels * size));
  read_band(band, pixels * size, room.raw.data(), progress);
  Strip &strip = room.strip, &spare = room.spare;
  for (std::int64_t from = 0; from < pixels; from += Strip::kPixels) {
    strip.resize(planes);
    strip.first = band.y0 * shape().nx + from;
    strip.pixels = std::min(Strip::kPixels, pixels - from);
    for (std::int64_t k = 0; k < planes; ++k) {
      float* const row = strip.plane(k);
      if (skipped_[static_cast<std::size_t>(k)]) {
        std::fill_n(row, strip.pixels, std::numeric_limits<float>::quiet_NaN());
      } else {
        decode_floats(room.raw.data() + (k * pixels + from) * size, strip.pixels, format, row);
      }
      std::fill(row + strip.pixels, row + Strip::kPixels, 0.0F);
    }
    for (const auto& step : steps_) step->apply(strip, spare);
    visit(strip, band, worker);
  }
}

}  // namespace reber

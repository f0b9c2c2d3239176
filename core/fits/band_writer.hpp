// SPDX-License-Identifier: BSD-3-Clause
// Pixels into a FITS file, behind the back of who makes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/base/threads.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/checksum.hpp"
#include "core/model/image.hpp"

namespace reber::fits {

/// Writes planes of four-byte pixels: while one band of rows is turned to FITS's byte order, summed and written by
/// several threads, the next one is being made.
class BandWriter {
 public:
  explicit BandWriter(AtomicFile& file) : file_(file), pool_(kThreads) {}

  /// Fills rows y0 .. y0 + ny - 1 of a plane.
  template <class Pixel>
  using Rows = std::function<void(std::int64_t y0, std::int64_t ny, Pixel* pixels)>;

  /// Writes a plane at a byte of the file.   before_band: is told the row that comes next, and may throw
  template <class Pixel>
  void write(Shape shape, std::int64_t offset, const Rows<Pixel>& rows,
             const std::function<void(std::int64_t y)>& before_band) {
    static_assert(sizeof(Pixel) == 4);
    const std::int64_t band = std::clamp<std::int64_t>(kBandBytes / (4 * shape.nx), 1, shape.ny);
    std::vector<Pixel> made(static_cast<std::size_t>(band * shape.nx)), leaving(made.size());
    std::future<void> written;  // behind the buffers: it is waited for before they go
    for (std::int64_t y = 0; y < shape.ny; y += band) {
      before_band(y);
      const std::int64_t ny = std::min(band, shape.ny - y);
      rows(y, ny, made.data());
      if (written.valid()) written.get();
      made.swap(leaving);
      written = run_beside([this, words = leaving.data(), count = ny * shape.nx, at = offset + 4 * y * shape.nx] {
        turn_and_write(words, count, at);
      });
    }
    if (written.valid()) written.get();
  }

  /// Of all that was written.
  [[nodiscard]] std::uint32_t sum() const { return sum_.sum(); }

 private:
  static constexpr std::int64_t kBandBytes = std::int64_t{32} << 20;
  static constexpr int kThreads = 4;  ///< the file system takes one write to a file at a time

  void turn_and_write(void* words, std::int64_t count, std::int64_t offset);

  AtomicFile& file_;
  ThreadPool pool_;
  Checksum sum_;
};

}  // namespace reber::fits

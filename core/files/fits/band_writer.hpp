// SPDX-License-Identifier: BSD-3-Clause
// Pixels into a FITS file, behind the back of who makes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "core/base/thread_pool.hpp"
#include "core/base/threads.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/checksum.hpp"
#include "core/sky/model/image.hpp"

namespace reber::fits {

/// Writes planes of four-byte pixels: while one band of rows is turned to FITS's byte order, summed and written by
/// several threads, the next one is being made.
class BandWriter {
 public:
  /// band_bytes: of the rows that are made at a time, where the caller of write() has no wish
  explicit BandWriter(AtomicFile& file, std::int64_t band_bytes = std::int64_t{32} << 20);

  /// Fills rows y0 .. y0 + ny - 1 of a plane.
  template <class Pixel>
  using Rows = std::function<void(std::int64_t y0, std::int64_t ny, Pixel* pixels)>;

  /// Writes a plane at a byte of the file; its last band may still be on the way when this returns.
  ///   before_band  is told the row that comes next, and may throw
  ///   band_rows    that are made at a time; 0: as many as band_bytes hold
  ///   throws DataError where this plane, or the end of the one before, cannot be written
  template <class Pixel>
  void write(Shape shape, std::int64_t offset, const Rows<Pixel>& rows,
             const std::function<void(std::int64_t y)>& before_band, std::int64_t band_rows = 0) {
    static_assert(sizeof(Pixel) == 4);
    const std::int64_t wanted = band_rows > 0 ? band_rows : band_bytes_ / (4 * shape.nx);
    const std::int64_t band = std::clamp<std::int64_t>(wanted, 1, shape.ny);
    for (std::int64_t y = 0; y < shape.ny; y += band) {
      before_band(y);
      const std::int64_t ny = std::min(band, shape.ny - y);
      auto* const pixels = static_cast<Pixel*>(made_.ask(band * shape.nx));
      rows(y, ny, pixels);
      wait();
      std::swap(made_, leaving_);
      written_ = run_beside(
          [this, pixels, count = ny * shape.nx, at = offset + 4 * y * shape.nx] { turn_and_write(pixels, count, at); });
    }
  }

  /// Until all is written.   throws DataError where that cannot be
  void wait() {
    if (written_.valid()) written_.get();
  }
  /// Of all that was written, after wait().
  [[nodiscard]] std::uint32_t sum() const { return sum_.sum(); }
  [[nodiscard]] const Checksum& all() const { return sum_; }

 private:
  /// Room for pixels that serves every band: fresh pages for each plane cost as much as writing them.
  class Room {
   public:
    void* ask(std::int64_t pixels);

   private:
    std::unique_ptr<std::byte[]> bytes_;  // NOLINT(modernize-avoid-c-arrays): not filled with zeros when it is made
    std::int64_t pixels_ = 0;
  };

  void turn_and_write(void* words, std::int64_t count, std::int64_t offset);

  AtomicFile& file_;
  const std::int64_t band_bytes_;
  ThreadPool pool_;
  Checksum sum_;
  Room made_, leaving_;
  std::future<void> written_;  ///< last: it is waited for before what it uses goes
};

}  // namespace reber::fits

// SPDX-License-Identifier: BSD-3-Clause
// A cube read as spectra: bands of rows through all planes, by several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/thread_pool.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/run/cube/strip.hpp"

namespace reber {

/// Rows that one thread takes at a time.
struct Band {
  std::int64_t index = 0;  ///< of the band in its walk, in the order of rows
  std::int64_t y0 = 0, ny = 0;
};

/// Reads every pixel's spectrum once per walk and takes it through the steps. Memory holds, for each thread, a band of
/// a few rows through all planes: it does not grow with the number of planes but for bands of one row. The system is
/// asked for more rows than a band has, so that a disk reads large pieces. What a walk gives does not depend on bands
/// and threads.
class SpectraWalk {
 public:
  using Steps = std::vector<std::unique_ptr<SpectrumStep>>;
  /// A strip after the steps; those of a band come in order, from one thread. May change the strip.
  using Visit = std::function<void(Strip& strip, const Band& band, int worker)>;
  using Done = std::function<void(const Band& band, int worker)>;

  /// skipped: planes that are blank whatever their pixels say, by their place in `planes`
  /// memory_bytes: for bands, as read and as written; 0: little, but for bands of one row and for coded files, whose
  /// tiles several bands would decode again
  ///   throws InputError where not even one row of all planes fits
  SpectraWalk(CubeSource cube, std::vector<std::int64_t> planes, std::vector<bool> skipped, const Steps& steps,
              std::int64_t memory_bytes, int threads);

  /// every: 0 for all rows; else each n-th one alone, n / 2, n / 2 + n, ..., and a band is one row
  void walk(std::int64_t every, const std::string& stage, const Visit& visit, const Done& done,
            const Progress& progress) const;

  [[nodiscard]] Shape shape() const { return cube_.shape(); }
  [[nodiscard]] int workers() const { return pool_->threads(); }
  [[nodiscard]] std::int64_t band_rows() const { return rows_; }
  [[nodiscard]] std::int64_t bands(std::int64_t every) const;

 private:
  /// The band of every plane that is not skipped, as stored, `plane_bytes` apart.
  void read_band(const Band& band, std::int64_t plane_bytes, std::byte* raw, const Progress& progress) const;
  /// What one thread works in.
  struct Room {
    std::vector<std::byte> raw;
    Strip strip, spare;
  };
  void take_band(const Band& band, int worker, Room& room, const Visit& visit, const Progress& progress) const;
  /// Asks the system for rows [y0, y0 + ny) of all planes.
  void ask(std::int64_t y0, std::int64_t ny) const;

  CubeSource cube_;
  std::vector<std::int64_t> planes_;
  std::vector<bool> skipped_;
  const Steps& steps_;
  std::vector<std::shared_ptr<const PixelSource>> sources_;
  std::int64_t rows_ = 1;   ///< of a band
  std::int64_t asked_ = 1;  ///< bands whose rows are asked for together
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace reber

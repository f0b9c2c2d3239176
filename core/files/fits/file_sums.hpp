// SPDX-License-Identifier: BSD-3-Clause
// Whether an HDU's bytes are those of its DATASUM and CHECKSUM (FITS standard 4.0, section 4.4.2.7 and appendix J).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/checksum.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber::fits {

/// The sum of one HDU, taken of the rows while they are read, and of the rest when it is asked for.
class FileSums final : public StatedSums {
 public:
  /// bytes: must outlive this   rows: of the plane, where its rows are the whole data and have no gaps; else 0
  FileSums(const ByteSource& bytes, const Hdu& hdu, std::int64_t rows);

  /// Whether the header states DATASUM or CHECKSUM, with a value.
  [[nodiscard]] static bool stated(const Hdu& hdu);
  [[nodiscard]] bool cheap() const override { return !seen_.empty() || bytes_left() <= kLittle; }
  [[nodiscard]] std::unique_ptr<PixelSource> watch(const PixelSource& pixels) override;
  [[nodiscard]] std::string verdict(const Progress& progress = {}) override;

 private:
  class Watched;
  static constexpr std::int64_t kLittle = std::int64_t{1} << 20;

  [[nodiscard]] std::int64_t bytes_left() const { return data_bytes_; }
  /// Adds bytes of the data, which begin at `offset` in it. Safe from several threads.
  void add(std::int64_t offset, const std::byte* data, std::int64_t count);
  void take_rows(std::int64_t y0, std::int64_t ny, const std::byte* data);
  void read_and_add(std::int64_t offset, std::int64_t count, const Progress& progress);

  const ByteSource& bytes_;
  std::int64_t header_offset_, data_offset_, data_bytes_;
  std::int64_t row_bytes_ = 0;
  std::string data_sum_, whole_;
  std::vector<std::atomic<bool>> seen_;  ///< rows that passed; empty where rows are not the whole data
  std::atomic<std::uint64_t> sum_{0};    ///< of 32-bit sums: as many as there are calls of add()
};

}  // namespace reber::fits

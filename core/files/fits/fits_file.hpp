// SPDX-License-Identifier: BSD-3-Clause
// A FITS file opened once, for one plane of it or for many.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/progress.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/image/image_file.hpp"

namespace reber::fits {

/// A FITS file inflated, scanned and guarded once. Its HDU is chosen by options.hdu.
class FitsFile final : public ImageFile {
 public:
  /// throws as open_image_file
  static std::shared_ptr<const FitsFile> open(const std::string& path, const OpenOptions& options, Planes planes,
                                              const Progress& progress = {});
  ~FitsFile() override;
  FitsFile(const FitsFile&) = delete;
  FitsFile& operator=(const FitsFile&) = delete;

  [[nodiscard]] std::int64_t planes() const override;
  [[nodiscard]] Shape shape() const override;
  [[nodiscard]] PixelFormat format() const override;
  [[nodiscard]] Stored stored() const override;
  [[nodiscard]] ImageHeader header(std::int64_t plane) const override;
  /// Those in tiles are decoded here, or as their rows are read. A plane that is still in use is not decoded twice.
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(std::int64_t plane, const Progress& progress = {}) const override;
  [[nodiscard]] std::unique_ptr<StatedSums> sums() const override;

  /// A plane of a file in tiles, decoded.   throws as pixels
  [[nodiscard]] std::shared_ptr<const DecodedPlane> decode(std::int64_t plane, const Progress& progress) const;

 private:
  FitsFile();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber::fits

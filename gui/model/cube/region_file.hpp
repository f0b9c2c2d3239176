// SPDX-License-Identifier: BSD-3-Clause
// The pixels of a cube inside a region, as a file of smaller planes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/sky/regions/region_spans.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber::gui {

/// The rectangle about a region of each plane; NaN outside the region. Only that much of the file is read. Headers are
/// those of the whole planes: their shape is not this one's.
class RegionFile final : public ImageFile {
 public:
  /// throws InputError where no pixel's centre lies in the region; Cancelled
  RegionFile(std::shared_ptr<const ImageFile> file, const Region& region, const Progress& progress);

  [[nodiscard]] std::int64_t planes() const override { return file_->planes(); }
  [[nodiscard]] Shape shape() const override { return {where_.ny, where_.nx}; }
  [[nodiscard]] PixelFormat format() const override;
  [[nodiscard]] Stored stored() const override { return Stored::in_memory; }
  [[nodiscard]] ImageHeader header(std::int64_t plane) const override { return file_->header(plane); }
  /// Read at once.   throws as ImageFile::pixels and PixelSource::read_rows
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(std::int64_t plane, const Progress& progress) const override;

  [[nodiscard]] const Rect& where() const { return where_; }     ///< in the planes
  [[nodiscard]] std::int64_t inside() const { return inside_; }  ///< pixels of the region
  /// A plane of the file's shape with these pixels in their place; NaN elsewhere.   pixels: of shape()
  [[nodiscard]] std::vector<float> placed(const std::vector<float>& pixels) const;

 private:
  std::shared_ptr<const ImageFile> file_;
  Rect where_;
  std::vector<RegionSpan> spans_;
  std::int64_t inside_ = 0;
};

}  // namespace reber::gui

// SPDX-License-Identifier: BSD-3-Clause
// The linearly polarised intensity of a cube's Stokes Q and U, as a file of planes of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "core/files/image/image_file.hpp"
#include "gui/model/cube/cube_axes.hpp"
#include "gui/model/cube/cube_view.hpp"

namespace reber::gui {

/// 1.4826 times the median absolute deviation from the median, of a sample of the plane's rows, zeros left out: noise
/// of values of either sign. 0 where there is none.   throws DataError, Cancelled
[[nodiscard]] double noise_of_either_sign(const PixelSource& pixels, const Progress& progress);

/// The planes of another file, with the polarised intensity in place of each one's pixels. It is made of Q and U at the
/// plane's other coordinates, in single precision and in Q's unit:
///   plain     P = sqrt(Q^2 + U^2), which noise raises by about sigma^2 / 2 P
///   debiased  P = sqrt(max(Q^2 + U^2 - sigma^2, 0)), Wardle and Kronberg (1974, ApJ 194, 249)
/// sigma^2 is the mean of the variances of Q and U, each by the median absolute deviation of a sample of the plane.
/// NaN where Q or U is blank. Headers are those of the other file's planes.
class PolarisedFile final : public ImageFile {
 public:
  /// The file itself where `linear` is off.   throws InputError where it has no Stokes Q and U
  static std::shared_ptr<const ImageFile> of(std::shared_ptr<const ImageFile> file, LinearPolarisation linear);

  [[nodiscard]] std::int64_t planes() const override { return file_->planes(); }
  [[nodiscard]] Shape shape() const override { return file_->shape(); }
  [[nodiscard]] PixelFormat format() const override;
  [[nodiscard]] Stored stored() const override { return file_->stored(); }
  [[nodiscard]] ImageHeader header(std::int64_t plane) const override { return file_->header(plane); }
  [[nodiscard]] std::unique_ptr<PixelSource> pixels(std::int64_t plane, const Progress& progress) const override;

 private:
  PolarisedFile(std::shared_ptr<const ImageFile> file, std::shared_ptr<const CubeAxes> axes, bool debiased);
  [[nodiscard]] double variance_of(std::int64_t plane, const PixelSource& pixels, const Progress& progress) const;

  std::shared_ptr<const ImageFile> file_;
  std::shared_ptr<const CubeAxes> axes_;
  bool debiased_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, double> variances_;  ///< of planes of Q and U that were asked for
};

}  // namespace reber::gui

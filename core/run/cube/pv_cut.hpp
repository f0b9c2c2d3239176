// SPDX-License-Identifier: BSD-3-Clause
// Cuts through a cube along a line on the sky: position against velocity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/files/fits/fits_writer.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/run/cube/strip.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// The line of a cut, in the image's own frame.
struct PvLine {
  SkyPosition from, to;
  double width_arcsec = 0;

  /// "RA,DEC,RA,DEC" or "RA,DEC,RA,DEC,WIDTH": degrees or sexagesimal, and arcsec.   throws InputError
  static PvLine parse(const std::string& text);
};

/// The line is straight in pixels. It has a position every pixel, from its first end on; each is the mean of as many
/// samples across the line as the width has pixels, one at least. A sample is linear between four pixels, and left out
/// where one of them is blank or off the image; a position without samples is blank. Units stay.
class PvCut {
 public:
  /// header: of the cube   throws InputError without a sky, for an end off the image, or where both ends are one pixel
  PvCut(const PvLine& line, const ImageHeader& header, std::int64_t channels);

  /// Takes the spectra that it needs. From several threads, each pixel once.
  void take(const Strip& strip);
  /// header: of the cube with its channels, whose spectral axis is number `axis` (from 0)
  void write(const std::string& path, const ImageHeader& header, int axis, const std::string& unit,
             const std::vector<std::string>& history, const FileOptions& how, const Progress& progress) const;
  [[nodiscard]] std::string told() const;

  /// Pixels whose spectra it needs, as numbers in the plane, ascending.
  [[nodiscard]] const std::vector<std::int64_t>& needed() const { return pixels_; }
  [[nodiscard]] double step_arcsec() const { return step_arcsec_; }
  [[nodiscard]] Shape shape() const { return {channels_, static_cast<std::int64_t>(positions_.size())}; }
  /// Rows [y0, y0 + ny) of the cut, which are channels: shape().nx values each.
  void rows(std::int64_t y0, std::int64_t ny, float* out) const;

 private:
  struct Share {
    std::int64_t pixel;
    double weight;
  };
  using Sample = std::vector<Share>;
  [[nodiscard]] Sample sample_at(double x, double y) const;
  [[nodiscard]] float value(const std::vector<Sample>& samples, std::int64_t channel) const;

  PvLine line_;
  Shape shape_;
  std::int64_t channels_;
  double step_arcsec_ = 1;
  std::vector<std::vector<Sample>> positions_;
  std::vector<std::int64_t> pixels_;  ///< that are needed, ascending
  std::vector<float> spectra_;        ///< by pixel and channel
};

}  // namespace reber

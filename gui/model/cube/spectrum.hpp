// SPDX-License-Identifier: BSD-3-Clause
// Spectra of a pixel and of a region of a cube, read from its file as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/thread_pool.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/run/cube/pv_cut.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/regions/regions.hpp"
#include "gui/model/cube/cube_axes.hpp"
#include "gui/model/cube/cube_view.hpp"

namespace reber::gui {

/// One value for each plane along the played axis of a cube.
struct Spectrum {
  enum class Of { pixel, sum, mean };
  Of of = Of::pixel;
  std::string what;                  ///< "pixel 12, 34", "region 2: sum"
  std::vector<std::int64_t> planes;  ///< 0-based, in the order of the axis
  std::vector<double> value;         ///< in `unit`, a sum in its total; NaN where no pixel has a value
  std::vector<double> error;         ///< one sigma, from the noise of each plane; NaN where that is not known
  Unit unit;                         ///< the image's; a sum is in its total_name()
  std::string no_flux;               ///< why a sum in flux density is not there; empty where it is
  std::int64_t pixels = 1;
  double seconds = 0;  ///< that reading took
};

/// The planes of one spectrum, opened once. All calls from any thread, one at a time.
class SpectrumCube {
 public:
  /// plane: any of the spectrum's   linear: of the polarised intensity at the planes' coordinates in their place
  ///   throws as CubeSource::open and PolarisedFile::of
  SpectrumCube(const std::string& path, const OpenOptions& options, std::shared_ptr<const CubeAxes> axes,
               std::int64_t plane, LinearPolarisation linear, const Progress& progress);

  [[nodiscard]] const CubeAxes& axes() const { return *axes_; }
  /// All planes of the file, polarised where these are.
  [[nodiscard]] const std::shared_ptr<const ImageFile>& file() const { return shown_; }
  [[nodiscard]] LinearPolarisation polarised() const { return linear_; }
  [[nodiscard]] const std::vector<std::int64_t>& planes() const { return planes_; }
  /// Of each plane; NaN where unknown.
  [[nodiscard]] const std::vector<double>& frequency_hz() const { return frequency_; }
  [[nodiscard]] const std::vector<double>& velocity_kms() const { return velocity_; }

  /// noise: of each plane, by measure_noise(); empty while it is not known, and no error is.
  /// Outside of the image all values are NaN.   throws DataError, Cancelled
  [[nodiscard]] Spectrum at(std::int64_t x, std::int64_t y, const std::vector<double>& noise,
                            const Progress& progress) const;
  /// Over the region's pixels in each plane: the flux density, by the plane's own beam and frequency, or the mean.
  ///   throws InputError for a region without area; DataError, Cancelled
  [[nodiscard]] Spectrum of(const Region& region, Spectrum::Of how, const std::vector<double>& noise,
                            const Progress& progress) const;

  /// A cut along a line, filled: only the pixels that it needs are read.   throws as PvCut; DataError, Cancelled
  [[nodiscard]] PvCut cut(const PvLine& line, const Progress& progress) const;
  /// A rectangle of the plane at that place of the axis, as floats; NaN where blank.   throws DataError
  void read(std::int64_t index, const Rect& where, float* out, const Progress& progress) const;
  [[nodiscard]] const ImageHeader& header() const { return *header_; }

  /// Of every plane, from a sample of the rows: by negative values (ChannelNoise), but of Stokes Q, U and V by both
  /// signs. Of a polarised intensity that of Q and U, the root of the mean of their variances: its error well above the
  /// noise.
  ///   throws DataError where no plane has enough negative values; Cancelled
  [[nodiscard]] std::vector<double> measure_noise(const Progress& progress) const;

 private:
  SpectrumCube(const std::shared_ptr<const ImageFile>& file, std::shared_ptr<const CubeAxes> axes, std::int64_t plane,
               LinearPolarisation linear, const Progress& progress);
  void for_each_plane(const Progress& progress, const std::function<void(std::int64_t)>& body) const;
  [[nodiscard]] Spectrum empty(Spectrum::Of of, std::string what) const;

  CubeSource file_;                         ///< as it is
  std::shared_ptr<const ImageFile> shown_;  ///< or its polarised intensities
  CubeSource cube_;                         ///< of the same
  LinearPolarisation linear_;
  std::shared_ptr<const CubeAxes> axes_;
  std::shared_ptr<const ImageHeader> header_;
  std::vector<std::int64_t> planes_;
  std::vector<std::shared_ptr<const PixelSource>> sources_;  ///< none where planes are decoded whole
  std::vector<double> frequency_, velocity_;
  mutable ThreadPool pool_;
};

/// The unit that reads best for the spectrum's values, and what to multiply them with to be in it.
[[nodiscard]] std::pair<std::string, double> readable_unit(const Spectrum& spectrum);

/// A row for each plane: Plane, Frequency, Velocity, value and error.
[[nodiscard]] Catalogue spectrum_table(const Spectrum& spectrum, const SpectrumCube& cube, const std::string& path);

}  // namespace reber::gui

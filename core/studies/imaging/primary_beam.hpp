// SPDX-License-Identifier: BSD-3-Clause
// The response of a telescope by the angle from where it points.
#pragma once

#include <string>
#include <vector>

namespace reber {

/// Power, 1 in the middle.
class PrimaryBeam {
 public:
  enum class Kind { none, gaussian, mauch, airy, image };

  PrimaryBeam() = default;  ///< 1 everywhere
  /// "none"; "gaussian:F@NU" and "mauch:F@NU", F the FWHM in degrees at NU MHz, which goes with 1 / frequency;
  /// "airy:D,d", dish and blockage in metres; "image:NAME", a % in which stands for a field's name without .fits.
  ///   gaussian  exp(-4 ln 2 r^2), r = theta / FWHM
  ///   mauch     [cos(1.189 pi r) / (1 - 4 (1.189 r)^2)]^2     (MeerKAT: Mauch et al. 2020, eq. 3)
  ///   airy      [(2 J1(u) / u - e^2 2 J1(e u) / (e u)) / (1 - e^2)]^2, u = pi D sin(theta) / lambda, e = d / D
  ///   throws InputError
  static PrimaryBeam parse(const std::string& text);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool needs_frequency() const { return kind_ != Kind::none && kind_ != Kind::image; }
  /// Of Kind::image: the file of this field.
  [[nodiscard]] std::string image_of(const std::string& field) const;
  [[nodiscard]] double at(double radians, double frequency_hz) const;

 private:
  Kind kind_ = Kind::none;
  double fwhm_rad_ = 0, at_hz_ = 0;
  double dish_m_ = 0, blockage_m_ = 0;
  std::string image_;
};

/// A primary beam by haversine sin^2(theta / 2), from a table: linear between its rows, which are right to 1e-6.
class BeamTable {
 public:
  /// least: below which nobody looks; the table ends where the response is less for the first time
  BeamTable(const PrimaryBeam& beam, double frequency_hz, double least);
  /// NaN of NaN; 0 beyond the end
  [[nodiscard]] double at(double haversine) const {
    const double row = haversine * rows_per_;
    if (!(row < static_cast<double>(values_.size() - 1))) return row >= 0 ? 0 : haversine;
    const auto k = static_cast<std::size_t>(row);
    return values_[k] + (row - static_cast<double>(k)) * (values_[k + 1] - values_[k]);
  }

 private:
  double rows_per_ = 0;
  std::vector<double> values_;
};

}  // namespace reber

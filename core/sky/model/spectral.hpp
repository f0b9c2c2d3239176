// SPDX-License-Identifier: BSD-3-Clause
// The spectral axis of a header: frequencies and velocities of its planes, by WCSLIB.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/sky/model/fits_cards.hpp"

namespace reber {

/// The first spectral axis of a header, in the axis types, units and matrices that WCSLIB knows (FITS papers I and III:
/// Greisen & Calabretta 2002, A&A 395, 1061; Greisen et al. 2006, A&A 446, 747), AIPS's VELO and FELO (VELREF) among
/// them. SPECLNMF and SPECLOGF of Obit and MeerKAT are frequencies: FREQnnnn of plane NTERM + nnnn where it is given.
/// Any other name counts by its first four letters (FREQUENCY, VELOCITY).
class SpectralAxis {
 public:
  /// No axis.
  SpectralAxis();
  /// Never throws for a header that is merely wrong: why_not() then says what WCSLIB holds against it.
  explicit SpectralAxis(const fits::CardTable& table);

  /// Axis number from 0; -1 without a spectral axis.
  [[nodiscard]] int axis() const;
  /// FREQ, WAVE, VRAD, VOPT, VELO ...: what the axis counts, the axis type without its algorithm; empty without an
  /// axis.
  [[nodiscard]] const std::string& type() const;
  /// How an axis type that has several readings was taken, in words; empty for the types of the FITS standard.
  [[nodiscard]] const std::string& reading() const;
  /// Why the axis that axis() names has no coordinates; empty where it has.
  [[nodiscard]] const std::string& why_not() const;
  /// RESTFRQ, or that of RESTWAV; NaN without either.
  [[nodiscard]] double rest_hz() const;

  /// Frequency at a pixel (1-based, one per axis; axes that are not given stand at their reference pixel). NaN where it
  /// is unknown: no such axis, or a velocity without a rest frequency.   [Hz]
  [[nodiscard]] double frequency_hz(const std::vector<double>& pixel) const;
  /// Whether the axis counts a velocity: VRAD, VOPT, ZOPT, VELO, BETA.
  [[nodiscard]] bool of_velocity() const;
  /// The velocity of such an axis as it stands (ZOPT and BETA times c); of any other axis the radio velocity
  /// c (1 - nu / nu0). NaN where it is unknown.   [m/s]
  [[nodiscard]] double velocity(const std::vector<double>& pixel) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// The frame of rest of the spectral axis: SPECSYS, else what AIPS's axis type and VELREF say ("LSRK", "BARYCENT",
/// "TOPOCENT"); empty where neither does.
[[nodiscard]] std::string spectral_frame(const fits::CardTable& table, const SpectralAxis& axis);

/// Frequency of the plane at `fixed_pixel`: of the spectral axis, else the FREQ keyword, else RESTFRQ or RESTFREQ; NaN
/// where unknown, as where the axis cannot be read and FREQ is missing: its planes are not all at RESTFRQ. fixed_pixel:
/// 1-based, one entry per axis; axes beyond naxis stand at their reference pixel   [Hz]
[[nodiscard]] double find_frequency(const fits::CardTable& table, const SpectralAxis& axis, int naxis,
                                    const std::vector<double>& fixed_pixel);

}  // namespace reber

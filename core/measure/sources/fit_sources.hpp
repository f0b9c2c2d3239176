// SPDX-License-Identifier: BSD-3-Clause
// The stage that fits Gaussians to the sources of a run, all threads at work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/words.hpp"
#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/known_pixels.hpp"
#include "core/measure/sources/noise_by_place.hpp"
#include "core/measure/sources/source.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/beam_classes.hpp"

namespace reber {

struct FitRequest {
  /// automatic: gaussian where a beam is known, else moments
  enum class Method { moments, gaussian, automatic } method = Method::automatic;
  bool keep_noise_peaks = false;  ///< rows for detections that are flagged kFlagNoise
  int threads = 0;                ///< 0: all that this process may use; the answer is the same for any number
  [[nodiscard]] bool wanted(bool beam_known) const {
    return method == Method::gaussian || (method == Method::automatic && beam_known);
  }
  bool operator==(const FitRequest&) const = default;
};
template <>
inline constexpr auto words<FitRequest::Method> =
    std::to_array<Word<FitRequest::Method>>({{"auto", FitRequest::Method::automatic, "auto"},
                                             {"moments", FitRequest::Method::moments, "moments", "none"},
                                             {"gaussian", FitRequest::Method::gaussian, "Gaussian fit"}});

/// Fits the islands of one image, with the beam of each one's place: beam_classes.hpp says what the noise is taken for
/// where it varies. The weights take the noise's autocorrelation for the beam's shape; without a beam
/// they are ordinary. The errors take it as measured; docs/numerics.md#fit gives the equations.
class SourceFitter {
 public:
  SourceFitter(const FitRequest& request, const ImageHeader& header, const BeamField& beams);

  /// Measures the autocorrelation of the noise outside the islands, grown by a beam. The beam's shape serves where too
  /// little noise is left or the beam is wider than 57 pixels, the most that the patches hold.
  ///   throws Cancelled
  void measure_noise(Backend& backend, const Plane& plane, const BackgroundModel& background, const IslandMap& islands,
                     const Job& job = {});

  /// Weights of uncorrelated noise in place of the beam's, and whether: ordinary_weights_are_better(). Fits then want
  /// the pixels beside islands: those that noise lifted above the threshold are in, their neighbours that it lowered
  /// are not.
  void take_ordinary_weights() { ordinary_ = true; }
  [[nodiscard]] bool ordinary_weights() const { return ordinary_; }
  /// FWHM^2 of the beam on the grid, of a beam that varies at its middle, and whether the noise was measured.
  [[nodiscard]] const std::optional<Covariance>& beam_px() const { return beam_px_; }
  [[nodiscard]] bool noise_measured() const { return measured_.pixels > 0; }

  /// Rows of the sources, in their order. The sources of an island are fitted together; FitLadder says what is tried.
  /// Sources found in what a fit left are added at the end of their islands. Sources that no fit describes keep their
  /// moments. Flags say so.
  ///   pixels: of every island;   known: those that the image has;   margins: island_margins() of them, where wanted
  ///   throws Cancelled
  [[nodiscard]] std::vector<SourceRow> fit(Backend& backend, const std::vector<SourceRow>& sources,
                                           const IslandPixels& pixels, const DetectOptions& options,
                                           const KnownPixels& known, const Job& job = {},
                                           const IslandPixels& margins = {}) const;

  /// Brings one ladder to its end, with the noise of this image.   ladder: as_asked;   beam: FWHM^2 on the grid there
  ///   throws DeviceError, Cancelled
  void climb(Backend& backend, FitLadder& ladder, const Covariance& beam, const Job& job = {}) const;

  /// For the report and HISTORY.
  [[nodiscard]] std::string description() const;

  /// What the weights take the noise for; uncorrelated without a beam.
  [[nodiscard]] const NoiseCorrelation& weights_noise() const { return beam_noise_; }
  /// What the errors take it for: as measured, else as the weights do. Of a beam that varies, where the beam is that of
  /// the middle, unless the noise is taken for uncorrelated.
  [[nodiscard]] const NoiseCorrelation& errors_noise() const {
    if (at_middle_.pixels > 0 && !ordinary_) return at_middle_.correlation;
    return measured_noise();
  }
  /// As measured, whatever the beam is, else as the weights take it.
  [[nodiscard]] const NoiseCorrelation& measured_noise() const {
    return measured_.pixels > 0 ? measured_.correlation : beam_noise_;
  }
  /// Both by the beam of the place, for whatever is added.
  [[nodiscard]] BeamClasses classes() const;

 private:
  FitRequest request_;
  Shape shape_;
  BeamField beams_;
  std::optional<Covariance> beam_px_;  ///< FWHM^2 on the grid; nominal, where it varies
  NoiseCorrelation beam_noise_;
  MeasuredCorrelation measured_, at_middle_;  ///< the second of a beam that varies
  bool ordinary_ = false;                     ///< weights are those of uncorrelated noise
};

/// Takes out the rows that are flagged kFlagNoise; the order of the others stays.   returns how many
std::int64_t leave_out_noise_peaks(std::vector<SourceRow>& rows);

}  // namespace reber

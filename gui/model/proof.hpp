// SPDX-License-Identifier: BSD-3-Clause
// One backend proved against another: the same request on both, every map and every source held against each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image.hpp"
#include "core/studies/verification.hpp"

namespace reber::gui {

/// One map as both backends have it.
struct ProofMap {
  std::string name;  ///< "convolved", "mean", "rms", "snr"
  std::shared_ptr<const Image> tested, oracle;
  std::shared_ptr<const Image> difference;  ///< (tested - oracle) / sigma; NaN where both are blank
  std::string sigma;                        ///< in what unit the difference is: "local rms", "S/N"
  double worst = 0;                         ///< largest |difference|; infinite where one alone is blank
  std::int64_t worst_x = -1, worst_y = -1;  ///< -1: no pixel differs
  std::int64_t differing = 0;               ///< pixels that are not the same number
  std::int64_t blank_in_one = 0;
};

/// Sources of both, paired by the place of their brightest pixel, where several share it the nearest ones.
struct ProofSources {
  std::int64_t matched = 0, only_tested = 0, only_oracle = 0;
  double worst_flux_sigma = 0;      ///< largest |difference of total fluxes| over its error
  double worst_position_beams = 0;  ///< largest distance of centres in FWHM of the major axis (pixels without a beam)
  std::vector<double> snr, flux_difference_sigma;  ///< of the matched ones, for the plot
  /// The same ones as both backends have them.
  struct Pair {
    Source tested, oracle;
    double flux_sigma = 0;      ///< as in flux_difference_sigma; infinite where one alone is no number
    double position_sigma = 0;  ///< distance of the centres over the oracle's error of it
  };
  std::vector<Pair> pairs;
};

struct Proof {
  std::string tested, oracle;  ///< names of the backends
  std::string tested_device, oracle_device;
  VerificationReport verification;  ///< the bounds that docs/numerics.md promises, stage by stage
  Report tested_report, oracle_report;
  std::vector<ProofMap> maps;
  ProofSources sources;

  /// One sentence with the verdict: the checks that hold, the largest differences.
  [[nodiscard]] std::string verdict() const;
  [[nodiscard]] bool passed() const;
};

/// Runs the verification and the request on both.   throws as Pipeline::run and verify
[[nodiscard]] Proof make_proof(const Request& request, const std::shared_ptr<Backend>& tested,
                               const std::shared_ptr<Backend>& oracle, const Progress& progress);

/// difference / sigma, pixel by pixel; see ProofMap. sigma: one value per pixel, or null for 1.
[[nodiscard]] ProofMap compare_maps(std::string name, std::shared_ptr<const Image> tested,
                                    std::shared_ptr<const Image> oracle, const Image* sigma, std::string sigma_name);

/// A fit ends where a step gains less than a part of the noise: both backends end within this part of the error, unless
/// two fits of one source are nearly as good as each other and each backend takes another one.
inline constexpr double kFitBound = 0.1;
/// The sources' own checks: none in one backend alone, fluxes and positions within kFitBound of their errors.
[[nodiscard]] std::vector<StageCheck> source_checks(const ProofSources& sources);

[[nodiscard]] ProofSources compare_sources(const std::vector<Source>& tested, const std::vector<Source>& oracle,
                                           double beam_px);

}  // namespace reber::gui

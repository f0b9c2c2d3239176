// SPDX-License-Identifier: BSD-3-Clause
// One channel of a mosaic: fields added, then rows of what is written of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/sky/mask/mask.hpp"
#include "core/studies/imaging/field_on_grid.hpp"
#include "core/studies/imaging/mosaic_store.hpp"

namespace reber {

/// Memory: pixels and weights, in a file where they take much, and a band of sums. One channel after the other uses it.
class MosaicPlane {
 public:
  enum class Part { image, weight, rms };

  /// beside: where much is kept;   request: must outlive this
  MosaicPlane(const MosaicRequest& request, const std::string& beside);
  /// Adds the fields, a band of rows at a time; blank where there are none.   told: the part that is done
  void make(std::span<const std::unique_ptr<FieldOnGrid>> fields, const std::function<void(double)>& told,
            const Progress& progress);
  /// Whether any pixel has a weight.
  [[nodiscard]] bool any() const { return largest_ > 0; }

  // After make().
  /// Rows for a writer, blank below the final cutoff.   gain: of Part::rms, noise after interpolation over before
  [[nodiscard]] FloatRows rows(Part part, double gain = 1) const;
  /// Pixels that are not blank are inside.
  void mark(Mask& mask, const Progress& progress) const;

 private:
  [[nodiscard]] bool counts(float weight) const;

  const MosaicRequest& request_;
  MosaicStore store_;
  double largest_ = 0, least_ = 0;
};

/// The mean of the fields' beams, FWHM^2 weighted as pixels are, at every kBeamMapStep-th pixel of the grid, one more
/// along each axis than lies on it, row by row; empty where no field counts.
[[nodiscard]] std::vector<std::optional<Beam>> mean_beams(std::span<const std::unique_ptr<FieldOnGrid>> fields,
                                                          const MosaicRequest& request, const Progress& progress);

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// A background whose full-size maps are known to be one backend's own.
#pragma once

#include "core/seam/compute/background.hpp"

namespace reber {

/// A model with its maps as planes of one backend, of the image's shape; null where the mesh stands for them. Refers to
/// the model.
template <class PlaneType>
struct BackgroundOf {
  const BackgroundModel& model;
  const PlaneType* mean_map = nullptr;
  const PlaneType* rms_map = nullptr;

  [[nodiscard]] Shape image() const { return model.grid.image; }
};

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// A background model on other nodes than those it was measured on.
#pragma once

#include "core/compute/background.hpp"

namespace reber {

/// Where the node of a span stands: its centre.
[[nodiscard]] double centre_of(const PixelSpan& span);

/// The mesh values of a model at the nodes of another grid of the same image, bilinear between its own. Maps given by
/// the user are not taken along.
[[nodiscard]] BackgroundModel resampled(const BackgroundModel& model, MeshGrid grid);

}  // namespace reber

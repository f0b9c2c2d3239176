// SPDX-License-Identifier: BSD-3-Clause
// Sources of single planes of a cube, for channel maps: found in each plane, or the rows of a catalogue.
#pragma once

#include <memory>

#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"
#include "gui/model/cube/cube_images.hpp"
#include "gui/model/workbench.hpp"

namespace reber::gui {

/// A run of the request on each plane that is asked for, with its own background, noise and beam.
///   request: its plane is not looked at   backend: for calls one at a time
[[nodiscard]] PlaneSources searched_sources(Request request, std::shared_ptr<Backend> backend);

/// Rows of a catalogue: of the plane that its column Plane names, as `reber find --planes` and `reber measure` write
/// it; without such a column all rows on every plane. Rows without a size are 3 pixels wide.
///   header: of the cube, for the places of the rows
[[nodiscard]] PlaneSources catalogue_sources(OpenCatalogue& catalogue,
                                             const std::shared_ptr<const ImageHeader>& header);

}  // namespace reber::gui

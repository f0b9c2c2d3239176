// SPDX-License-Identifier: BSD-3-Clause
// Where the other image of a comparison lies, and its pixels on the shown image's grid.
#pragma once

#include <optional>
#include <vector>

#include "gui/ui/shell.hpp"

namespace reber::gui {

class SkyLock;
struct GridFit;

/// The lock of one image's pixels to the other's by the sky; kept while both stay what they are, since making one
/// parses two headers. Both have headers.
[[nodiscard]] const SkyLock& lock_between(Workbench& workbench, const Document& from, const Document& to);

/// How the images lie over each other; kept likewise. Both have headers.
[[nodiscard]] const GridFit& fit_between(Workbench& workbench, const Document& from, const Document& to);
/// Images are locked by the sky, and no view of the other's own pixels shows them within a tenth of a pixel of their
/// places: blink and split then show it laid on the shown one's grid. An image of much smaller pixels keeps its own.
[[nodiscard]] bool needs_laying(const ViewerState& state, const Document& shown, const Document& other);

/// The view of `to` that shows what `from` shows: by sky coordinates where these are locked and known, else the same
/// pixels.
[[nodiscard]] ViewTransform matching_view(ViewerState& state, const Document& from, const Document& to);

/// The pixel of `to` at the place of a pixel of `from`, as the views are locked; empty off the other's sky.
[[nodiscard]] std::optional<PixelPosition> matching_place(ViewerState& state, const Document& from, const Document& to,
                                                          PixelPosition at);

/// Whether the two images share a part of the sky; true where that cannot be told.
[[nodiscard]] bool share_sky(ViewerState& state, const Document& a, const Document& b);

/// Chooses a layer of the other image that it has, where it has not the one that was chosen: without a convolution,
/// say, there is no convolved image to look at.
void choose_possible_layer(Compare& compare, const Document& other);

/// Pixels of a layer of `other` on the shown image's grid: its own where the grids are the same, else laid on it by a
/// job. Null while that is under way, or where it cannot be done.
///   work: of Workbench::regrids, where the result is kept
[[nodiscard]] const Pyramid* pixels_on_grid(Context& context, const Document& shown, const Document& other,
                                            LayerKind layer, std::size_t work = 0);
/// Whether an image is being laid on another's grid.   fraction: of the one that is furthest behind, where it is
[[nodiscard]] bool laying_on_grid(const ViewerState& state, double* fraction = nullptr);
/// Stops that work; it begins again with another image, or when images are compared in another way, or anew.
void stop_laying(ViewerState& state);
/// Nothing is compared: what was stopped may begin again.
void forget_stops(ViewerState& state);

/// Chooses images for the colours that have none: the shown one for red, then those that follow it.
void choose_channels(ViewerState& state);
/// Images that stand in tiles, in the order of the tabs: all with a header, up to kMostTiles about the shown one.
[[nodiscard]] std::vector<Document*> tiled_documents(ViewerState& state);
inline constexpr std::size_t kMostTiles = 16;

}  // namespace reber::gui

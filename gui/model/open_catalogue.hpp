// SPDX-License-Identifier: BSD-3-Clause
// Catalogues from files: where their sources lie on an image, and how two lists match.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/image_header.hpp"
#include "core/sky/model/sky_frames.hpp"
#include "gui/model/state.hpp"
#include "gui/model/workbench.hpp"

namespace reber::gui {

/// Reads the file and recognises its columns.   throws DataError, InputError where it has no positions
[[nodiscard]] std::unique_ptr<OpenCatalogue> open_catalogue(const std::string& path);

/// Whether the file is FITS with tables and without an image. Reads its headers; a large packed file counts as none.
[[nodiscard]] bool holds_tables_alone(const std::string& path);

/// Reads it, draws it over the images and makes it side B of the match; says what was wrong where it cannot.
///   returns whether it is drawn
bool open_catalogue_file(ViewerState& state, const std::string& path);

/// Pixel of each row, NaN where it has none: through the sky, frames converted, else by the catalogue's own pixel
/// columns. Kept in the catalogue until another header is asked for.
const std::vector<PixelPosition>& project(OpenCatalogue& catalogue, const std::shared_ptr<const ImageHeader>& header);

/// Matches two lists and fills the rest: pairs, rows of a alone, rows of b alone, or the reason why not.
void match_into(MatchWork& match, const SkyList& a, const SkyList& b);

}  // namespace reber::gui

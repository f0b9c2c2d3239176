// SPDX-License-Identifier: BSD-3-Clause
// Where a file is written that nobody has named yet.
#pragma once

#include <string>

namespace reber::gui {

/// Path of a new file named after an image, with `ending` in place of the image's own: in the folder the viewer was
/// started in, or the home folder where nothing can be written there. Images often lie in an archive.
[[nodiscard]] std::string proposed_path(const std::string& image, const std::string& ending);

}  // namespace reber::gui

// SPDX-License-Identifier: BSD-3-Clause
// What a folder holds, for the open dialog.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/progress.hpp"

namespace reber::gui {

struct FolderEntry {
  std::string name;
  bool folder = false;
  std::int64_t bytes = 0;
};

/// Folders first, then files whose names end as FITS images do (.fits, .fit, .fts, with .gz, .fz or .bz2) and sessions,
/// by name.
struct FolderListing {
  std::string folder;
  std::vector<FolderEntry> entries;
};

/// Whether a file is a session, by its name.
[[nodiscard]] bool names_session(const std::string& path);

enum class Listed { images, all };

/// Hidden names are left out.   throws DataError where the folder cannot be read, Cancelled
[[nodiscard]] FolderListing list_folder(const std::string& folder, const Progress& progress,
                                        Listed listed = Listed::images);

/// Every word of the filter occurs in the name, whatever the case.
[[nodiscard]] bool fits_filter(const std::string& name, const std::string& filter);

/// "4.0 MB"
[[nodiscard]] std::string words_of_size(std::int64_t bytes);

}  // namespace reber::gui

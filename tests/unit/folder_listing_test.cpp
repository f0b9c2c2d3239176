// SPDX-License-Identifier: BSD-3-Clause
// What the open dialog lists: CASA's images are folders that are opened, not entered.
#include "gui/model/folder_listing.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/unit/fits_files.hpp"

namespace reber::gui {
namespace {

using testing_files::save;
using testing_files::TemporaryFolder;

TEST(FolderListing, CasaImagesStandAmongTheFiles) {
  const TemporaryFolder folder;
  const auto table = [&](const std::string& name, const char* info) {
    std::filesystem::create_directory(folder.file(name));
    save(folder.file(name + "/table.dat"), "a table");
    if (info != nullptr) save(folder.file(name + "/table.info"), info);
  };
  table("m31.residual", "Type = Image\nSubType = \n");
  table("m31.ms", "Type = Measurement Set\nSubType = \n");
  table("m31.bare", nullptr);
  std::filesystem::create_directory(folder.file("empty.image"));
  save(folder.file("m31.fits"), "x");
  save(folder.file("m31.txt"), "x");
  std::string shown;
  for (const FolderEntry& entry : list_folder(folder.file(""), {}, Listed::images).entries)
    shown += entry.name + (entry.folder ? "/ " : " ");
  EXPECT_EQ(shown, "empty.image/ m31.bare/ m31.ms/ m31.fits m31.residual ");
}

}  // namespace
}  // namespace reber::gui

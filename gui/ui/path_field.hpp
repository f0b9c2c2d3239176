// SPDX-License-Identifier: BSD-3-Clause
// A text field for a path, with a browser of folders beside it.
#pragma once

#include <memory>
#include <string>

#include "gui/model/folder_listing.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

class PathField {
 public:
  /// Fills the line but for `beside`, the width left to what stands behind it. True where the path was entered or a
  /// file was chosen. Scripts: NAME, NAME.browse, NAME.file.X, NAME.up.
  bool draw(Context& context, const std::string& name, const char* hint, std::string& path, float beside = 0);
  /// Whether Enter was pressed in the field when it was last drawn.
  [[nodiscard]] bool entered() const { return entered_; }

 private:
  bool draw_browser(Context& context, const std::string& name, std::string& path);
  void go(Context& context, const std::string& folder);

  bool entered_ = false;
  FolderListing listing_;
  std::unique_ptr<JobSlot<FolderListing>> job_;
};

}  // namespace reber::gui

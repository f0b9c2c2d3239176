// SPDX-License-Identifier: BSD-3-Clause
// The viewer as the program sees it.
#include "gui/viewer.hpp"

#include "gui/shell/app.hpp"

namespace reber::gui {

int run_viewer(const ViewerOptions& options) {
  App app(options);
  while (app.frame()) app.rest();
  return 0;
}

}  // namespace reber::gui

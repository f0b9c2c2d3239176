// SPDX-License-Identifier: BSD-3-Clause
// The viewer as the program sees it.
#include "gui/viewer.hpp"

#include <filesystem>
#include <optional>

#include "gui/app/app.hpp"
#include "gui/panels/panels.hpp"
#include "gui/script/player.hpp"

namespace reber::gui {
namespace {

int play(App& app, const ViewerOptions& options) {
  Player player(options.script, std::filesystem::absolute(options.script).parent_path().string());
  app.use_fixed_clock();
  bool open = true;
  for (int i = 0; i < 3; ++i) open = app.frame();  // names of widgets are those of a drawn frame
  while (open && player.step(app)) {
    open = app.frame();
    player.after_frame(app);
    app.show_frame();
    app.window().wait(0);
  }
  if (options.say) {
    options.say(player.failure().empty() ? std::to_string(player.steps_played()) + " steps played"
                                         : options.script + ", " + player.failure());
  }
  return player.failure().empty() ? 0 : 1;
}

}  // namespace

int run_viewer(const ViewerOptions& options) {
  int result = 0;
  {
    App app(options);
    if (options.script.empty()) {
      while (app.frame()) app.rest();
    } else {
      result = play(app, options);
    }
    forget_open_dialog();
  }
  return result;
}

}  // namespace reber::gui

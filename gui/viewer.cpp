// SPDX-License-Identifier: BSD-3-Clause
// The viewer as the program sees it.
#include "gui/viewer.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <sstream>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"
#include "gui/app/app.hpp"
#include "gui/model/workbench.hpp"
#include "gui/script/frame_bench.hpp"
#include "gui/script/player.hpp"
#include "gui/script/tour.hpp"
#include "gui/ui/action.hpp"

namespace reber::gui {
namespace {

constexpr double kTourFrame = 1.0 / 60, kForEver = 1e9;  // seconds

int play(App& app, const ViewerOptions& options) {
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  std::istringstream file(fits::read_text(options.script, kMostBytes));
  Player player(file, std::filesystem::absolute(options.script).parent_path().string());
  Tour tour;
  app.use_fixed_clock();
  bool open = true;
  for (int i = 0; i < 3; ++i) open = app.frame();  // names of widgets are those of a drawn frame
  while (open && player.step(app)) {
    tour.step(app);
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
  auto app = std::make_unique<App>(options);
  int code = 0;
  if (!options.script.empty()) {
    code = play(*app, options);
  } else {
    Tour tour;
    while (app->frame()) {
      app->show_frame();
      app->rest_for(tour.step(*app) ? kTourFrame : kForEver);
    }
  }
  const bool anew = app->state().begin_anew && code == 0;
  const std::string session = app->state().workbench->session_path;
  app.reset();
  if (anew && options.begin_anew) options.begin_anew(session);
  return code;
}

std::string key_table() {
  std::string table = "| Key | Action | What it does |\n|---|---|---|\n";
  for (const Action& action : actions()) {
    if (action.keys.empty()) continue;
    std::string keys, key;
    std::istringstream words(action.keys);
    while (words >> key) {
      // A grave accent stands in code marks of two.
      keys += (keys.empty() ? "" : ", ") + (key.find('`') == std::string::npos ? "`" + key + "`" : "`` " + key + " ``");
    }
    table += fmt::format("| {} | {} | {} |\n", keys, action.title, action.tooltip);
  }
  return table;
}

std::string bench_viewer(const ViewerOptions& options) { return bench_frames(options); }

}  // namespace reber::gui

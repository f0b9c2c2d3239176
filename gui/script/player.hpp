// SPDX-License-Identifier: BSD-3-Clause
// Plays a script on the real window: the mouse, the keys, and checks of what came of them.
#pragma once

#include <deque>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/app.hpp"

namespace reber::gui {

/// One step per line; "#" begins a comment. Places are widgets' names ("canvas", "pipeline.seed"), with the part of the
/// widget where it is not its middle ("canvas 0.25 0.75"), or "image X Y" in pixels of the image, 0-based.
///   open FILE [plane N] [hdu N] | drop FILE | action NAME | key Ctrl+Shift+p | type TEXT
///   tap KEY [TIMES] | keys TEXT (pressed and let go as by a hand, all before the next frame)
///   move PLACE | click PLACE [right|middle] [ctrl] [shift] | double PLACE
///   drag PLACE to PLACE [right|middle] [ctrl] [shift] | wheel STEPS PLACE [ctrl] [shift]
///   wait N (frames) | pause SECONDS | settle (all work done and drawn) | until PATH OP VALUE
///   expect PATH OP VALUE | shown WIDGET | hidden WIDGET | apart WIDGET WIDGET | within WIDGET WIDGET
///   share WIDGET WIDGET OP VALUE (of the areas) | at WIDGET STEP (a check, in the first frame that shows it) |
///   screenshot FILE.png | dump FILE.json compare FILE.png (the canvas; with REBER_WRITE_PICTURES=1 it is written anew)
///   contrast PLACE OP VALUE (how far it stands out of what surrounds it: gui/script/picture_checks.hpp) | red, green
///   or blue PLACE OP VALUE (of the pixel there, 0 to 255)
/// PATH: of the state's JSON ("documents.0.result.sources"), OP: == != < <= > >= ~ (within a thousandth, or a pixel).
class Player {
 public:
  /// steps: the lines of a script. folder: of relative file names in it.
  Player(std::istream& steps, std::string folder);

  /// Before each frame. False when all is played or a check failed.
  bool step(App& app);
  /// Behind each frame, before it is shown.
  void after_frame(App& app);
  /// Line and words of the check that failed; empty where all went well.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] int steps_played() const { return played_; }

 private:
  struct Line {
    int number = 0;
    std::string text;
    std::vector<std::string> words;
  };
  /// What is asked of a place on the screen.
  struct Spot {
    Line line;
    ScreenPoint at;
    std::string op, wanted;
  };
  /// Done when it returns true; called once a frame.
  using Task = std::function<bool(App&)>;

  void begin(App& app, const Line& line);
  bool begin_mouse(App& app, const Line& line);
  bool begin_wait(App& app, const Line& line);
  void press(int button, int mods, ScreenPoint at);
  [[nodiscard]] ScreenPoint place(App& app, const std::vector<std::string>& words, std::size_t& at);
  [[nodiscard]] bool holds(App& app, const Line& line, std::string& found) const;
  [[nodiscard]] std::string file(const std::string& name) const;
  void fail(const Line& line, const std::string& why);

  std::string folder_;
  std::deque<Line> lines_;
  std::deque<Task> tasks_;
  std::string screenshot_, picture_, failure_;
  std::optional<Spot> spot_;
  int played_ = 0;
};

}  // namespace reber::gui

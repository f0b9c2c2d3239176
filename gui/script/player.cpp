// SPDX-License-Identifier: BSD-3-Clause
// Plays a script on the real window.
#include "gui/script/player.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "core/base/error.hpp"
#include "core/files/io/atomic_file.hpp"
#include "gui/app/actions.hpp"
#include "gui/model/state_json.hpp"
#include "gui/render/png.hpp"
#include "gui/script/picture_checks.hpp"

namespace reber::gui {
namespace {

constexpr double kPatience = 60;  // seconds that a wait may take

/// A word of a script that is no place: buttons and modifiers.
bool take_word(std::vector<std::string>& words, const char* word) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return false;
  words.erase(found);
  return true;
}

struct Buttons {
  int button = 0, mods = 0;
};

Buttons take_buttons(std::vector<std::string>& words) {
  Buttons made;
  if (take_word(words, "right")) made.button = 1;
  if (take_word(words, "middle")) made.button = 2;
  if (take_word(words, "ctrl")) made.mods |= GLFW_MOD_CONTROL;
  if (take_word(words, "shift")) made.mods |= GLFW_MOD_SHIFT;
  return made;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

bool compare(const std::string& found, const std::string& op, const std::string& wanted) {
  if (!is_number(found) || !is_number(wanted)) {
    if (op == "==") return found == wanted;
    if (op == "!=") return found != wanted;
    if (op == "!~") return found.find(wanted) == std::string::npos;
    return op == "~" && found.find(wanted) != std::string::npos;
  }
  const double a = std::stod(found), b = std::stod(wanted);
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return op == "~" && std::abs(a - b) <= std::max(1.0, 1e-3 * std::abs(b));
}

void hold_modifiers(Window& window, int mods, bool down) {
  if ((mods & GLFW_MOD_CONTROL) != 0) window.feed_modifier(GLFW_MOD_CONTROL, down);
  if ((mods & GLFW_MOD_SHIFT) != 0) window.feed_modifier(GLFW_MOD_SHIFT, down);
}

/// A key pressed and let go, with the character that it makes where it is one: all before the next frame.
void tap(Window& window, int key, int mods, char character) {
  hold_modifiers(window, mods, true);
  if (key != 0) window.feed_key(key, true, mods);
  if (character != 0) window.feed_character(static_cast<unsigned char>(character));
  if (key != 0) window.feed_key(key, false, mods);
  hold_modifiers(window, mods, false);
}

void type_as_a_hand(Window& window, const std::string& text) {
  for (const char c : text) {
    int key = 0, mods = 0;
    const bool upper = c >= 'A' && c <= 'Z';
    const std::string name = c == ' ' ? "Space" : std::string(1, upper ? static_cast<char>(c - 'A' + 'a') : c);
    if (!key_of((upper ? "Shift+" : "") + name, key, mods)) key = mods = 0;
    tap(window, key, mods, c);
  }
}

}  // namespace

Player::Player(std::istream& steps, std::string folder) : folder_(std::move(folder)) {
  int number = 0;
  for (std::string text; std::getline(steps, text);) {
    ++number;
    Line line{number, text, {}};
    std::istringstream words(text);
    for (std::string word; words >> word;) line.words.push_back(word);
    if (line.words.empty() || line.words[0][0] == '#') continue;
    lines_.push_back(std::move(line));
  }
}

std::string Player::file(const std::string& name) const {
  return name.empty() || name[0] == '/' ? name : folder_ + "/" + name;
}

void Player::fail(const Line& line, const std::string& why) {
  failure_ = fmt::format("line {}: {}: {}", line.number, line.text, why);
}

ScreenPoint Player::place(App& app, const std::vector<std::string>& words, std::size_t& at) {
  const std::string name = at < words.size() ? words[at++] : "";
  const auto number = [&](double fallback) {
    return at < words.size() && is_number(words[at]) ? std::stod(words[at++]) : fallback;
  };
  if (name == "image") {
    const Document* document = app.state().document();
    if (document == nullptr) throw InputError("no image is open");
    const double x = number(0), y = number(0);
    return CanvasTransform(document->view, app.canvas()).to_screen({x, y});
  }
  const ScreenRect* rect = app.widgets().find(name);
  if (rect == nullptr) throw InputError(fmt::format("there is no widget '{}' on the screen", name));
  const double fx = number(0.5), fy = number(0.5);
  return {rect->x + fx * rect->width, rect->y + fy * rect->height};
}

void Player::press(int button, int mods, ScreenPoint at) {
  tasks_.push_back([at](App& app) {
    app.window().feed_mouse_position(std::round(at.x), std::round(at.y));
    return true;
  });
  tasks_.push_back([](App& app) {
    app.skip_time(0.5);  // else two clicks of a script would be a double one
    return true;
  });
  tasks_.push_back([button, mods](App& app) {
    hold_modifiers(app.window(), mods, true);
    app.window().feed_mouse_button(button, true);
    return true;
  });
}

bool Player::begin_mouse(App& app, const Line& line) {
  std::vector<std::string> words(line.words.begin() + 1, line.words.end());
  const std::string& verb = line.words[0];
  const auto release = [&](Buttons buttons) {
    tasks_.push_back([buttons](App& a) {
      a.window().feed_mouse_button(buttons.button, false);
      return true;
    });
    tasks_.push_back([buttons](App& a) {
      hold_modifiers(a.window(), buttons.mods, false);
      return true;
    });
  };
  std::size_t at = 0;
  if (verb == "move") {
    const ScreenPoint to = place(app, words, at);
    tasks_.push_back([to](App& a) {
      a.window().feed_mouse_position(std::round(to.x), std::round(to.y));
      return true;
    });
  } else if (verb == "click" || verb == "double") {
    const Buttons buttons = take_buttons(words);
    press(buttons.button, buttons.mods, place(app, words, at));
    release(buttons);
    if (verb == "double") {
      tasks_.push_back([buttons](App& a) {
        a.window().feed_mouse_button(buttons.button, true);
        return true;
      });
      release(buttons);
    }
  } else if (verb == "drag") {
    const Buttons buttons = take_buttons(words);
    const ScreenPoint from = place(app, words, at);
    if (at >= words.size() || words[at++] != "to") throw InputError("expected: drag PLACE to PLACE");
    const ScreenPoint to = place(app, words, at);
    press(buttons.button, buttons.mods, from);
    for (int i = 1; i <= 4; ++i)
      tasks_.push_back([from, to, i](App& a) {
        a.window().feed_mouse_position(std::round(from.x + (to.x - from.x) * i / 4),
                                       std::round(from.y + (to.y - from.y) * i / 4));
        return true;
      });
    release(buttons);
  } else if (verb == "wheel") {
    const Buttons buttons = take_buttons(words);
    const double steps = words.empty() ? 0 : std::stod(words[0]);
    at = 1;
    const ScreenPoint where = place(app, words, at);
    tasks_.push_back([where](App& a) {
      a.window().feed_mouse_position(std::round(where.x), std::round(where.y));
      return true;
    });
    tasks_.push_back([buttons](App& a) {
      hold_modifiers(a.window(), buttons.mods, true);
      return true;
    });
    tasks_.push_back([steps](App& a) {
      a.window().feed_wheel(steps);
      return true;
    });
    release({0, buttons.mods});
  } else {
    return false;
  }
  return true;
}

bool Player::holds(App& app, const Line& line, std::string& found) const {
  if (line.words.size() < 4) throw InputError("expected: PATH OP VALUE");
  found = json_at(state_json(app.state()), line.words[1]);
  std::string wanted = line.words[3];
  for (std::size_t i = 4; i < line.words.size(); ++i) wanted += " " + line.words[i];
  return compare(found, line.words[2], wanted);
}

bool Player::begin_wait(App& app, const Line& line) {
  using Clock = std::chrono::steady_clock;
  const std::string& verb = line.words[0];
  const auto late = [until = Clock::now() + std::chrono::duration<double>(kPatience)] { return Clock::now() > until; };
  if (verb == "wait") {
    auto left = std::make_shared<int>(line.words.size() > 1 ? std::stoi(line.words[1]) : 1);
    tasks_.push_back([left](App&) { return --*left < 0; });
  } else if (verb == "pause") {
    const std::chrono::duration<double> span(line.words.size() > 1 ? std::stod(line.words[1]) : 1);
    tasks_.push_back([until = Clock::now() + span](App&) { return Clock::now() > until; });
  } else if (verb == "settle") {
    auto still = std::make_shared<int>(0);
    tasks_.push_back([this, line, late, still](App& a) {
      if (late()) {
        double fraction = 0;
        fail(line, fmt::format("still busy ({}) after {} s", a.activity(fraction), kPatience));
      }
      *still = a.settled() ? *still + 1 : 0;
      return *still > 2 || late();
    });
  } else if (verb == "until") {
    tasks_.push_back([this, line, late](App& a) {
      std::string found;
      const bool met = holds(a, line, found);
      if (!met && late()) fail(line, fmt::format("it is {} after {} s", found, kPatience));
      return met || late();
    });
  } else if (verb == "at") {
    const std::string name = line.words.at(1);
    Line then = line;
    then.words.erase(then.words.begin(), then.words.begin() + 2);
    if (then.words.empty()) throw InputError("expected: at WIDGET STEP");
    tasks_.push_back([this, then, late, name](App& a) {
      if (a.widgets().find(name) != nullptr) {
        begin(a, then);
        return true;
      }
      if (late()) fail(then, fmt::format("no widget '{}' after {} s", name, kPatience));
      return late();
    });
  } else if (verb == "expect") {
    std::string found;
    if (!holds(app, line, found)) fail(line, fmt::format("it is {}", found.empty() ? "not there" : found));
  } else {
    return false;
  }
  return true;
}

void Player::begin(App& app, const Line& line) {
  const std::string& verb = line.words[0];
  const std::string rest = line.words.size() > 1 ? line.text.substr(line.text.find(line.words[1], verb.size())) : "";
  Context context = app.context();
  if (begin_mouse(app, line) || begin_wait(app, line)) return;
  if (verb == "open") {
    OpenOptions options;
    for (std::size_t i = 2; i + 1 < line.words.size(); i += 2) {
      if (line.words[i] == "plane") options.plane = std::stoll(line.words[i + 1]);
      if (line.words[i] == "hdu") options.hdu = std::stoi(line.words[i + 1]);
    }
    app.open(file(line.words.at(1)), options);
  } else if (verb == "drop") {
    app.window().feed_drop(file(rest));
  } else if (verb == "action") {
    if (!run_action(context, rest)) fail(line, "there is no such action, or it is not possible now");
  } else if (verb == "key") {
    int key = 0, mods = 0;
    if (!key_of(rest, key, mods)) throw InputError("no key has this name");
    hold_modifiers(app.window(), mods, true);
    app.window().feed_key(key, true, mods);
    tasks_.push_back([key, mods](App& a) {
      a.window().feed_key(key, false, mods);
      hold_modifiers(a.window(), mods, false);
      return true;
    });
  } else if (verb == "tap") {
    int key = 0, mods = 0;
    if (!key_of(line.words.at(1), key, mods)) throw InputError("no key has this name");
    const int times = line.words.size() > 2 ? std::stoi(line.words[2]) : 1;
    for (int i = 0; i < times; ++i) tap(app.window(), key, mods, 0);
    tasks_.push_back([](App& a) { return !a.window().input_waits(); });
  } else if (verb == "keys") {
    type_as_a_hand(app.window(), rest);
    tasks_.push_back([](App& a) { return !a.window().input_waits(); });
  } else if (verb == "type") {
    for (const char c : rest) app.window().feed_character(static_cast<unsigned char>(c));
  } else if (verb == "shown" || verb == "hidden") {
    if ((app.widgets().find(rest) != nullptr) != (verb == "shown")) fail(line, "it is not so");
  } else if (verb == "apart" || verb == "within") {
    const ScreenRect *a = app.widgets().find(line.words.at(1)), *b = app.widgets().find(line.words.at(2));
    if (a == nullptr || b == nullptr) throw InputError("one of the widgets is not there");
    const bool outside =
        a->x >= b->x + b->width || b->x >= a->x + a->width || a->y >= b->y + b->height || b->y >= a->y + a->height;
    const bool inside =
        a->x >= b->x && a->y >= b->y && a->x + a->width <= b->x + b->width && a->y + a->height <= b->y + b->height;
    if (!(verb == "apart" ? outside : inside)) fail(line, "it is not so");
  } else if (verb == "share") {
    const ScreenRect *a = app.widgets().find(line.words.at(1)), *b = app.widgets().find(line.words.at(2));
    if (a == nullptr || b == nullptr) throw InputError("one of the widgets is not there");
    const std::string part = fmt::format("{:.4f}", a->width * a->height / (b->width * b->height));
    if (!compare(part, line.words.at(3), line.words.at(4))) fail(line, fmt::format("it is {}", part));
  } else if (verb == "screenshot") {
    screenshot_ = file(rest);
  } else if (verb == "compare") {
    picture_ = file(rest);
  } else if (verb == "contrast" || verb == "red" || verb == "green" || verb == "blue") {
    std::vector<std::string> words(line.words.begin() + 1, line.words.end());
    std::size_t at = 0;
    const ScreenPoint where = place(app, words, at);
    if (at + 2 != words.size()) throw InputError(fmt::format("expected: {} PLACE OP VALUE", verb));
    spot_ = {line, where, words[at], words[at + 1]};
  } else if (verb == "dump") {
    AtomicFile out(file(rest), true);
    out.write(state_json(app.state()));
    out.commit();
  } else {
    throw InputError("this is no step");
  }
}

bool Player::step(App& app) {
  if (!failure_.empty()) return false;
  if (tasks_.empty()) {
    if (lines_.empty()) return false;
    const Line line = lines_.front();
    lines_.pop_front();
    ++played_;
    try {
      begin(app, line);
    } catch (const std::exception& error) {
      fail(line, error.what());
    }
    return failure_.empty();
  }
  const Task task = tasks_.front();
  try {
    if (task(app)) tasks_.pop_front();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return failure_.empty();
}

void Player::after_frame(App& app) {
  if (picture_.empty() && screenshot_.empty() && !spot_) return;
  ScreenPicture screen;
  screen.rgb = app.window().read_pixels(screen.width, screen.height);
  try {
    if (!picture_.empty()) failure_ = differs_from_file(screen.part(app.canvas()), picture_);
    if (!screenshot_.empty()) write_png(screenshot_, screen.width, screen.height, 3, screen.rgb.data());
    if (spot_) {
      const std::string& verb = spot_->line.words.front();
      const std::string found = verb == "contrast" ? fmt::format("{:.2f}", contrast_at(screen, spot_->at))
                                                   : fmt::format("{}", colour_at(screen, spot_->at, verb.front()));
      if (!compare(found, spot_->op, spot_->wanted)) fail(spot_->line, fmt::format("it is {}", found));
    }
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  picture_.clear();
  screenshot_.clear();
  spot_.reset();
}

}  // namespace reber::gui

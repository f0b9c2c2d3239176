// SPDX-License-Identifier: BSD-3-Clause
// What a browser says: input, the size of its window, what it has drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gui/model/input_queue.hpp"

namespace reber::gui {

/// Bytes of the largest message: a clipboard.
inline constexpr std::size_t kMostMessageBytes = std::size_t{1} << 20;

struct BrowserMessage {
  enum class Kind {
    input,      ///< of mouse or keyboard
    clipboard,  ///< what Ctrl+v will paste
    size,       ///< of the place for the picture
    released,   ///< the keyboard went elsewhere: no key or button is down any more
    drawn,      ///< a frame is on the screen, the next may come
    drive,      ///< this browser asks to drive
    hand_over,  ///< the one that drives lets the asking one
    keep,       ///< or does not
    came,       ///< never sent: somebody new looks
    uploaded,   ///< never sent: a file has come, to be opened; text: its path
  } kind = Kind::input;
  InputEvent event;
  std::string text;
  int width = 0, height = 0;  ///< pixels of the screen
  double scale = 1;           ///< of them per unit of the page
  std::uint32_t frame = 0;
};

/// One message, of JSON. Empty for anything else than the page sends: other kinds, members that lack, numbers out of
/// bounds.
[[nodiscard]] std::optional<BrowserMessage> parse_browser_message(std::string_view json);

/// GLFW's number of a key by the names of a browser's event (KeyboardEvent.key and .code); 0 for others. Letters and
/// digits go by what they write, whatever the layout; the rest by place.
[[nodiscard]] int key_of_browser(std::string_view key, std::string_view code);

}  // namespace reber::gui

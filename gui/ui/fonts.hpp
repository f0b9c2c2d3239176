// SPDX-License-Identifier: BSD-3-Clause
// The fonts of the interface.
#pragma once

#include <memory>
#include <thread>

struct ImFontAtlas;

namespace reber::gui {

/// The fonts of the interface: its face, a bold one, one of even width for numbers. ImGui's own where the system has no
/// DejaVu fonts. Made on a thread of its own while the window opens, since their letters take as long as a frame.
class Fonts {
 public:
  explicit Fonts(double scale);
  ~Fonts();
  Fonts(const Fonts&) = delete;
  Fonts& operator=(const Fonts&) = delete;

  /// Waits for them. ImGui must have no context before the first call, and none when they go.
  [[nodiscard]] ImFontAtlas& atlas();
  /// What they are made for.
  [[nodiscard]] double scale() const { return scale_; }
  /// Makes them anew, at once.
  void make(double scale);

 private:
  std::unique_ptr<ImFontAtlas> atlas_;
  double scale_;
  std::thread thread_;
};

}  // namespace reber::gui

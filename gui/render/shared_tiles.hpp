// SPDX-License-Identifier: BSD-3-Clause
// Tiles that a compute backend made on the card that OpenGL draws on: they reach textures without the host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/show/display/display_levels.hpp"
#include "gui/render/gl.hpp"

namespace reber::gui {

/// A ring of places for tiles in one buffer that both reach. Needs OpenGL's context.
class SharedTiles {
 public:
  explicit SharedTiles(std::int64_t tile_bytes) : tile_bytes_(tile_bytes) {}
  ~SharedTiles() { close(); }
  SharedTiles(const SharedTiles&) = delete;
  SharedTiles& operator=(const SharedTiles&) = delete;

  /// Tries whether the two work together.   returns an empty text, or why they do not
  [[nodiscard]] std::string open(std::shared_ptr<GraphicsLink> link);
  [[nodiscard]] bool is_open() const { return link_ != nullptr; }
  struct Upload {
    std::shared_ptr<const DeviceTile> tile;
    GLsizei width = 0, height = 0;
    GLuint texture = 0;  ///< an array
    int layer = 0;
  };
  static constexpr std::size_t kMost = 32;  ///< tiles of one upload()
  /// Pixels of tiles into the lower left of layers of texture arrays. False where it failed: then nothing is shared any
  /// more, and why() says why.
  bool upload(const std::vector<Upload>& tiles);
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  void close();

  std::int64_t tile_bytes_;
  std::shared_ptr<GraphicsLink> link_;
  GlBuffer buffer_;
  std::string why_;
};

}  // namespace reber::gui

// SPDX-License-Identifier: BSD-3-Clause
// The buffer between a compute backend and OpenGL.
#include "gui/render/shared_tiles.hpp"

namespace reber::gui {

std::string SharedTiles::open(std::shared_ptr<GraphicsLink> link) {
  close();
  buffer_ = make_buffer();
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
  glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(kMost) * tile_bytes_, nullptr, GL_DYNAMIC_DRAW);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  why_ = link->open(buffer_.get());
  if (why_.empty())
    link_ = std::move(link);
  else
    buffer_.reset();
  return why_;
}

void SharedTiles::close() {
  if (link_) link_->close();
  link_.reset();
  buffer_.reset();
}

bool SharedTiles::upload(const std::vector<Upload>& tiles) {
  if (!link_ || tiles.size() > kMost) return false;
  std::vector<GraphicsLink::Placed> placed;
  for (const Upload& each : tiles)
    placed.push_back({each.tile.get(), static_cast<std::int64_t>(placed.size()) * tile_bytes_});
  if (std::string error = link_->copy(placed); !error.empty()) {
    close();
    why_ = std::move(error);
    return false;
  }
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Upload& each = tiles[i];
    glBindTexture(GL_TEXTURE_2D_ARRAY, each.texture);
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, each.layer, each.width, each.height, 1, GL_RED, GL_FLOAT,
                    reinterpret_cast<const void*>(static_cast<std::uintptr_t>(placed[i].offset)));
  }
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  return true;
}

}  // namespace reber::gui

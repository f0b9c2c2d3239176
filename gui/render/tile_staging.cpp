// SPDX-License-Identifier: BSD-3-Clause
// The ring of slots.
#include "gui/render/tile_staging.hpp"

#include <cstring>

namespace reber::gui {

std::unique_ptr<TileStaging> TileStaging::make(std::int64_t slot_bytes) {
  GLint major = 0, minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  if (10 * major + minor < 44) return nullptr;
  constexpr GLbitfield kAccess = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  const auto bytes = static_cast<GLsizeiptr>(slot_bytes * static_cast<std::int64_t>(kSlots));
  GlBuffer buffer = make_buffer();
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer.get());
  glBufferStorage(GL_PIXEL_UNPACK_BUFFER, bytes, nullptr, kAccess | GL_CLIENT_STORAGE_BIT);
  void* mapped = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, bytes, kAccess);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  if (mapped == nullptr) return nullptr;
  return std::unique_ptr<TileStaging>(new TileStaging(std::move(buffer), static_cast<std::byte*>(mapped), slot_bytes));
}

TileStaging::~TileStaging() {
  for (const GLsync sync : read_)
    if (sync != nullptr) glDeleteSync(sync);
}

const void* TileStaging::put(const void* from, std::int64_t bytes) {
  at_ = (at_ + 1) % kSlots;
  if (GLsync& sync = read_[at_]; sync != nullptr) {
    constexpr GLuint64 kSecond = 1000000000;
    while (glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond) == GL_TIMEOUT_EXPIRED) {
    }
    glDeleteSync(sync);
    sync = nullptr;
  }
  const std::size_t place = at_ * static_cast<std::size_t>(slot_bytes_);
  std::memcpy(mapped_ + place, from, static_cast<std::size_t>(bytes));
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
  return reinterpret_cast<const void*>(place);
}

void TileStaging::sent() {
  read_[at_] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

}  // namespace reber::gui

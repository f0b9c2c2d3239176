// SPDX-License-Identifier: BSD-3-Clause
// Memory that the card copies from by itself, while the processor goes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gui/render/gl.hpp"

namespace reber::gui {

/// A ring of slots in one mapped buffer. Between put() and sent() it is the buffer that pixels are unpacked from.
class TileStaging {
 public:
  /// Null where this OpenGL has no buffers that stay mapped (4.4).   slot_bytes: the most that one put() takes
  static std::unique_ptr<TileStaging> make(std::int64_t slot_bytes);
  ~TileStaging();
  TileStaging(const TileStaging&) = delete;
  TileStaging& operator=(const TileStaging&) = delete;

  /// Copies into the next slot, once the card has read what lay there.   returns its place, as glTexSubImage takes it
  const void* put(const void* from, std::int64_t bytes);
  /// Marks the slot as handed to the card and unbinds the buffer.
  void sent();

 private:
  static constexpr std::size_t kSlots = 32;
  TileStaging(GlBuffer buffer, std::byte* mapped, std::int64_t slot_bytes)
      : buffer_(std::move(buffer)), mapped_(mapped), slot_bytes_(slot_bytes) {}

  GlBuffer buffer_;
  std::byte* mapped_;
  std::int64_t slot_bytes_;
  std::size_t at_ = 0;
  std::array<GLsync, kSlots> read_{};  ///< of each slot, signalled when the card has read it
};

}  // namespace reber::gui

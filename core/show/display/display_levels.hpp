// SPDX-License-Identifier: BSD-3-Clause
// What a backend may offer a viewer besides its operations: reduced levels of a map, kept where planes are kept. Only
// the tiles in view leave; a graphics library on the same device can take them there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/show/display/reduced_levels.hpp"

namespace reber {

/// Pixels of a tile on a device, rows without gaps, complete. Safe to keep and to release on any thread.
class DeviceTile {
 public:
  virtual ~DeviceTile() = default;
  [[nodiscard]] virtual std::int64_t bytes() const = 0;
  /// Of the first pixel, in the memory of that card.
  [[nodiscard]] virtual const void* address() const = 0;
  [[nodiscard]] virtual int card() const = 0;
  /// A copy in host memory; on the backend's thread.   throws DeviceError
  [[nodiscard]] virtual std::vector<float> on_host() const = 0;
};

/// The levels of one map, 0 (the map itself) among them; the same bits as ReducedLevels::of(). They keep alive what
/// they are made of. Calls come from the backend's thread.
class DisplayLevels {
 public:
  virtual ~DisplayLevels() = default;
  [[nodiscard]] virtual Shape shape() const = 0;
  /// Pixels of a level, in where (within it), without gaps. Level 0 is the same for every reduction.
  virtual void read(int level, Reduction reduction, const Rect& where, float* out) = 0;
  /// The same on the device; null where planes are in host memory.
  [[nodiscard]] virtual std::shared_ptr<const DeviceTile> draw(int level, Reduction reduction, const Rect& where) = 0;
  /// Values of level 0 at the places of LevelSample, row after row; NaN among them.
  [[nodiscard]] virtual std::vector<float> sample() = 0;
};

/// Every `step`th pixel of every `step`th row: rows step / 2, step / 2 + step ..., columns from 7 y mod step on. The
/// start moves from row to row, so that columns of a pattern do not all fall through.
struct LevelSample {
  std::int64_t step = 1;
  /// At most about `most` values.
  static LevelSample of(Shape shape, std::int64_t most = 65536);
  [[nodiscard]] constexpr std::int64_t first_row() const { return step / 2; }
  [[nodiscard]] constexpr std::int64_t first_column(std::int64_t y) const { return y * 7 % step; }
};

/// Lets OpenGL read tiles of a device without a detour through the host. OpenGL's names are plain numbers here. Every
/// call but device() comes from the thread in which OpenGL's context is current.
class GraphicsLink {
 public:
  virtual ~GraphicsLink() = default;
  /// Name of the device that the tiles are on.
  [[nodiscard]] virtual std::string device() const = 0;
  /// Shares a buffer object that has its storage.   returns an empty text, or why it cannot be: OpenGL draws elsewhere
  /// ...
  [[nodiscard]] virtual std::string open(unsigned buffer) = 0;
  struct Placed {
    const DeviceTile* tile = nullptr;
    std::int64_t offset = 0;  ///< first byte in the buffer
  };
  /// Copies tiles into the buffer; commands given to OpenGL afterwards find them there. Handing the buffer over and
  /// back takes longer than any copy: all of a frame's tiles at once.   returns an empty text, or what failed
  [[nodiscard]] virtual std::string copy(const std::vector<Placed>& tiles) = 0;
  /// Before the buffer goes, and before the context.
  virtual void close() = 0;
};

/// Backend::display(): levels and maps that stay on the device.
class DisplayEngine {
 public:
  virtual ~DisplayEngine() = default;
  /// Null where the plane is not on the device as a whole, or levels (2/3 of its size) would take more than a quarter
  /// of the memory that is left. background: for mean, rms and snr.   throws DeviceError, Cancelled
  [[nodiscard]] virtual std::unique_ptr<DisplayLevels> display_levels(MapKind kind, std::shared_ptr<const Plane> plane,
                                                                      const BackgroundModel* background,
                                                                      const Job& job = {}) = 0;
  /// A whole map, the bits that render() gives, for another library on the same card; it waits for all of the card's
  /// work when it is released. background: for mean, rms and snr.   throws DeviceError, Cancelled; InternalError as
  /// render()
  [[nodiscard]] virtual std::shared_ptr<const DeviceTile> device_map(MapKind kind, const Plane& plane,
                                                                     const BackgroundModel* background,
                                                                     const Job& job = {}) = 0;
  /// The label map: values of std::int32_t in place of floats.   throws DeviceError, Cancelled
  [[nodiscard]] virtual std::shared_ptr<const DeviceTile> device_labels(const IslandMap& islands,
                                                                        const Job& job = {}) = 0;
  /// The same object at every call; null where there is no way.
  [[nodiscard]] virtual std::shared_ptr<GraphicsLink> graphics_link() = 0;
};

/// Levels in host memory, of a map that any backend renders.   throws Cancelled, DeviceError
[[nodiscard]] std::unique_ptr<DisplayLevels> host_display_levels(Backend& backend, MapKind kind, const Plane& plane,
                                                                 const BackgroundModel* background, const Job& job);

}  // namespace reber

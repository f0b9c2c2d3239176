// SPDX-License-Identifier: BSD-3-Clause
// Whether an image's pixels stay in host memory or are left in their source and read band by band.
#pragma once

#include <cstdint>

#include "core/seam/compute/tiling_plan.hpp"
#include "core/seam/plan/tiling.hpp"

namespace reber {

/// What a run will need of host memory, for the choice.
struct HostNeeds {
  Shape shape;
  std::int64_t planes = 1;       ///< whole planes that stand in host memory at a time where none is left in its source
  std::int64_t band_rows = 0;    ///< of a plan that the device has made already; 0: free to choose
  std::int64_t least_rows = 1;   ///< that the most demanding operation wants at a time: a row of cells, of tiles
  std::int64_t wanted_rows = 0;  ///< of bands that are wanted whatever the memory; 0: where it lacks
  std::int64_t buffers = 4;      ///< bands of rows that stand side by side
  std::int64_t held_bytes = 0;   ///< of the source: a compressed file is held decoded, and cannot be left on the disk
  std::int64_t processes = 1;    ///< that share the image: it is left in its source, where each reads its part
  bool sources_stream = true;    ///< whether the backend can leave pixels in their source
};

/// Host memory that a run may use.
struct HostRoom {
  std::int64_t asked = 0;  ///< what the user allows; 0: nothing in particular
  std::int64_t free = 0;   ///< can be had now
  std::int64_t total = 0;  ///< might ever be had
};

/// Adds to a device's plan where the pixels are while no operation is at them. Where the user allows nothing in
/// particular, whole planes may take three quarters of what is free.
///   throws InputError where not even the smallest bands fit what the user allows, naming the bytes needed; DeviceError
///   where the user allows nothing in particular and the machine has too little
[[nodiscard]] TilingPlan plan_host(TilingPlan plan, const HostNeeds& needs, const HostRoom& room);

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// What the hardware under a backend reaches at best, measured: the floors that a benchmark holds its times against.
#pragma once

#include <cstdint>
#include <vector>

#include "core/seam/compute/detection.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// Rates of small kernels that do nothing else. Each is of the fastest of several runs of a few
/// variants: a floor is what cannot be beaten.
struct MachineLimits {
  double read_bytes_per_ms = 0;  ///< every byte read once
  double copy_bytes_per_ms = 0;  ///< bytes read and bytes written, both counted, as many of one as of the other
  double fma_per_ms = 0;         ///< float32 multiply-adds (two operations each) from registers
  double launch_ms = 0;          ///< an operation that does nothing, as the backend's operations are timed
  double up_bytes_per_ms = 0;    ///< page-locked host memory to the device; 0 where planes live in host memory
  double down_bytes_per_ms = 0;  ///< and back
};

/// Probes of one device, with memory of their own. Used by one thread at a time.
///   throws DeviceError where the device fails or a probe's result is wrong
class MachineProbe {
 public:
  virtual ~MachineProbe() = default;

  /// bytes: of one image; the probes read one array of that size and copy it to another, neither in a cache before.
  [[nodiscard]] virtual MachineLimits measure(std::int64_t bytes) = 0;
  /// An array of that many bytes (a few thousand at least) copied to another, timed as the benchmark times an
  /// operation: each time with flushed caches and nothing under way.   returns ms of each time; none where memory is
  /// short
  [[nodiscard]] virtual std::vector<double> time_copy(std::int64_t bytes, int repeats) = 0;
  /// Draws the whole label map of a backend's islands where that backend keeps planes, and drops it: what drawing
  /// costs without a copy to the host. Does nothing where the islands are kept as a map, as the reference's are.
  virtual void draw_labels(const IslandMap& islands, const Job& job) = 0;
  /// Displaces what the last-level cache holds.
  virtual void flush_cache() = 0;
};

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// How a plane is kept: whole on the device, streamed through it in bands of rows, or left in its source.
#pragma once

#include <cstdint>
#include <string>

namespace reber {

/// Bands are whole rows. A resident plane is one band: the same code runs.
struct TilingPlan {
  bool resident = true;
  bool in_source = false;         ///< host memory holds bands too: each walk over the plane reads its source again
  std::int64_t band_rows = 0;     ///< interior rows of a band; all rows where resident
  std::int64_t halo_rows = 0;     ///< rows of the neighbours that a convolution reads above and below a band
  int streams = 1;                ///< bands in flight at once
  std::int64_t device_bytes = 0;  ///< estimated peak on the device
  std::int64_t host_bytes = 0;    ///< estimated peak in host memory; 0 where nobody asked
  std::string reason;             ///< in words, for --dry-run and the report
};

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The sky that the operations of the benchmark work on.
#pragma once

#include <cstdint>

#include "core/base/progress.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image.hpp"
#include "core/studies/simulation.hpp"

namespace reber::app {

/// size x size pixels: 300 point sources and 10 extended ones for each million of them.
[[nodiscard]] SimulatedSky bench_sky(std::int64_t size, Backend& backend, const Progress& progress);

/// The tile again and again, size x size pixels.
[[nodiscard]] Image repeated(const Image& tile, std::int64_t size);

}  // namespace reber::app

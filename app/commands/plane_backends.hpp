// SPDX-License-Identifier: BSD-3-Clause
// Planes of a cube side by side: how many, on which backends, and how far they are.
#pragma once

#include <vector>

#include "app/options/backend_choice.hpp"
#include "app/terminal/terminal.hpp"
#include "core/run/cube/plane_runs.hpp"

namespace reber::app {

/// On a card up to three lanes, one where --device-memory says how much of it may be used; each begins anew by itself
/// where the card fails. On the processor as many as lanes_of_planes() says, which divide the threads: what a plane
/// does on one thread alone, such as its tables, goes on beside the others.
///   throws as make_backend
[[nodiscard]] std::vector<PlaneLane> plane_backends(const BackendChoice& choice, const CommonOptions& options,
                                                    const PlaneWalk& walk, Terminal& terminal);

/// Of one lane the stages of its plane; of several the planes that are done.   done: counted by the caller
[[nodiscard]] Progress progress_of_planes(std::size_t lanes, const std::atomic<std::size_t>& done, std::size_t planes,
                                          Terminal& terminal);

}  // namespace reber::app

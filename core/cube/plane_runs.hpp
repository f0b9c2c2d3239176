// SPDX-License-Identifier: BSD-3-Clause
// The pipeline on many planes of a cube, one after another.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/compute/card_error.hpp"
#include "core/cube/plane_walk.hpp"
#include "core/pipeline/pipeline.hpp"

namespace reber {

/// What the caller hears of each plane; any may be empty.
struct PlaneEvents {
  std::function<void(std::int64_t plane, std::size_t index)> began;            ///< index: in the list of planes
  std::function<void(const CubePlane&, const Result&)> done;                   ///< the result goes after it
  std::function<void(std::int64_t plane, const std::string& why)> skipped;     ///< nothing to search in it
  std::function<void(std::int64_t plane, const std::string& message)> failed;  ///< its bytes are damaged
  /// A card failed: the backend that goes on in its place, or null where none may. The plane is run again there, so
  /// `done` may be called twice for it and must keep nothing before its last use of the result's backend.
  std::function<std::shared_ptr<Backend>(const CardError&)> card_failed;
};

/// Runs request_of(plane) on each plane, with the plane's own header, beam and frequency: what a request for that plane
/// alone gives, bit for bit. Memory holds one plane's run, and the next plane as stored. A plane is skipped where all
/// of it is blank, or where it lacks a beam that others of the cube have; a damaged one does not stop the others.
/// Warnings are told once, with the first plane that has them.
///   request_of  input and open.plane need not be set
///   throws InputError, DeviceError, Cancelled; CardError where told.card_failed gives no backend
void run_planes(std::shared_ptr<Backend> backend, PlaneWalk& walk,
                const std::function<Request(std::int64_t plane)>& request_of, const PlaneEvents& told,
                const RunEvents& events);

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The pipeline on many planes of a cube, one after another.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/run/cube/plane_walk.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/seam/compute/card_error.hpp"

namespace reber {

/// What the caller hears of each plane; any may be empty.
struct PlaneEvents {
  std::function<void(std::int64_t plane, std::size_t index)> began;  ///< index: in the list of planes
  std::function<void(const CubePlane&, const Result&)> done;         ///< the result goes after it
  /// Makes something of a result beside other planes; what it returns is called in the plane's turn, before `done`.
  std::function<std::function<void()>(const CubePlane&, const Result&)> made;
  std::function<void(std::int64_t plane, const std::string& why)> skipped;     ///< nothing to search in it
  std::function<void(std::int64_t plane, const std::string& message)> failed;  ///< its bytes are damaged
  /// A card failed: the backend that goes on in its place, or null where none may. The plane is run again there, so
  /// `made` and `done` may be called twice for it and must keep nothing before the last use of the result's backend.
  std::function<std::shared_ptr<Backend>(const CardError&)> card_failed;
};

/// Why there is nothing to search in a plane: all of it is blank, or it lacks a beam that others of the cube have and
/// neither the request nor its map of the beam has. Empty where it can be searched. Reads rows until a pixel is finite.
///   throws as beam_map_knows() and PixelSource::read_rows; Cancelled
[[nodiscard]] std::string why_no_search(const CubePlane& plane, const Request& request, const Progress& progress);

/// What works on one plane at a time.
struct PlaneLane {
  std::shared_ptr<Backend> backend;
  int threads = 0;  ///< that its planes take beside the backend's own; 0: all that this process may use
  /// As PlaneEvents::card_failed, in its place where set: for a lane with a card's backend beside others.
  std::function<std::shared_ptr<Backend>(const CardError&)> card_failed = {};
};

/// Runs request_of(plane) on each plane, with the plane's own header, beam and frequency: what a request for that plane
/// alone gives, bit for bit. Each lane has a thread of its own, the first one the caller's. Events are told in the
/// order of the planes, one at a time, each on the thread of its lane: a lane that is ahead waits; but `began` and
/// `made` as they happen. Memory holds one plane's run per lane, and the next plane as stored. A plane is skipped where
/// why_no_search() says so; a damaged one does not stop the others. Warnings are told once, with the first plane that
/// has them.
///   lanes       at least one; they share request.host_memory_bytes
///   request_of  input and open.plane need not be set; safe from several threads
///   throws InputError, DeviceError, Cancelled: the first in the order of the planes; CardError where told.card_failed
///   gives no backend
void run_planes(std::vector<PlaneLane> lanes, PlaneWalk& walk,
                const std::function<Request(std::int64_t plane)>& request_of, const PlaneEvents& told,
                const RunEvents& events);

/// How many lanes planes of this size may have: some more than threads, as a lane that is ahead waits for its turn; no
/// more than planes, and as far as memory goes.
///   asked: bytes that the user allows, 0: three quarters of `free`
[[nodiscard]] int lanes_of_planes(Shape plane, std::int64_t planes, int threads, std::int64_t asked, std::int64_t free);

/// The same of lanes that share a card, each with a plane on it: while one computes, another's plane is read, and what
/// a third does on the processor goes on.   device_bytes: that may be used
[[nodiscard]] int card_lanes_of_planes(Shape plane, std::int64_t planes, int threads, std::int64_t device_bytes);

}  // namespace reber

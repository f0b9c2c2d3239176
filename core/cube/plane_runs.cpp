// SPDX-License-Identifier: BSD-3-Clause
// Planes from a walk through pipelines of their own.
#include "core/cube/plane_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.hpp"

namespace reber {
namespace {

/// Why the plane cannot be searched; empty where it can.
std::string why_not(const CubePlane& plane, const Request& request, const Progress& progress) {
  const auto& beams = plane.header->plane_beams;
  const bool others = std::ranges::any_of(beams, [](const std::optional<Beam>& beam) { return beam.has_value(); });
  if (!request.beam && !plane.header->beam && others) return "it has no beam: " + plane.header->beam_note;
  if (all_blank(*plane.pixels, progress)) return "all its pixels are blank";
  return {};
}

/// Tells each text once.
LogSink once(const LogSink& log, std::set<std::string>& heard, std::int64_t plane) {
  return LogSink([&log, &heard, plane](LogLevel level, const std::string& text) {
    if (!heard.insert(text).second) return;
    if (level == LogLevel::warning) return log.warning(fmt::format("plane {}: {}", plane, text));
    if (level == LogLevel::info) return log.info(text);
    log.detail(text);
  });
}

/// False where the card failed and `backend` is the one that takes its place.
bool run_plane(std::shared_ptr<Backend>& backend, const Input& input, const Request& request, const RunEvents& events,
               const std::function<void(const Result&)>& done, const PlaneEvents& told) {
  std::optional<CardError> failure;
  try {
    Pipeline pipeline(backend, input);
    done(pipeline.run(request, events));
    return true;
  } catch (const CardError& error) {
    failure = error;
  }
  if (!told.card_failed) throw CardError(*failure);
  backend.reset();  // what it held makes room for the next one
  backend = told.card_failed(*failure);
  if (!backend) throw CardError(*failure);
  return false;
}

}  // namespace

void run_planes(std::shared_ptr<Backend> backend, PlaneWalk& walk,
                const std::function<Request(std::int64_t plane)>& request_of, const PlaneEvents& told,
                const RunEvents& events) {
  std::set<std::string> heard;
  for (std::size_t index = 0; index < walk.planes().size(); ++index) {
    const std::int64_t number = walk.planes()[index];
    if (told.began) told.began(number, index);
    try {
      const std::optional<CubePlane> plane = walk.next(events.progress);
      Request request = request_of(number);
      request.input = plane->header->path;
      request.open.plane = number;
      if (const std::string why = why_not(*plane, request, events.progress); !why.empty()) {
        if (told.skipped) told.skipped(number, why);
        continue;
      }
      RunEvents of_plane = events;
      of_plane.log = once(events.log, heard, number);
      const Input input{request.input, request.open, plane->pixels, plane->header};
      const auto done = [&](const Result& result) {
        if (told.done) told.done(*plane, result);
      };
      bool through = false;
      while (!through) through = run_plane(backend, input, request, of_plane, done, told);
    } catch (const DataError& error) {
      if (told.failed) told.failed(number, error.what());
    }
  }
}

}  // namespace reber

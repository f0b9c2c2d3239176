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

}  // namespace

void run_planes(const std::shared_ptr<Backend>& backend, PlaneWalk& walk,
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
      Pipeline pipeline(backend, Input{request.input, request.open, plane->pixels, plane->header});
      const Result result = pipeline.run(request, of_plane);
      if (told.done) told.done(*plane, result);
    } catch (const DataError& error) {
      if (told.failed) told.failed(number, error.what());
    }
  }
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Smoothing to a common or a given beam.
#include "core/studies/imaging/smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/run/cube/plane_walk.hpp"
#include "core/run/request/parameters.hpp"
#include "core/sky/model/common_beam.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;

/// A beam this many times longer than the median one spoils a common beam: such a plane is damaged, or nearly empty.
constexpr double kOutlier = 3;
/// Fewer beams have no median to trust.
constexpr std::size_t kEnoughForMedian = 8;

std::string words(const Beam& beam) {
  return fmt::format("{:.6g} x {:.6g} arcsec, PA {:.5g} deg", beam.major_deg * kArcsec, beam.minor_deg * kArcsec,
                     beam.pa_deg);
}

/// Planes with a beam, by pointer.
std::vector<SmoothPlane*> planes_with_beam(std::span<SmoothInput> inputs, std::int64_t only = -1) {
  std::vector<SmoothPlane*> all;
  for (SmoothInput& input : inputs)
    for (SmoothPlane& plane : input.planes)
      if (plane.own && (only < 0 || plane.plane == only)) all.push_back(&plane);
  return all;
}

/// Takes the beam from planes that no common beam should have to hold.   returns what is told of each
std::vector<std::string> leave_out(std::span<SmoothInput> inputs, std::vector<SmoothPlane*>& planes,
                                   const std::optional<double>& max_major_deg) {
  double limit = max_major_deg.value_or(std::numeric_limits<double>::infinity());
  std::string rule = "above --max-beam";
  if (!max_major_deg && planes.size() >= kEnoughForMedian) {
    std::vector<double> majors;
    for (const SmoothPlane* plane : planes) majors.push_back(plane->own->major_deg);
    const auto middle = majors.begin() + static_cast<std::ptrdiff_t>(majors.size() / 2);
    std::ranges::nth_element(majors, middle);
    limit = kOutlier * *middle;
    rule = fmt::format("more than {:g} times the median of {} beams; --max-beam sets another limit", kOutlier,
                       planes.size());
  }
  std::vector<std::string> told;
  for (SmoothInput& input : inputs)
    for (SmoothPlane& plane : input.planes) {
      const auto found = std::ranges::find(planes, &plane);
      if (found == planes.end() || plane.own->major_deg <= limit) continue;
      plane.left_out = fmt::format("its beam of {} is {}", words(*plane.own), rule);
      told.push_back(
          fmt::format("{}, plane {}: left out of the common beam: {}", input.path, plane.plane, plane.left_out));
      plane.own.reset();
      planes.erase(found);
    }
  return told;
}

void aim_planes(const std::vector<SmoothPlane*>& planes) {
  if (planes.empty()) return;
  std::vector<Beam> beams;
  for (const SmoothPlane* plane : planes) beams.push_back(*plane->own);
  const CommonBeam common = common_beam(beams);
  for (SmoothPlane* plane : planes) plane->target = common.beam;
  for (const std::size_t i : common.limiting) planes[i]->limiting = true;
}

Matrix2 geometry_of(const SmoothInput& input) {
  const ImageHeader& header = input.header;
  const auto geometry = header.centre_geometry();
  if (!geometry)
    throw InputError(fmt::format("{}: smoothing to a beam needs the sky geometry of the image, and it has none ({})",
                                 input.path, header.wcs.why_not()));
  return *geometry;
}

void plan_plane(const SmoothInput& input, SmoothPlane& plane, const Matrix2& geometry) {
  const Beam &own = *plane.own, &target = *plane.target;
  const Deconvolved kernel = deconvolve(target, own);
  if (kernel.kind == Deconvolved::Kind::impossible) {
    throw InputError(fmt::format("{}{}: cannot reach beam {} from {}: {}", input.path,
                                 input.cube ? fmt::format(", plane {}", plane.plane) : "", words(target), words(own),
                                 kernel.reason));
  }
  plane.kernel = kernel.beam;
  plane.kernel_px =
      ellipse_of(to_pixels(sky_covariance(kernel.beam.major_deg, kernel.beam.minor_deg, kernel.beam.pa_deg), geometry));
  plane.flux_factor = smoothing_flux_factor(input.header, target, own);
  plane.noise_factor = noise_factor(target, own, input.header.unit.kind == Unit::Kind::jy_per_beam);
}

std::vector<std::string> history_of(const SmoothInput& input, const Request& base, const Backend& backend) {
  const BackendInfo info = backend.info();
  std::vector<std::string> lines{base.program + ", input " + input.path,
                                 fmt::format("backend {} ({})", info.name, info.device)};
  for (const std::string& option : options_in_force(base)) lines.push_back("option: " + option);
  for (const SmoothPlane& plane : input.planes) {
    lines.push_back(plane.own
                        ? fmt::format("smoothed: plane {}, beam {} -> {}, kernel {}, flux factor {:.9g}", plane.plane,
                                      words(*plane.own), words(*plane.target), words(plane.kernel), plane.flux_factor)
                        : fmt::format("smoothed: plane {} is left blank: {}", plane.plane,
                                      plane.left_out.empty() ? "it has no beam" : plane.left_out));
  }
  return lines;
}

Request plane_request(const SmoothInput& input, const SmoothPlane& plane, const Request& base) {
  Request request = base;
  request.input = input.path;
  request.open.plane = plane.plane;
  request.beam = plane.own;
  request.convolve->kernel = TargetBeam{*plane.target};
  return request;
}

/// Beams of the planes as the output has them: one for the header where no two differ, a table where they do or where a
/// plane lacks one.
struct OutputBeams {
  std::optional<Beam> one;
  std::vector<std::optional<Beam>> table;
};

OutputBeams output_beams(const SmoothInput& input) {
  OutputBeams out;
  bool same = true, all = true;
  for (const SmoothPlane& plane : input.planes) {
    out.table.push_back(plane.own ? plane.target : std::nullopt);
    if (!plane.own) {
      all = false;
      continue;
    }
    if (!out.one) out.one = plane.target;
    same = same && plane.target->major_deg == out.one->major_deg && plane.target->minor_deg == out.one->minor_deg &&
           plane.target->pa_deg == out.one->pa_deg;
  }
  if (!same) out.one.reset();
  if (same && all) out.table.clear();
  return out;
}

std::vector<Report> smooth_cube(const SmoothInput& input, const Request& base, const std::string& output,
                                const std::shared_ptr<Backend>& backend, const Progress& progress, const LogSink& log,
                                CommitGroup* group) {
  const OutputBeams beams = output_beams(input);
  OutputHeader header;
  header.like = &input.header;
  header.unit = input.header.unit.text;
  header.beam = beams.one;
  header.history = history_of(input, base, *backend);
  CubeWriter writer(output, header, beams.table, {base.output.overwrite, group});
  std::vector<Report> reports;
  std::vector<std::int64_t> planes;
  for (const SmoothPlane& plane : input.planes)
    if (plane.own) planes.push_back(plane.plane);
  PlaneWalk walk(input.file && !base.open.check ? *input.file : CubeSource::open(input.path, base.open, progress),
                 planes, PlaneWalk::kAheadBytes, true);
  for (const SmoothPlane& plane : input.planes) {
    progress.report("smoothing planes", static_cast<double>(plane.plane) / static_cast<double>(input.planes.size()));
    if (!plane.own) {
      const FloatRows blank = [&](std::int64_t, std::int64_t ny, float* out) {
        std::fill_n(out, ny * input.header.shape.nx, std::nanf(""));
      };
      writer.write_plane(plane.plane, blank, progress);
      continue;
    }
    // What the first plane says of the file is not said again.
    const Request request = plane_request(input, plane, base);
    const CubePlane stored = *walk.next(progress);
    RunEvents events = events_of(progress, reports.empty() ? log : LogSink());
    events.rows_once = true;
    const Result result =
        Pipeline(backend, Input{request.input, request.open, stored.pixels, stored.header}).run(request, events);
    const FloatRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
      backend->render_rows(MapKind::image, *result.plane(), nullptr, y0, ny, out);
    };
    writer.write_plane(plane.plane, rows, progress, backend->rows_together(*result.plane()));
    reports.push_back(result.report);
  }
  progress.check();
  writer.finish();
  progress.report("smoothing planes", 1);
  return reports;
}

}  // namespace

SmoothInput read_smooth_input(const std::string& path, const OpenOptions& options, const std::optional<Beam>& own,
                              const Progress& progress) {
  OpenOptions first = options;
  first.plane = options.plane.value_or(0);
  first.check = false;  // the pixels are compared with their sums when they are read
  SmoothInput input;
  input.path = path;
  const CubeSource file = CubeSource::open(path, first, progress);
  input.header = *file.header(*first.plane);
  input.cube = input.header.planes > 1 && !options.plane;
  if (input.cube) input.file = file;
  const auto beam_of = [&](std::int64_t plane) {
    if (own) return own;
    if (input.header.plane_beams.empty()) return input.header.beam;
    return input.header.plane_beams[static_cast<std::size_t>(plane)];
  };
  const std::int64_t from = *first.plane, to = input.cube ? input.header.planes : from + 1;
  for (std::int64_t plane = from; plane < to; ++plane) {
    SmoothPlane one;
    one.plane = plane;
    one.own = beam_of(plane);
    if (one.own && all_blank(*file.pixels(plane, progress), progress)) {
      one.left_out = "all its pixels are blank";
      one.own.reset();
    }
    input.planes.push_back(one);
  }
  if (std::ranges::all_of(input.planes, [](const SmoothPlane& plane) { return !plane.left_out.empty(); }))
    throw InputError(fmt::format("{}: all its pixels are blank, so there is nothing to smooth", path));
  if (std::ranges::none_of(input.planes, [](const SmoothPlane& plane) { return plane.own.has_value(); }))
    throw InputError(fmt::format("{}: smoothing needs the image's own beam; {}. Give it with --image-beam", path,
                                 input.header.beam_note));
  // What cannot be smoothed must not take part in the choice of the target.
  const Beam any{1, 1, 0};
  (void)smoothing_flux_factor(input.header, any, any);
  (void)geometry_of(input);
  return input;
}

std::vector<std::string> aim_at_common_beam(std::span<SmoothInput> inputs, bool per_plane,
                                            const std::optional<double>& max_major_deg) {
  if (!per_plane) {
    auto planes = planes_with_beam(inputs);
    auto told = leave_out(inputs, planes, max_major_deg);
    aim_planes(planes);
    return told;
  }
  for (const SmoothInput& input : inputs) {
    if (input.planes.size() != inputs.front().planes.size())
      throw InputError(fmt::format("{} has {} planes and {} has {}: a common beam for each plane needs as many in all",
                                   inputs.front().path, inputs.front().planes.size(), input.path, input.planes.size()));
  }
  // Planes of one number are as many as there are inputs: the rule looks at all planes of all inputs.
  auto all = planes_with_beam(inputs);
  auto told = leave_out(inputs, all, max_major_deg);
  for (const SmoothPlane& plane : inputs.front().planes) aim_planes(planes_with_beam(inputs, plane.plane));
  return told;
}

void aim_at(std::span<SmoothInput> inputs, const Beam& target) {
  for (SmoothPlane* plane : planes_with_beam(inputs)) plane->target = target;
}

void plan_smoothing(SmoothInput& input) {
  if (!input.cube && !input.planes.front().own)
    throw InputError(fmt::format("{}: {}", input.path, input.planes.front().left_out));
  const Matrix2 geometry = geometry_of(input);
  for (SmoothPlane& plane : input.planes)
    if (plane.own) plan_plane(input, plane, geometry);
}

std::vector<Report> smooth(const SmoothInput& input, const Request& base, const std::string& output,
                           const std::shared_ptr<Backend>& backend, const Progress& progress, const LogSink& log,
                           CommitGroup* group) {
  if (input.cube) return smooth_cube(input, base, output, backend, progress, log, group);
  Request request = plane_request(input, input.planes.front(), base);
  request.output.want("convolved", output);
  request.output.keep_axes = true;
  RunEvents events = events_of(progress, log);
  events.outputs = group;
  return {run_once(backend, request, events).report};
}

}  // namespace reber

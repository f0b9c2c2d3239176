// SPDX-License-Identifier: BSD-3-Clause
// The header, the beam, the kernel on the grid, the algorithm, and how the image is kept.
#include "core/run/pipeline/open_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/environment.hpp"
#include "core/base/error.hpp"
#include "core/base/host_memory.hpp"
#include "core/files/fits/beam_map.hpp"
#include "core/measure/background/padding.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/run/request/map_choice.hpp"
#include "core/seam/compute/counted_cells.hpp"
#include "core/seam/compute/flux_scale.hpp"
#include "core/seam/compute/lent_pixels.hpp"
#include "core/seam/plan/host_tiling.hpp"
#include "core/sky/model/grid_geometry.hpp"

namespace reber {
namespace {

/// map: the user gave one of the beam
void describe(const ImageHeader& head, const std::optional<Beam>& beam, const BeamField& beams, bool map,
              StageWork& work) {
  work.fact("image",
            fmt::format("{} x {} pixels, BITPIX {}, HDU {}{}", head.shape.nx, head.shape.ny, head.bitpix, head.hdu,
                        head.planes > 1 ? fmt::format(", plane {} of {}", head.plane, head.planes) : ""));
  const bool known = head.unit.kind != Unit::Kind::unknown;
  work.fact("unit", fmt::format("{}{}", head.unit.text.empty() ? "none" : head.unit.text,
                                known ? "" : " (no total fluxes without a known unit; --unit gives one)"));
  work.fact("beam", beam ? fmt::format("{:.4g} x {:.4g} arcsec, PA {:.4g} deg", beam->major_deg * 3600,
                                       beam->minor_deg * 3600, beam->pa_deg)
                         : "none: " + head.beam_note);
  if (head.wcs.celestial() && beams.varies() && !map)
    work.fact("beam is", "constant on the sky, and varies in pixels");
  else if (head.wcs.celestial() && beam && !map)
    work.fact("beam is", "constant in pixels");
  if (beams.areas_vary()) work.fact("pixel area", "that of each place");
  if (beams.varies() && map) {
    const auto at = [&](std::int64_t y, std::int64_t x) {
      const Beam local = beams.at(static_cast<double>(x), static_cast<double>(y)).sky;
      return fmt::format("{:.4g} x {:.4g}", local.major_deg * 3600, local.minor_deg * 3600);
    };
    const Beam middle = *beams.nominal();
    work.fact("beam varies",
              fmt::format("{:.4g} x {:.4g} arcsec in the middle, {}, {}, {} and {} in the corners",
                          middle.major_deg * 3600, middle.minor_deg * 3600, at(0, 0), at(0, head.shape.nx - 1),
                          at(head.shape.ny - 1, 0), at(head.shape.ny - 1, head.shape.nx - 1)));
  }
  work.fact("sky", head.wcs.celestial() ? fmt::format("{}, {} projection", head.wcs.frame_name(), head.wcs.projection())
                                        : "none: " + head.wcs.why_not());
}

/// A beam far larger than the image would have every stage look at pixels by the million; one far smaller than a pixel
/// has no area to sum over.   throws InputError
void check_beam(const Beam& beam, const ImageHeader& head) {
  constexpr double kMostDiagonals = 4, kLeastPixels = 256, kLeastPart = 1e-6;
  const auto scale = head.centre_geometry();
  const double pixel = scale ? std::sqrt(std::abs(scale->determinant())) : 0;
  if (!(pixel > 0)) return;
  const double diagonal = std::hypot(static_cast<double>(head.shape.nx), static_cast<double>(head.shape.ny));
  const double most = std::max(kMostDiagonals * diagonal, kLeastPixels) * pixel;
  if (!(beam.major_deg <= most) || !(beam.minor_deg >= kLeastPart * pixel) || !std::isfinite(beam.pa_deg))
    throw InputError(
        fmt::format("a beam of {:.4g} x {:.4g} arcsec, PA {:.4g} deg, is none for this image of {:.4g} arcsec across: "
                    "{:.4g} to "
                    "{:.4g} arcsec were expected; give the right one with --image-beam",
                    beam.major_deg * 3600, beam.minor_deg * 3600, beam.pa_deg, diagonal * pixel * 3600,
                    kLeastPart * pixel * 3600, most * 3600));
}

/// A kernel of weights is the same in pixels everywhere: what it makes of a beam that is constant on the sky is not.
void warn_of_one_kernel(const ImageHeader& head, const BeamField& after, const Beam& stated, StageWork& work) {
  constexpr double kWorth = 0.01;
  constexpr int kPlaces = 9;
  if (!after.varies()) return;
  double least = 1, most = 1;
  for (int j = 0; j < kPlaces; ++j)
    for (int i = 0; i < kPlaces; ++i) {
      const double x = i * static_cast<double>(head.shape.nx - 1) / (kPlaces - 1);
      const double y = j * static_cast<double>(head.shape.ny - 1) / (kPlaces - 1);
      const double part = after.at(x, y).sky.area_deg2() / stated.area_deg2();
      least = std::min(least, part), most = std::max(most, part);
    }
  if (most - least <= kWorth) return;
  work.warn(
      fmt::format("one kernel in pixels smooths the whole image: the beam's area on the sky becomes {:.3f} to "
                  "{:.3f} times that of the stated beam, which holds in the middle",
                  least, most));
}

void plan_convolution(const ImageHeader& head, const Request& request, RunPlan& plan, StageWork& work) {
  plan.convolution = resolve_convolution(*request.convolve, head, plan.beam);
  if (!plan.convolution->copy) {
    const ConvolutionSpec& spec = plan.convolution->spec;
    plan.quotes = work.backend.quote(spec, head.shape);
    plan.choice = choose_algorithm(plan.quotes, request.convolve->algorithm, 0);
    for (const ConvolutionQuote& quote : plan.quotes)
      if (quote.algorithm == plan.choice->algorithm) plan.needs.workspace_bytes = quote.workspace_bytes;
    plan.needs.convolve = true;
    plan.needs.halo_rows = spec.kernel.shape.ny / 2 + 1;
  }
  for (const auto& [name, text] : convolution_facts(plan)) work.fact(name, text);
}

}  // namespace

Opened run_open(const Input& input, StageWork& work) {
  Opened opened{nullptr, input.pixels, input.header};
  if (!opened.pixels) {
    opened.file = std::make_shared<const ImagePlane>(ImagePlane::open(input.path, input.open, work.job.progress()));
    opened.header = std::shared_ptr<const ImageHeader>(opened.file, &opened.file->header());
  }
  for (const std::string& warning : opened.header->warnings) work.warn(warning);
  return opened;
}

bool needs_copy(const Request& request) {
  // A pass without the sources, a detection image and a mask are planes of their own.
  const auto& background = request.background;
  const bool passes = background && background->method != BackgroundRequest::Method::clip && background->passes > 1;
  return passes || request.search.any();
}

std::vector<Fact> convolution_facts(const RunPlan& plan) {
  std::vector<Fact> facts;
  if (plan.choice) {
    const Kernel& kernel = plan.convolution->spec.kernel;
    facts.emplace_back("kernel", fmt::format("{}, {} x {} weights", kernel.text, kernel.shape.nx, kernel.shape.ny));
    facts.emplace_back("algorithm", fmt::format("{}: {}", to_string(plan.choice->algorithm), plan.choice->reason));
  }
  if (plan.convolution)
    for (const std::string& note : plan.convolution->notes) facts.emplace_back("convolution", note);
  return facts;
}

std::int64_t usable_memory(const Request& request, const Backend& backend) {
  const std::int64_t offered = backend.info().device_memory_bytes, cap = request.device_memory_bytes;
  return offered > 0 && cap > 0 ? std::min(cap, offered) : offered;
}

namespace {

/// Rows that one operation wants at a time: a row of cells, or of tiles of a convolution.
std::int64_t least_rows(const ImageHeader& head, const Request& request, const RunPlan& plan) {
  constexpr std::int64_t kStrip = 32, kTile = 256;
  std::int64_t rows = kStrip;
  const auto& background = request.background;
  if (background && background->method != BackgroundRequest::Method::clip)
    rows = std::max(rows, choose_boxes(*background, head.shape, beam_pixels(head, plan.beam)).box);
  if (plan.needs.convolve) {
    const bool fft = plan.choice->algorithm == Algorithm::fft;
    rows = std::max(rows, (fft ? 8 : 2) * 2 * plan.needs.halo_rows + kTile);
  }
  return rows;
}

/// Whether a plane without padding may stand beside the image. Where the pixels cost nothing to reach: a compressed
/// image, or a plane across its file, is not decoded for this.
bool may_be_padded(const Opened& opened, const Request& request, const Job& job) {
  const ImageHeader& head = *opened.header;
  if (request.convolve || head.bitpix >= 0 || head.shape.count() == 0) return false;
  if (opened.pixels && opened.pixels->lent_pixels() != nullptr) return false;  // the host has no rows of it
  if (opened.pixels) return ends_in_zeros(*opened.pixels);
  const bool in_order = head.x_axis == 0 && head.y_axis == 1;
  return in_order && !opened.file->in_memory() && ends_in_zeros(*opened.file->pixels(job.progress()));
}

/// What the stages that follow ask of the device besides the image.
void add_needs(const ImageHeader& head, const Request& request, RunPlan& plan) {
  constexpr std::int64_t kBlockCell = 128;  // side of the largest cell that is not sorted on the whole device
  const auto& background = request.background;
  plan.needs.copy = needs_copy(request);
  plan.needs.detect = request.detect.has_value() || plan.needs.copy;
  if (!background) return;
  const auto is_map = [](const std::string& path) { return map_choice(path).kind == MapChoice::Kind::map; };
  plan.needs.maps = (is_map(background->mean_path) ? 1 : 0) + (is_map(background->rms_path) ? 1 : 0);
  if (background->method == BackgroundRequest::Method::clip) return;
  const std::int64_t box = choose_boxes(*background, head.shape, beam_pixels(head, plan.beam)).box;
  const bool counted = has_counted_cells(MeshGrid::make(head.shape, box));
  plan.needs.cell_rows = counted ? kBlockCell : box;
  plan.needs.sorted_cells = plan.needs.cell_rows > kBlockCell;
}

/// Where pixels are while nothing is done with them; nothing to choose where all are on the device.
void plan_host_memory(const Opened& opened, const Request& request, RunPlan& plan, StageWork& work) {
  const BackendInfo backend = work.backend.info();
  const bool on_host = backend.device_memory_bytes <= 0;
  if (!on_host && plan.tiling.resident) return;
  const ImageHeader& head = *opened.header;
  HostNeeds needs;
  needs.shape = head.shape;
  needs.planes = (plan.needs.convolve || plan.needs.copy ? 2 : 1) + (plan.needs.padded ? 1 : 0);
  needs.band_rows = on_host ? 0 : plan.tiling.band_rows;
  needs.least_rows = on_host ? least_rows(head, request, plan) : plan.tiling.band_rows;
  needs.buffers = plan.needs.convolve || request.search.any() || request.scales.any() ? 8 : 4;
  // A mask is laid over pixels in host memory: a device that streams from there can have one.
  needs.sources_stream = backend.streams_sources && (on_host || !request.search.masked());
  needs.processes = backend.processes;
  if (const char* const rows = environment(Variable::host_bands); rows != nullptr && !request.search.masked())
    needs.wanted_rows = std::atoll(rows);
  if (opened.file && opened.file->in_memory())
    needs.held_bytes = head.shape.count() * std::max(4, head.bitpix > 0 ? 8 : std::abs(head.bitpix) / 8);
  plan.tiling = plan_host(plan.tiling, needs, {request.host_memory_bytes, free_memory_bytes(), host_memory_bytes()});
  if (plan.tiling.in_source && request.search.masked())
    throw InputError(
        "a search inside a mask, a region or a MOC needs the whole image in host memory, and that is not to be had "
        "here: allow more with "
        "--host-memory, or cut the image");
  const std::int64_t allowed = request.host_memory_bytes > 0 ? request.host_memory_bytes : host_memory_bytes();
  work.fact("memory", fmt::format("{:.1f} MiB of host memory for pixels; {:.0f} MiB may be used",
                                  static_cast<double>(plan.tiling.host_bytes) / (1 << 20),
                                  static_cast<double>(allowed) / (1 << 20)));
}

}  // namespace

RunPlan plan_run(const Opened& opened, const Request& request, StageWork& work) {
  const ImageHeader& head = *opened.header;
  RunPlan plan;
  plan.header = opened.header;
  plan.beam = request.beam ? request.beam : head.beam;
  if (plan.beam) check_beam(*plan.beam, head);
  if (!request.psf_map.empty() && request.detect) {
    plan.beams = read_beam_map(request.psf_map, head, work.job.progress());
    if (!plan.beam) plan.beam = plan.beams.nominal();
  }
  const bool map = plan.beams.varies(), follows = request.detect && !map;
  if (follows && !request.convolve)
    plan.beams = beam_by_place(head, plan.beam, beam_is(head, request.beam_is), plan.beam);
  describe(head, plan.beam, plan.beams, map, work);
  plan.needs.shape = head.shape;
  if (request.convolve) plan_convolution(head, request, plan, work);
  if (plan.convolution && !plan.convolution->unit_after.empty()) {
    auto after = std::make_shared<ImageHeader>(head);
    after->unit = Unit::parse(plan.convolution->unit_after);
    plan.header = std::move(after);
  }
  if (request.convolve && plan.convolution->beam_after && !map) {
    const BeamField after =
        beam_by_place(head, plan.beam, beam_is(head, request.beam_is), plan.convolution->beam_after);
    warn_of_one_kernel(head, after, *plan.convolution->beam_after, work);
    if (follows) plan.beams = after;
  }
  plan.needs.padded = may_be_padded(opened, request, work.job);
  add_needs(head, request, plan);
  plan.tiling = plan_tiling(plan.needs, usable_memory(request, work.backend));
  if (!request.convolve && !request.background && !request.detect) return plan;
  plan_host_memory(opened, request, plan, work);
  work.fact("plan", plan.tiling.reason);
  if (request.detect && head.unit.text.empty())
    work.warn("no BUNIT: the unit of the pixels is unknown, and so are total fluxes; --unit gives one");
  if (request.detect && head.unit.kind == Unit::Kind::kelvin)
    if (const std::string why = why_no_totals(head, plan.beam); !why.empty()) work.warn("no total fluxes: " + why);
  return plan;
}

}  // namespace reber

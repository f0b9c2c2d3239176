// SPDX-License-Identifier: BSD-3-Clause
// The header, the beam, the kernel on the grid, the algorithm, and how the image is kept.
#include "core/pipeline/open_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/host_memory.hpp"

namespace reber {
namespace {

void describe(const ImageHeader& head, const std::optional<Beam>& beam, StageWork& work) {
  work.fact("image",
            fmt::format("{} x {} pixels, BITPIX {}, HDU {}{}", head.shape.nx, head.shape.ny, head.bitpix, head.hdu,
                        head.planes > 1 ? fmt::format(", plane {} of {}", head.plane, head.planes) : ""));
  const bool known = head.unit.kind != Unit::Kind::unknown;
  work.fact("unit", fmt::format("{}{}", head.unit.text.empty() ? "none" : head.unit.text,
                                known ? "" : " (no total fluxes without a known unit; --unit gives one)"));
  work.fact("beam", beam ? fmt::format("{:.4g} x {:.4g} arcsec, PA {:.4g} deg", beam->major_deg * 3600,
                                       beam->minor_deg * 3600, beam->pa_deg)
                         : "none: " + head.beam_note);
  work.fact("sky", head.wcs.celestial() ? fmt::format("{}, {} projection", head.wcs.frame_name(), head.wcs.projection())
                                        : "none: " + head.wcs.why_not());
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
    opened.file = std::make_shared<const FitsImage>(FitsImage::open(input.path, input.open, work.job.progress()));
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

/// Refuses before any pixel what cannot end well: planes in host memory that it cannot hold.
void check_host_memory(const MemoryNeeds& needs, StageWork& work) {
  constexpr double kMebi = 1 << 20;
  const int planes = needs.convolve ? 2 : 1;
  const auto wanted = static_cast<double>(needs.shape.count()) * 4 * planes;
  const auto allowed = static_cast<double>(host_memory_bytes());
  if (wanted > allowed)
    throw DeviceError(fmt::format(
        "an image of {} x {} pixels takes {:.0f} MiB of memory here, and {:.0f} MiB may be used; use a machine or a "
        "limit with more, or a backend that streams the image",
        needs.shape.nx, needs.shape.ny, wanted / kMebi, allowed / kMebi));
  work.fact("memory", fmt::format("{:.1f} MiB for {} of pixels; {:.0f} MiB may be used", wanted / kMebi,
                                  planes == 1 ? "one plane" : "two planes", allowed / kMebi));
}

RunPlan plan_run(const Opened& opened, const Request& request, StageWork& work) {
  const ImageHeader& head = *opened.header;
  RunPlan plan;
  plan.beam = request.beam ? request.beam : head.beam;
  describe(head, plan.beam, work);
  plan.needs.shape = head.shape;
  if (request.convolve) plan_convolution(head, request, plan, work);
  plan.needs.copy = needs_copy(request);
  plan.tiling = plan_tiling(plan.needs, usable_memory(request, work.backend));
  if (!request.convolve && !request.background && !request.detect) return plan;
  work.fact("plan", plan.tiling.reason);
  if (work.backend.info().device_memory_bytes <= 0) check_host_memory(plan.needs, work);
  if (request.detect && head.unit.text.empty())
    work.warn("no BUNIT: the unit of the pixels is unknown, and so are total fluxes; --unit gives one");
  return plan;
}

}  // namespace reber

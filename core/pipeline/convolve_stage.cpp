// SPDX-License-Identifier: BSD-3-Clause
// The choice of algorithm once more, with the range of the pixels, and the convolution itself.
#include "core/pipeline/convolve_stage.hpp"

#include <fmt/format.h>

#include "core/pipeline/beam_estimate.hpp"
#include "core/pipeline/read_stage.hpp"

namespace reber {
namespace {

/// An FFT's rounding follows the brightest pixel of a tile: with the pixels there, the choice is made again.
AlgorithmChoice choice_for_pixels(const Plane& plane, const ConvolutionOfMany& one, std::optional<double>& range) {
  const AlgorithmChoice& choice = *one.plan.choice;
  if (one.request.convolve->algorithm || choice.algorithm != Algorithm::fft) return choice;
  if (!range) range = dynamic_range(one.work.backend, plane, one.work.job);
  const std::optional<RangeChoice> again = choice_for_range(one.plan.quotes, *range);
  if (!again) return choice;
  one.work.fact("algorithm", fmt::format("{}: {}", to_string(again->choice.algorithm), again->choice.reason));
  if (!again->warning.empty()) one.work.warn(again->warning);
  return again->choice;
}

void note_history(const RunPlan& plan, Algorithm algorithm, StageWork& work) {
  const ConvolutionSpec& spec = plan.convolution->spec;
  work.note(fmt::format("{}, {}x{} weights, {}, boundary {}, blanks {} (least weight {:g}){}", spec.kernel.text,
                        spec.kernel.shape.nx, spec.kernel.shape.ny, to_string(algorithm), to_string(spec.boundary),
                        to_string(spec.nan), spec.min_weight, spec.keep_blanks ? ", blank pixels kept" : ""));
  for (const std::string& line : plan.convolution->notes) work.note(line);
}

std::optional<Beam> beam_after(const RunPlan& plan) {
  return plan.convolution ? plan.convolution->beam_after : plan.beam;
}

void convolve(const ConvolveInputs& in, const Request& request, StageWork& work, Convolved& made) {
  std::optional<double> range;
  const Algorithm algorithm = choice_for_pixels(*in.plane, {request, in.plan, work}, range).algorithm;
  const auto plan = work.backend.plan_convolution(in.plan.convolution->spec, in.plane->shape(), algorithm, work.job);
  made.plane = work.backend.convolve(*in.plane, *plan, work.job);
  if (in.plan.tiling.in_source) tell_blanks(*in.plane, request.input, work);
  work.algorithm = fmt::format("{}: {}", to_string(algorithm), plan->description());
  note_history(in.plan, algorithm, work);
}

/// Of an image without one: sources need it for their fluxes and for the correlation of the noise.
std::optional<Beam> estimated_beam(const Plane& plane, const ImageHeader& header, StageWork& work) {
  const std::optional<BeamEstimate> estimate = estimate_beam(work.backend, plane, header, work.job);
  if (!estimate) {
    work.warn("the header has no beam and none could be estimated: give it with --beam");
    return std::nullopt;
  }
  const Beam& beam = estimate->beam;
  const std::string words = fmt::format("{:.4g} x {:.4g} arcsec, PA {:.4g} deg, from {}", beam.major_deg * 3600,
                                        beam.minor_deg * 3600, beam.pa_deg, estimate->from);
  work.fact("estimated beam", words);
  work.note("beam estimated: " + words);
  work.warn(fmt::format("the header has no beam: it is estimated as {}; --beam gives another", words));
  return beam;
}

}  // namespace

bool convolves(const RunPlan& plan) { return plan.choice.has_value(); }

Convolved run_convolve(const ConvolveInputs& in, const Request& request, StageWork& work) {
  Convolved made{in.plane, beam_after(in.plan)};
  if (convolves(in.plan)) convolve(in, request, work, made);
  if (!made.beam && request.detect) made.beam = estimated_beam(*made.plane, in.header, work);
  return made;
}

std::vector<Convolved> run_convolve_each(const std::shared_ptr<const Plane>& plane,
                                         std::span<const ConvolutionOfMany> each, std::optional<double>& range,
                                         const Job& job) {
  std::vector<Convolved> made;
  std::vector<Algorithm> algorithms;
  for (const ConvolutionOfMany& one : each) {
    made.push_back({plane, beam_after(one.plan)});
    algorithms.push_back(convolves(one.plan) ? choice_for_pixels(*plane, one, range).algorithm : Algorithm::direct);
  }
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  std::vector<const ConvolutionPlan*> pointers;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const ConvolutionOfMany& one = each[i];
    one.work.algorithm = convolves(one.plan) ? to_string(algorithms[i]) : "copy";
    if (!convolves(one.plan)) continue;
    plans.push_back(one.work.backend.plan_convolution(one.plan.convolution->spec, plane->shape(), algorithms[i], job));
    pointers.push_back(plans.back().get());
    note_history(one.plan, algorithms[i], one.work);
  }
  if (pointers.empty()) return made;
  auto planes = each.front().work.backend.convolve(*plane, pointers, job);
  auto next = planes.begin();
  for (std::size_t i = 0; i < each.size(); ++i)
    if (convolves(each[i].plan)) made[i].plane = std::move(*next++);
  return made;
}

}  // namespace reber

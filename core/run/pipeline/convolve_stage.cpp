// SPDX-License-Identifier: BSD-3-Clause
// The choice of algorithm once more, with the range of the pixels, and the convolution itself.
#include "core/run/pipeline/convolve_stage.hpp"

#include <fmt/format.h>

#include "core/measure/background/padding.hpp"
#include "core/run/pipeline/beam_estimate.hpp"
#include "core/run/pipeline/bright_pixels.hpp"

namespace reber {
namespace {

struct Chosen {
  AlgorithmChoice choice;
  std::string warning;  ///< of an FFT's error, where it is kept to
};

/// An FFT's rounding follows the brightest pixel of a tile: with the pixels there, the choice is made again.
Chosen choice_for_pixels(const Plane& plane, const ConvolutionOfMany& one, std::optional<double>& range) {
  const AlgorithmChoice& choice = *one.plan.choice;
  if (choice.algorithm != Algorithm::fft) return {choice, ""};
  if (!range) range = dynamic_range(one.work.backend, plane, one.work.job);
  if (one.request.convolve->algorithm) return {choice, ""};
  const std::optional<RangeChoice> again = choice_for_range(one.plan.quotes, *range);
  if (!again) return {choice, ""};
  one.work.fact("algorithm", fmt::format("{}: {}", to_string(again->choice.algorithm), again->choice.reason));
  return {again->choice, again->warning};
}

/// The convolution of a range that is too much for an FFT, its bright pixels by themselves. Null where that is not
/// asked for, or nothing is gained.
std::unique_ptr<Plane> apart(const Plane& plane, const ConvolutionOfMany& one, const ConvolutionPlan& plan,
                             const std::optional<double>& range, const std::string& warning) {
  ConvolvedApart made;
  if (plan.algorithm() == Algorithm::fft && range && *range > kFftDynamicRange)
    made = convolve_apart(one.work.backend, plane, plan, *range, one.plan.tiling, one.work.job);
  if (!(made.plane && made.range <= kFftDynamicRange) && !warning.empty()) one.work.warn(warning);
  if (!made.plane) return nullptr;
  const std::string words = fmt::format("{} convolved by themselves, the others by FFT: within {:.2g} times the noise",
                                        made.pixels, made.range);
  one.work.fact("bright pixels", words);
  one.work.note("bright pixels: " + words);
  return std::move(made.plane);
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
  const ConvolutionOfMany one{request, in.plan, work};
  const auto [choice, warning] = choice_for_pixels(*in.plane, one, range);
  const Algorithm algorithm = choice.algorithm;
  const auto plan = work.backend.plan_convolution(in.plan.convolution->spec, in.plane->shape(), algorithm, work.job);
  made.plane = apart(*in.plane, one, *plan, range, warning);
  work.algorithm = fmt::format("{}: {}", to_string(algorithm), plan->description());
  if (!made.plane && in.rows_once) {
    made.plane = work.backend.convolve_later(*in.plane, *plan, work.job);
    if (made.plane) work.algorithm += "; rows are made when they are asked for";
  }
  if (!made.plane) made.plane = work.backend.convolve(*in.plane, *plan, work.job);
  note_history(in.plan, algorithm, work);
}

void leave_out_padding(const ImageHeader& header, StageWork& work, Convolved& made) {
  auto [plane, words] = without_padding(work.backend, std::move(made.plane), header.bitpix, work.job);
  made.plane = std::move(plane);
  if (words.empty()) return;
  work.fact("padding", words);
  work.note("padding: " + words);
  work.warn(std::move(words));
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
  if (!request.convolve) leave_out_padding(in.header, work, made);
  if (!made.beam && request.detect) made.beam = estimated_beam(*made.plane, in.header, work);
  return made;
}

std::vector<Convolved> run_convolve_each(const std::shared_ptr<const Plane>& plane,
                                         std::span<const ConvolutionOfMany> each, std::optional<double>& range,
                                         const Job& job) {
  std::vector<Convolved> made;
  std::vector<Chosen> chosen;
  for (const ConvolutionOfMany& one : each) {
    made.push_back({plane, beam_after(one.plan)});
    chosen.push_back(convolves(one.plan) ? choice_for_pixels(*plane, one, range) : Chosen());
  }
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  std::vector<const ConvolutionPlan*> pointers;
  std::vector<std::size_t> together;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const ConvolutionOfMany& one = each[i];
    const Algorithm algorithm = chosen[i].choice.algorithm;
    one.work.algorithm = convolves(one.plan) ? to_string(algorithm) : "copy";
    if (!convolves(one.plan)) continue;
    auto plan = one.work.backend.plan_convolution(one.plan.convolution->spec, plane->shape(), algorithm, job);
    note_history(one.plan, algorithm, one.work);
    if (auto done = apart(*plane, one, *plan, range, chosen[i].warning)) {
      made[i].plane = std::move(done);
      continue;
    }
    together.push_back(i);
    pointers.push_back(plan.get());
    plans.push_back(std::move(plan));
  }
  if (pointers.empty()) return made;
  auto planes = each.front().work.backend.convolve(*plane, pointers, job);
  for (std::size_t k = 0; k < together.size(); ++k) made[together[k]].plane = std::move(planes[k]);
  return made;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Scale after scale, the S/N of each is folded into one plane. Smoothed planes are made as many at a time as the
// device's memory holds.
#include "core/run/pipeline/detection_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/error.hpp"
#include "core/measure/background/mesh_nodes.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/seam/compute/boundary_index.hpp"
#include "core/seam/plan/tiling.hpp"

namespace reber {
namespace {

/// Separable has the same bits on every backend but the reference, which has none; an FFT does not. Costs are not asked
/// for: with them a card's backend opens cuFFT, which takes longer than everything here.
std::unique_ptr<ConvolutionPlan> plan_of(Backend& backend, Shape shape, const ConvolutionSpec& spec, const Job& job) {
  try {
    return backend.plan_convolution(spec, shape, Algorithm::separable, job);
  } catch (const InputError&) {
    return backend.plan_convolution(spec, shape, Algorithm::direct, job);
  }
}

ConvolutionSpec smoothing(Kernel kernel, Boundary boundary) {
  ConvolutionSpec spec;
  spec.kernel = std::move(kernel);
  spec.boundary = boundary;
  spec.keep_blanks = true;
  return spec;
}

/// Pixels of the B3 filter's side at scale j.
std::int64_t filter_side(int j) { return (std::int64_t{4} << (j - 1)) + 1; }

/// Folds scales into the largest S/N.
class Folder {
 public:
  Folder(Backend& backend, bool negative, const Job& job)
      : backend_(backend), rule_(negative ? PlaneRule::smaller : PlaneRule::larger), job_(job) {}

  void add(std::unique_ptr<Plane> snr, std::string note) {
    result.snr = result.snr ? backend_.derive(CombinedPlane{rule_, *result.snr, *snr}, job_) : std::move(snr);
    result.notes.push_back(std::move(note));
  }
  /// plane: gone before the largest S/N is made anew, which takes memory for another one
  ///   returns the plane's background
  BackgroundModel add_measured(std::unique_ptr<Plane> plane, const BackgroundRequest& boxes, const std::string& name,
                               std::optional<double> beam_px) {
    MeasuredBackground measured = measure_background(backend_, *plane, boxes, beam_px, job_);
    std::unique_ptr<Plane> snr = backend_.derive(SnrPlane{*plane, measured.model}, job_);
    plane.reset();
    add(std::move(snr), fmt::format("{}: noise {:.4g}", name, middle_value(measured.model.rms)));
    return std::move(measured.model);
  }

  DetectionPlane result;

 private:
  Backend& backend_;
  const PlaneRule rule_;
  const Job& job_;
};

/// The plane smoothed by Gaussians of these FWHMs (pixels), each measured and folded in.
void add_gaussians(Backend& backend, const Plane& plane, std::span<const double> fwhms, const BackgroundRequest& boxes,
                   std::optional<double> beam_px, Folder& folder, const Job& job) {
  const Shape shape = plane.shape();
  while (!fwhms.empty()) {
    const auto together = fwhms.first(planes_at_once(shape, fwhms.size(), backend.info().device_memory_bytes));
    std::vector<std::unique_ptr<ConvolutionPlan>> plans;
    std::vector<const ConvolutionPlan*> each;
    for (const double fwhm : together) {
      const KernelReach reach = reach_over(shape, Boundary::blank);
      Kernel kernel = gaussian_kernel({fwhm * fwhm, 0, fwhm * fwhm}, Normalise::sum, reach);
      plans.push_back(plan_of(backend, shape, smoothing(std::move(kernel), Boundary::blank), job));
      each.push_back(plans.back().get());
    }
    auto smooth = backend.convolve(plane, each, job);
    for (std::size_t i = 0; i < smooth.size(); ++i) {
      const double fwhm = together[i];
      folder.add_measured(std::move(smooth[i]), boxes, fmt::format("scale {:.3g} px", fwhm),
                          std::hypot(beam_px.value_or(0), fwhm));
    }
    fwhms = fwhms.subspan(together.size());
  }
}

void add_wavelets(Backend& backend, const Plane& plane, int most, const BackgroundRequest& boxes,
                  std::optional<double> beam_px, Folder& folder, const Job& job) {
  std::unique_ptr<Plane> before;
  for (int j = 1; j <= most; ++j) {
    const Plane& from = before ? *before : plane;
    std::unique_ptr<Plane> after = smoothed_by_b3(backend, from, j, job);
    const double scale = std::ldexp(1.0, j);
    const bool wanted = scale >= beam_px.value_or(0);
    std::unique_ptr<Plane> detail;
    if (wanted) detail = backend.derive(CombinedPlane{PlaneRule::difference, from, *after}, job);
    before = j < most ? std::move(after) : nullptr;
    after.reset();
    if (wanted)
      folder.result.wavelets.push_back({j, folder.add_measured(std::move(detail), boxes_of_wavelet(boxes, j),
                                                               fmt::format("wavelet plane {} ({:g} px)", j, scale),
                                                               std::max(scale, beam_px.value_or(0)))});
  }
}

}  // namespace

BackgroundRequest boxes_of_wavelet(const BackgroundRequest& image, int j) {
  constexpr std::int64_t kFilters = 5;
  constexpr double kSmaller = 1.5;
  BackgroundRequest own = image;
  if (own.box == 0) return own;  // chosen for the plane
  const std::int64_t least = kFilters * filter_side(j);
  const auto widen = [&](std::int64_t& box, std::int64_t& step) {
    if (box == 0) return;
    box = std::max(box, least);
    if (step > 0) step = std::max(step, least / 3);
  };
  widen(own.box, own.step);
  widen(own.bright_box, own.bright_step);
  own.adaptive = own.adaptive && static_cast<double>(own.bright_box) * kSmaller < static_cast<double>(own.box);
  return own;
}

std::unique_ptr<Plane> smoothed_by_b3(Backend& backend, const Plane& plane, int j, const Job& job) {
  if (j < 1 || j > 12) throw InputError(fmt::format("wavelet planes are numbered 1 to 12, not {}", j));
  constexpr std::array kB3{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
  const std::int64_t hole = std::int64_t{1} << (j - 1), side = filter_side(j);
  std::vector<double> factor(static_cast<std::size_t>(side), 0.0);
  for (std::size_t k = 0; k < kB3.size(); ++k) factor[k * static_cast<std::size_t>(hole)] = kB3[k];
  const KernelReach reach = reach_over(plane.shape(), Boundary::zero);
  Kernel kernel = product_kernel(factor, factor, fmt::format("B3 spline, scale {}", j), reach);
  const auto plan = plan_of(backend, plane.shape(), smoothing(std::move(kernel), Boundary::zero), job);
  return backend.convolve(plane, *plan, job);
}

std::vector<std::int64_t> best_wavelets(Backend& backend, const Plane& plane, const DetectionPlane& made,
                                        const IslandMap& islands, const Job& job) {
  std::vector<std::int64_t> best(made.wavelets.empty() ? 0 : static_cast<std::size_t>(islands.count()), 0);
  std::vector<double> highest(best.size(), -std::numeric_limits<double>::infinity());
  std::unique_ptr<Plane> before;
  auto wanted = made.wavelets.begin();
  for (int j = 1; wanted != made.wavelets.end() && !best.empty(); ++j) {
    const Plane& from = before ? *before : plane;
    std::unique_ptr<Plane> after = smoothed_by_b3(backend, from, j, job);
    std::unique_ptr<Plane> detail;
    if (wanted->j == j) detail = backend.derive(CombinedPlane{PlaneRule::difference, from, *after}, job);
    before = std::move(after);
    if (detail) {
      const std::vector<IslandSums> sums = backend.measure(*detail, wanted->background, islands, job);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double snr = std::abs(sums[i].peak - sums[i].peak_mean) / sums[i].peak_rms;
        if (snr > highest[i]) highest[i] = snr, best[i] = j;
      }
      ++wanted;
    }
  }
  return best;
}

DetectionPlane make_detection_plane(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                    const ScaleRequest& scales, const BackgroundRequest& boxes,
                                    std::optional<double> beam_px, bool negative, const Job& job) {
  if (scales.in_beams && !beam_px)
    throw InputError("scales in beams need the image's beam: give them in pixels, or --beam");
  Folder folder(backend, negative, job);
  std::vector<double> sizes = scales.fwhm;
  if (scales.wavelets > 0 && std::ranges::find(sizes, 0.0) == sizes.end()) sizes.insert(sizes.begin(), 0.0);
  std::vector<double> fwhms;
  for (const double size : sizes) {
    const double fwhm = scales.in_beams ? size * *beam_px : size;
    if (fwhm > 0)
      fwhms.push_back(fwhm);
    else
      folder.add(backend.derive(SnrPlane{plane, background}, job), "scale 0: the image");
  }
  add_gaussians(backend, plane, fwhms, boxes, beam_px, folder, job);
  add_wavelets(backend, plane, scales.wavelets, boxes, beam_px, folder, job);
  return std::move(folder.result);
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Target beams, Gaussians in pixels, files: each becomes weights.
#include "core/run/pipeline/resolve_convolution.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/run/request/parameter_rules.hpp"
#include "core/seam/compute/boundary_index.hpp"
#include "core/sky/model/kernel_least_squares.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;

/// Below this FWHM (pixels) a sampled Gaussian errs by more than 1e-5 of an unresolved source's peak.
constexpr double kSampledFwhmPx = 2.3;

std::string in_words(const Beam& beam) {
  return fmt::format("{:.4g} x {:.4g} arcsec, PA {:.4g} deg", beam.major_deg * kArcsec, beam.minor_deg * kArcsec,
                     beam.pa_deg);
}

Matrix2 geometry_at_centre(const ImageHeader& header) {
  const auto matrix = header.centre_geometry();
  if (!matrix)
    throw InputError(fmt::format("{}: smoothing to a beam needs the sky geometry of the image, and it has none ({})",
                                 header.path, header.wcs.why_not()));
  return *matrix;
}

/// A model without a beam is of points: the beam itself is the kernel, and its sum is the flux of a beam.
ResolvedConvolution points_to_beam(const TargetBeam& target, const ImageHeader& header, const Matrix2& geometry,
                                   const KernelReach& reach) {
  ResolvedConvolution resolved;
  resolved.beam_after = target.beam;
  resolved.flux_factor = target.beam.area_deg2() / std::abs(geometry.determinant());
  resolved.unit_after = "Jy/beam" + (header.unit.spectral.empty() ? "" : " " + header.unit.spectral);
  const Covariance pixels =
      to_pixels(sky_covariance(target.beam.major_deg, target.beam.minor_deg, target.beam.pa_deg), geometry);
  const Ellipse axes = ellipse_of(pixels);
  if (axes.minor < kSampledFwhmPx)
    throw InputError(fmt::format("{}: a beam of {:.3f} x {:.3f} pixels is too small to sample; {:.2g} are needed",
                                 header.path, axes.major, axes.minor, kSampledFwhmPx));
  resolved.spec.kernel = gaussian_kernel(pixels, Normalise::sum, reach);
  // The weights are of the image's unit: those of the result have no prefix.
  resolved.flux_factor *= header.unit.factor;
  resolved.notes.push_back(fmt::format("no beam -> {}: the image is taken as points, {} becomes {}, flux factor {:.9g}",
                                       in_words(target.beam), header.unit.text, resolved.unit_after,
                                       resolved.flux_factor));
  return resolved;
}

ResolvedConvolution to_target_beam(const TargetBeam& target, const ImageHeader& header, const std::optional<Beam>& beam,
                                   const KernelReach& reach) {
  const bool of_points = !beam && header.unit.kind == Unit::Kind::jy_per_pixel;
  if (!beam && !of_points)
    throw InputError(fmt::format("{}: smoothing to a beam needs the image's own beam; {}. Give it with --image-beam",
                                 header.path, header.beam_note));
  const Matrix2 geometry = geometry_at_centre(header);
  if (of_points) return points_to_beam(target, header, geometry, reach);
  const Deconvolved kernel = deconvolve(target.beam, *beam);
  if (kernel.kind == Deconvolved::Kind::impossible)
    throw InputError(fmt::format("{}: cannot reach beam {} from {}: {}", header.path, in_words(target.beam),
                                 in_words(*beam), kernel.reason));
  ResolvedConvolution resolved;
  resolved.beam_after = target.beam;
  resolved.flux_factor = smoothing_flux_factor(header, target.beam, *beam);
  if (kernel.kind == Deconvolved::Kind::point) {
    resolved.copy = true;
    resolved.notes.push_back("the image has the target beam already: copied");
    return resolved;
  }
  const Covariance pixels =
      to_pixels(sky_covariance(kernel.beam.major_deg, kernel.beam.minor_deg, kernel.beam.pa_deg), geometry);
  const Ellipse axes = ellipse_of(pixels);
  if (axes.minor >= kSampledFwhmPx) {
    resolved.spec.kernel = gaussian_kernel(pixels, Normalise::sum, reach);
  } else {
    const Covariance own = to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), geometry);
    // A 9x9 kernel reaches four pixels: enough for kernels whose major axis is below that many.
    const int half = std::max(4, static_cast<int>(std::ceil(2.123 * axes.major)));
    resolved.spec.kernel = least_squares_kernel(pixels, own, 2 * half + 1);
    resolved.notes.push_back(
        fmt::format("kernel minor axis is {:.2f} pixels: least-squares weights for a beam-limited image; an unresolved "
                    "source errs by {:.1e} of its peak",
                    axes.minor, unresolved_source_error(resolved.spec.kernel, pixels, own)));
  }
  resolved.notes.push_back(
      fmt::format("kernel {} ({:.3f} x {:.3f} pixels)", in_words(kernel.beam), axes.major, axes.minor));
  resolved.notes.push_back(
      fmt::format("beam {} -> {}, flux factor {:.9g}", in_words(*beam), in_words(target.beam), resolved.flux_factor));
  return resolved;
}

/// A Gaussian given in pixels smooths the beam as well: the header must tell the new one.
void follow_beam(ResolvedConvolution& resolved, const Covariance& pixels, const ImageHeader& header,
                 const std::optional<Beam>& beam, Normalise normalise) {
  if (!beam || normalise != Normalise::sum) return;
  const auto geometry = header.centre_geometry();
  if (!geometry) return;
  const Ellipse kernel = ellipse_of(to_sky(pixels, *geometry));
  resolved.beam_after = convolve_beams(*beam, Beam{kernel.major, kernel.minor, kernel.pa_deg});
  if (header.unit.kind == Unit::Kind::jy_per_beam)
    resolved.flux_factor = resolved.beam_after->area_deg2() / beam->area_deg2();
  resolved.notes.push_back(fmt::format("beam {} -> {}, flux factor {:.9g}", in_words(*beam),
                                       in_words(*resolved.beam_after), resolved.flux_factor));
}

Kernel kernel_from_file(const FileKernel& file, Normalise normalise) {
  const ImagePlane image = ImagePlane::open(file.path);
  const auto source = image.pixels();
  const Shape shape = source->shape();
  if (shape.count() > std::int64_t{4096} * 4096)
    throw InputError(fmt::format("{}: a kernel of {} x {} is too large; expected at most 4096 x 4096", file.path,
                                 shape.nx, shape.ny));
  std::vector<double> weights = decode_doubles(*source);
  for (const double weight : weights)
    if (!std::isfinite(weight)) throw DataError(fmt::format("{}: the kernel holds a blank pixel", file.path));
  return custom_kernel(shape, std::move(weights), normalise, "file " + file.path);
}

}  // namespace

double smoothing_flux_factor(const ImageHeader& header, const Beam& target, const Beam& source) {
  switch (header.unit.kind) {
    case Unit::Kind::jy_per_beam:
      return target.area_deg2() / source.area_deg2();
    case Unit::Kind::kelvin:
    case Unit::Kind::jy_per_sr:
    case Unit::Kind::jy_per_pixel:
      return 1;
    case Unit::Kind::unknown:
      break;
  }
  throw InputError(fmt::format(
      "{}: BUNIT is '{}', so the flux scale after smoothing to a beam is unknown; expected Jy/beam, K, Jy/sr or "
      "Jy/pixel. Use --kernel gaussian:... for a convolution without a flux scale",
      header.path, header.unit.text));
}

ResolvedConvolution resolve_convolution(const ConvolveRequest& request, const ImageHeader& header,
                                        const std::optional<Beam>& beam) {
  ResolvedConvolution resolved;
  const KernelReach reach = reach_over(header.shape, request.boundary);
  if (const auto* target = std::get_if<TargetBeam>(&request.kernel)) {
    resolved = to_target_beam(*target, header, beam, reach);
  } else if (const auto* gaussian = std::get_if<GaussianPixels>(&request.kernel)) {
    // sky_covariance measures its angle from +y towards +x; on the grid the angle runs from +x towards +y.
    const Covariance pixels = sky_covariance(gaussian->major, gaussian->minor, 90 - gaussian->angle_deg);
    resolved.spec.kernel = gaussian_kernel(pixels, normalisation(request), reach);
    follow_beam(resolved, pixels, header, beam, normalisation(request));
  } else if (const auto* box = std::get_if<BoxKernel>(&request.kernel)) {
    resolved.spec.kernel = box_kernel(box->side, normalisation(request), reach);
  } else if (const auto* tophat = std::get_if<TophatKernel>(&request.kernel)) {
    resolved.spec.kernel = tophat_kernel(tophat->radius, normalisation(request), reach);
  } else if (const auto* hat = std::get_if<MexicanHatKernel>(&request.kernel)) {
    resolved.spec.kernel = mexican_hat_kernel(hat->sigma, normalisation(request), reach);
  } else {
    resolved.spec.kernel = kernel_from_file(std::get<FileKernel>(request.kernel), normalisation(request));
  }
  Kernel& kernel = resolved.spec.kernel = within_reach(std::move(resolved.spec.kernel), reach);
  for (double& weight : kernel.weights) weight *= resolved.flux_factor;
  for (double& weight : kernel.column) weight *= resolved.flux_factor;
  kernel.beyond *= resolved.flux_factor;
  if (kernel.shape.ny / 2 == reach.y.limit || kernel.shape.nx / 2 == reach.x.limit)
    resolved.notes.push_back(
        fmt::format("what of the kernel can touch the image: {} x {} pixels", kernel.shape.nx, kernel.shape.ny));
  resolved.spec.boundary = request.boundary;
  resolved.spec.nan = nan_rule(request);
  resolved.spec.min_weight = request.min_weight;
  resolved.spec.keep_blanks = request.keep_blanks;
  resolved.spec.variant = request.variant;
  if (!resolved.beam_after && !std::holds_alternative<TargetBeam>(request.kernel) && beam)
    resolved.notes.push_back("the result has no Gaussian beam: BMAJ, BMIN and BPA are left out");
  return resolved;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Convolution as its definition reads: a double sum over the kernel for each pixel.
#include "kernels/reference/convolve.hpp"

#include <cmath>
#include <vector>

#include "core/seam/compute/boundary_index.hpp"
#include "kernels/reference/rules.hpp"

namespace reber::reference {
namespace {

/// Index in the image that kernel element `element` reads for output `position`; -1 outside.
std::vector<std::int64_t> source_indices(std::int64_t n, std::int64_t taps, Boundary boundary) {
  std::vector<std::int64_t> indices(n * taps);
  for (std::int64_t position = 0; position < n; ++position)
    for (std::int64_t element = 0; element < taps; ++element)
      indices[position * taps + element] = boundary_index(position - (element - taps / 2), n, boundary);
  return indices;
}

struct Sums {
  double sum = 0;          ///< of weight x pixel over finite pixels
  double weight = 0;       ///< of the weights of finite pixels
  bool met_blank = false;  ///< a blank pixel (or, with Boundary::blank, the outside) under the footprint
};

Sums sums_at(const HostPlane& plane, const Kernel& kernel, Boundary boundary, const std::int64_t* rows,
             const std::int64_t* cols) {
  Sums sums;
  if (boundary == Boundary::zero) sums.weight = kernel.beyond;
  for (std::int64_t i = 0; i < kernel.shape.ny; ++i) {
    for (std::int64_t j = 0; j < kernel.shape.nx; ++j) {
      const double weight = kernel.weights[i * kernel.shape.nx + j];
      if (rows[i] < 0 || cols[j] < 0) {
        if (boundary == Boundary::zero) sums.weight += weight;
        sums.met_blank |= boundary == Boundary::blank;
        continue;
      }
      const double value = plane.at(rows[i], cols[j]);
      if (std::isfinite(value)) {
        sums.sum += weight * value;
        sums.weight += weight;
      } else {
        sums.met_blank = true;
      }
    }
  }
  return sums;
}

}  // namespace

std::unique_ptr<Plane> convolve(const HostPlane& plane, const ConvolutionSpec& spec, const Job& job) {
  const auto [ny, nx] = plane.shape();
  const Kernel& kernel = spec.kernel;
  const auto rows = source_indices(ny, kernel.shape.ny, spec.boundary);
  const auto cols = source_indices(nx, kernel.shape.nx, spec.boundary);
  const double total = kernel.sum();
  const bool anything_missing = plane.blank() > 0 || spec.boundary == Boundary::blank;
  const bool interpolate = spec.nan == NanRule::interpolate && anything_missing && can_interpolate(kernel);

  std::vector<double> out(plane.shape().count());
  for (std::int64_t y = 0; y < ny; ++y) {
    job.report("convolve", static_cast<double>(y) / static_cast<double>(ny));
    for (std::int64_t x = 0; x < nx; ++x) {
      const Sums sums = sums_at(plane, kernel, spec.boundary, &rows[y * kernel.shape.ny], &cols[x * kernel.shape.nx]);
      double value = sums.sum;
      if (interpolate) {
        const bool enough = sums.weight != 0 && std::abs(sums.weight) >= spec.min_weight * std::abs(total);
        value = enough ? sums.sum * (total / sums.weight) : double{kBlank};
      } else if (spec.nan == NanRule::propagate && sums.met_blank) {
        value = kBlank;
      }
      if (spec.keep_blanks && !std::isfinite(plane.at(y, x))) value = kBlank;
      out[y * nx + x] = value;
    }
  }
  return std::make_unique<HostPlane>(plane.shape(), std::move(out), 0);
}

}  // namespace reber::reference

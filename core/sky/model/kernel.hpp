// SPDX-License-Identifier: BSD-3-Clause
// Convolution kernels: what the user asked for, and the weights it becomes on the pixel grid.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/shape.hpp"
#include "core/base/words.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/kernel_reach.hpp"

namespace reber {

struct GaussianPixels {  ///< FWHM in pixels; angle counter-clockwise from +x, degrees
  double major = 0, minor = 0, angle_deg = 0;
  bool operator==(const GaussianPixels&) const = default;
};
struct TargetBeam {  ///< smooth to this beam: the kernel follows from the image's own beam and geometry
  Beam beam;
  bool operator==(const TargetBeam&) const = default;
};
struct BoxKernel {
  int side = 0;
  bool operator==(const BoxKernel&) const = default;
};
struct TophatKernel {
  double radius = 0;
  bool operator==(const TophatKernel&) const = default;
};
struct MexicanHatKernel {  ///< minus the Laplacian of a Gaussian of this sigma (pixels)
  double sigma = 0;
  bool operator==(const MexicanHatKernel&) const = default;
};
struct FileKernel {
  std::string path;
  bool operator==(const FileKernel&) const = default;
};

/// A kernel as the user names it.
using KernelSpec = std::variant<GaussianPixels, TargetBeam, BoxKernel, TophatKernel, MexicanHatKernel, FileKernel>;

/// Reads gaussian:FWHM | gaussian:MAJ,MIN,PA | beam:MAJ,MIN,PA (arcsec) | box:N | tophat:R | mexican-hat:S |
/// file:PATH.   throws InputError that says what was expected
[[nodiscard]] KernelSpec parse_kernel(const std::string& text);
[[nodiscard]] std::string to_string(const KernelSpec& spec);

enum class Normalise { sum, peak, none };
template <>
inline constexpr auto words<Normalise> = std::to_array<Word<Normalise>>({{"sum", Normalise::sum, "unit sum"},
                                                                         {"peak", Normalise::peak, "unit peak"},
                                                                         {"none", Normalise::none, "as they are"}});

/// Weights on the pixel grid, row-major, of a true convolution: out(y,x) = sum_ij w(i,j) in(y-(i-cy), x-(j-cx)).
/// The centre is (ny/2, nx/2), integer division: for even sizes as scipy.ndimage.convolve has it.
struct Kernel {
  Shape shape;
  std::vector<double> weights;
  /// Factors column (ny) and row (nx) whose outer product is `weights`, where the kernel has them.
  std::vector<double> column, row;
  std::string text;   ///< what it is, for reports and HISTORY
  double beyond = 0;  ///< weight that was left out, since it touches no pixel of the image

  [[nodiscard]] bool separable() const { return !column.empty(); }
  /// Of all weights, those left out as well.
  [[nodiscard]] double sum() const;
};

/// The kernel without what lies beyond the reach. Every output stays what it is, rounding apart.
[[nodiscard]] Kernel within_reach(Kernel kernel, const KernelReach& reach);

/// Elliptical Gaussian of the given covariance (FWHM^2 in pixels), cut at 5 sigma of each axis: the square cut loses
/// 1.1e-6 of the flux. A line or point kernel (zero eigenvalues) becomes the least-squares kernel.
/// This and the next four: what lies beyond the reach is not made, but counts in the sum.
[[nodiscard]] Kernel gaussian_kernel(const Covariance& pixels, Normalise normalise, const KernelReach& reach = {});

/// The outer product of two factors, as they are.
[[nodiscard]] Kernel product_kernel(std::vector<double> column, std::vector<double> row, std::string text,
                                    const KernelReach& reach = {});
[[nodiscard]] Kernel box_kernel(int side, Normalise normalise, const KernelReach& reach = {});
[[nodiscard]] Kernel tophat_kernel(double radius, Normalise normalise, const KernelReach& reach = {});
[[nodiscard]] Kernel mexican_hat_kernel(double sigma, Normalise normalise, const KernelReach& reach = {});
/// Any weights; looks for an exact outer-product form.
[[nodiscard]] Kernel custom_kernel(Shape shape, std::vector<double> weights, Normalise normalise, std::string text);

}  // namespace reber

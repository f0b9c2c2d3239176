// SPDX-License-Identifier: BSD-3-Clause
// Kernel names in, weights on the pixel grid out.
#include "core/sky/model/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/base/error.hpp"
#include "core/sky/model/kernel_least_squares.hpp"

namespace reber {
namespace {

constexpr double kArcsecPerDegree = 3600;
/// Half of a Gaussian kernel's width in FWHM: 5 sigma.
constexpr double kCutFwhm = 2.123;
/// Largest side of a kernel; a number above it is a mistake of units.
constexpr double kMaxSide = 16385;
/// No number of a kernel's text is above it.
constexpr double kMostNumber = 1e9;

constexpr const char* kForms =
    "gaussian:FWHM (pixels) | gaussian:MAJ,MIN,ANGLE (pixels, degrees from +x to +y) | beam:MAJ,MIN,PA (arcsec, "
    "degrees "
    "north through east) | box:N | tophat:RADIUS | mexican-hat:SIGMA | file:KERNEL.fits";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw InputError(fmt::format("kernel '{}': {}; a kernel is {}", text, why, kForms));
}

std::vector<double> numbers_of(const std::string& text, const std::string& list) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    double value = 0;
    const auto [stop, error] = std::from_chars(list.data() + begin, list.data() + end, value);
    if (error != std::errc() || stop != list.data() + end || !std::isfinite(value)) {
      refuse(text, fmt::format("'{}' is not a number", list.substr(begin, end - begin)));
    }
    if (!(std::abs(value) <= kMostNumber)) refuse(text, fmt::format("at most {:g} was expected", kMostNumber));
    numbers.push_back(value);
    begin = end + 1;
  }
  return numbers;
}

double single(const std::string& text, const std::vector<double>& numbers, const char* what) {
  if (numbers.size() != 1) refuse(text, fmt::format("expected one number, {}", what));
  if (!(numbers[0] > 0)) refuse(text, fmt::format("{} must be above zero", what));
  return numbers[0];
}

void check_axes(const std::string& text, const std::vector<double>& numbers) {
  if (numbers.size() != 3) refuse(text, "expected three numbers: major axis, minor axis, angle");
  if (!(numbers[1] > 0 && numbers[0] >= numbers[1])) refuse(text, "expected major axis >= minor axis > 0");
  if (!(std::abs(numbers[2]) <= 360)) refuse(text, "expected an angle from -360 to 360");
}

void check_side(double side, const std::string& text) {
  if (!(side <= kMaxSide)) {
    throw InputError(fmt::format("{} would be {:g} pixels wide; the largest kernel is {:.0f}: check the unit", text,
                                 side, kMaxSide));
  }
}

[[noreturn]] void refuse_unit_sum(const std::string& text) {
  throw InputError(fmt::format(
      "{}: the weights add up to zero, so they cannot be normalised to unit sum; use normalise peak or none", text));
}

void scale_weights(Kernel& kernel, double scale) {
  for (double& weight : kernel.weights) weight *= scale;
  for (double& weight : kernel.row) weight *= scale;
  kernel.beyond *= scale;
}

/// Multiplies the weights (and the row factor) so that they are as asked.
void normalise_weights(Kernel& kernel, Normalise normalise) {
  double scale = 1;
  if (normalise == Normalise::sum) {
    double absolute = 0;
    for (const double weight : kernel.weights) absolute += std::abs(weight);
    const double sum = kernel.sum();
    if (!(std::abs(sum) > 1e-6 * absolute)) refuse_unit_sum(kernel.text);
    scale = 1 / sum;
  } else if (normalise == Normalise::peak) {
    double peak = 0;
    for (const double weight : kernel.weights) peak = std::max(peak, std::abs(weight));
    if (!(peak > 0)) throw InputError(fmt::format("{}: all weights are zero", kernel.text));
    scale = 1 / peak;
  }
  scale_weights(kernel, scale);
}

void multiply_factors(Kernel& kernel) {
  kernel.weights.clear();
  kernel.weights.reserve(static_cast<std::size_t>(kernel.shape.count()));
  for (const double c : kernel.column) {
    for (const double r : kernel.row) kernel.weights.push_back(c * r);
  }
}

std::int64_t half_width(double fwhm) { return static_cast<std::int64_t>(std::ceil(kCutFwhm * fwhm)); }

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Column and row without what lies beyond the reach, and the weights made of them.
void multiply_within(Kernel& kernel, const KernelReach& reach) {
  const double whole = sum_of(kernel.column) * sum_of(kernel.row);
  const Shape before = kernel.shape;
  kernel.column = reach.y.folded(kernel.column);
  kernel.row = reach.x.folded(kernel.row);
  kernel.shape = {static_cast<std::int64_t>(kernel.column.size()), static_cast<std::int64_t>(kernel.row.size())};
  multiply_factors(kernel);
  if (kernel.shape != before) kernel.beyond = whole - sum_of(kernel.column) * sum_of(kernel.row);
}

/// Samples of a 1-D Gaussian at whole pixels; of unit sum where asked.
std::vector<double> gaussian_factor(double fwhm, bool unit_sum) {
  const std::int64_t half = half_width(fwhm);
  std::vector<double> factor;
  double sum = 0;
  for (std::int64_t i = -half; i <= half; ++i) {
    const double t = static_cast<double>(i) / fwhm;
    factor.push_back(std::exp(-4 * std::numbers::ln2 * t * t));
    sum += factor.back();
  }
  if (unit_sum) {
    for (double& value : factor) value /= sum;
  }
  return factor;
}

/// Even, point-symmetric weights of the rotated Gaussian exp(-4 ln2 r^T C^-1 r); those beyond the reach are added up.
void sample_gaussian(const Covariance& c, double determinant, Kernel& kernel, const KernelReach& reach) {
  const std::int64_t hy = kernel.shape.ny / 2, hx = kernel.shape.nx / 2;
  const std::int64_t left_y = reach.y.half(hy), left_x = reach.x.half(hx);
  kernel.shape = {2 * left_y + 1, 2 * left_x + 1};
  kernel.weights.assign(static_cast<std::size_t>(kernel.shape.count()), 0.0);
  std::vector<std::optional<std::int64_t>> column;
  for (std::int64_t i = -hx; i <= hx; ++i) column.push_back(reach.x.within(i));
  for (std::int64_t j = -hy; j <= hy; ++j) {
    const auto to = reach.y.within(j);
    for (std::int64_t i = -hx; i <= hx; ++i) {
      const double y = static_cast<double>(j);
      const double x = static_cast<double>(i);
      const double form = (c.yy * x * x - 2 * c.xy * x * y + c.xx * y * y) / determinant;
      const double weight = std::exp(-4 * std::numbers::ln2 * form);
      const auto at = column[static_cast<std::size_t>(i + hx)];
      if (to && at)
        kernel.weights[static_cast<std::size_t>((*to + left_y) * kernel.shape.nx + *at + left_x)] += weight;
      else
        kernel.beyond += weight;
    }
  }
}

}  // namespace

double Kernel::sum() const {
  double total = 0;
  for (const double weight : weights) total += weight;
  return total + beyond;
}

Kernel within_reach(Kernel kernel, const KernelReach& reach) {
  const auto [ny, nx] = kernel.shape;
  if (ny / 2 <= reach.y.limit && nx / 2 <= reach.x.limit) return kernel;
  if (kernel.separable())
    return product_kernel(std::move(kernel.column), std::move(kernel.row), std::move(kernel.text), reach);
  const double whole = kernel.sum();
  const std::int64_t cy = reach.y.half(ny / 2), cx = reach.x.half(nx / 2);
  kernel.shape = {ny / 2 > cy ? 2 * cy + 1 : ny, nx / 2 > cx ? 2 * cx + 1 : nx};
  std::vector<double> left(static_cast<std::size_t>(kernel.shape.count()), 0.0);
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      const auto to_y = reach.y.within(y - ny / 2), to_x = reach.x.within(x - nx / 2);
      if (!to_y || !to_x) continue;
      left[static_cast<std::size_t>((*to_y + cy) * kernel.shape.nx + *to_x + cx)] +=
          kernel.weights[static_cast<std::size_t>(y * nx + x)];
    }
  kernel.weights = std::move(left);
  kernel.beyond = 0;
  kernel.beyond = whole - kernel.sum();
  return kernel;
}

KernelSpec parse_kernel(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(text, "there is no ':'");
  const std::string name = text.substr(0, colon);
  const std::string rest = text.substr(colon + 1);
  if (rest.empty()) refuse(text, "nothing follows the ':'");
  if (name == "file") return FileKernel{rest};
  const bool known = name == "gaussian" || name == "beam" || name == "box" || name == "tophat" || name == "mexican-hat";
  if (!known) refuse(text, fmt::format("'{}' is not known", name));

  const std::vector<double> numbers = numbers_of(text, rest);
  if (name == "gaussian") {
    if (numbers.size() == 1) {
      const double fwhm = single(text, numbers, "the FWHM in pixels");
      return GaussianPixels{fwhm, fwhm, 0};
    }
    check_axes(text, numbers);
    return GaussianPixels{numbers[0], numbers[1], numbers[2]};
  }
  if (name == "beam") {
    check_axes(text, numbers);
    return TargetBeam{{numbers[0] / kArcsecPerDegree, numbers[1] / kArcsecPerDegree, numbers[2]}};
  }
  if (name == "box") {
    const double side = single(text, numbers, "the side in pixels");
    if (side != std::floor(side)) refuse(text, "the side must be a whole number of pixels");
    check_side(side, text);
    return BoxKernel{static_cast<int>(side)};
  }
  if (name == "tophat") return TophatKernel{single(text, numbers, "the radius in pixels")};
  return MexicanHatKernel{single(text, numbers, "sigma in pixels")};
}

std::string to_string(const KernelSpec& spec) {
  struct Words {
    std::string operator()(const GaussianPixels& k) const {
      if (k.major == k.minor) return fmt::format("gaussian:{}", k.major);
      return fmt::format("gaussian:{},{},{}", k.major, k.minor, k.angle_deg);
    }
    std::string operator()(const TargetBeam& k) const {
      return fmt::format("beam:{:.10g},{:.10g},{:.10g}", k.beam.major_deg * kArcsecPerDegree,
                         k.beam.minor_deg * kArcsecPerDegree, k.beam.pa_deg);
    }
    std::string operator()(const BoxKernel& k) const { return fmt::format("box:{}", k.side); }
    std::string operator()(const TophatKernel& k) const { return fmt::format("tophat:{}", k.radius); }
    std::string operator()(const MexicanHatKernel& k) const { return fmt::format("mexican-hat:{}", k.sigma); }
    std::string operator()(const FileKernel& k) const { return fmt::format("file:{}", k.path); }
  };
  return std::visit(Words{}, spec);
}

Kernel gaussian_kernel(const Covariance& pixels, Normalise normalise, const KernelReach& reach) {
  const Ellipse axes = ellipse_of(pixels);
  if (!(std::isfinite(axes.major) && axes.major >= 0)) throw InputError("a Gaussian kernel needs finite axes");
  Kernel kernel;
  kernel.text = fmt::format("Gaussian of FWHM {:.6g} x {:.6g} pixels", axes.major, axes.minor);
  check_side(2 * kCutFwhm * axes.major + 1, kernel.text);
  if (axes.major < 1e-6) {
    kernel.shape = {1, 1};
    kernel.column = kernel.row = kernel.weights = {1};
    return kernel;
  }
  if (axes.minor < 1e-5 * axes.major) {
    // A line has no samples of its own. Three pixels across the beam is the coarsest image it is right for.
    constexpr double kCoarsestBeamPx = 3;
    const int size = static_cast<int>(2 * std::max<std::int64_t>(half_width(axes.major), 3) + 1);
    const Covariance coarsest{kCoarsestBeamPx * kCoarsestBeamPx, 0, kCoarsestBeamPx * kCoarsestBeamPx};
    return within_reach(least_squares_kernel(pixels, coarsest, size), reach);
  }
  const double fwhm_x = std::sqrt(pixels.xx);
  const double fwhm_y = std::sqrt(pixels.yy);
  kernel.shape = {2 * half_width(fwhm_y) + 1, 2 * half_width(fwhm_x) + 1};
  if (std::abs(pixels.xy) <= 1e-12 * fwhm_x * fwhm_y) {
    const bool unit_sum = normalise == Normalise::sum;
    kernel.column = gaussian_factor(fwhm_y, unit_sum);
    kernel.row = gaussian_factor(fwhm_x, unit_sum);
    multiply_within(kernel, reach);
    return kernel;
  }
  sample_gaussian(pixels, pixels.xx * pixels.yy - pixels.xy * pixels.xy, kernel, reach);
  if (normalise == Normalise::sum) scale_weights(kernel, 1 / kernel.sum());
  return kernel;
}

Kernel product_kernel(std::vector<double> column, std::vector<double> row, std::string text, const KernelReach& reach) {
  Kernel kernel;
  kernel.shape = {static_cast<std::int64_t>(column.size()), static_cast<std::int64_t>(row.size())};
  kernel.column = std::move(column);
  kernel.row = std::move(row);
  kernel.text = std::move(text);
  multiply_within(kernel, reach);
  return kernel;
}

Kernel box_kernel(int side, Normalise normalise, const KernelReach& reach) {
  if (side < 1) throw InputError(fmt::format("box kernel: the side must be at least 1 pixel, not {}", side));
  check_side(side, "a box kernel");
  const std::vector<double> factor(static_cast<std::size_t>(side), normalise == Normalise::sum ? 1.0 / side : 1.0);
  return product_kernel(factor, factor, fmt::format("box of {0} x {0} pixels", side), reach);
}

Kernel tophat_kernel(double radius, Normalise normalise, const KernelReach& reach) {
  if (!(radius > 0)) throw InputError(fmt::format("tophat kernel: the radius must be above zero, not {}", radius));
  check_side(2 * radius + 1, "a tophat kernel");
  const auto half = static_cast<std::int64_t>(std::floor(radius));
  const std::int64_t left_y = reach.y.half(half), left_x = reach.x.half(half), nx = 2 * left_x + 1;
  std::vector<double> counts(static_cast<std::size_t>((2 * left_y + 1) * nx), 0.0), row(static_cast<std::size_t>(nx));
  const auto inside = [&](std::int64_t x, std::int64_t y) {
    return static_cast<double>(x * x + y * y) <= radius * radius;
  };
  double whole = 0;
  // From the outermost rows to the middle, each longer than the one before.
  std::int64_t length = -1;
  for (std::int64_t y = half; y >= 0; --y) {
    for (; inside(length + 1, y); ++length) {
      for (const std::int64_t x : {length + 1, -length - 1})
        if (const auto to = reach.x.within(x)) row[static_cast<std::size_t>(*to + left_x)] += x == 0 ? 0.5 : 1;
    }
    for (const std::int64_t at : {y, -y}) {
      whole += (y == 0 ? 0.5 : 1) * static_cast<double>(2 * length + 1);
      if (const auto to = reach.y.within(at))
        for (std::int64_t x = 0; x < nx; ++x)
          counts[static_cast<std::size_t>((*to + left_y) * nx + x)] +=
              (y == 0 ? 0.5 : 1) * row[static_cast<std::size_t>(x)];
    }
  }
  Kernel kernel = custom_kernel({2 * left_y + 1, nx}, std::move(counts), Normalise::none,
                                fmt::format("tophat of radius {:.6g} pixels", radius));
  kernel.beyond = whole - kernel.sum();
  if (normalise == Normalise::sum) scale_weights(kernel, 1 / whole);
  return kernel;
}

Kernel mexican_hat_kernel(double sigma, Normalise normalise, const KernelReach& reach) {
  if (!(sigma > 0)) throw InputError(fmt::format("mexican-hat kernel: sigma must be above zero, not {}", sigma));
  check_side(10 * sigma + 1, "a mexican-hat kernel");
  Kernel kernel;
  kernel.text = fmt::format("mexican hat of sigma {:.6g} pixels", sigma);
  if (normalise == Normalise::sum) refuse_unit_sum(kernel.text);
  const auto half = static_cast<std::int64_t>(std::ceil(5 * sigma));
  // A Gaussian g and t^2 g along an axis, t in sigma: the weight is g(x) g(y) (c - x^2 - y^2).
  std::vector<double> gaussian, curved;
  for (std::int64_t i = -half; i <= half; ++i) {
    const double t = static_cast<double>(i) / sigma;
    gaussian.push_back(std::exp(-t * t / 2));
    curved.push_back(t * t * gaussian.back());
  }
  // c is 2 but for the cut and the sampling: a flat sky gives zero.
  const double c = 2 * sum_of(curved) / sum_of(gaussian);
  const double unit = normalise == Normalise::peak ? c : 2 * std::numbers::pi * std::pow(sigma, 4);
  const auto gy = reach.y.folded(gaussian), gx = reach.x.folded(gaussian);
  const auto hy = reach.y.folded(curved), hx = reach.x.folded(curved);
  kernel.shape = {static_cast<std::int64_t>(gy.size()), static_cast<std::int64_t>(gx.size())};
  for (std::size_t y = 0; y < gy.size(); ++y)
    for (std::size_t x = 0; x < gx.size(); ++x)
      kernel.weights.push_back((c * gy[y] * gx[x] - gy[y] * hx[x] - hy[y] * gx[x]) / unit);
  if (kernel.shape.ny <= 2 * half || kernel.shape.nx <= 2 * half) kernel.beyond = -kernel.sum();
  return kernel;
}

Kernel custom_kernel(Shape shape, std::vector<double> weights, Normalise normalise, std::string text) {
  if (shape.ny < 1 || shape.nx < 1 || static_cast<std::int64_t>(weights.size()) != shape.count()) {
    throw InputError(
        fmt::format("{}: {} weights do not make a kernel of {} x {}", text, weights.size(), shape.ny, shape.nx));
  }
  check_side(static_cast<double>(std::max(shape.ny, shape.nx)), text);
  Kernel kernel{shape, std::move(weights), {}, {}, std::move(text)};
  std::int64_t pivot = 0;
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const double weight = kernel.weights[static_cast<std::size_t>(i)];
    if (!std::isfinite(weight)) {
      throw InputError(fmt::format("{}: the weight at row {}, column {} is not a finite number", kernel.text,
                                   i / shape.nx, i % shape.nx));
    }
    if (std::abs(weight) > std::abs(kernel.weights[static_cast<std::size_t>(pivot)])) pivot = i;
  }
  const double peak = kernel.weights[static_cast<std::size_t>(pivot)];
  if (peak == 0) throw InputError(fmt::format("{}: all weights are zero", kernel.text));

  const auto at = [&](std::int64_t y, std::int64_t x) {
    return kernel.weights[static_cast<std::size_t>(y * shape.nx + x)];
  };
  std::vector<double> column, row;
  for (std::int64_t y = 0; y < shape.ny; ++y) column.push_back(at(y, pivot % shape.nx));
  for (std::int64_t x = 0; x < shape.nx; ++x) row.push_back(at(pivot / shape.nx, x) / peak);
  bool separable = true;
  for (std::int64_t y = 0; y < shape.ny && separable; ++y) {
    for (std::int64_t x = 0; x < shape.nx && separable; ++x) {
      const double product = column[static_cast<std::size_t>(y)] * row[static_cast<std::size_t>(x)];
      separable = std::abs(product - at(y, x)) <= 1e-13 * std::abs(peak);
    }
  }
  if (separable) {
    kernel.column = std::move(column);
    kernel.row = std::move(row);
    multiply_factors(kernel);
  }
  normalise_weights(kernel, normalise);
  if (kernel.separable()) multiply_factors(kernel);
  return kernel;
}

}  // namespace reber

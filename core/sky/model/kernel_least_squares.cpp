// SPDX-License-Identifier: BSD-3-Clause
// Short kernels for beam-limited images: a weighted least-squares fit in the uv plane.
#include "core/sky/model/kernel_least_squares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/error.hpp"
#include "core/sky/model/kernel.hpp"

namespace reber {
namespace {

/// Below this a frequency holds nothing of the image; it still counts, so that the kernel stays bounded there.
constexpr double kWeightFloor = 1e-7;
constexpr int kMinFrequencies = 64;
/// Above this size only weights near the major axis are fitted: the others of a thin Gaussian are zero.
constexpr int kFullSize = 15;
constexpr double kMinStripPx = 4.5;
constexpr double kStripFwhm = 2.123;
constexpr int kMaxSize = 161;

/// Transfer function of a Gaussian of that FWHM^2 matrix, f in cycles a pixel.
double transfer(const Covariance& c, double fx, double fy) {
  const double form = c.xx * fx * fx + 2 * c.xy * fx * fy + c.yy * fy * fy;
  return std::exp(-std::numbers::pi * std::numbers::pi / (4 * std::numbers::ln2) * form);
}

struct Offset {
  int y, x;
};

/// Half of the kernel's pixels: each stands for itself and its mirror image. The centre follows from the unit sum.
std::vector<Offset> half_plane(const Covariance& kernel, int size) {
  const int half = size / 2;
  const double angle = std::atan2(2 * kernel.xy, kernel.xx - kernel.yy) / 2;
  const double strip = std::max(kMinStripPx, kStripFwhm * ellipse_of(kernel).minor);
  std::vector<Offset> offsets;
  for (int y = 0; y <= half; ++y) {
    for (int x = y == 0 ? 1 : -half; x <= half; ++x) {
      const double across = std::abs(x * std::sin(angle) - y * std::cos(angle));
      if (size <= kFullSize || across <= strip) offsets.push_back({y, x});
    }
  }
  return offsets;
}

/// Overdetermined system, column by column, the right side as last column.
struct System {
  std::size_t rows = 0;
  std::vector<std::vector<double>> columns;
};

void add_frequency(System& system, const std::vector<Offset>& offsets, double fx, double fy, double weight,
                   double wanted) {
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const double phase = 2 * std::numbers::pi * (fy * offsets[k].y + fx * offsets[k].x);
    system.columns[k].push_back(weight * 2 * (std::cos(phase) - 1));
  }
  system.columns.back().push_back(weight * (wanted - 1));
  ++system.rows;
}

/// One row per frequency; f and -f give the same row, so one of them is taken with weight sqrt(2). The rows at -1/2
/// have no partner on the grid.
System make_system(const std::vector<Offset>& offsets, const Covariance& kernel, const Covariance& source, int n) {
  System system;
  system.columns.resize(offsets.size() + 1);
  for (int ky = -n / 2; ky < n / 2; ++ky) {
    for (int kx = -n / 2; kx < n / 2; ++kx) {
      const bool alone = ky == -n / 2 || kx == -n / 2;
      if (!alone && (ky < 0 || (ky == 0 && kx <= 0))) continue;
      const double fx = static_cast<double>(kx) / n;
      const double fy = static_cast<double>(ky) / n;
      const double weight = std::max(transfer(source, fx, fy), kWeightFloor) * (alone ? 1 : std::numbers::sqrt2);
      add_frequency(system, offsets, fx, fy, weight, transfer(kernel, fx, fy));
    }
  }
  return system;
}

double dot(const std::vector<double>& a, const std::vector<double>& b, std::size_t from) {
  double sum = 0;
  for (std::size_t i = from; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Householder QR, then back substitution. The normal equations would square a condition number of 1e6.
std::vector<double> solve(System& system) {
  const std::size_t n = system.columns.size() - 1;
  std::vector<double> diagonal(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double>& v = system.columns[k];
    const double norm = std::sqrt(dot(v, v, k));
    if (!(norm > 0)) throw InternalError("least-squares kernel: the system is singular");
    diagonal[k] = v[k] > 0 ? -norm : norm;
    v[k] -= diagonal[k];
    const double scale = 2 / dot(v, v, k);
    for (std::size_t j = k + 1; j <= n; ++j) {
      std::vector<double>& other = system.columns[j];
      const double factor = scale * dot(v, other, k);
      for (std::size_t i = k; i < system.rows; ++i) other[i] -= factor * v[i];
    }
  }
  std::vector<double> result(n);
  for (std::size_t k = n; k-- > 0;) {
    double value = system.columns[n][k];
    for (std::size_t j = k + 1; j < n; ++j) value -= system.columns[j][k] * result[j];
    result[k] = value / diagonal[k];
  }
  return result;
}

}  // namespace

Kernel least_squares_kernel(const Covariance& kernel, const Covariance& source, int size) {
  const Ellipse axes = ellipse_of(kernel);
  if (size < 1 || size % 2 == 0 || size > kMaxSize) {
    throw InputError(fmt::format(
        "least-squares kernel for a Gaussian of FWHM {:.4g} x {:.4g} pixels: its side must be odd and at most {}, not "
        "{}; choose a target beam whose kernel is wider or shorter",
        axes.major, axes.minor, kMaxSize, size));
  }
  const std::vector<Offset> offsets = half_plane(kernel, size);
  System system = make_system(offsets, kernel, source, std::max(kMinFrequencies, 2 * size));
  const std::vector<double> solution = solve(system);

  Kernel result;
  result.shape = {size, size};
  result.weights.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0);
  result.text = fmt::format("least-squares {0} x {0} kernel for a Gaussian of FWHM {1:.6g} x {2:.6g} pixels", size,
                            axes.major, axes.minor);
  const int half = size / 2;
  const auto place = [&](int y, int x) -> double& {
    return result.weights[static_cast<std::size_t>(y + half) * static_cast<std::size_t>(size) +
                          static_cast<std::size_t>(x + half)];
  };
  double sum = 0;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    place(offsets[k].y, offsets[k].x) = place(-offsets[k].y, -offsets[k].x) = solution[k];
    sum += 2 * solution[k];
  }
  place(0, 0) = 1 - sum;
  return result;
}

double unresolved_source_error(const Kernel& kernel, const Covariance& gaussian, const Covariance& source) {
  const Covariance target = source + gaussian;
  const auto det = [](const Covariance& c) { return c.xx * c.yy - c.xy * c.xy; };
  const auto value = [&](const Covariance& c, double x, double y) {
    return std::exp(-4 * std::numbers::ln2 * (c.yy * x * x - 2 * c.xy * x * y + c.xx * y * y) / det(c));
  };
  const double peak = std::sqrt(det(source) / det(target));
  const auto half = static_cast<int>(kernel.shape.nx / 2);
  const int reach = half + static_cast<int>(std::ceil(1.5 * ellipse_of(target).major)), wide = reach + half;
  double worst = 0;
  for (const double offset : {0.0, 0.5}) {
    const int side = 2 * wide + 1;
    std::vector<double> image(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    for (int y = -wide; y <= wide; ++y)
      for (int x = -wide; x <= wide; ++x)
        image[static_cast<std::size_t>((y + wide) * side + x + wide)] = value(source, x - offset, y - offset);
    std::vector<double> result(image.size(), 0);
    for (int i = -half; i <= half; ++i) {
      for (int j = -half; j <= half; ++j) {
        const double weight = kernel.weights[static_cast<std::size_t>((i + half) * (2 * half + 1) + j + half)];
        if (weight == 0) continue;
        for (int y = -reach; y <= reach; ++y) {
          const double* const from = image.data() + (y - i + wide) * side - j + wide;
          double* const to = result.data() + (y + wide) * side + wide;
          for (int x = -reach; x <= reach; ++x) to[x] += weight * from[x];
        }
      }
    }
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x)
        worst = std::max(worst, std::abs(result[static_cast<std::size_t>((y + wide) * side + x + wide)] / peak -
                                         value(target, x - offset, y - offset)));
  }
  return worst;
}

}  // namespace reber

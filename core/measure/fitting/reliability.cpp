// SPDX-License-Identifier: BSD-3-Clause
// Kernel densities of positive and negative detections in the space of log peak, sum and mean.
#include "core/measure/fitting/reliability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace reber {
namespace {

constexpr int kAxes = 3;
using Triple = std::array<double, kAxes>;
using Cell = std::array<std::int64_t, kAxes>;

/// Cells per kernel width, and kernel widths beyond which a kernel counts as zero.
constexpr double kCellsPerWidth = 5, kReach = 5;
/// So many detections of plain noise are taken to have been seen before any.
constexpr double kPriorCount = 10;
/// A negative with a positive within so many kernel widths has company; one without stands for no false detection.
constexpr double kCompany = 2;

Triple as_triple(const DetectionPoint& point) { return {point.peak, point.sum, point.mean}; }

struct Matrix3 {
  std::array<Triple, kAxes> row{};
};

/// Covariance of the kernels: of the negatives, drawn towards that of noise, and scaled for their number.
Matrix3 kernel_covariance(std::vector<Triple> negatives, double seed) {
  const auto count = static_cast<double>(negatives.size());
  std::ranges::sort(negatives);
  constexpr double kKeptPart = 0.9;
  negatives.resize(static_cast<std::size_t>(std::ceil(kKeptPart * count)));
  Triple mean{};
  for (const Triple& one : negatives)
    for (int a = 0; a < kAxes; ++a) mean[a] += one[a] / static_cast<double>(negatives.size());
  // Maxima of Gaussian noise exceed t sigma by about sigma / t, that is by 1 / t^2 in the logarithm; the pixels above a
  // flood level, and so the sum, vary by about half of themselves.
  const double excess = 1 / (seed * seed), spread = 0.5;
  Matrix3 out;
  out.row[0][0] = out.row[2][2] = kPriorCount * excess * excess;
  out.row[1][1] = kPriorCount * spread * spread;
  for (const Triple& one : negatives)
    for (int a = 0; a < kAxes; ++a)
      for (int b = 0; b < kAxes; ++b) out.row[a][b] += (one[a] - mean[a]) * (one[b] - mean[b]);
  const double all = static_cast<double>(negatives.size()) + kPriorCount, scott = std::pow(count, -2.0 / (kAxes + 4));
  for (Triple& row : out.row)
    for (double& value : row) value *= scott / all;
  return out;
}

/// Lower triangle L of C = L L^T.
Matrix3 factor_of(const Matrix3& c) {
  Matrix3 l;
  for (int i = 0; i < kAxes; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = c.row[i][j];
      for (int k = 0; k < j; ++k) sum -= l.row[i][k] * l.row[j][k];
      // The prior keeps the diagonal positive; rounding alone is held off here.
      l.row[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12 * c.row[i][i])) : sum / l.row[j][j];
    }
  return l;
}

/// Cell of a point, the kernel's widths being the unit.
Cell cell_of(const Triple& point, const Matrix3& l) {
  Triple w{};
  Cell cell{};
  for (int i = 0; i < kAxes; ++i) {
    double sum = point[i];
    for (int k = 0; k < i; ++k) sum -= l.row[i][k] * w[k];
    w[i] = sum / l.row[i][i];
    cell[i] = static_cast<std::int64_t>(std::floor(w[i] * kCellsPerWidth));
  }
  return cell;
}

using Counts = std::map<Cell, double>;

/// Sum of the kernels of all counted detections at a cell.
double density_at(const Cell& at, const Counts& counts) {
  constexpr auto kCells = static_cast<std::int64_t>(kReach * kCellsPerWidth);
  double sum = 0;
  const Cell first{at[0] - kCells, INT64_MIN, INT64_MIN};
  for (auto one = counts.lower_bound(first); one != counts.end() && one->first[0] <= at[0] + kCells; ++one) {
    double d2 = 0;
    for (int a = 0; a < kAxes; ++a) {
      const auto d = static_cast<double>(one->first[a] - at[a]);
      d2 += d * d;
    }
    d2 /= kCellsPerWidth * kCellsPerWidth;
    if (d2 <= kReach * kReach) sum += one->second * std::exp(-0.5 * d2);
  }
  return sum;
}

/// The factor g >= 1 by which the sum of min(1, g ratio) is `expected`, as far as it can be.
double scale_for(const std::vector<double>& ratios, double expected) {
  constexpr double kMost = 10;
  const auto sum = [&](double scale) {
    double total = 0;
    for (const double ratio : ratios) total += std::min(1.0, scale * ratio);
    return total;
  };
  double low = 1, high = kMost;
  if (sum(low) >= expected) return low;
  for (int round = 0; round < 50; ++round) {
    const double middle = 0.5 * (low + high);
    (sum(middle) < expected ? low : high) = middle;
  }
  return high;
}

}  // namespace

DetectionPoint detection_point(const Source& source) {
  return {std::log(source.snr), std::log(source.sum_snr), std::log(source.sum_snr / static_cast<double>(source.npix))};
}

std::vector<double> reliabilities(const std::vector<DetectionPoint>& positive,
                                  const std::vector<DetectionPoint>& negative, double seed) {
  std::vector<double> out(positive.size(), 1.0);
  if (negative.empty()) return out;
  std::vector<Triple> triples;
  for (const DetectionPoint& one : negative) triples.push_back(as_triple(one));
  const Matrix3 factor = factor_of(kernel_covariance(triples, seed));
  Counts negatives, positives;
  std::vector<Cell> cells;
  for (const Triple& one : triples) ++negatives[cell_of(one, factor)];
  for (const DetectionPoint& one : positive) {
    cells.push_back(cell_of(as_triple(one), factor));
    ++positives[cells.back()];
  }
  std::map<Cell, double> known;
  std::vector<double> ratios;
  for (const Cell& cell : cells) {
    const auto [place, is_new] = known.try_emplace(cell, 0.0);
    // Most sources are far from all negatives: the sum over the positives is then spared.
    if (const double against = is_new ? density_at(cell, negatives) : 0; against > 0)
      place->second = against / density_at(cell, positives);
    ratios.push_back(place->second);
  }
  double expected = 0;
  for (const auto& [cell, count] : negatives)
    if (density_at(cell, positives) >= std::exp(-0.5 * kCompany * kCompany)) expected += count;
  const double scale = scale_for(ratios, expected);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(0.0, 1 - scale * ratios[i]);
  return out;
}

double set_reliabilities(std::vector<Source>& positive, const std::vector<Source>& negative, double seed) {
  std::vector<DetectionPoint> above, below;
  for (const Source& source : positive) above.push_back(detection_point(source));
  for (const Source& source : negative) below.push_back(detection_point(source));
  const std::vector<double> reliable = reliabilities(above, below, seed);
  double expected = 0;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    positive[i].reliability = reliable[i];
    expected += 1 - reliable[i];
  }
  return expected;
}

}  // namespace reber

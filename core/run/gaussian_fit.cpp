// SPDX-License-Identifier: BSD-3-Clause
// Levenberg-Marquardt on whitened residuals, with small dense linear algebra of its own: matrices are row-major, and
// every inner loop runs along a row without a sum across it, so that compilers make vector code of it and the order
// of every sum is fixed.
#include "core/run/gaussian_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reber {
namespace {

constexpr double k4Ln2 = 4 * std::numbers::ln2;
constexpr int kMostRounds = 100;
/// A chi^2 that falls by less than this moves no parameter by more than 1e-4 of its error.
constexpr double kSettled = 1e-8;
/// A peak beyond these multiples of the brightest pixel belongs to a component that has left its source.
constexpr double kLeastPeak = 0.05, kMostPeak = 3;

/// Matrix of `rows` x `columns`.
struct Dense {
  std::size_t rows = 0, columns = 0;
  std::vector<double> data;
  Dense(std::size_t r, std::size_t c) : rows(r), columns(c), data(r * c) {}
  double* operator[](std::size_t r) { return data.data() + r * columns; }
  const double* operator[](std::size_t r) const { return data.data() + r * columns; }
};

/// V = U^T U in the upper triangle, four rows at a time: the rest of the matrix is then read and written a quarter as
/// often.   returns false where V is not positive definite
bool factorise(Dense& v) {
  constexpr std::size_t kRows = 4;
  const std::size_t n = v.rows;
  for (std::size_t first = 0; first < n; first += kRows) {
    const std::size_t end = std::min(first + kRows, n);
    for (std::size_t k = first; k < end; ++k) {
      double* row = v[k];
      for (std::size_t above = first; above < k; ++above) {
        const double factor = v[above][k];
        for (std::size_t j = k; j < n; ++j) row[j] -= factor * v[above][j];
      }
      if (!(row[k] > 0)) return false;
      const double scale = 1 / std::sqrt(row[k]);
      for (std::size_t j = k; j < n; ++j) row[j] *= scale;
    }
    if (end - first < kRows) return true;
    const double *a = v[first], *b = v[first + 1], *c = v[first + 2], *d = v[first + 3];
    for (std::size_t i = end; i < n; ++i) {
      double* to = v[i];
      const double fa = a[i], fb = b[i], fc = c[i], fd = d[i];
      for (std::size_t j = i; j < n; ++j) to[j] -= (fa * a[j] + fb * b[j]) + (fc * c[j] + fd * d[j]);
    }
  }
  return true;
}

/// b := U^-T b.
void solve_transposed(const Dense& u, Dense& b) {
  for (std::size_t k = 0; k < u.rows; ++k) {
    double* from = b[k];
    const double* row = u[k];
    for (std::size_t c = 0; c < b.columns; ++c) from[c] /= row[k];
    for (std::size_t i = k + 1; i < u.rows; ++i) {
      const double factor = row[i];
      if (factor == 0) continue;
      double* to = b[i];
      for (std::size_t c = 0; c < b.columns; ++c) to[c] -= factor * from[c];
    }
  }
}

/// b := U^-1 b.
void solve_upper(const Dense& u, Dense& b) {
  for (std::size_t k = u.rows; k-- > 0;) {
    double* to = b[k];
    const double* row = u[k];
    for (std::size_t j = k + 1; j < u.rows; ++j) {
      const double factor = row[j];
      if (factor == 0) continue;
      const double* from = b[j];
      for (std::size_t c = 0; c < b.columns; ++c) to[c] -= factor * from[c];
    }
    for (std::size_t c = 0; c < b.columns; ++c) to[c] /= row[k];
  }
}

/// a^T b.
Dense product(const Dense& a, const Dense& b) {
  Dense out(a.columns, b.columns);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t i = 0; i < a.columns; ++i) {
      const double factor = a[r][i];
      const double* row = b[r];
      double* to = out[i];
      for (std::size_t j = 0; j < b.columns; ++j) to[j] += factor * row[j];
    }
  return out;
}

/// C with its eigenvalues brought into [least^2, most^2].   returns whether they were outside
bool bound_shape(Covariance& c, double least, double most) {
  const double mean = 0.5 * (c.xx + c.yy), half = 0.5 * (c.xx - c.yy), spread = std::hypot(half, c.xy);
  const double high = std::clamp(mean + spread, least * least, most * most);
  const double low = std::clamp(mean - spread, least * least, most * most);
  if (high == mean + spread && low == mean - spread) return false;
  const double new_mean = 0.5 * (high + low), scale = spread > 0 ? 0.5 * (high - low) / spread : 0;
  c = {new_mean + scale * half, scale * c.xy, new_mean - scale * half};
  return true;
}

/// One island's fit in progress.
class Fit {
 public:
  Fit(const FitPixels& pixels, const std::vector<GaussianComponent>& start, const std::vector<FitBounds>& bounds,
      const FitNoise& noise)
      : pixels_(pixels), start_(start), bounds_(bounds), noise_(noise), factor_(0, 0) {
    for (const FitBounds& bound : bounds) parameters_ += bound.shape_free ? 6 : 3;
  }

  std::optional<std::vector<FittedGaussian>> run();

 private:
  [[nodiscard]] bool make_weights();
  [[nodiscard]] Dense residual(const std::vector<GaussianComponent>& components) const;
  [[nodiscard]] Dense jacobian(const std::vector<GaussianComponent>& components) const;
  [[nodiscard]] double chi2(const Dense& residual) const;
  void whiten(Dense& matrix) const {
    if (noise_.weights != nullptr) solve_transposed(factor_, matrix);
  }
  void limit(std::vector<GaussianComponent>& components) const;
  [[nodiscard]] std::vector<GaussianComponent> moved(const std::vector<GaussianComponent>& from,
                                                     const Dense& step) const;
  [[nodiscard]] bool minimise(std::vector<GaussianComponent>& components) const;
  [[nodiscard]] std::optional<Dense> covariance(const std::vector<GaussianComponent>& components) const;
  [[nodiscard]] Dense under_noise(const Dense& weighted) const;

  const FitPixels& pixels_;
  const std::vector<GaussianComponent>& start_;
  const std::vector<FitBounds>& bounds_;
  const FitNoise& noise_;
  std::size_t parameters_ = 0;
  Dense factor_;  ///< U of the correlation that makes the weights
};

bool Fit::make_weights() {
  if (noise_.weights == nullptr) return true;
  const std::size_t n = pixels_.value.size();
  factor_ = Dense(n, n);
  double largest = 0;  // the largest sum of a row bounds the largest eigenvalue
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      factor_[i][j] = noise_.weights->at(pixels_.y[j] - pixels_.y[i], pixels_.x[j] - pixels_.x[i]);
      sum += std::abs(factor_[i][j]);
    }
    largest = std::max(largest, sum);
  }
  for (std::size_t i = 0; i < n; ++i) factor_[i][i] += kNoiseFloor * largest;
  return factorise(factor_);
}

Dense Fit::residual(const std::vector<GaussianComponent>& components) const {
  Dense out(pixels_.value.size(), 1);
  std::array<double, 6> unused{};
  for (std::size_t i = 0; i < out.rows; ++i) {
    double model = 0;
    for (const GaussianComponent& one : components) model += one.evaluate(pixels_.x[i], pixels_.y[i], unused);
    out[i][0] = (pixels_.value[i] - model) / pixels_.rms[i];
  }
  whiten(out);
  return out;
}

Dense Fit::jacobian(const std::vector<GaussianComponent>& components) const {
  Dense out(pixels_.value.size(), parameters_);
  std::array<double, 6> derivatives{};
  for (std::size_t i = 0; i < out.rows; ++i) {
    double* to = out[i];
    for (std::size_t k = 0; k < components.size(); ++k) {
      components[k].evaluate(pixels_.x[i], pixels_.y[i], derivatives);
      const std::size_t free = bounds_[k].shape_free ? 6 : 3;
      for (std::size_t a = 0; a < free; ++a) *to++ = derivatives[a] / pixels_.rms[i];
    }
  }
  whiten(out);
  return out;
}

double Fit::chi2(const Dense& residual) const {
  double sum = 0;
  for (const double r : residual.data) sum += r * r;
  return sum;
}

void Fit::limit(std::vector<GaussianComponent>& components) const {
  for (std::size_t k = 0; k < components.size(); ++k) {
    GaussianComponent& one = components[k];
    const GaussianComponent& start = start_[k];
    const FitBounds& bound = bounds_[k];
    one.peak = std::clamp(one.peak, kLeastPeak * start.peak, kMostPeak * start.peak);
    one.x = std::clamp(one.x, start.x - bound.reach, start.x + bound.reach);
    one.y = std::clamp(one.y, start.y - bound.reach, start.y + bound.reach);
    if (bound.shape_free) (void)bound_shape(one.fwhm2, bound.least_fwhm, bound.most_fwhm);
  }
}

std::vector<GaussianComponent> Fit::moved(const std::vector<GaussianComponent>& from, const Dense& step) const {
  std::vector<GaussianComponent> to = from;
  std::size_t p = 0;
  for (std::size_t k = 0; k < to.size(); ++k) {
    to[k].peak += step[p++][0];
    to[k].x += step[p++][0];
    to[k].y += step[p++][0];
    if (!bounds_[k].shape_free) continue;
    to[k].fwhm2.xx += step[p++][0];
    to[k].fwhm2.xy += step[p++][0];
    to[k].fwhm2.yy += step[p++][0];
  }
  return to;
}

/// returns whether it settled
bool Fit::minimise(std::vector<GaussianComponent>& components) const {
  double damping = 1e-3;
  Dense rest = residual(components);
  double best = chi2(rest);
  if (!std::isfinite(best)) return false;
  for (int round = 0; round < kMostRounds; ++round) {
    const Dense j = jacobian(components);
    const Dense normal = product(j, j), gradient = product(j, rest);
    bool better = false;
    while (!better) {
      if (!(damping < 1e10)) return true;  // no step of any length helps: the bounds hold it, or rounding does
      Dense damped = normal, step = gradient;
      for (std::size_t a = 0; a < parameters_; ++a) damped[a][a] *= 1 + damping;
      if (!factorise(damped)) {
        damping *= 10;
        continue;
      }
      solve_transposed(damped, step);
      solve_upper(damped, step);
      std::vector<GaussianComponent> trial = moved(components, step);
      limit(trial);
      Dense trial_rest = residual(trial);
      const double trial_chi2 = chi2(trial_rest);
      better = trial_chi2 <= best;
      damping *= better ? 0.1 : 10;
      if (!better) continue;
      const double gain = best - trial_chi2;
      components = std::move(trial);
      rest = std::move(trial_rest);
      best = trial_chi2;
      if (!(gain > kSettled * std::max(1.0, 1e-3 * best))) return true;
    }
  }
  return false;
}

/// R W for the noise R of the errors; pixels are in raster order, so rows out of reach end the search.
Dense Fit::under_noise(const Dense& weighted) const {
  const NoiseCorrelation& r = *noise_.errors;
  Dense out(weighted.rows, weighted.columns);
  for (std::size_t i = 0; i < weighted.rows; ++i)
    for (std::size_t j = i; j < weighted.rows; ++j) {
      if (pixels_.y[j] - pixels_.y[i] > r.reach()) break;
      const double factor = r.at(pixels_.y[j] - pixels_.y[i], pixels_.x[j] - pixels_.x[i]);
      if (factor == 0) continue;
      for (std::size_t c = 0; c < weighted.columns; ++c) {
        out[i][c] += factor * weighted[j][c];
        if (j != i) out[j][c] += factor * weighted[i][c];
      }
    }
  return out;
}

std::optional<Dense> Fit::covariance(const std::vector<GaussianComponent>& components) const {
  Dense j = jacobian(components);
  Dense normal = product(j, j);
  if (!factorise(normal)) return std::nullopt;
  if (noise_.weights != nullptr) solve_upper(factor_, j);
  Dense inner = product(j, under_noise(j));
  const auto apply_inverse = [&](Dense& matrix) {
    solve_transposed(normal, matrix);
    solve_upper(normal, matrix);
  };
  apply_inverse(inner);
  Dense turned(parameters_, parameters_);
  for (std::size_t a = 0; a < parameters_; ++a)
    for (std::size_t b = 0; b < parameters_; ++b) turned[a][b] = inner[b][a];
  apply_inverse(turned);
  for (std::size_t a = 0; a < parameters_; ++a)
    if (!(turned[a][a] > 0)) return std::nullopt;
  return turned;
}

std::optional<std::vector<FittedGaussian>> Fit::run() {
  if (pixels_.value.size() <= parameters_ || !make_weights()) return std::nullopt;
  std::vector<GaussianComponent> components = start_;
  limit(components);
  if (!minimise(components)) return std::nullopt;
  std::vector<bool> at_bound(components.size());
  for (std::size_t k = 0; k < components.size(); ++k) {
    const GaussianComponent& one = components[k];
    const FitBounds& bound = bounds_[k];
    constexpr double kNear = 1e-9;
    if (!(one.peak > kLeastPeak * start_[k].peak * (1 + kNear)) ||
        !(one.peak < kMostPeak * start_[k].peak * (1 - kNear)))
      return std::nullopt;
    Covariance inside = one.fwhm2;
    at_bound[k] =
        !(std::abs(one.x - start_[k].x) < bound.reach * (1 - kNear)) ||
        !(std::abs(one.y - start_[k].y) < bound.reach * (1 - kNear)) ||
        (bound.shape_free && bound_shape(inside, bound.least_fwhm * (1 + kNear), bound.most_fwhm * (1 - kNear)));
  }
  const std::optional<Dense> errors = covariance(components);
  if (!errors) return std::nullopt;
  std::vector<FittedGaussian> fitted;
  std::size_t first = 0;
  for (std::size_t k = 0; k < components.size(); ++k) {
    FittedGaussian one;
    one.component = components[k];
    one.at_bound = at_bound[k];
    const std::size_t free = bounds_[k].shape_free ? 6 : 3;
    for (std::size_t a = 0; a < free; ++a)
      for (std::size_t b = 0; b < free; ++b) one.covariance[a][b] = (*errors)[first + a][first + b];
    first += free;
    fitted.push_back(one);
  }
  return fitted;
}

}  // namespace

double GaussianComponent::evaluate(double px, double py, std::array<double, kParameters>& derivatives) const {
  const double dx = px - x, dy = py - y;
  const double det = fwhm2.xx * fwhm2.yy - fwhm2.xy * fwhm2.xy;
  const double ex = (fwhm2.yy * dx - fwhm2.xy * dy) / det, ey = (fwhm2.xx * dy - fwhm2.xy * dx) / det;
  const double shape = std::exp(-k4Ln2 * (ex * dx + ey * dy)), slope = k4Ln2 * peak * shape;
  derivatives = {shape, 2 * slope * ex, 2 * slope * ey, slope * ex * ex, 2 * slope * ex * ey, slope * ey * ey};
  return peak * shape;
}

std::optional<std::vector<FittedGaussian>> fit_gaussians(const FitPixels& pixels,
                                                         const std::vector<GaussianComponent>& start,
                                                         const std::vector<FitBounds>& bounds, const FitNoise& noise) {
  return Fit(pixels, start, bounds, noise).run();
}

}  // namespace reber

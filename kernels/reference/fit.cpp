// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits as the textbook has them: Levenberg-Marquardt on whitened residuals with dense matrices, row-major.
#include "kernels/reference/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace reber::reference {
namespace {

/// Relative distance within which a parameter counts as at its bound.
constexpr double kNear = 1e-9;

template <class T>
std::vector<T> slice(const std::vector<T>& from, std::int64_t first, std::int64_t count) {
  return {from.begin() + first, from.begin() + first + count};
}

/// Matrix of `rows` x `columns`.
struct Dense {
  std::size_t rows = 0, columns = 0;
  std::vector<double> data;
  Dense(std::size_t r, std::size_t c) : rows(r), columns(c), data(r * c) {}
  double* operator[](std::size_t r) { return data.data() + r * columns; }
  const double* operator[](std::size_t r) const { return data.data() + r * columns; }
};

/// V = U^T U in the upper triangle.   returns false where V is not positive definite
bool factorise(Dense& v) {
  for (std::size_t k = 0; k < v.rows; ++k) {
    if (!(v[k][k] > 0)) return false;
    const double scale = 1 / std::sqrt(v[k][k]);
    for (std::size_t j = k; j < v.rows; ++j) v[k][j] *= scale;
    for (std::size_t i = k + 1; i < v.rows; ++i)
      for (std::size_t j = i; j < v.rows; ++j) v[i][j] -= v[k][i] * v[k][j];
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

/// One problem's fit in job.
class Fit {
 public:
  Fit(const FitBatch& batch, const FitProblem& problem)
      : batch_(batch),
        problem_(problem),
        bounds_(slice(batch.bounds, problem.first_component, problem.components)),
        start_(slice(batch.start, problem.first_component, problem.components)),
        factor_(0, 0) {
    pixels_.y = slice(batch.pixels.y, problem.first_pixel, problem.pixels);
    pixels_.x = slice(batch.pixels.x, problem.first_pixel, problem.pixels);
    pixels_.value = slice(batch.pixels.value, problem.first_pixel, problem.pixels);
    pixels_.rms = slice(batch.pixels.rms, problem.first_pixel, problem.pixels);
    for (const FitBounds& bound : bounds_) parameters_ += bound.shape_free ? 6 : 3;
  }

  /// fitted: the problem's first component
  FitOutcome run(FittedGaussian* fitted);

 private:
  [[nodiscard]] bool make_weights();
  [[nodiscard]] double model(const std::vector<GaussianComponent>& components, std::size_t pixel) const;
  [[nodiscard]] Dense residual(const std::vector<GaussianComponent>& components) const;
  [[nodiscard]] Dense jacobian(const std::vector<GaussianComponent>& components) const;
  [[nodiscard]] double chi2(const Dense& residual) const;
  void whiten(Dense& matrix) const {
    if (problem_.correlated) solve_transposed(factor_, matrix);
  }
  void limit(std::vector<GaussianComponent>& components) const;
  [[nodiscard]] std::vector<GaussianComponent> moved(const std::vector<GaussianComponent>& from,
                                                     const Dense& step) const;
  [[nodiscard]] FitStatus minimise(std::vector<GaussianComponent>& components);
  [[nodiscard]] bool at_bound(const GaussianComponent& one, std::size_t k) const;
  [[nodiscard]] std::optional<Dense> covariance(const std::vector<GaussianComponent>& components) const;
  [[nodiscard]] Dense under_noise(const Dense& weighted) const;

  const FitBatch& batch_;
  const FitProblem& problem_;
  std::vector<FitBounds> bounds_;
  std::vector<GaussianComponent> start_;
  FitPixels pixels_;
  std::size_t parameters_ = 0;
  Dense factor_;  ///< U of the correlation that makes the weights
  FitOutcome outcome_;
};

bool Fit::make_weights() {
  if (!problem_.correlated) return true;
  const std::size_t n = pixels_.value.size();
  factor_ = Dense(n, n);
  double largest = 0;  // the largest sum of a row bounds the largest eigenvalue
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      factor_[i][j] = batch_.weights.at(pixels_.y[j] - pixels_.y[i], pixels_.x[j] - pixels_.x[i]);
      sum += std::abs(factor_[i][j]);
    }
    largest = std::max(largest, sum);
  }
  for (std::size_t i = 0; i < n; ++i) factor_[i][i] += kNoiseFloor * largest;
  return factorise(factor_);
}

double Fit::model(const std::vector<GaussianComponent>& components, std::size_t pixel) const {
  std::array<double, 6> unused{};
  double sum = 0;
  for (const GaussianComponent& one : components) sum += one.evaluate(pixels_.x[pixel], pixels_.y[pixel], unused);
  return sum;
}

Dense Fit::residual(const std::vector<GaussianComponent>& components) const {
  Dense out(pixels_.value.size(), 1);
  for (std::size_t i = 0; i < out.rows; ++i) {
    out[i][0] = (pixels_.value[i] - model(components, i)) / pixels_.rms[i];
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

FitStatus Fit::minimise(std::vector<GaussianComponent>& components) {
  double damping = 1e-3;
  Dense rest = residual(components);
  outcome_.chi2 = chi2(rest);
  if (!std::isfinite(outcome_.chi2)) return FitStatus::not_finite;
  while (outcome_.rounds < kMostFitRounds) {
    ++outcome_.rounds;
    const Dense j = jacobian(components);
    const Dense normal = product(j, j), gradient = product(j, rest);
    bool better = false;
    while (!better) {
      if (!(damping < 1e10)) return FitStatus::settled;  // no step of any length helps: the bounds or rounding hold it
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
      better = trial_chi2 <= outcome_.chi2;
      damping *= better ? 0.1 : 10;
      if (!better) continue;
      const double gain = outcome_.chi2 - trial_chi2;
      components = std::move(trial);
      rest = std::move(trial_rest);
      outcome_.chi2 = trial_chi2;
      if (!(gain > kFitSettled * std::max(1.0, 1e-3 * trial_chi2))) return FitStatus::settled;
    }
  }
  return FitStatus::unsettled;
}

/// R W for the noise R of the errors; pixels are in raster order, so rows out of reach end the search.
Dense Fit::under_noise(const Dense& weighted) const {
  const NoiseCorrelation& r = batch_.errors;
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
  if (problem_.correlated) solve_upper(factor_, j);
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

bool Fit::at_bound(const GaussianComponent& one, std::size_t k) const {
  const FitBounds& bound = bounds_[k];
  Covariance inside = one.fwhm2;
  return !(std::abs(one.x - start_[k].x) < bound.reach * (1 - kNear)) ||
         !(std::abs(one.y - start_[k].y) < bound.reach * (1 - kNear)) ||
         (bound.shape_free && bound_shape(inside, bound.least_fwhm * (1 + kNear), bound.most_fwhm * (1 - kNear)));
}

FitOutcome Fit::run(FittedGaussian* fitted) {
  const auto ends = [&](FitStatus status) {
    outcome_.status = status;
    return outcome_;
  };
  if (pixels_.value.size() <= parameters_) return ends(FitStatus::too_few_pixels);
  if (!make_weights()) return ends(FitStatus::not_positive);
  std::vector<GaussianComponent> components = start_;
  limit(components);
  if (const FitStatus status = minimise(components); status != FitStatus::settled) return ends(status);
  for (std::size_t k = 0; k < components.size(); ++k)
    if (!(components[k].peak > kLeastPeak * start_[k].peak * (1 + kNear)) ||
        !(components[k].peak < kMostPeak * start_[k].peak * (1 - kNear)))
      return ends(FitStatus::component_left);
  const std::optional<Dense> errors = covariance(components);
  if (!errors) return ends(FitStatus::not_positive);
  std::size_t first = 0;
  for (std::size_t k = 0; k < components.size(); ++k) {
    fitted[k].component = components[k];
    fitted[k].at_bound = at_bound(components[k], k);
    const std::size_t free = bounds_[k].shape_free ? 6 : 3;
    for (std::size_t a = 0; a < free; ++a)
      for (std::size_t c = 0; c < free; ++c) fitted[k].covariance[a][c] = (*errors)[first + a][first + c];
    first += free;
  }
  for (std::size_t i = 0; i < pixels_.value.size(); ++i) {
    const double rest = pixels_.value[i] - model(components, i), over_rms = rest / pixels_.rms[i];
    outcome_.rest += rest * rest;
    outcome_.rest_over_rms2 += over_rms * over_rms;
  }
  return ends(FitStatus::settled);
}

}  // namespace

FitResults fit(const FitBatch& batch, const Job& job) {
  FitResults results;
  results.components.resize(batch.start.size());
  for (const FitProblem& problem : batch.problems) {
    job.report("fit", static_cast<double>(results.problems.size()) / static_cast<double>(batch.problems.size()));
    results.problems.push_back(Fit(batch, problem).run(results.components.data() + problem.first_component));
  }
  return results;
}

}  // namespace reber::reference

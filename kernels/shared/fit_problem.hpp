// SPDX-License-Identifier: BSD-3-Clause
// The fit of one problem by a team: Levenberg-Marquardt on whitened residuals, then the errors. Written once for
// processor and card; docs/numerics.md#fit gives the equations.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/shared/dense.hpp"
#include "kernels/shared/fit_steps.hpp"
#include "kernels/shared/gaussian_model.hpp"

namespace reber {

/// Where a problem's parts lie in its workspace, in doubles.
struct FitLayout {
  int pixels, parameters;  ///< padded
  int columns;             ///< parameters and the residual, padded
  std::int64_t matrix, table, inverse_rms, normal, trial_normal, damped, step, left, right, now, trial, shapes, size;
  std::int64_t matrix_size;  ///< as above where the matrix lies elsewhere, else counted in size
};

/// columns: at least parameters + 1.   apart: the matrix, by far the largest part, has memory of its own
REBER_HD FitLayout layout_of(std::int64_t pixels, int parameters, int columns, int components, bool correlated,
                             bool apart = false) {
  FitLayout layout{};
  layout.pixels = dense::padded(static_cast<int>(pixels));
  layout.parameters = dense::padded(parameters);
  layout.columns = columns;
  const std::int64_t table = static_cast<std::int64_t>(layout.pixels) * columns;
  const std::int64_t triangle = correlated ? dense::triangle_size(layout.pixels) : 0;
  const int side = columns > layout.parameters ? columns : layout.parameters;
  const auto take = [&layout](std::int64_t doubles) {
    const std::int64_t at = layout.size;
    layout.size += (doubles + 1) / 2 * 2;
    return at;
  };
  layout.matrix_size = triangle > table ? triangle : table;
  layout.matrix = take(apart ? 0 : layout.matrix_size);
  layout.table = take(table);
  layout.inverse_rms = take(layout.pixels);
  layout.normal = take(columns * columns);
  layout.trial_normal = take(columns * columns);
  layout.damped = take(dense::triangle_size(layout.parameters));
  layout.step = take(layout.parameters);
  layout.left = take(side * columns);
  layout.right = take(side * columns);
  layout.now = take(6 * components);
  layout.trial = take(6 * components);
  layout.shapes = take(6 * components);
  return layout;
}

/// Every member of the team calls run(); the first one's outcome is the answer. Columns: int, or an integral_constant.
template <class Team, class Columns>
class ProblemFit {
 public:
  /// matrix: its own memory, or null where it lies in the workspace
  REBER_HD ProblemFit(const Team& team, const FitInput& input, int parameters, Columns columns, double* workspace,
                      double* matrix = nullptr)
      : team_(team),
        in_(input),
        parameters_(parameters),
        layout_(layout_of(input.pixels, parameters, columns, input.components, input.correlated, matrix != nullptr)),
        matrix_(matrix != nullptr ? matrix : workspace + layout_.matrix),
        factor_{matrix_, layout_.pixels},
        table_{workspace + layout_.table, layout_.pixels, columns},
        normal_{workspace + layout_.normal, columns, columns},
        trial_normal_{workspace + layout_.trial_normal, columns, columns},
        left_{workspace + layout_.left, layout_.parameters, columns},
        right_{workspace + layout_.right, layout_.parameters, columns},
        damped_{workspace + layout_.damped, layout_.parameters},
        step_{workspace + layout_.step, layout_.parameters, {}},
        inverse_rms_(workspace + layout_.inverse_rms),
        now_(reinterpret_cast<GaussianComponent*>(workspace + layout_.now)),
        trial_(reinterpret_cast<GaussianComponent*>(workspace + layout_.trial)),
        shapes_(reinterpret_cast<model::Shape*>(workspace + layout_.shapes)) {}

  /// fitted: the problem's first component; written where it settles with a useful chi^2.
  REBER_HD FitOutcome run(FittedGaussian* fitted) {
    outcome_ = {};
    if (in_.pixels <= parameters_) return ends(FitStatus::too_few_pixels);
    for (int i = team_.rank; i < in_.pixels; i += team_.size) inverse_rms_[i] = 1 / in_.rms[i];
    for (int k = team_.rank; k < in_.components; k += team_.size) {
      now_[k] = in_.start[k];
      model::limit(now_[k], in_.start[k], in_.bounds[k]);
    }
    team_.sync();
    if (in_.correlated && !make_weights()) return ends(FitStatus::not_positive);
    if (const FitStatus status = minimise(); status != FitStatus::settled) return ends(status);
    for (int k = 0; k < in_.components; ++k)
      if (model::has_left(now_[k], in_.start[k])) return ends(FitStatus::component_left);
    if constexpr (Team::kLeavesOut)
      if (!(outcome_.chi2 < in_.useful_chi2)) return ends(FitStatus::settled);
    if (!find_covariance()) return ends(FitStatus::not_positive);
    write(fitted);
    sum_rest();
    return ends(FitStatus::settled);
  }

 private:
  using OneColumn = std::integral_constant<int, 1>;

  REBER_HD FitOutcome ends(FitStatus status) {
    outcome_.status = status;
    return outcome_;
  }

  /// U of the noise correlation of the weights with its floor; what pads it is the identity.
  REBER_HD bool make_weights() {
    using dense::factorise, steps::correlate, steps::raise_diagonal;  // a team may have its own
    double* sums = table_.data;
    correlate(team_, in_, factor_, sums);
    double largest = 0;
    for (int i = 0; i < in_.pixels; ++i) largest = sums[i] > largest ? sums[i] : largest;
    raise_diagonal(team_, in_, factor_, kNoiseFloor * largest);
    return factorise(team_, factor_);
  }

  /// Whitened derivatives and residual at `at`, and their products in trial_normal_.   returns chi^2
  REBER_HD double evaluate(const GaussianComponent* at) {
    REBER_ROLLED
    for (int k = team_.rank; k < in_.components; k += team_.size) shapes_[k] = model::shape_of(at[k]);
    team_.sync();
    using dense::product, dense::solve_transposed, steps::differentiate;
    differentiate(team_, in_, shapes_, inverse_rms_, table_);
    if (in_.correlated) solve_transposed(team_, factor_, table_);
    product(team_, table_, table_, true, trial_normal_);
    return trial_normal_.row(parameters_)[parameters_];
  }

  /// The factor of the normal matrix with its diagonal times 1 + damping.   returns false where it has none
  REBER_HD bool factorise_normal(double damping) {
    for (int a = team_.rank; a < damped_.n; a += team_.size)
      for (int b = a; b < damped_.n; ++b) {
        const double inside = b < parameters_ ? normal_.row(a)[b] : 0.0;
        damped_.row(a)[b] = a != b ? inside : (b < parameters_ ? inside * (1 + damping) : 1.0);
      }
    team_.sync();
    const bool positive = dense::factorise(team_, damped_);
    team_.sync();
    return positive;
  }

  /// The components one step of that damping on.   returns false where there is no such step
  REBER_HD bool make_trial(double damping) {
    if (!factorise_normal(damping)) return false;
    for (int a = team_.rank; a < step_.rows; a += team_.size)
      step_.data[a] = a < parameters_ ? normal_.row(a)[parameters_] : 0.0;
    team_.sync();
    dense::solve_transposed(team_, damped_, step_);
    dense::solve_upper(team_, damped_, step_);
    for (int k = team_.rank; k < in_.components; k += team_.size) {
      const double* by = step_.data + first_parameter(k);
      GaussianComponent one = now_[k];
      one.peak += by[0];
      one.x += by[1];
      one.y += by[2];
      if (in_.bounds[k].shape_free) {
        one.fwhm2.xx += by[3];
        one.fwhm2.xy += by[4];
        one.fwhm2.yy += by[5];
      }
      model::limit(one, in_.start[k], in_.bounds[k]);
      trial_[k] = one;
    }
    team_.sync();
    return true;
  }

  /// Whether a team that has a short way to chi^2 alone finds the trial refused.
  REBER_HD bool surely_refused() {
    for (int k = 0; k < in_.components; ++k) shapes_[k] = model::shape_of(trial_[k]);
    return !(team_.chi2_alone(in_, shapes_, inverse_rms_, factor_, table_.data) <= outcome_.chi2);
  }

  REBER_HD void accept_trial(double chi2) {
    outcome_.chi2 = chi2;
    swap(now_, trial_);
    swap(normal_.data, trial_normal_.data);
  }

  REBER_HD FitStatus minimise() {
    double damping = 1e-3;
    [[maybe_unused]] double refused = 0;  // the highest damping that led to no lower chi^2
    outcome_.chi2 = evaluate(now_);
    swap(normal_.data, trial_normal_.data);
    if (!(outcome_.chi2 < 1.7e308)) return FitStatus::not_finite;
    while (outcome_.rounds < kMostFitRounds) {
      ++outcome_.rounds;
      for (bool better = false; !better;) {
        if (!(damping < 1e10)) {
          evaluate(now_);  // the table holds a step that was refused
          return FitStatus::settled;
        }
        bool hopeful = make_trial(damping);
        if constexpr (Team::kLeavesOut) hopeful = hopeful && !(damping <= refused && surely_refused());  // as before
        if (!hopeful) {
          damping *= 10;
          continue;
        }
        const double chi2 = evaluate(trial_), gain = outcome_.chi2 - chi2;
        better = chi2 <= outcome_.chi2;
        if constexpr (Team::kLeavesOut) refused = !better && damping > refused ? damping : refused;
        damping *= better ? 0.1 : 10;
        if (!better) continue;
        accept_trial(chi2);
        if (!(gain > kFitSettled * (1e-3 * chi2 > 1 ? 1e-3 * chi2 : 1.0))) return FitStatus::settled;
      }
    }
    return FitStatus::unsettled;
  }

  /// left_ := A^-1 left_, A the normal matrix whose factor is damped_.
  REBER_HD void apply_inverse(const dense::Table<Columns>& table) {
    dense::solve_transposed(team_, damped_, table);
    dense::solve_upper(team_, damped_, table);
  }

  /// `to` := `from`, or its transpose, cut to the parameters and padded with zeros.
  REBER_HD void copy_inner(const dense::Table<Columns>& from, bool transposed, const dense::Table<Columns>& to) {
    const int columns = to.columns;
    for (int at = team_.rank; at < to.rows * columns; at += team_.size) {
      const int a = at / columns, b = at % columns;
      to.row(a)[b] = a < parameters_ && b < parameters_ ? (transposed ? from.row(b)[a] : from.row(a)[b]) : 0.0;
    }
    team_.sync();
  }

  /// R W for the noise R of the errors, over the factor.
  REBER_HD dense::Table<Columns> under_noise() {
    using steps::put_under_noise;
    const dense::Table<Columns> out{matrix_, table_.rows, table_.columns};
    put_under_noise(team_, in_, table_, out);
    return out;
  }

  /// A^-1 (W^T R W) A^-1 in right_, W = V^-1 J.   returns false where A is not positive definite
  REBER_HD bool find_covariance() {
    if (!factorise_normal(0)) return false;
    using dense::product, dense::solve_upper;
    if (in_.correlated) solve_upper(team_, factor_, table_);
    product(team_, table_, under_noise(), false, right_);
    copy_inner(right_, false, left_);
    apply_inverse(left_);
    copy_inner(left_, true, right_);
    apply_inverse(right_);
    for (int a = 0; a < parameters_; ++a)
      if (!(right_.row(a)[a] > 0)) return false;
    return true;
  }

  REBER_HD void write(FittedGaussian* fitted) {
    for (int k = team_.rank; k < in_.components; k += team_.size) {
      const int first = first_parameter(k), free = model::free_parameters(in_.bounds[k]);
      FittedGaussian& out = fitted[k];
      out.component = now_[k];
      out.at_bound = model::at_bound(now_[k], in_.start[k], in_.bounds[k]);
      double* covariance = &out.covariance[0][0];
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b)
          covariance[6 * a + b] = a < free && b < free ? right_.row(first + a)[first + b] : 0.0;
    }
  }

  /// Sums of what is left, by the first member, whose outcome alone holds them.
  REBER_HD void sum_rest() {
    double* rest = table_.data;
    REBER_ROLLED
    for (int k = team_.rank; k < in_.components; k += team_.size) shapes_[k] = model::shape_of(now_[k]);
    team_.sync();
    for (int i = team_.rank; i < table_.rows; i += team_.size) {
      double sum = 0;
      REBER_ROLLED
      for (int k = 0; k < in_.components && i < in_.pixels; ++k)
        sum += model::value_at(shapes_[k], in_.x[i], in_.y[i]).value;
      rest[i] = i < in_.pixels ? in_.value[i] - sum : 0.0;
    }
    team_.sync();
    if (team_.rank != 0) return;
    double plain[dense::kChains] = {}, scaled[dense::kChains] = {};
    REBER_ROLLED
    for (int i = 0; i < table_.rows; i += dense::kChains)
      for (int chain = 0; chain < dense::kChains; ++chain) {
        const double left = rest[i + chain], over_rms = left * (i + chain < in_.pixels ? inverse_rms_[i + chain] : 0.0);
        plain[chain] = std::fma(left, left, plain[chain]);
        scaled[chain] = std::fma(over_rms, over_rms, scaled[chain]);
      }
    outcome_.rest = (plain[0] + plain[1]) + (plain[2] + plain[3]);
    outcome_.rest_over_rms2 = (scaled[0] + scaled[1]) + (scaled[2] + scaled[3]);
  }

  REBER_HD int first_parameter(int component) const {
    int first = 0;
    for (int k = 0; k < component; ++k) first += model::free_parameters(in_.bounds[k]);
    return first;
  }

  template <class T>
  REBER_HD static void swap(T& a, T& b) {
    const T other = a;
    a = b;
    b = other;
  }

  const Team team_;
  const FitInput in_;
  const int parameters_;
  const FitLayout layout_;
  double* matrix_;
  dense::Triangle factor_;       ///< U of the weights' correlation
  dense::Table<Columns> table_;  ///< a row per pixel: derivatives, then the residual
  dense::Table<Columns> normal_, trial_normal_;
  dense::Table<Columns> left_, right_;
  dense::Triangle damped_;
  dense::Table<OneColumn> step_;
  double* inverse_rms_;
  GaussianComponent *now_, *trial_;
  model::Shape* shapes_;
  FitOutcome outcome_;
};

}  // namespace reber

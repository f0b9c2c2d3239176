// SPDX-License-Identifier: BSD-3-Clause
// Steps of fits of several components for processors with AVX-512, where a table has columns enough to fill its
// vectors: the chains of fit_thread.hpp, eight columns or pixels at a time, with the same bits.
#pragma once

#include <cstdint>

#include "kernels/shared/fit_steps.hpp"
#include "kernels/shared/gaussian_model.hpp"

namespace reber::cpu::wide {

/// Whether this processor has what the functions below are compiled for. REBER_CPU_VECTORS=narrow in the environment,
/// for tests: it has not.
[[nodiscard]] bool usable();

/// With fewer columns a vector waits for the one before, and narrow ones are as fast.
inline constexpr int kFewestColumns = 12;

/// Rows k .. k + 3 of dense::solve_transposed(), once all rows above are done.
///   panel: the factor's columns k .. k + 3, from row `begin` on, four numbers each (PanelFactor)
void solve_transposed(const double* panel, int begin, int k, const dense::Table<int>& x);

/// dense::product(); `upper` may leave out what is below the diagonal.
void product(const dense::Table<int>& left, const dense::Table<int>& right, bool upper, const dense::Table<int>& out);

/// steps::differentiate().
void differentiate(const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                   const dense::Table<int>& table);

}  // namespace reber::cpu::wide

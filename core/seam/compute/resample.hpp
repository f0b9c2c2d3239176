// SPDX-License-Identifier: BSD-3-Clause
// The value of an image between its pixels: one inline rule for host and card, which gives the same bits on both.
#pragma once

#include <cstdint>

#include "core/base/shape.hpp"
#include "core/sky/model/resample_table.hpp"

namespace reber::rules {

/// Places this near to a pixel's centre are at it: what WCSLIB rounds must not blend pixels.
inline constexpr double kAtCentre = 1e-6;

/// A place along one axis: between pixels `cell` and cell + 1.
struct TapPlace {
  std::int64_t cell = 0;
  std::int32_t phase = 0;
  float part = 0;  ///< of the way to the next phase
};

/// at: finite, of an absolute value that an integer holds
constexpr TapPlace tap_place(double at) {
  auto cell = static_cast<std::int64_t>(at);
  if (static_cast<double>(cell) > at) --cell;
  double beyond = at - static_cast<double>(cell);
  if (beyond < kAtCentre) beyond = 0;
  if (beyond > 1 - kAtCentre) {
    ++cell;
    beyond = 0;
  }
  const double phases = beyond * ResampleTable::kPhases;
  const auto phase = static_cast<std::int32_t>(phases);
  return {cell, phase, static_cast<float>(phases - static_cast<double>(phase))};
}

/// Whether a place along an axis of n pixels lies in one of them, which reach half a pixel beyond their centres. NaN
/// does not.
constexpr bool near_pixels(double at, std::int64_t n) {
  return at >= -0.5 - kAtCentre && at <= static_cast<double>(n) - 0.5 + kAtCentre;
}

/// The same place, no further out than the centres of the outermost pixels.
constexpr double among_centres(double at, std::int64_t n) {
  const auto last = static_cast<double>(n - 1);
  return at < 0 ? 0 : at > last ? last : at;
}

/// entry: of the phase and the width
constexpr float tap_weight(const float* entry, float part, int k) {
  return entry[k] + part * entry[ResampleTable::kTaps + k];
}

constexpr const float* tap_entry(const float* table, int width, std::int32_t phase) {
  return table + (width * ResampleTable::kPhases + phase) * ResampleTable::kEntry;
}

constexpr float sum_of_eight(const float* a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

constexpr bool is_finite(float value) { return value - value == 0; }

/// The weighted sum of the pixels of one width. False where one of them that has a weight is blank or outside.
///   pixel(y, x): of the image
template <class Pixel>
constexpr bool sum_of_width(const float* table_x, const float* table_y, int width, const TapPlace& y, const TapPlace& x,
                            Shape image, const Pixel& pixel, float& sum) {
  const float *const entry_x = tap_entry(table_x, width, x.phase), *const entry_y = tap_entry(table_y, width, y.phase);
  float columns[ResampleTable::kTaps] = {};
  for (int k = width; k < ResampleTable::kTaps - width; ++k) {
    const float weight_x = tap_weight(entry_x, x.part, k);
    const std::int64_t at_x = x.cell - 3 + k;
    if (weight_x == 0) continue;
    if (at_x < 0 || at_x >= image.nx) return false;
    float column = 0;
    for (int j = width; j < ResampleTable::kTaps - width; ++j) {
      const float weight_y = tap_weight(entry_y, y.part, j);
      const std::int64_t at_y = y.cell - 3 + j;
      if (weight_y == 0) continue;
      if (at_y < 0 || at_y >= image.ny) return false;
      const float value = pixel(at_y, at_x);
      if (!is_finite(value)) return false;
      column = column + weight_y * value;
    }
    columns[k] = column * weight_x;
  }
  sum = sum_of_eight(columns);
  return true;
}

/// The value at a place, NaN where it is blank. The widest of 8, 6, 4 and 2 pixels of which none is blank counts; where
/// one of the two by two about the place is blank, so is the result. Between the centres of the outermost pixels and
/// the image's edge the value is that at the centres.
template <class Pixel>
constexpr float resampled(const float* table_x, const float* table_y, Interpolation how, double at_y, double at_x,
                          Shape image, const Pixel& pixel) {
  constexpr float kBlank = __builtin_nanf("");
  if (!near_pixels(at_y, image.ny) || !near_pixels(at_x, image.nx)) return kBlank;
  const TapPlace y = tap_place(among_centres(at_y, image.ny)), x = tap_place(among_centres(at_x, image.nx));
  if (how == Interpolation::nearest) {
    const std::int64_t row = y.cell + (2 * y.phase >= ResampleTable::kPhases ? 1 : 0);
    const std::int64_t column = x.cell + (2 * x.phase >= ResampleTable::kPhases ? 1 : 0);
    if (row < 0 || column < 0 || row >= image.ny || column >= image.nx) return kBlank;
    const float value = pixel(row, column);
    return is_finite(value) ? value : kBlank;
  }
  float sum = 0;
  for (int width = how == Interpolation::fitted ? 0 : ResampleTable::kWidths - 1; width < ResampleTable::kWidths;
       ++width)
    if (sum_of_width(table_x, table_y, width, y, x, image, pixel, sum)) return is_finite(sum) ? sum : kBlank;
  return kBlank;
}

}  // namespace reber::rules

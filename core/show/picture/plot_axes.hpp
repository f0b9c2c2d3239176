// SPDX-License-Identifier: BSD-3-Clause
// What all plots share: inks, and axes that run along a piece of the canvas.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/show/picture/canvas.hpp"
#include "core/show/picture/sky_axes.hpp"

namespace reber::plot {

inline constexpr Ink kBlack{25, 25, 28, 1};
inline constexpr Ink kWhite{255, 255, 255, 1};
inline constexpr Ink kGrid{222, 224, 228, 1};
inline constexpr Ink kFineGrid{240, 241, 243, 1};
/// Colours that stay apart for colour-blind readers (Okabe and Ito 2008), then darker ones.
inline constexpr std::array<Ink, 8> kColours = {{{0, 114, 178, 1},
                                                 {213, 94, 0, 1},
                                                 {0, 158, 115, 1},
                                                 {204, 121, 167, 1},
                                                 {230, 159, 0, 1},
                                                 {86, 180, 233, 1},
                                                 {100, 100, 105, 1},
                                                 {130, 60, 20, 1}}};
inline constexpr double kText = 11;

inline Ink colour_of(std::size_t series) { return kColours[series % kColours.size()]; }

/// A range of values on a piece of the canvas.
struct Scale {
  double low = 0, high = 1;
  bool logarithmic = false;
  double from = 0, to = 1;         ///< canvas positions of low and high
  std::vector<double> marks = {};  ///< values of the ticks; round ones are chosen where empty

  [[nodiscard]] bool shows(double v) const;
  [[nodiscard]] double at(double v) const;
  [[nodiscard]] std::vector<Tick> ticks(int wanted) const;
};

/// A range that holds the values with a little room; NaN and, where it is logarithmic, what is not positive left out.
[[nodiscard]] Scale range_of(const std::vector<double>& values, bool logarithmic);

/// Lines at 2 to 9 times each power of ten, from a to b across.
void fine_grid(Canvas& canvas, const Scale& scale, bool vertical, double a, double b);
/// Grid lines, ticks and their labels of the x axis, then of the y axis.
void draw_axes(Canvas& canvas, const Scale& x, const Scale& y, int x_ticks, int y_ticks);

}  // namespace reber::plot

// SPDX-License-Identifier: BSD-3-Clause
// A background that rises and falls over a few cells of the mesh, which their median filter would not follow.
#pragma once

#include <array>
#include <vector>

#include "core/seam/compute/background.hpp"

namespace reber {

/// A surface through the means of cells: a polynomial of second order about each cell, whose mean over the cell is
/// meant. Between the centres of cells the four about a place are blended bilinearly.
struct LevelSurface {
  MeshGrid cells;
  /// Of 1, x, y, x^2, xy, y^2, in cells from the cell's centre; where too few cells are known the level of those
  /// nearest.
  std::vector<std::array<double, 6>> factors;

  /// At a place in pixels; beyond the outermost centres their polynomials go on.
  [[nodiscard]] double at(double y, double x) const;
};

/// Three rounds of local polynomials through the 5 x 5 cells about each, the second and third through what those before
/// left: waves of four cells keep .95 of their height.   a cell whose mean is not finite takes no part
[[nodiscard]] LevelSurface level_surface(const MeshGrid& grid, const std::vector<float>& means);

/// Whether such a surface is the background where the median filter is not. Among some 500 cells the filter's value is
/// more than .3 rms too high at a hundredth of them, three at least, and too low at as many, in sum at most twice as
/// far: emission stands on what is level. In these cells, in the median, the surface through the others is nearer to
/// the mean than half of what the filter is, which keeps steps and sources. Not with more than 2^16 cells.
[[nodiscard]] bool filter_cuts_waves(const MeshGrid& grid, const MeshCells& cells, int filter);

/// Whether means are more than .3 rms off the filter in a quarter of the cells, so that smaller cells may follow where
/// these do not.
[[nodiscard]] bool means_vary(const MeshGrid& grid, const MeshCells& cells, int filter);

/// Nodes near enough for surfaces, where cells of a mesh are of this grid.
[[nodiscard]] MeshGrid nodes_of(const MeshGrid& grid, const std::vector<LevelSurface>& surfaces);

/// Adds surfaces to the mean at the nodes that a model has.
void add_surfaces(BackgroundModel& model, const std::vector<LevelSurface>& surfaces);

}  // namespace reber

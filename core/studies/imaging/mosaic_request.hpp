// SPDX-License-Identifier: BSD-3-Clause
// What a mosaic is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/files/fits/grid_cards.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/sky/model/grid_geometry.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "core/studies/imaging/primary_beam.hpp"

namespace reber {

struct MosaicInput {
  std::string path;
  std::string name;  ///< what it is called: the path, or that of the user's file
  double scale = 1;  ///< its pixels are multiplied by this, and so is its noise
  SkyShift shift;
  /// In its own unit, before the scale: one number for all channels, or one per channel. Empty: measured in each.
  std::vector<double> rms;
  /// The file of a map of the rms of its pixels as they are, on its own grid: one plane for all channels, or one per
  /// channel. Goes before `rms`; empty: none.
  std::string rms_map;
  std::optional<CubeSource> file;  ///< where it is open already
};

struct MosaicRequest {
  std::vector<MosaicInput> inputs;
  SkyGrid grid;
  PrimaryBeam primary;
  bool corrected = false;     ///< the images have been divided by the primary beam
  double cutoff = 0.1;        ///< of the primary beam, below which a field does not count
  double final_cutoff = 0.2;  ///< blank where the weight is below its square times the channel's largest weight
  Interpolation how = Interpolation::fitted;
  std::optional<Beam> beam;  ///< in place of the headers'
  BeamIs beam_is = BeamIs::automatic;
  bool smoothed = false;  ///< the inputs are fields smoothed to a common beam, and HISTORY says so of a measured rms
  bool uniform = false;   ///< their rms is 1 to weight all alike, and HISTORY does not state it as noise
  OpenOptions open;       ///< with a plane: that one of each input; without one all planes of cubes
  int threads = 0;
  std::vector<std::string> history;
};

}  // namespace reber

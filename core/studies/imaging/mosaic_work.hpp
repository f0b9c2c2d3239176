// SPDX-License-Identifier: BSD-3-Clause
// A mosaic from files to files, in the words of `reber mosaic`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/request/request.hpp"
#include "core/studies/imaging/cube_work.hpp"
#include "core/studies/imaging/grid_words.hpp"
#include "core/studies/imaging/mosaic.hpp"

namespace reber {

struct MosaicWork {
  Request base;                     ///< open, beam, call, program, memory, durable
  std::vector<MosaicInput> inputs;  ///< with scale, shift and rms as far as no table says them
  GridWords grid;
  bool common_beam = false;      ///< smoothed to the smallest common beam first
  bool per_plane = false;        ///< of cubes, one for each plane
  std::optional<Beam> to_beam;   ///< or to this one
  std::string primary = "none";  ///< as PrimaryBeam::parse
  /// noise, uniform, map:NAME (% in it: the field's name without its ending), or a table by file: a number, one per
  /// channel, or the name of a map
  std::string weights = "noise";
  std::string shifts, scales;                          ///< tables by file; empty: none
  bool corrected = false;                              ///< as in MosaicRequest, and so on
  double cutoff = 0.1, final_cutoff = 0.2;             //
  Interpolation how = Interpolation::fitted;           //
  BeamIs beam_is = BeamIs::automatic;                  //
  std::string output, weight, rms, psf_map, coverage;  ///< paths; empty but for the first: not written
  int threads = 0;
  bool overwrite = false;
};

/// Inputs of which only the path is known.
[[nodiscard]] std::vector<MosaicInput> mosaic_inputs(const std::vector<std::string>& files);
/// The files that a mosaic is written to.
[[nodiscard]] std::vector<std::string> mosaic_outputs(const MosaicWork& work);

struct MosaicDone {
  std::vector<std::string> history, warnings;
  std::optional<Beam> beam;  ///< in its middle
};

/// What is begun, for people: a field that is smoothed, then the output.
using OnSubject = std::function<void(const std::string& text)>;

/// Refuses what cannot be done by the headers alone; `beam` is empty where beams are made alike first.   throws as
/// make_mosaic
[[nodiscard]] MosaicDone plan_mosaic(const MosaicWork& work, const Progress& progress);

/// Does all of it. Files appear together at the end, or none; smoothed fields lie beside the output and go.
///   throws as grid_of, read_field_table, PrimaryBeam::parse, CommonFields and Mosaic
[[nodiscard]] MosaicDone make_mosaic(const MosaicWork& work, const OnBackend& on_backend, const OnSubject& on_subject,
                                     const Progress& progress, const LogSink& log);

}  // namespace reber

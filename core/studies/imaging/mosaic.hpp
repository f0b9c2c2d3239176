// SPDX-License-Identifier: BSD-3-Clause
// Fields put on one grid and added with weights.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files/fits/grid_cards.hpp"
#include "core/studies/imaging/mosaic_store.hpp"
#include "core/studies/imaging/primary_beam.hpp"
#include "core/studies/imaging/regrid.hpp"

namespace reber {

struct MosaicInput {
  std::string path;
  std::string name;  ///< what it is called: the path, or that of the user's file
  double scale = 1;  ///< its pixels are multiplied by this, and so is its noise
  SkyShift shift;
  std::optional<double> rms;  ///< in its own unit, before the scale; empty: measured
};

struct MosaicRequest {
  std::vector<MosaicInput> inputs;
  SkyGrid grid;
  PrimaryBeam primary;
  bool corrected = false;     ///< the images have been divided by the primary beam
  double cutoff = 0.1;        ///< of the primary beam, below which a field does not count
  double final_cutoff = 0.2;  ///< blank where the weight is below its square times the largest weight
  Interpolation how = Interpolation::fitted;
  std::optional<Beam> beam;  ///< in place of the headers'
  BeamIs beam_is = BeamIs::automatic;
  OpenOptions open;
  int threads = 0;
  std::vector<std::string> history;
};

/// One field as it counts.
struct MosaicField {
  std::string name;
  std::shared_ptr<const ImageHeader> header;
  std::shared_ptr<const PixelSource> pixels, primary;  ///< primary: of the image of it, or null
  double scale = 1, rms = 0, frequency_hz = 0;
  SkyShift shift;
  Rect covered;  ///< of the grid
  std::optional<Beam> beam;
};

/// The mosaic
///   I = sum_i p_i v_i / s_i^2 / W,  W = sum_i p_i^2 / s_i^2,  noise 1 / sqrt(W)
/// over the fields i whose pixel v_i on the grid is not blank and whose primary beam p_i is at least the cutoff; s_i is
/// the rms of the field. Fields that were divided by their beams count with p_i^2 v_i. These are the weights of linmos
/// and MosaicQueen; the final cutoff is linmos' finalcutoff and MosaicQueen's limit of noise, min / final_cutoff.
class Mosaic {
 public:
  /// Opens and checks all fields.   throws InputError: no beam in a field, beams or units that differ, no overlap with
  /// the grid, an image of the primary beam on another grid, no frequency where the model needs one
  explicit Mosaic(MosaicRequest request, const Progress& progress = {});
  [[nodiscard]] const std::vector<MosaicField>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<std::string>& history() const { return history_; }
  /// As warnings_of_sampling(), of the first field that has any.
  [[nodiscard]] std::vector<std::string> warnings() const;
  [[nodiscard]] const std::optional<Beam>& beam() const { return beam_; }

  /// Measures the noise of the fields, then makes the mosaic, a band of rows at a time.   beside: where much is kept
  ///   throws InputError where a field has no noise that can be measured, or nothing is left
  void make(const std::shared_ptr<Backend>& backend, const std::string& beside, const Progress& progress);

  // After make().
  void write_image(const std::string& path, const FileOptions& how, const Progress& progress) const;
  void write_weight(const std::string& path, const FileOptions& how, const Progress& progress) const;
  void write_rms(const std::string& path, const FileOptions& how, const Progress& progress) const;
  /// The mean of the fields' beams, FWHM^2 weighted as pixels are.   throws InputError where fields have no beam
  void write_psf(const std::string& path, const FileOptions& how, const Progress& progress) const;
  /// A MOC of the pixels that are not blank.
  void write_coverage(const std::string& path, const FileOptions& how, const Progress& progress) const;

 private:
  void open(const MosaicInput& input, const Progress& progress);
  void check_alike();
  void measure(Backend& backend, const Progress& progress);
  [[nodiscard]] OutputHeader header_of(const ImageHeader& like, const std::string& unit) const;
  void write(const std::string& path, const std::string& unit, const FileOptions& how, const Progress& progress,
             const std::function<float(float image, float weight)>& value) const;

  MosaicRequest request_;
  std::vector<MosaicField> fields_;
  std::vector<std::string> history_;
  std::optional<Beam> beam_;
  double noise_gain_ = 1;
  double least_weight_ = 0;  ///< of a pixel that is not blank
  std::unique_ptr<MosaicStore> store_;
};

}  // namespace reber

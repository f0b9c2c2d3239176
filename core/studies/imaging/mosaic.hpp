// SPDX-License-Identifier: BSD-3-Clause
// Fields put on one grid and added with weights.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/studies/imaging/mosaic_fields.hpp"
#include "core/studies/imaging/mosaic_plane.hpp"

namespace reber {

/// Paths; all but the first may be empty: not written.
struct MosaicFiles {
  std::string image, weight, rms, psf_map, coverage;
};

/// The mosaic
///   I = sum_i p_i v_i / s_i^2 / W,  W = sum_i p_i^2 / s_i^2,  noise 1 / sqrt(W)
/// over the fields i whose pixel v_i on the grid is not blank and whose primary beam p_i is at least the cutoff; s_i is
/// the rms of the field, one number or a map. Fields that were divided by their beams count with p_i^2 v_i; a map of
/// theirs is that of s_i / p_i. These are the weights of linmos and MosaicQueen; the final cutoff is linmos'
/// finalcutoff and MosaicQueen's limit of noise, min / final_cutoff. Cubes are added plane by plane, each with its own
/// beams, weights and final cutoff; a field does not count in a plane that is blank or has no noise.
class Mosaic {
 public:
  /// Opens and checks all fields.   throws as MosaicFields
  explicit Mosaic(MosaicRequest request, const Progress& progress = {});
  Mosaic(const Mosaic&) = delete;
  Mosaic& operator=(const Mosaic&) = delete;
  [[nodiscard]] const MosaicFields& fields() const { return fields_; }
  [[nodiscard]] const std::vector<std::string>& history() const { return history_; }
  [[nodiscard]] std::vector<std::string> warnings() const { return fields_.warnings(); }
  /// In the middle of the first channel.
  [[nodiscard]] const std::optional<Beam>& beam() const { return fields_.beams().front(); }

  /// Measures the noise of the fields where it is not given, adds them, and writes what was asked for. Memory: a plane
  /// of pixels and weights, as MosaicStore keeps it, and bands of rows.
  ///   log: fields that do not count in some channels of cubes
  ///   throws InputError where a field has no noise, nothing is left, or a map of beams is asked for of fields that
  ///   have none; as write_fits
  void write(const MosaicFiles& files, const std::shared_ptr<Backend>& backend, const FileOptions& how,
             const Progress& progress, const LogSink& log);

 private:
  using OnGrid = std::vector<std::unique_ptr<FieldOnGrid>>;
  class CubeFiles;
  struct Account;

  void write_image(const MosaicFiles& files, const std::shared_ptr<Backend>& backend, const FileOptions& how,
                   const Progress& progress);
  void write_cube(const MosaicFiles& files, const std::shared_ptr<Backend>& backend, const FileOptions& how,
                  const Progress& progress, const LogSink& log);
  void check_psf_map(const MosaicFiles& files) const;
  [[nodiscard]] OnGrid channel(std::int64_t channel, const std::shared_ptr<Backend>& backend, WeightTables& tables,
                               Account& account, const Progress& progress) const;
  [[nodiscard]] OutputHeader header_of(const ImageHeader& like, const std::string& unit) const;
  [[nodiscard]] std::vector<std::string> history_of(const Account& account) const;

  MosaicRequest request_;
  MosaicFields fields_;
  std::vector<std::string> history_;
};

}  // namespace reber

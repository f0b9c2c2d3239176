// SPDX-License-Identifier: BSD-3-Clause
// The fields of a mosaic, open and checked against each other, channel by channel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/studies/imaging/mosaic_request.hpp"
#include "core/studies/imaging/regrid.hpp"

namespace reber {

/// One field in one channel, as it counts.
struct MosaicField {
  std::string name;
  std::shared_ptr<const ImageHeader> header;
  std::shared_ptr<const PixelSource> pixels;
  std::shared_ptr<const PixelSource> primary;  ///< of the image of it, or null
  std::shared_ptr<const PixelSource> noise;    ///< of the map of it, or null
  double scale = 1;
  double rms = 0;            ///< before the scale; 0: to be measured, or in the map
  double noise_scale = 1;    ///< what the map is multiplied by to be in the image's unit, before the scale
  double frequency_hz = 0;   ///< NaN where it states none
  SkyPosition pointing;      ///< in the frame of the grid
  Rect covered;              ///< of the grid
  std::optional<Beam> beam;  //
  std::shared_ptr<PlaceGrids> places;
};

/// The pixels of a grid that a field may cover, no more than the grid has.
[[nodiscard]] Rect covered_by(const ImageHeader& field, const SkyGrid& grid);

class MosaicFields {
 public:
  /// Opens all of them, and looks at the headers of all channels.
  ///   throws InputError: no beam in a field, beams or units that differ, no overlap with the grid, cubes of other
  ///   channels, an image of the primary beam or a map of the rms on another grid, no frequency where the model needs
  ///   one; as CubeSource::open
  MosaicFields(const MosaicRequest& request, const Progress& progress);

  [[nodiscard]] std::int64_t channels() const { return static_cast<std::int64_t>(planes_.size()); }
  /// They are cubes, of which all planes are taken; else one plane of each.
  [[nodiscard]] bool cubes() const { return cubes_; }
  [[nodiscard]] const SkyGrid& grid() const { return request_.grid; }
  /// Of the first field in its first channel.
  [[nodiscard]] const ImageHeader& first() const { return *first_; }
  [[nodiscard]] const std::vector<MosaicInput>& inputs() const { return request_.inputs; }
  /// The beam of each channel on the grid, in its middle; empty where no field has one.
  [[nodiscard]] const std::vector<std::optional<Beam>>& beams() const { return beams_; }
  /// What pixels of a field are multiplied by: its own factor, and that of its unit to the unit of the first.
  [[nodiscard]] double scale(std::size_t i) const { return fields_[i].scale; }
  /// As warnings_of_sampling(), of the first field that has any.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// A sentence where fields of images are of several frequencies; else empty.
  [[nodiscard]] const std::string& frequencies() const { return frequencies_; }

  /// A field in a channel, from 0. Empty where the field's plane has no beam while others of its cube have one, which
  /// marks a flagged channel.   throws as CubeSource::pixels
  [[nodiscard]] std::optional<MosaicField> field(std::size_t i, std::int64_t channel, const Progress& progress) const;

 private:
  /// What one plane of a field states.
  struct Stated {
    double frequency_hz = 0;
    std::optional<Beam> beam;
    bool flagged = false;
  };
  struct Opened {
    std::shared_ptr<const CubeSource> image, primary, noise;
    std::shared_ptr<PlaceGrids> places;
    double scale = 1, noise_scale = 1;
    Rect covered;
    SkyPosition pointing;
    std::vector<Stated> channels;
  };

  [[nodiscard]] Opened opened(const MosaicInput& input, const Progress& progress);
  void take_planes(const CubeSource& image, const std::string& name);
  void check_unit(Opened& field, const ImageHeader& header, const std::string& name) const;
  void check_rms(Opened& field, const MosaicInput& input, const ImageHeader& header, const Progress& progress) const;
  [[nodiscard]] std::shared_ptr<const CubeSource> map_on(const std::string& path, const ImageHeader& header,
                                                         const std::string& name, const Progress& progress) const;
  void check_alike();
  [[nodiscard]] std::int64_t plane_in(const CubeSource& map, std::int64_t channel) const;

  const MosaicRequest& request_;
  std::vector<std::int64_t> planes_;
  bool cubes_ = false;
  std::shared_ptr<const ImageHeader> first_;
  std::vector<Opened> fields_;
  std::vector<std::optional<Beam>> beams_;
  std::string frequencies_;
};

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// An image put on another grid: its pixels, its beam, its noise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/log.hpp"
#include "core/files/fits/grid_cards.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/run/flow/node.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/sky/model/grid_geometry.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"

namespace reber {

/// Places of pixels of one image on another, by rectangle; those of a few rectangles are kept, for the next plane of a
/// cube.
class PlaceGrids {
 public:
  /// keep: bytes of them that are kept
  PlaceGrids(PlaceMap map, int threads, std::int64_t keep = std::int64_t{256} << 20)
      : map_(std::move(map)), threads_(threads), keep_(keep) {}
  [[nodiscard]] std::shared_ptr<const PlaceGrid> of(const Rect& where);
  [[nodiscard]] const PlaceMap& map() const { return map_; }

 private:
  PlaceMap map_;
  int threads_;
  std::vector<std::shared_ptr<const PlaceGrid>> kept_;
  std::int64_t keep_, kept_bytes_ = 0;
};

/// A plane on another grid. Brightness per beam, per solid angle and in K keeps its value; per pixel it is multiplied
/// by the ratio of the pixels' areas.
class RegridNode final : public FlowNode {
 public:
  /// plane: of the backend, with the pixels of an image whose header was put on the grid to become `header`
  RegridNode(std::shared_ptr<Backend> backend, std::shared_ptr<const Plane> plane,
             std::shared_ptr<const ImageHeader> header, std::shared_ptr<PlaceGrids> places,
             std::shared_ptr<const ResampleTable> table)
      : backend_(std::move(backend)),
        plane_(std::move(plane)),
        header_(std::move(header)),
        places_(std::move(places)),
        table_(std::move(table)) {}
  [[nodiscard]] const ImageHeader& header() const override { return *header_; }
  void render(const Rect& where, float* out, const Progress& progress) override;
  /// A rectangle that stays with the backend, of a unit that is not per pixel.
  [[nodiscard]] std::unique_ptr<Plane> plane(const Rect& where, const Progress& progress);

 private:
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<const Plane> plane_;
  std::shared_ptr<const ImageHeader> header_;
  std::shared_ptr<PlaceGrids> places_;
  std::shared_ptr<const ResampleTable> table_;
};

/// The plane of an image, its pixels left in the source where they do not fit the device, or live in host memory.
[[nodiscard]] std::shared_ptr<const Plane> plane_of(Backend& backend, std::shared_ptr<const PixelSource> pixels,
                                                    const Job& job);

/// The beam of an image at places of another grid, with its angle from that grid's north.
class BeamOnGrid {
 public:
  /// is: not automatic;   throws InputError as PlaceMap, and where the image has no geometry at its middle
  BeamOnGrid(const ImageHeader& image, const Beam& beam, BeamIs is, const SkyGrid& grid);
  /// At a pixel of the grid; empty where the image has no place for it.
  [[nodiscard]] std::optional<Beam> at(PixelPosition pixel) const;
  /// At the middle of the grid, or of the image where the grid's middle is off the image.
  [[nodiscard]] Beam middle() const;
  /// FWHM^2 in pixels of the image at its middle.
  [[nodiscard]] const Covariance& pixels() const { return pixels_; }

 private:
  [[nodiscard]] std::optional<Beam> at_image(PixelPosition place) const;

  Wcs image_;
  Shape shape_, grid_shape_;
  PlaceMap map_;
  SkyConverter turn_;
  Beam beam_;
  Covariance pixels_;
  bool by_pixels_;
};

/// What is lost where the grid's pixels are too few for an image, and what its unit leaves open; none where all is
/// well, or where the nearest pixel is taken.   beam: of the image, on the grid;   places: of the grid's pixels on the
/// image
[[nodiscard]] std::vector<std::string> warnings_of_sampling(const ImageHeader& image, const std::optional<Beam>& beam,
                                                            const SkyGrid& grid, Interpolation how);

struct RegridRequest {
  std::string input;
  SkyGrid grid;
  Interpolation how = Interpolation::fitted;
  std::optional<Beam> beam;  ///< in place of the header's
  BeamIs beam_is = BeamIs::automatic;
  std::optional<std::int64_t> plane;  ///< of a cube; empty: all
  int threads = 0;
  std::vector<std::string> history;  ///< first lines of HISTORY
};

/// What regridding would do or has done.
struct RegridFacts {
  std::int64_t planes = 1;
  Rect covered;              ///< of the grid
  std::optional<Beam> beam;  ///< of the output, in its middle; of the first plane that has one
  double noise_gain = 1;     ///< rms of noise that is correlated like the beam, after over before
  std::vector<std::string> history, warnings;
};

/// One image or cube put on a grid.
class Regridding {
 public:
  /// throws InputError where the image has no sky coordinates or lies outside the grid
  Regridding(const CubeSource& cube, RegridRequest request);
  [[nodiscard]] const RegridFacts& facts() const { return facts_; }
  /// The first plane on the grid, made as it is asked for, and the cards that write() gives it where it is the only
  /// one.
  [[nodiscard]] std::unique_ptr<RegridNode> first(const std::shared_ptr<Backend>& backend,
                                                  const Progress& progress) const;
  [[nodiscard]] std::string cards() const;
  /// Writes the image.   how: as write_fits
  void write(const std::string& path, const std::shared_ptr<Backend>& backend, const FileOptions& how,
             const Progress& progress) const;
  /// Writes the map of the noise: that of the input, on its grid, interpolated and scaled.   throws InputError where
  /// the map is of another shape
  void write_rms(const std::string& path, const std::string& map, const std::shared_ptr<Backend>& backend,
                 const FileOptions& how, const Progress& progress) const;
  /// Writes the map of the beam in the form that `find --psf-map` reads, a node every few pixels. Where the planes of a
  /// cube have beams of their own, the map has one for each along a fourth axis, blank for a plane without a beam.
  ///   throws InputError where no plane has a beam
  void write_psf(const std::string& path, const FileOptions& how, const Progress& progress) const;

 private:
  struct Beams {
    std::optional<Beam> one;
    std::vector<std::optional<Beam>> table;
  };
  [[nodiscard]] std::optional<Beam> beam_of(std::int64_t plane) const;
  /// Planes have beams of their own, or some have none.
  [[nodiscard]] bool beams_differ() const;
  [[nodiscard]] Beams output_beams() const;
  [[nodiscard]] std::shared_ptr<const ResampleTable> table_of(const std::optional<Beam>& beam) const;
  [[nodiscard]] OutputHeader header_of(const ImageHeader& like) const;
  /// Of an only plane.
  [[nodiscard]] OutputHeader plane_header(const ImageHeader& like) const;
  [[nodiscard]] std::unique_ptr<RegridNode> node_of(std::int64_t plane, const std::shared_ptr<Backend>& backend,
                                                    std::shared_ptr<const ImageHeader> like,
                                                    const Progress& progress) const;
  [[nodiscard]] std::shared_ptr<const ImageHeader> like() const;

  const CubeSource& cube_;
  RegridRequest request_;
  std::vector<std::int64_t> planes_;
  std::shared_ptr<PlaceGrids> places_;
  RegridFacts facts_;
};

}  // namespace reber

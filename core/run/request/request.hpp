// SPDX-License-Identifier: BSD-3-Clause
// Everything that one run is asked to do. The command line, a configuration file and the viewer all make one of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.hpp"
#include "core/files/catalogue/sky_model.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/io/commit_group.hpp"
#include "core/measure/sources/column_sets.hpp"
#include "core/measure/sources/deblend.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/measure/sources/group_options.hpp"
#include "core/seam/compute/background.hpp"
#include "core/seam/compute/convolution.hpp"
#include "core/seam/compute/detection.hpp"
#include "core/sky/model/grid_geometry.hpp"
#include "core/sky/model/kernel.hpp"

namespace reber {

struct ConvolveRequest {
  KernelSpec kernel;
  std::optional<Algorithm> algorithm;  ///< auto where empty
  std::string variant;                 ///< of the algorithm, by its name; empty: the cheapest
  Boundary boundary = Boundary::reflect;
  std::optional<NanRule> nan;          ///< auto where empty: nan_rule() in parameter_rules.hpp
  std::optional<Normalise> normalise;  ///< auto where empty: normalisation()
  double min_weight = 0.5;
  bool keep_blanks = false;
  bool operator==(const ConvolveRequest&) const = default;
};

struct BackgroundRequest {
  enum class Method { mesh, grid, clip } method = Method::mesh;
  std::int64_t box = 0;             ///< side of a cell or sliding box in pixels; 0: chosen from beam and image
  std::int64_t step = 0;            ///< from one sliding box to the next; 0: half a box
  MeshOptions mesh;                 ///< clip options serve all methods
  int passes = 2;                   ///< mesh and grid: each after the first leaves out the sources found before it
  bool adaptive = false;            ///< smaller boxes near bright sources
  std::int64_t bright_box = 0;      ///< side of these in pixels; 0: a third of `box`, and at least 10 beams
  std::int64_t bright_step = 0;     ///< of their grid; 0: the same part of a box as elsewhere
  double bright_sigma = 50;         ///< above which a source is bright
  std::string mean_path, rms_path;  ///< maps to read in place of measuring; both as map_choice() reads them
  bool operator==(const BackgroundRequest&) const = default;
};
template <>
inline constexpr auto words<BackgroundRequest::Method> =
    std::to_array<Word<BackgroundRequest::Method>>({{"mesh", BackgroundRequest::Method::mesh, "mesh of cells"},
                                                    {"grid", BackgroundRequest::Method::grid, "sliding boxes"},
                                                    {"clip", BackgroundRequest::Method::clip, "one value"}});

/// What detection runs on in place of the image's own S/N (core/run/pipeline/detection_planes.hpp).
struct ScaleRequest {
  std::vector<double> fwhm;  ///< of the Gaussians that the image is smoothed with; 0: the image itself
  bool in_beams = false;     ///< fwhm is in beams, else in pixels
  int wavelets = 0;          ///< wavelet planes w_1 .. w_J and the image; 0: none
  [[nodiscard]] bool any() const { return !fwhm.empty() || wavelets > 0; }
  bool operator==(const ScaleRequest&) const = default;
};

/// Where sources are looked for, beside the image itself; empty paths are none.
struct SearchRequest {
  std::string image;                  ///< islands come from this image, measures from the image itself
  std::string image_mean, image_rms;  ///< its maps, as those of BackgroundRequest
  std::string mask, region, moc;      ///< nothing outside is detected: mask_for(), read_regions(), read_moc() read them
  [[nodiscard]] bool masked() const { return !mask.empty() || !region.empty() || !moc.empty(); }
  [[nodiscard]] bool any() const { return !image.empty() || masked(); }
  bool operator==(const SearchRequest&) const = default;
};

/// A map or a picture to write: its word in the table of products, and its file.
struct ProductFile {
  std::string word, path;
};

/// Files to write.
struct OutputRequest {
  std::vector<std::string> catalogues;
  ColumnSet columns = ColumnSet::pybdsf;  ///< of the tables among them
  bool plane_columns = false;             ///< tables begin with plane, frequency and beam of the image
  std::string format;                     ///< word of a format, for paths whose ending tells none
  Patches patches = Patches::source;      ///< of sky models
  std::vector<ProductFile> products;
  std::vector<std::string> cards;  ///< of maps in floats, in place of the image's of their names
  int more_axes = 0;               ///< of these: axes of one pixel behind the plane's, which the cards describe
  bool keep_axes = false;          ///< maps in floats keep the image's further axes, of one pixel
  Durable durable = Durable::end;
  bool overwrite = false;

  /// Nothing for an empty path.   word: of core/run/pipeline/product_table.hpp
  void want(std::string_view word, const std::string& path) {
    if (!path.empty()) products.push_back({std::string(word), path});
  }
  /// Empty where the product is not wanted.
  [[nodiscard]] std::string file_of(std::string_view word) const {
    for (const ProductFile& one : products)
      if (one.word == word) return one.path;
    return "";
  }
  /// Of all that is wanted.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> paths = catalogues;
    for (const ProductFile& one : products) paths.push_back(one.path);
    return paths;
  }
};

struct Request {
  std::string input;
  OpenOptions open;
  std::optional<Beam> beam;                     ///< given by the user, in place of the header's
  std::string psf_map;                          ///< how the beam varies: read_beam_map(); empty: it does not
  BeamIs beam_is = BeamIs::automatic;           ///< what of one beam is the same everywhere
  std::optional<ConvolveRequest> convolve;      ///< not convolved where empty
  std::optional<BackgroundRequest> background;  ///< not measured where empty
  std::optional<DetectOptions> detect;          ///< no sources where empty; needs background
  ScaleRequest scales;
  SearchRequest search;
  double fdr = 0;         ///< false discovery rate that sets the seed threshold; 0: detect->seed does
  double deepen = 0.001;  ///< part that may be false where a crowded field lowers the seed; 0: never
  DeblendOptions deblend;
  FitRequest fit;  ///< how sources are measured
  Calibration calibration;
  GroupOptions group;         ///< how Gaussians become sources in tables of sources
  bool negative_too = false;  ///< negative detections as well, flagged in the catalogue
  bool reliability = false;   ///< searches the negative image too, for Source::reliability
  OutputRequest output;
  std::int64_t device_memory_bytes = 0;  ///< cap for the plan; 0: what the backend offers
  std::int64_t host_memory_bytes = 0;    ///< cap for the plan; 0: what is free decides
  bool dry_run = false;                  ///< plan, report, and stop before any pixel
  std::string program;                   ///< "reber 0.1.0", for HISTORY
  std::vector<std::string> call;         ///< for HISTORY: "backend = \"cpu\"", options that are no parameters
};

}  // namespace reber

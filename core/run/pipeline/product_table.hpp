// SPDX-License-Identifier: BSD-3-Clause
// The one table of what a run can write or show. `run --products`, `find --write-...`, cubes, Python's maps and the
// viewer's layers are made of its rows.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fair_turn.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// A finished run that a map is made of.
struct ProductSource {
  const Result& result;
  const Job& job;
  FairTurn& turn;  ///< to be held while the backend is asked: it serves one thread at a time
};

/// A map that is drawn a band of rows at a time, by one thread at a time, while its source lives.
struct ProductMap {
  FloatRows rows;
  std::vector<std::string> history = {};  ///< HISTORY lines beside the run's own
  bool beam = true;                       ///< its pixels are smoothed by the beam, which the header states
};

using MakeMap = ProductMap (*)(const ProductSource& source);

/// One row: where a product is named, and who makes it. Empty words: it is not there.
struct Product {
  enum class Kind { catalogue, map, nodes, labels, picture, report };
  enum class UnitOf { image, total, sigma, none };
  /// The stage without which there is none.
  enum class Needs { plane, convolution, background, sources };
  /// How the viewer first shows it: with limits about the noise, by all its range, even about 0, by its brightest part.
  enum class Look { signal, level, difference, model };

  std::string_view word;    ///< of `run --products`; never changes
  std::string_view ending;  ///< of run's file, behind the name of the input
  bool usual = false;       ///< written by run where no products are named
  std::string_view option;  ///< of `find`
  std::string_view python;  ///< the map of reber.Result, and what its write() takes
  std::string_view layer;   ///< title in the viewer
  Kind kind = Kind::map;
  UnitOf unit = UnitOf::image;
  Needs needs = Needs::plane;
  Look look = Look::signal;
  std::string_view text;  ///< "Write ..."
  MakeMap make = nullptr;
  std::optional<MapKind> seam = {};  ///< drawn by the backend, which may keep its levels on the card
  std::string_view nodes = {};       ///< word of the same map at the nodes of the mesh
  bool extended = false;             ///< a catalogue that extended sources are written to as well
};

/// MapKinds of the backend.
template <MapKind kind>
ProductMap seam_map(const ProductSource& source);
ProductMap model_map(const ProductSource& source);
ProductMap residual_map(const ProductSource& source);
ProductMap mask_map(const ProductSource& source);
ProductMap flux_error_map(const ProductSource& source);

namespace product_rows {
using enum Product::Kind;
using enum Product::UnitOf;
using enum Product::Look;
using Needs = Product::Needs;

// clang-format off
/// In the order in which they are written.
inline constexpr auto kRows = std::to_array<Product>({
    {"csv", ".csv", true, "", "", "", catalogue, none, Needs::sources, signal, "the catalogue as CSV", nullptr, {}, "", true},
    {"fits", "_cat.fits", true, "", "", "", catalogue, none, Needs::sources, signal, "the catalogue as a FITS table", nullptr, {}, "", true},
    {"vot", ".vot", true, "", "", "", catalogue, none, Needs::sources, signal, "the catalogue as a VOTable", nullptr, {}, "", true},
    {"reg", ".reg", true, "", "", "", catalogue, none, Needs::sources, signal, "the sources as DS9 regions", nullptr, {}, "", true},
    {"ecsv", ".ecsv", false, "", "", "", catalogue, none, Needs::sources, signal, "the catalogue as ECSV, with units", nullptr, {}, "", true},
    {"sqlite", ".sqlite", false, "", "", "", catalogue, none, Needs::sources, signal, "the catalogue as an SQLite database", nullptr, {}, "", true},
    {"crtf", ".crtf", false, "", "", "", catalogue, none, Needs::sources, signal, "the sources as CASA regions", nullptr, {}, "", true},
    {"ann", ".ann", false, "", "", "", catalogue, none, Needs::sources, signal, "the sources as Karma annotations", nullptr, {}, "", true},
    {"srl", ".srl", false, "", "", "", catalogue, none, Needs::sources, signal, "PyBDSF's table of sources"},
    {"gaul", ".gaul", false, "", "", "", catalogue, none, Needs::sources, signal, "PyBDSF's table of Gaussians"},
    {"skymodel", ".skymodel", false, "", "", "", catalogue, none, Needs::sources, signal, "a sky model for calibration"},
    {"convolved", "_convolved.fits", true, "", "image", "Convolved", map, image, Needs::convolution, signal, "the pixels that were searched, convolved where asked for", seam_map<MapKind::image>, MapKind::image},
    {"mean-full", "_mean_full.fits", false, "--write-mean", "mean", "Background", map, image, Needs::background, level, "the background that was measured", seam_map<MapKind::mean>, MapKind::mean, "mean"},
    {"rms-full", "_rms_full.fits", false, "--write-rms", "rms", "RMS", map, image, Needs::background, level, "the noise that was measured", seam_map<MapKind::rms>, MapKind::rms, "rms"},
    {"mean", "_mean.fits", true, "", "", "", nodes, image, Needs::background, level, "the background at the nodes of the mesh", seam_map<MapKind::mean>, MapKind::mean},
    {"rms", "_rms.fits", true, "", "", "", nodes, image, Needs::background, level, "the noise at the nodes of the mesh", seam_map<MapKind::rms>, MapKind::rms},
    {"snr", "_snr.fits.fz", true, "--write-snr", "snr", "S/N", map, sigma, Needs::background, signal, "(image - background) / noise", seam_map<MapKind::snr>, MapKind::snr},
    {"labels", "_labels.fits.fz", true, "--write-labels", "labels", "Islands", labels, none, Needs::sources, signal, "the number of each pixel's island, 0 outside"},
    {"mask", "_mask.fits.fz", false, "", "mask", "", map, none, Needs::sources, signal, "1 in islands, 0 outside", mask_map},
    {"model", "_model.fits", false, "--write-model", "model", "Model", map, image, Needs::sources, model, "the sources' Gaussians as a map, without background", model_map},
    {"residual", "_residual.fits", false, "--write-residual", "residual", "Residual", map, image, Needs::sources, difference, "image - model", residual_map},
    {"flux-error", "_flux_error.fits", false, "--write-flux-error", "flux_error", "Flux error", map, total, Needs::sources, level, "the error of a point source's total flux at every pixel", flux_error_map},
    {"picture", ".png", true, "", "picture", "", picture, none, Needs::plane, signal, "the image with its sources as a picture"},
    {"report", "_quality.html", false, "", "", "", report, none, Needs::sources, signal, "a quality report without completeness, with NAME_quality.json and .xml"},
});
// clang-format on
}  // namespace product_rows

inline constexpr const auto& kProducts = product_rows::kRows;

/// Row of a word; kProducts.size() where there is none. In a constant expression a wrong word does not compile.
[[nodiscard]] constexpr std::size_t product_index(std::string_view word) {
  return static_cast<std::size_t>(std::ranges::find(kProducts, word, &Product::word) - kProducts.begin());
}
/// A row's number, for tables of products.
enum class ProductId : std::size_t {};
[[nodiscard]] consteval ProductId product_id(std::string_view word) {
  if (product_index(word) == kProducts.size()) throw "no such product";
  return ProductId{product_index(word)};
}
[[nodiscard]] constexpr const Product& product_of(ProductId id) { return kProducts[static_cast<std::size_t>(id)]; }

/// The row of a word.   throws InternalError where there is none
[[nodiscard]] const Product& product_of(std::string_view word);
/// The row that Python calls so; null where there is none.
[[nodiscard]] const Product* python_product(std::string_view name);
/// BUNIT of its map of an image.
[[nodiscard]] std::string unit_of(const Product& product, const ImageHeader& header);
/// Why a run has none of this product, from the stages that it went through; empty where it has.
[[nodiscard]] std::string why_no_product(const Product& product, const Result& result);

/// All rows as Markdown: docs/products.md is this text.
[[nodiscard]] std::string products_document();

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The nodes and their places as three images in one file, made in memory: they are few.
#include "core/files/fits/mesh_map.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/mesh_cards.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/files/io/checksum.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

constexpr const char* kInterpolation = "BILINEAR";

/// Big-endian, padded to whole blocks.
template <class Word>
std::string big_endian(const std::vector<Word>& words) {
  using Bits = std::conditional_t<sizeof(Word) == 4, std::uint32_t, std::uint64_t>;
  std::string bytes;
  bytes.reserve(words.size() * sizeof(Word) + fits::kBlockBytes);
  for (const Word word : words) {
    const auto bits = std::bit_cast<Bits>(word);
    for (int shift = 8 * (static_cast<int>(sizeof(Word)) - 1); shift >= 0; shift -= 8)
      bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  bytes.resize((bytes.size() + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes, '\0');
  return bytes;
}

/// The line through the outermost nodes; one node stands for the whole axis.
fits::CoarseAxis line_of(const std::vector<double>& nodes, std::int64_t size) {
  const double first = nodes.front() + 1;
  if (nodes.size() < 2) return {first, static_cast<double>(size)};
  return {first, (nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1)};
}

std::string places(const char* name, std::vector<double> nodes, const char* comment) {
  for (double& node : nodes) node += 1;
  std::string cards = fits::make_text_card("XTENSION", "IMAGE", "places of the nodes");
  cards += fits::make_card("BITPIX", std::int64_t{-64});
  cards += fits::make_card("NAXIS", std::int64_t{2});
  cards += fits::make_card("NAXIS1", static_cast<std::int64_t>(nodes.size()));
  cards += fits::make_card("NAXIS2", std::int64_t{1});
  cards += fits::make_card("PCOUNT", std::int64_t{0});
  cards += fits::make_card("GCOUNT", std::int64_t{1});
  cards += fits::make_text_card("EXTNAME", name);
  cards += fits::make_text_card("BUNIT", "pixel", comment);
  const std::string data = big_endian(nodes);
  return fits::with_checksums(cards, data) + data;
}

std::vector<std::string> said(const MeshMap& map) {
  std::vector<std::string> cards{
      fits::make_card("MESHAX1", map.image.nx, "pixels of the image along axis 1"),
      fits::make_card("MESHAX2", map.image.ny, "pixels of the image along axis 2"),
      fits::make_text_card("INTERPOL", kInterpolation, "between nodes, in pixels of the image")};
  for (const char* line : {"The pixels of this image are the nodes of a map. Between nodes the map is bilinear in the",
                           "image's pixels, beyond the outermost nodes it is constant. MESHX and MESHY, the",
                           "extensions, hold the columns and rows of the nodes in 1-based pixels of the image."})
    for (std::string& card : fits::fold_cards("COMMENT", line)) cards.push_back(std::move(card));
  return cards;
}

}  // namespace

void write_mesh_map(const std::string& path, const MeshMap& map, const OutputHeader& header, const FileOptions& how) {
  const Shape shape{static_cast<std::int64_t>(map.y.size()), static_cast<std::int64_t>(map.x.size())};
  if (shape.count() < 1 || static_cast<std::int64_t>(map.values.size()) != shape.count())
    throw InternalError("write_mesh_map: nodes and values do not fit");
  AtomicFile file(path, how, header.like != nullptr ? header.like->path : std::string());
  OutputHeader own = header;
  const std::vector<std::string> cards = said(map);
  own.cards.insert(own.cards.end(), cards.begin(), cards.end());
  const std::string coarse = fits::coarse_cards(fits::output_cards(shape, -32, own),
                                                {line_of(map.x, map.image.nx), line_of(map.y, map.image.ny)});
  const std::string data = big_endian(map.values);
  const std::string whole = fits::with_checksums(coarse, data) + data +
                            places("MESHX", map.x, "columns of the nodes in the image") +
                            places("MESHY", map.y, "rows of the nodes in the image");
  file.write(whole);
  file.commit(static_cast<std::int64_t>(whole.size()));
}

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw DataError(fmt::format("'{}' says that it holds the nodes of a mesh, but {}", printable(path), what));
}

std::vector<double> read_places(const std::string& path, int hdu, std::int64_t count, std::int64_t size,
                                const Progress& progress) {
  OpenOptions options;
  options.hdu = hdu;
  const ImagePlane file = ImagePlane::open(path, options, progress);
  if (file.header().shape != Shape{1, count}) refuse(path, fmt::format("its extension {} is not {} x 1", hdu, count));
  std::vector<double> nodes = decode_doubles(*file.pixels(progress));
  double before = -1;
  for (double& node : nodes) {
    node -= 1;
    const double twice = 2 * node;
    if (!(node > before && node <= static_cast<double>(size - 1) && twice == std::floor(twice)))
      refuse(path, fmt::format("its extension {} does not hold rising pixels or middles of pixels of the image", hdu));
    before = node;
  }
  return nodes;
}

}  // namespace

std::optional<MeshMap> read_mesh_map(const ImagePlane& file, const Progress& progress) {
  const ImageHeader& header = file.header();
  std::string text;
  for (const std::string& card : header.cards) text += card;
  const fits::CardTable cards(text);
  if (!cards.has("MESHAX1") && !cards.has("MESHAX2")) return std::nullopt;
  MeshMap map;
  map.image = {cards.integer("MESHAX2").value_or(0), cards.integer("MESHAX1").value_or(0)};
  if (map.image.nx < 1 || map.image.ny < 1) refuse(header.path, "MESHAX1 and MESHAX2 are no size of an image");
  if (cards.string("INTERPOL").value_or("") != kInterpolation)
    refuse(header.path, fmt::format("INTERPOL is not {}", kInterpolation));
  map.x = read_places(header.path, header.hdu + 1, header.shape.nx, map.image.nx, progress);
  map.y = read_places(header.path, header.hdu + 2, header.shape.ny, map.image.ny, progress);
  map.values.resize(static_cast<std::size_t>(header.shape.count()));
  const auto source = file.pixels(progress);
  std::vector<std::byte> raw(map.values.size() * static_cast<std::size_t>(bytes_of(source->format().type)));
  source->read_rows(0, header.shape.ny, raw.data());
  decode_floats(raw.data(), header.shape.count(), source->format(), map.values.data());
  return map;
}

}  // namespace reber

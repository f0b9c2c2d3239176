// SPDX-License-Identifier: BSD-3-Clause
// From a file's bytes to the headers and the pixels of its planes.
#include "core/files/fits/fits_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/beam_table.hpp"
#include "core/files/fits/card_header.hpp"
#include "core/files/fits/file_sums.hpp"
#include "core/files/fits/fits_extent.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/fits/rice_header.hpp"
#include "core/files/fits/rice_tiles.hpp"
#include "core/files/fits/tile_decode.hpp"
#include "core/files/fits/tile_guard.hpp"

namespace reber::fits {

struct FitsFile::State {
  std::unique_ptr<ByteSource> bytes;
  Hdu hdu;
  std::optional<CardHeader> header;
  PixelFormat format;
  std::optional<RiceHeader> rice;  ///< of tiles that are not left to CFITSIO
  mutable LastDecoded decoded;
};

namespace {

bool holds_image(const Hdu& hdu) { return hdu.kind == Hdu::Kind::image || hdu.kind == Hdu::Kind::compressed; }

const char* kind_text(Hdu::Kind kind) {
  switch (kind) {
    case Hdu::Kind::image:
      return "image";
    case Hdu::Kind::compressed:
      return "compressed image";
    case Hdu::Kind::groups:
      return "random groups";
    case Hdu::Kind::binary_table:
      return "binary table";
    case Hdu::Kind::ascii_table:
      return "table";
    case Hdu::Kind::empty:
      return "empty";
    case Hdu::Kind::other:
      break;
  }
  return "other";
}

HduInfo describe(const Hdu& hdu) {
  HduInfo info;
  info.index = hdu.index;
  info.kind = kind_text(hdu.kind);
  info.name = hdu.cards.string("EXTNAME").value_or("");
  if (holds_image(hdu)) {
    info.bitpix = hdu.bitpix;
    info.axes = hdu.axes;
  }
  return info;
}

/// Lists the HDUs, and warns of those that cannot be read.
void describe_hdus(const Scan& scan, ImageHeader& header) {
  header.warnings = scan.warnings;
  for (const Hdu& hdu : scan.hdus) {
    header.hdus.push_back(describe(hdu));
    const bool truncated = hdu.problem.rfind("truncated", 0) == 0;
    if (!hdu.problem.empty() && (truncated || hdu.kind == Hdu::Kind::compressed)) {
      header.warnings.push_back(fmt::format("HDU {} cannot be read: {}", hdu.index, hdu.problem));
    }
  }
  if (!scan.stopped.empty()) header.warnings.push_back(scan.stopped);
}

/// The HDU asked for, or the first whose pixels make a 2-D image.
const Hdu& choose_hdu(const Scan& scan, const std::optional<int>& wanted, const std::string& name) {
  if (wanted) {
    if (*wanted < 0 || *wanted >= static_cast<int>(scan.hdus.size())) {
      throw InputError(fmt::format("'{}' has no HDU {}: it holds HDUs 0 to {}{}", name, *wanted, scan.hdus.size() - 1,
                                   scan.stopped.empty() ? "" : "; what follows cannot be read: " + scan.stopped));
    }
    const Hdu& hdu = scan.hdus[static_cast<std::size_t>(*wanted)];
    if (!hdu.problem.empty()) throw DataError(fmt::format("'{}', HDU {}: {}", name, hdu.index, hdu.problem));
    if (!holds_image(hdu)) {
      throw InputError(fmt::format("'{}', HDU {} is no image ({}): choose another one with --hdu", name, hdu.index,
                                   kind_text(hdu.kind)));
    }
    return hdu;
  }
  std::string first_problem;
  for (const Hdu& hdu : scan.hdus) {
    if (!hdu.problem.empty()) {
      if (first_problem.empty()) first_problem = fmt::format("'{}', HDU {}: {}", name, hdu.index, hdu.problem);
      continue;
    }
    if (holds_image(hdu)) return hdu;
  }
  if (!first_problem.empty()) throw DataError(first_problem);
  if (!scan.stopped.empty()) throw DataError(scan.stopped);
  throw DataError(
      fmt::format("'{}' holds no image HDU: {} HDUs, none with a 2-D array of pixels", name, scan.hdus.size()));
}

/// CFITSIO steps through all HDUs before the one it opens, so they must be sound as well.
void check_before(const Scan& scan, const Hdu& chosen, const std::string& name) {
  if (chosen.kind != Hdu::Kind::compressed) return;
  for (const Hdu& hdu : scan.hdus) {
    if (hdu.index >= chosen.index) return;
    if (hdu.kind == Hdu::Kind::compressed && !hdu.problem.empty()) {
      throw DataError(fmt::format("'{}', HDU {}: {}", name, hdu.index, hdu.problem));
    }
  }
}

/// BSCALE, BZERO and BLANK of a plain image. Scaling applies to floats too; BLANK does not.
PixelFormat read_format(const CardTable& cards, int bitpix, const std::string& where,
                        std::vector<std::string>& warnings) {
  PixelFormat format;
  format.type = pixel_type(bitpix);
  format.big_endian = true;
  const auto factor = [&](const char* keyword, double standard) {
    if (!cards.has(keyword)) return standard;
    const auto value = cards.number(keyword);
    if (!value || !std::isfinite(*value)) {
      throw DataError(
          fmt::format("{}{}={} is not a finite number", where, keyword, restrict_to_ascii(cards.raw(keyword))));
    }
    return *value;
  };
  format.scale = factor("BSCALE", 1);
  format.zero = factor("BZERO", 0);
  if (format.scale == 0) throw DataError(where + "BSCALE=0 would make all pixels equal");
  if (!cards.has("BLANK")) return format;
  if (bitpix < 0) {
    warnings.push_back("BLANK has no meaning in an image of floats and is ignored");
    return format;
  }
  format.blank = cards.integer("BLANK");
  if (!format.blank) {
    warnings.push_back(fmt::format("BLANK={} is not an integer and is ignored", restrict_to_ascii(cards.raw("BLANK"))));
  }
  return format;
}

/// The table BEAMS by CASAMBM; without that keyword where the table has a beam for a plane, which is then told.
BeamTable read_plane_beams(const ByteSource& bytes, const Scan& scan, CardHeader& of) {
  const CardTable& cards = of.cards();
  const ImageHeader& header = of.common();
  const bool stated = cards.is_true("CASAMBM");
  if (!stated && !has_beam_table(scan)) return {};
  BeamTable table = read_beam_table(bytes, scan, cards, header.axes, header.x_axis, header.y_axis);
  if (stated) return table;
  const bool known = std::ranges::any_of(table.planes, [](const auto& beam) { return beam.has_value(); });
  const bool used = known && !cards.has("CASAMBM");
  of.warn(fmt::format("there is a table BEAMS, though CASAMBM is {}: it is {}", cards.has("CASAMBM") ? "F" : "missing",
                      used    ? "used"
                      : known ? "not used"
                              : "not used: " + (table.problem.empty() ? "it has no beams" : table.problem)));
  return used ? table : BeamTable{};
}

}  // namespace

FitsFile::FitsFile() : state_(std::make_unique<State>()) {}
FitsFile::~FitsFile() = default;

std::shared_ptr<const FitsFile> FitsFile::open(const std::string& path, const OpenOptions& options, Planes planes,
                                               const Progress& progress) {
  std::shared_ptr<FitsFile> file(new FitsFile());
  State& state = *file->state_;
  const std::string name = printable(path);
  state.bytes = open_bytes(path, {options.max_inflated_bytes, FitsExtent()}, progress);
  Scan scan = fits::scan(*state.bytes, name);
  const Hdu& chosen = choose_hdu(scan, options.hdu, name);
  check_before(scan, chosen, name);
  const std::string where = fmt::format("'{}', HDU {}: ", name, chosen.index);
  ImageHeader facts;
  facts.path = path;
  facts.hdu = chosen.index;
  describe_hdus(scan, facts);
  facts.axes = chosen.axes;
  facts.bitpix = chosen.bitpix;
  CardTable cards(plain_cards(chosen));
  state.format = read_format(cards, chosen.bitpix, where, facts.warnings);
  const bool inherits = chosen.index > 0 && chosen.cards.is_true("INHERIT");
  state.header.emplace(std::move(facts), std::move(cards),
                       inherits ? std::optional(scan.hdus.front().cards) : std::nullopt, options, planes);
  const ImageHeader& header = state.header->common();
  if (chosen.kind == Hdu::Kind::compressed) {
    check_descriptors(*state.bytes, chosen, name);
    const std::int64_t needed = header.shape.count() * 8;
    if (needed > options.max_inflated_bytes) {
      throw DataError(
          fmt::format("{}its plane takes {} bytes, above the limit of {}", where, needed, options.max_inflated_bytes));
    }
  }
  state.rice = read_rice_header(chosen, state.format, header.x_axis, header.y_axis);
  if (chosen.kind == Hdu::Kind::compressed && !state.rice && state.bytes->reopen_path().empty())
    throw ForeignForm(where + "a tile-compressed image inside a gzip or bzip2 file is not read; unpack it first");
  state.header->take(read_plane_beams(*state.bytes, scan, *state.header));
  state.hdu = chosen;
  return file;
}

std::int64_t FitsFile::planes() const { return state_->header->common().planes; }
Shape FitsFile::shape() const { return state_->header->common().shape; }
PixelFormat FitsFile::format() const { return state_->format; }

Stored FitsFile::stored() const {
  const State& state = *state_;
  const bool inflated = state.bytes->reopen_path().empty();
  if (state.hdu.kind != Hdu::Kind::compressed) return inflated ? Stored::in_memory : Stored::plain;
  return state.rice && decodes_rows(state.hdu, *state.rice) ? Stored::coded_by_rows : Stored::coded_whole;
}

ImageHeader FitsFile::header(std::int64_t plane) const { return state_->header->of(plane); }

std::shared_ptr<const DecodedPlane> FitsFile::decode(std::int64_t plane, const Progress& progress) const {
  const ImageHeader& header = state_->header->common();
  const std::string name = printable(header.path);
  if (state_->rice)
    if (auto own = decode_rice(*state_->bytes, state_->hdu, *state_->rice, plane, name, progress)) return own;
  return decode_tiles(*state_->bytes, state_->hdu, header.x_axis, header.y_axis, plane, name, progress);
}

std::unique_ptr<PixelSource> FitsFile::pixels(std::int64_t plane, const Progress& progress) const {
  const State& state = *state_;
  state.header->check(plane);
  const ImageHeader& header = state.header->common();
  const Stored how = stored();
  if (how == Stored::plain || how == Stored::in_memory)
    return plain_source(*state.bytes, state.hdu.data_offset,
                        plane_layout(header.axes, header.x_axis, header.y_axis, plane), state.format);
  if (how == Stored::coded_by_rows)
    if (auto rows = rice_source(*state.bytes, state.hdu, *state.rice, plane, printable(header.path))) return rows;
  return decoded_source(state.decoded.of(plane, [&] { return decode(plane, progress); }));
}

std::unique_ptr<StatedSums> FitsFile::sums() const {
  const State& state = *state_;
  if (!FileSums::stated(state.hdu)) return nullptr;
  const ImageHeader& header = state.header->common();
  const std::int64_t plane_bytes = header.shape.count() * bytes_of(state.format.type);
  const bool rows_are_all =
      state.hdu.kind == Hdu::Kind::image && header.x_axis < header.y_axis && state.hdu.data_bytes == plane_bytes;
  return std::make_unique<FileSums>(*state.bytes, state.hdu, rows_are_all ? header.shape.ny : 0);
}

}  // namespace reber::fits

// SPDX-License-Identifier: BSD-3-Clause
// From a file's bytes to the headers and the pixels of its planes.
#include "core/files/fits/fits_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/beam_table.hpp"
#include "core/files/fits/file_sums.hpp"
#include "core/files/fits/fits_extent.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/fits/header_beam.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/fits/rice_header.hpp"
#include "core/files/fits/rice_tiles.hpp"
#include "core/files/fits/tile_decode.hpp"
#include "core/files/fits/tile_guard.hpp"

namespace reber::fits {

struct FitsFile::State {
  ImageHeader header;  ///< what all planes share
  std::unique_ptr<ByteSource> bytes;
  Hdu hdu;
  std::optional<Hdu> primary;  ///< whose cards the HDU inherits
  CardTable cards;
  PixelFormat format;
  BeamTable beams;
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

/// 'x' for a longitude axis, 'y' for a latitude, ' ' for neither, by CTYPE.
char celestial_kind(const CardTable& cards, std::size_t axis) {
  const std::string type = cards.string(fmt::format("CTYPE{}", axis + 1)).value_or("");
  const std::string head = type.substr(0, 4);
  if (head == "RA--" || type == "RA") return 'x';
  if (head == "DEC-" || type == "DEC") return 'y';
  if (head.size() == 4 && (head.substr(1) == "LON" || head.substr(2) == "LN")) return 'x';
  if (head.size() == 4 && (head.substr(1) == "LAT" || head.substr(2) == "LT")) return 'y';
  return ' ';
}

/// The celestial pair of axes; else the first two longer than one pixel; else the first two.
void choose_axes(const CardTable& cards, ImageHeader& header) {
  std::vector<int> sky, wide;
  int longitudes = 0;
  for (std::size_t i = 0; i < header.axes.size(); ++i) {
    const char kind = celestial_kind(cards, i);
    if (kind != ' ') sky.push_back(static_cast<int>(i));
    if (kind == 'x') ++longitudes;
    if (header.axes[i] > 1) wide.push_back(static_cast<int>(i));
  }
  const bool pair = sky.size() == 2 && longitudes == 1;
  header.x_axis = pair ? sky[0] : wide.size() >= 2 ? wide[0] : 0;
  header.y_axis = pair ? sky[1] : wide.size() >= 2 ? wide[1] : 1;
  header.shape = {header.axes[static_cast<std::size_t>(header.y_axis)],
                  header.axes[static_cast<std::size_t>(header.x_axis)]};
}

void count_planes(ImageHeader& header) {
  header.planes = 1;
  for (std::size_t i = 0; i < header.axes.size(); ++i) {
    const int axis = static_cast<int>(i);
    if (axis != header.x_axis && axis != header.y_axis) header.planes *= header.axes[i];
  }
}

void check_plane(const ImageHeader& header, std::int64_t plane) {
  if (plane < 0 || plane >= header.planes)
    throw InputError(
        fmt::format("'{}' has no plane {}: --plane takes 0 to {}", printable(header.path), plane, header.planes - 1));
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

void read_texts(const CardTable& cards, const CardTable* inherited, ImageHeader& header) {
  const auto text = [&](const char* keyword) {
    const auto own = cards.string(keyword);
    std::string value = own ? *own : inherited != nullptr ? inherited->string(keyword).value_or("") : "";
    const bool clean = std::all_of(value.begin(), value.end(), [](char c) { return c >= 32 && c <= 126; });
    if (!clean)
      header.warnings.push_back(fmt::format("{} holds bytes that FITS does not allow: {}", keyword, printable(value)));
    return value;
  };
  header.object = text("OBJECT");
  header.telescope = text("TELESCOP");
  header.date_obs = text("DATE-OBS");
  header.unit = Unit::parse(text("BUNIT"));
}

/// Duplicate keywords that change what is read; the last of them counts.
std::string duplicate_warning(const CardTable& cards) {
  std::string names;
  for (const std::string& keyword : cards.duplicates()) {
    const std::string stem = split_number(keyword).first;
    for (const char* used :
         {"CTYPE",    "CUNIT", "CRVAL", "CRPIX",   "CDELT",   "CROTA",   "CD1_",  "CD2_",    "PC1_",
          "PC2_",     "PV1_",  "PV2_",  "LONPOLE", "LATPOLE", "EQUINOX", "EPOCH", "RADESYS", "RESTFRQ",
          "RESTFREQ", "BMAJ",  "BMIN",  "BPA",     "BUNIT",   "BSCALE",  "BZERO", "BLANK"}) {
      if (stem == used) names += (names.empty() ? "" : ", ") + keyword;
    }
  }
  return names.empty() ? names : fmt::format("duplicate keyword {}: the last value counts", names);
}

/// The table BEAMS by CASAMBM; without that keyword where the table has a beam for a plane, which is then told.
BeamTable read_plane_beams(const ByteSource& bytes, const Scan& scan, const CardTable& cards, ImageHeader& header) {
  const bool stated = cards.is_true("CASAMBM");
  if (!stated && !has_beam_table(scan)) return {};
  BeamTable table = read_beam_table(bytes, scan, cards, header.axes, header.x_axis, header.y_axis);
  if (stated) return table;
  const bool known = std::ranges::any_of(table.planes, [](const auto& beam) { return beam.has_value(); });
  const bool used = known && !cards.has("CASAMBM");
  header.warnings.push_back(
      fmt::format("there is a table BEAMS, though CASAMBM is {}: it is {}", cards.has("CASAMBM") ? "F" : "missing",
                  used    ? "used"
                  : known ? "not used"
                          : "not used: " + (table.problem.empty() ? "it has no beams" : table.problem)));
  return used ? table : BeamTable{};
}

void read_beam_and_wcs(const CardTable& cards, const CardTable* inherited, const BeamTable& table,
                       ImageHeader& header) {
  std::vector<double> fixed;
  for (const std::int64_t at : plane_position(header.axes, header.x_axis, header.y_axis, header.plane)) {
    fixed.push_back(static_cast<double>(at + 1));
  }
  header.wcs = Wcs::parse(cards.text(), header.x_axis, header.y_axis, fixed, static_cast<int>(header.axes.size()),
                          static_cast<double>(header.shape.nx), static_cast<double>(header.shape.ny));
  if (!header.wcs.celestial()) {
    header.warnings.push_back(
        fmt::format("no usable WCS ({}): positions are in pixels only", printable(header.wcs.why_not())));
  }
  if (header.wcs.spectral_reading().starts_with("unreadable"))
    header.warnings.push_back("the spectral axis is " + printable(header.wcs.spectral_reading()));
  std::string duplicates = duplicate_warning(cards);
  const HeaderBeam beam = read_beam(cards, inherited, header.wcs, header.shape, {&table, header.plane});
  header.beam = beam.beam;
  header.beam_note = beam.note;
  std::string trouble = beam.warning;
  // Without a beam only fluxes per beam lack something.
  if (!beam.beam && trouble.empty() && header.unit.kind == Unit::Kind::jy_per_beam) {
    trouble = beam.note + ": integrated fluxes and convolution to a beam need one (--image-beam)";
  }
  if (!duplicates.empty() && !trouble.empty()) {
    duplicates += "; " + trouble;
    trouble.clear();
  }
  if (!duplicates.empty()) header.warnings.push_back(duplicates);
  if (!trouble.empty()) header.warnings.push_back(trouble);
}

std::vector<std::string> split_cards(const CardTable& cards) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < cards.count(); ++i) out.emplace_back(cards.card(i));
  return out;
}

}  // namespace

FitsFile::FitsFile() : state_(std::make_unique<State>()) {}
FitsFile::~FitsFile() = default;

std::shared_ptr<const FitsFile> FitsFile::open(const std::string& path, const OpenOptions& options, Planes planes,
                                               const Progress& progress) {
  std::shared_ptr<FitsFile> file(new FitsFile());
  State& state = *file->state_;
  ImageHeader& header = state.header;
  const std::string name = printable(path);
  state.bytes = open_bytes(path, {options.max_inflated_bytes, FitsExtent()}, progress);
  Scan scan = fits::scan(*state.bytes, name);
  const Hdu& chosen = choose_hdu(scan, options.hdu, name);
  check_before(scan, chosen, name);
  const std::string where = fmt::format("'{}', HDU {}: ", name, chosen.index);
  header.path = path;
  header.hdu = chosen.index;
  describe_hdus(scan, header);
  header.axes = chosen.axes;
  header.bitpix = chosen.bitpix;
  state.cards = CardTable(plain_cards(chosen));
  const bool inherits = chosen.index > 0 && chosen.cards.is_true("INHERIT");
  if (inherits) state.primary = scan.hdus.front();
  header.cards = split_cards(state.cards);
  choose_axes(state.cards, header);
  count_planes(header);
  if (planes == Planes::one && header.planes > 1 && !options.plane) {
    throw InputError(fmt::format("'{}' is a cube of {} planes: choose one with --plane 0 to --plane {}", name,
                                 header.planes, header.planes - 1));
  }
  if (planes == Planes::one) check_plane(header, options.plane.value_or(0));
  if (chosen.kind == Hdu::Kind::compressed) {
    check_descriptors(*state.bytes, chosen, name);
    const std::int64_t needed = header.shape.count() * 8;
    if (needed > options.max_inflated_bytes) {
      throw DataError(
          fmt::format("{}its plane takes {} bytes, above the limit of {}", where, needed, options.max_inflated_bytes));
    }
  }
  state.format = read_format(state.cards, chosen.bitpix, where, header.warnings);
  state.rice = read_rice_header(chosen, state.format, header.x_axis, header.y_axis);
  read_texts(state.cards, state.primary ? &state.primary->cards : nullptr, header);
  if (options.unit) header.unit = Unit::parse(*options.unit);
  state.beams = read_plane_beams(*state.bytes, scan, state.cards, header);
  header.plane_beams = state.beams.planes;
  state.hdu = chosen;
  return file;
}

std::int64_t FitsFile::planes() const { return state_->header.planes; }
Shape FitsFile::shape() const { return state_->header.shape; }
PixelFormat FitsFile::format() const { return state_->format; }

Stored FitsFile::stored() const {
  const State& state = *state_;
  const bool inflated = state.bytes->reopen_path().empty();
  if (state.hdu.kind != Hdu::Kind::compressed) return inflated ? Stored::in_memory : Stored::plain;
  return state.rice && decodes_rows(state.hdu, *state.rice) ? Stored::coded_by_rows : Stored::coded_whole;
}

ImageHeader FitsFile::header(std::int64_t plane) const {
  check_plane(state_->header, plane);
  ImageHeader header = state_->header;
  header.plane = plane;
  read_beam_and_wcs(state_->cards, state_->primary ? &state_->primary->cards : nullptr, state_->beams, header);
  return header;
}

std::shared_ptr<const DecodedPlane> FitsFile::decode(std::int64_t plane, const Progress& progress) const {
  const ImageHeader& header = state_->header;
  const std::string name = printable(header.path);
  if (state_->rice)
    if (auto own = decode_rice(*state_->bytes, state_->hdu, *state_->rice, plane, name, progress)) return own;
  return decode_tiles(*state_->bytes, state_->hdu, header.x_axis, header.y_axis, plane, name, progress);
}

std::unique_ptr<PixelSource> FitsFile::pixels(std::int64_t plane, const Progress& progress) const {
  const State& state = *state_;
  const ImageHeader& header = state.header;
  check_plane(header, plane);
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
  const std::int64_t plane_bytes = state.header.shape.count() * bytes_of(state.format.type);
  const bool rows_are_all = state.hdu.kind == Hdu::Kind::image && state.header.x_axis < state.header.y_axis &&
                            state.hdu.data_bytes == plane_bytes;
  return std::make_unique<FileSums>(*state.bytes, state.hdu, rows_are_all ? state.header.shape.ny : 0);
}

}  // namespace reber::fits

// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the BEAMS extension.
#include "core/files/fits/beam_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/error.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/io/checksum.hpp"

namespace reber::fits {
namespace {

constexpr std::int64_t kMostRows = 10'000'000;
constexpr double kArcsec = 3600;

/// Which of the image's axes the table's CHAN and POL count along; -1 where there is none.
struct TableAxes {
  int channel = -1, stokes = -1;
};

TableAxes table_axes(const CardTable& cards, const std::vector<std::int64_t>& axes, int x_axis, int y_axis) {
  TableAxes found;
  std::vector<int> others;
  for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
    if (axis == x_axis || axis == y_axis) continue;
    const std::string type = cards.string(fmt::format("CTYPE{}", axis + 1)).value_or("");
    if (type.rfind("STOKES", 0) == 0)
      found.stokes = axis;
    else
      others.push_back(axis);
  }
  const auto longest =
      std::ranges::max_element(others, {}, [&](int axis) { return axes[static_cast<std::size_t>(axis)]; });
  if (longest != others.end()) found.channel = *longest;
  return found;
}

struct Place {
  std::int64_t channel = 0, stokes = 0;
  auto operator<=>(const Place&) const = default;
};

Place place_of(std::int64_t plane, const TableAxes& which, const std::vector<std::int64_t>& axes, int x_axis,
               int y_axis) {
  const std::vector<std::int64_t> at = plane_position(axes, x_axis, y_axis, plane);
  const auto along = [&](int axis) { return axis < 0 ? std::int64_t{0} : at[static_cast<std::size_t>(axis)]; };
  return {along(which.channel), along(which.stokes)};
}

std::int64_t planes_of(const std::vector<std::int64_t>& axes, int x_axis, int y_axis) {
  std::int64_t planes = 1;
  for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis)
    if (axis != x_axis && axis != y_axis) planes *= axes[static_cast<std::size_t>(axis)];
  return planes;
}

/// A scalar column of the table.
struct Field {
  std::int64_t offset = -1;
  char type = ' ';
  double factor = 1;  ///< to degrees, for angles
};

std::int64_t bytes_of(char type) {
  switch (type) {
    case 'E':
    case 'J':
      return 4;
    case 'D':
    case 'K':
      return 8;
    case 'I':
      return 2;
    case 'B':
    case 'L':
    case 'A':
      return 1;
    default:
      return -1;
  }
}

double angle_factor(std::string unit, double standard) {
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (unit.rfind("deg", 0) == 0) return 1;
  if (unit.rfind("arcmin", 0) == 0) return 1.0 / 60;
  if (unit.rfind("arcsec", 0) == 0) return 1.0 / kArcsec;
  if (unit.rfind("rad", 0) == 0) return 180 / M_PI;
  return standard;
}

/// Columns by name; empty where a form is not understood.
std::optional<std::map<std::string, Field>> fields_of(const CardTable& cards, std::int64_t row_bytes) {
  std::map<std::string, Field> fields;
  std::int64_t offset = 0;
  const std::int64_t count = cards.integer("TFIELDS").value_or(0);
  for (std::int64_t i = 1; i <= std::min<std::int64_t>(count, 999); ++i) {
    const std::string form = cards.string(fmt::format("TFORM{}", i)).value_or("");
    const std::size_t letter = form.find_first_not_of("0123456789");
    if (letter == std::string::npos || letter > 6) return std::nullopt;
    const std::int64_t repeat = letter == 0 ? 1 : std::stoll(form.substr(0, letter));
    const std::int64_t width = bytes_of(form[letter]);
    if (width < 0) return std::nullopt;
    std::string name = cards.string(fmt::format("TTYPE{}", i)).value_or("");
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const double standard = name == "BPA" ? 1 : 1.0 / kArcsec;
    if (repeat >= 1)
      fields[name] = {offset, form[letter],
                      angle_factor(cards.string(fmt::format("TUNIT{}", i)).value_or(""), standard)};
    offset += repeat * width;
    if (offset > row_bytes) return std::nullopt;
  }
  return fields;
}

double cell(const unsigned char* row, const Field& field) {
  const auto word = [&](int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | row[field.offset + i];
    return value;
  };
  switch (field.type) {
    case 'E':
      return std::bit_cast<float>(static_cast<std::uint32_t>(word(4)));
    case 'D':
      return std::bit_cast<double>(word(8));
    case 'J':
      return static_cast<std::int32_t>(word(4));
    case 'K':
      return static_cast<double>(static_cast<std::int64_t>(word(8)));
    case 'I':
      return static_cast<std::int16_t>(word(2));
    default:
      return row[field.offset];
  }
}

/// Nothing for a sentinel: zero, NaN, or no larger than the smallest normal float.
std::optional<Beam> beam_of(double major, double minor, double pa) {
  constexpr double kTiny = std::numeric_limits<float>::min();
  if (!(major > kTiny) || !(minor > kTiny) || !std::isfinite(major) || !std::isfinite(minor)) return std::nullopt;
  if (minor > major) {
    std::swap(major, minor);
    pa += 90;
  }
  return Beam{major, minor, std::isfinite(pa) ? pa : 0};
}

const Hdu* beams_extension(const Scan& scan) {
  for (const Hdu& hdu : scan.hdus)
    if (hdu.kind == Hdu::Kind::binary_table && hdu.cards.string("EXTNAME").value_or("") == "BEAMS") return &hdu;
  return nullptr;
}

void append(std::string& out, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 0xFFU);
}

}  // namespace

BeamTable beams_of_planes(const std::vector<PlacedBeam>& beams, const CardTable& cards,
                          const std::vector<std::int64_t>& axes, int x_axis, int y_axis) {
  std::map<Place, std::optional<Beam>> placed;
  for (const PlacedBeam& beam : beams)
    placed[{beam.channel, beam.stokes}] = beam_of(beam.major_deg, beam.minor_deg, beam.pa_deg);
  const TableAxes which = table_axes(cards, axes, x_axis, y_axis);
  BeamTable table;
  const std::int64_t planes = planes_of(axes, x_axis, y_axis);
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    const auto found = placed.find(place_of(plane, which, axes, x_axis, y_axis));
    table.planes.push_back(found == placed.end() ? std::nullopt : found->second);
  }
  return table;
}

bool has_beam_table(const Scan& scan) { return beams_extension(scan) != nullptr; }

BeamTable read_beam_table(const ByteSource& bytes, const Scan& scan, const CardTable& cards,
                          const std::vector<std::int64_t>& axes, int x_axis, int y_axis) {
  BeamTable table;
  const Hdu* const hdu = beams_extension(scan);
  if (hdu == nullptr || !hdu->problem.empty()) {
    table.problem = hdu == nullptr ? "there is no table BEAMS" : hdu->problem;
    return table;
  }
  const std::int64_t row_bytes = hdu->cards.integer("NAXIS1").value_or(0);
  const std::int64_t rows = hdu->cards.integer("NAXIS2").value_or(0);
  const auto fields = fields_of(hdu->cards, row_bytes);
  for (const char* name : {"BMAJ", "BMIN", "BPA"}) {
    if (fields && fields->count(name) != 0) continue;
    table.problem = fmt::format("the table BEAMS has no usable column {}", name);
    return table;
  }
  if (rows < 1 || rows > kMostRows || row_bytes < 1 || rows * row_bytes > hdu->data_bytes) {
    table.problem = fmt::format("the table BEAMS has {} rows of {} bytes", rows, row_bytes);
    return table;
  }
  std::vector<unsigned char> data(static_cast<std::size_t>(rows * row_bytes));
  bytes.read(hdu->data_offset, data.data(), rows * row_bytes);
  std::vector<PlacedBeam> beams;
  for (std::int64_t row = 0; row < rows; ++row) {
    const unsigned char* const at = data.data() + row * row_bytes;
    const auto value = [&](const char* name) { return cell(at, fields->at(name)); };
    Place place{row, 0};
    for (const auto& [name, number] : {std::pair{"CHAN", &place.channel}, std::pair{"POL", &place.stokes}}) {
      if (fields->count(name) == 0) continue;
      if (!(std::abs(value(name)) < kMostRows)) {  // NaN, too
        table.problem = fmt::format("row {} of the table BEAMS has {} {}", row + 1, name, value(name));
        return table;
      }
      *number = static_cast<std::int64_t>(value(name));
    }
    beams.push_back({place.channel, place.stokes, value("BMAJ") * fields->at("BMAJ").factor,
                     value("BMIN") * fields->at("BMIN").factor, value("BPA") * fields->at("BPA").factor});
  }
  return beams_of_planes(beams, cards, axes, x_axis, y_axis);
}

std::string beam_table_blocks(const std::vector<std::optional<Beam>>& planes, const CardTable& cards,
                              const std::vector<std::int64_t>& axes, int x_axis, int y_axis) {
  const TableAxes which = table_axes(cards, axes, x_axis, y_axis);
  std::string data;
  Place last;
  for (std::size_t plane = 0; plane < planes.size(); ++plane) {
    const Place place = place_of(static_cast<std::int64_t>(plane), which, axes, x_axis, y_axis);
    const Beam beam = planes[plane].value_or(Beam{});
    for (const double value : {beam.major_deg * kArcsec, beam.minor_deg * kArcsec, beam.pa_deg})
      append(data, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    append(data, static_cast<std::uint32_t>(place.channel));
    append(data, static_cast<std::uint32_t>(place.stokes));
    last = {std::max(last.channel, place.channel), std::max(last.stokes, place.stokes)};
  }
  data.resize((data.size() + kBlockBytes - 1) / kBlockBytes * kBlockBytes, '\0');
  std::string table = make_text_card("XTENSION", "BINTABLE", "binary table");
  table += make_card("BITPIX", std::int64_t{8});
  table += make_card("NAXIS", std::int64_t{2});
  table += make_card("NAXIS1", std::int64_t{20}, "bytes of a row");
  table += make_card("NAXIS2", static_cast<std::int64_t>(planes.size()), "rows");
  table += make_card("PCOUNT", std::int64_t{0});
  table += make_card("GCOUNT", std::int64_t{1});
  table += make_card("TFIELDS", std::int64_t{5});
  const std::array<std::array<const char*, 3>, 5> columns{{{"BMAJ", "1E", "arcsec"},
                                                           {"BMIN", "1E", "arcsec"},
                                                           {"BPA", "1E", "deg"},
                                                           {"CHAN", "1J", ""},
                                                           {"POL", "1J", ""}}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    table += make_text_card(fmt::format("TTYPE{}", i + 1), columns[i][0]);
    table += make_text_card(fmt::format("TFORM{}", i + 1), columns[i][1]);
    if (columns[i][2][0] != '\0') table += make_text_card(fmt::format("TUNIT{}", i + 1), columns[i][2]);
  }
  table += make_text_card("EXTNAME", "BEAMS");
  table += make_card("EXTVER", std::int64_t{1});
  table += make_card("NCHAN", last.channel + 1);
  table += make_card("NPOL", last.stokes + 1);
  return with_checksums(table, data) + data;
}

}  // namespace reber::fits

// SPDX-License-Identifier: BSD-3-Clause
// Planes cut out, one after the other.
#include "gui/model/image/sub_image.hpp"

#include <fmt/format.h>

#include <memory>

#include "core/files/fits/crop.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/files/fits/output_cards.hpp"
#include "gui/model/image/file_levels.hpp"

namespace reber::gui {
namespace {

FloatRows rows_of(const PixelSource& pixels, const Rect& where) {
  return [&pixels, where](std::int64_t y0, std::int64_t ny, float* out) {
    read_floats(pixels, {where.y0 + y0, where.x0, ny, where.nx}, out);
  };
}

std::string told(const ImageHeader& header, const SubImage& part) {
  const Rect& r = part.where;
  std::string text = fmt::format("reber view: x {} to {}, y {} to {} of {} x {} pixels, counted from 1", r.x0 + 1,
                                 r.x0 + r.nx, r.y0 + 1, r.y0 + r.ny, header.shape.nx, header.shape.ny);
  if (part.plane && header.planes > 1) text += fmt::format(", plane {} of {}", *part.plane + 1, header.planes);
  return text;
}

}  // namespace

void write_sub_image(const std::string& to, const ImageFile& file, const SubImage& part, bool overwrite,
                     const Progress& progress) {
  const ImageHeader whole = file.header(part.plane.value_or(0));
  const ImageHeader like = cropped(whole, part.where);
  OutputHeader header;
  header.like = &like;
  header.unit = like.unit.text;
  header.history = {"reber view, input " + whole.path, told(whole, part)};
  if (part.plane || file.planes() == 1) {
    header.beam = whole.beam;
    header.places = fits::axis_places(whole);
    const auto pixels = file.pixels(whole.plane, progress);
    return write_fits(to, like.shape, header, rows_of(*pixels, part.where), FileOptions(overwrite), progress);
  }
  if (whole.plane_beams.empty()) header.beam = whole.beam;
  CubeWriter writer(to, header, whole.plane_beams, FileOptions(overwrite));
  for (std::int64_t plane = 0; plane < file.planes(); ++plane) {
    progress.report("writing planes", static_cast<double>(plane) / static_cast<double>(file.planes()));
    const auto pixels = file.pixels(plane, progress);
    writer.write_plane(plane, rows_of(*pixels, part.where), progress);
  }
  progress.check();
  writer.finish();
}

}  // namespace reber::gui

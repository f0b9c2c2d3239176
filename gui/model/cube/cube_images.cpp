// SPDX-License-Identifier: BSD-3-Clause
// Images of cubes, by core's arithmetic.
#include "gui/model/cube/cube_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/base/error.hpp"
#include "core/run/cube/cube_header.hpp"
#include "core/run/cube/spectral_axis.hpp"
#include "gui/model/cube/region_file.hpp"

namespace reber::gui {
namespace {

std::string file_of(const ImageHeader& header) { return std::filesystem::path(header.path).filename().string(); }

std::shared_ptr<const Image> image_of(const std::vector<float>& pixels, Shape shape) {
  auto image = std::make_shared<Image>(shape);
  std::copy(pixels.begin(), pixels.end(), image->data());
  return image;
}

/// The cube's header for an image of another kind: one plane, without a sky.
std::shared_ptr<ImageHeader> plain_header(const ImageHeader& of, Shape shape) {
  auto header = std::make_shared<ImageHeader>();
  header->path = of.path;
  header->object = of.object;
  header->telescope = of.telescope;
  header->unit = of.unit;
  header->axes = {shape.nx, shape.ny};
  header->shape = shape;
  return header;
}

MadeOfCube::Cut axes_of(const SpectrumCube& cube, double step_arcsec) {
  MadeOfCube::Cut cut;
  cut.step_arcsec = step_arcsec;
  const auto usable = [](const std::vector<double>& v) {
    return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
  };
  const std::string frame = cube.axes().frame().empty() ? "" : ", " + cube.axes().frame();
  if (usable(cube.velocity_kms())) {
    cut.at = cube.velocity_kms();
    cut.unit = "km/s";
    cut.label = "velocity (km/s)" + frame;
  } else if (usable(cube.frequency_hz())) {
    cut.at = cube.frequency_hz();
    for (double& v : cut.at) v *= 1e-9;
    cut.unit = "GHz";
    cut.label = "frequency (GHz)" + frame;
  } else {
    for (std::size_t i = 0; i < cube.planes().size(); ++i) cut.at.push_back(static_cast<double>(i + 1));
    cut.label = "channel";
  }
  return cut;
}

/// The plane's sources in its part, moved to the cell.
void put_sources(MadeOfCube::Cell& cell, const PlaneSources& sources, const Rect& part, const Progress& progress) {
  std::vector<SourceShape> shapes;
  try {
    shapes = sources.of(cell.plane, progress);
  } catch (const DataError& failure) {
    cell.no_sources = failure.what();
  }
  for (SourceShape& shape : shapes) {
    const double x = shape.x - static_cast<double>(part.x0), y = shape.y - static_cast<double>(part.y0);
    if (!(x >= -0.5 && y >= -0.5 && x < static_cast<double>(part.nx) - 0.5 && y < static_cast<double>(part.ny) - 0.5))
      continue;
    shape.x = x + static_cast<double>(cell.where.x0);
    shape.y = y + static_cast<double>(cell.where.y0);
    cell.sources.push_back(shape);
  }
}

/// Of some planes along the cube's axis.
std::vector<double> noise_of(const SpectrumCube& cube, const std::vector<std::int64_t>& planes,
                             const Progress& progress) {
  const std::vector<double> all = cube.measure_noise(progress);
  std::vector<double> noise;
  for (const std::int64_t plane : planes)
    noise.push_back(all[static_cast<std::size_t>(CubeAxes::place(cube.axes().played(), plane))]);
  return noise;
}

}  // namespace

std::string place_text(const MadeOfCube& made, PixelPosition at) {
  const auto x = std::llround(at.x), y = std::llround(at.y);
  for (const MadeOfCube::Cell& cell : made.cells) {
    const Rect& r = cell.where;
    if (x >= r.x0 && y >= r.y0 && x < r.x0 + r.nx && y < r.y0 + r.ny) return cell.text;
  }
  if (!made.cut || y < 0 || y >= static_cast<std::int64_t>(made.cut->at.size())) return {};
  const std::string unit = made.cut->unit.empty() ? "" : " " + made.cut->unit;
  return fmt::format("offset {:.2f} arcsec   {:.6g}{}", at.x * made.cut->step_arcsec,
                     made.cut->at[static_cast<std::size_t>(y)], unit);
}

CubeImage collapsed_image(const SpectrumCube& cube, CollapseRequest request, const std::optional<Region>& region,
                          Backend& backend, const Progress& progress) {
  using How = CollapseRequest::How;
  const bool polarised = cube.polarised() != LinearPolarisation::off;
  if ((region || polarised) && (request.how == How::weighted || request.snr > 0))
    request.rms = noise_of(cube, request.planes, progress);
  const Shape shape = cube.header().shape;
  Collapsed all;
  if (region) {
    const auto part = std::make_shared<const RegionFile>(cube.file(), *region, progress);
    all = collapse(CubeSource::of(part), request, backend, progress, {});
    all.pixels = part->placed(all.pixels);
    all.history.push_back(fmt::format("collapse: blank outside of a region of {} pixels", part->inside()));
  } else {
    all = collapse(CubeSource::of(cube.file()), request, backend, progress, {});
  }
  if (polarised) {
    all.history.emplace_back("collapse: of the polarised intensity of Stokes Q and U");
    all.places.clear();  // on the axis of Stokes parameters it would be Q
  }
  const auto made = std::make_shared<const Collapsed>(std::move(all));
  CubeImage image;
  image.name = fmt::format("{}{} of {}", to_string(request.how), polarised ? " of P" : "", file_of(*made->header));
  if (made->used.size() > 1) {
    const auto channel = [&](std::int64_t plane) { return CubeAxes::place(cube.axes().played(), plane) + 1; };
    image.name += fmt::format(", channels {} to {}", channel(made->used.front()), channel(made->used.back()));
  }
  auto header = std::make_shared<ImageHeader>(*made->header);
  header->planes = 1;
  header->plane = 0;
  header->plane_beams.clear();
  image.header = header;
  image.pixels = Pyramid::make(image_of(made->pixels, shape), progress);
  image.smooth = request.how == How::moment1 || request.how == How::moment2;
  image.about = std::make_shared<MadeOfCube>();
  image.about->save = [made, shape](const std::string& to, bool overwrite) {
    const OutputHeader out = collapsed_header(*made, std::nullopt, "reber view, input " + made->header->path, {});
    write_collapsed(to, *made, shape, out, overwrite, {});
  };
  return image;
}

CubeImage cut_image(const SpectrumCube& cube, const PvLine& line, const Progress& progress) {
  auto cut = std::make_shared<const PvCut>(cube.cut(line, progress));
  CubeImage image;
  image.name = "position-velocity of " + file_of(cube.header());
  const Shape shape = cut->shape();
  auto pixels = std::make_shared<Image>(shape);
  cut->rows(0, shape.ny, pixels->data());
  image.pixels = Pyramid::make(pixels, progress);
  image.header = plain_header(cube.header(), shape);
  image.about = std::make_shared<MadeOfCube>();
  image.about->cut = axes_of(cube, cut->step_arcsec());
  const int axis = spectral_axis(cube.header());
  if (axis < 0) return image;
  image.about->save = [cut, axis, header = cube.header()](const std::string& to, bool overwrite) {
    cut->write(to, header, axis, header.unit.text, {"reber view, input " + header.path, cut->told()},
               FileOptions(overwrite), {});
  };
  return image;
}

CubeImage channel_maps(const SpectrumCube& cube, const std::vector<std::int64_t>& channels, std::int64_t columns,
                       const Rect& part, const std::optional<PlaneSources>& sources, const Progress& progress) {
  const auto count = static_cast<std::int64_t>(channels.size());
  const std::int64_t rows = (count + columns - 1) / columns;
  const std::int64_t gap = std::max<std::int64_t>(1, std::max(part.nx, part.ny) / 100);
  const Shape shape{rows * (part.ny + gap) - gap, columns * (part.nx + gap) - gap};
  auto image = std::make_shared<Image>(shape);
  std::fill_n(image->data(), shape.count(), std::numeric_limits<float>::quiet_NaN());
  CubeImage made;
  made.about = std::make_shared<MadeOfCube>();
  std::vector<float> pixels(static_cast<std::size_t>(part.ny * part.nx));
  for (std::int64_t i = 0; i < count; ++i) {
    progress.report("channel maps", static_cast<double>(i) / static_cast<double>(count));
    const std::int64_t channel = channels[static_cast<std::size_t>(i)];
    cube.read(channel, part, pixels.data(), progress);
    // The first stands at the top; y runs upwards.
    const Rect where{(rows - 1 - i / columns) * (part.ny + gap), i % columns * (part.nx + gap), part.ny, part.nx};
    for (std::int64_t y = 0; y < part.ny; ++y)
      std::copy_n(pixels.begin() + y * part.nx, part.nx, image->data() + (where.y0 + y) * shape.nx + where.x0);
    const std::int64_t plane = cube.planes()[static_cast<std::size_t>(channel)];
    std::string text = cube.axes().coordinate_text(plane);
    if (text.empty()) text = fmt::format("{}", channel + 1);
    made.about->cells.push_back({where, plane, std::move(text), {}, {}});
    if (sources) put_sources(made.about->cells.back(), *sources, part, progress);
  }
  if (sources) made.about->sources_told = sources->told;
  made.name = "channel maps of " + file_of(cube.header());
  made.header = plain_header(cube.header(), shape);
  made.pixels = Pyramid::make(image, progress);
  return made;
}

}  // namespace reber::gui

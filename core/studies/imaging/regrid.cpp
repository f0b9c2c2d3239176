// SPDX-License-Identifier: BSD-3-Clause
// Planes through the backend's resampling, band by band, into a file.
#include "core/studies/imaging/regrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/beam_map.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/seam/plan/tiling.hpp"
#include "core/studies/imaging/grid_choice.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;
/// Rows of a plane that is left in its source, at a time.
constexpr std::int64_t kBandRows = 64;

Covariance covariance_of(const Beam& beam) { return sky_covariance(beam.major_deg, beam.minor_deg, beam.pa_deg); }

std::string beam_words(const Beam& beam) {
  return fmt::format("{:.6g} x {:.6g} arcsec, PA {:.5g} deg", beam.major_deg * kArcsec, beam.minor_deg * kArcsec,
                     beam.pa_deg);
}

double in_half_turn(double degrees) {
  const double rest = std::fmod(degrees, 180.0);
  return rest < 0 ? rest + 180 : rest;
}

PixelPosition middle_of(Shape shape) {
  return {0.5 * static_cast<double>(shape.nx - 1), 0.5 * static_cast<double>(shape.ny - 1)};
}

Matrix2 geometry_of(const ImageHeader& image) {
  if (const auto geometry = image.centre_geometry()) return *geometry;
  throw InputError(fmt::format("{}: its middle is off the sky", printable(image.path)));
}

}  // namespace

std::shared_ptr<const PlaceGrid> PlaceGrids::of(const Rect& where) {
  for (const auto& grid : kept_)
    if (grid->area() == where) return grid;
  auto made = std::make_shared<const PlaceGrid>(map_, where, threads_);
  const auto bytes = static_cast<std::int64_t>(made->nodes().size_bytes() + made->blocks().size_bytes());
  if (kept_bytes_ + bytes <= keep_) {
    kept_.push_back(made);
    kept_bytes_ += bytes;
  }
  return made;
}

std::vector<std::string> warnings_of_sampling(const ImageHeader& image, const std::optional<Beam>& beam,
                                              const SkyGrid& grid, Interpolation how) {
  if (how == Interpolation::nearest) return {};
  constexpr double kSampled = 2, kCoarser = 1.1, kAlike = 0.01;
  const Rect covered = footprint(image.wcs, image.shape, grid);
  const std::int64_t y = std::clamp<std::int64_t>(covered.y0 + covered.ny / 2, 0, grid.shape.ny - 1),
                     x = std::clamp<std::int64_t>(covered.x0 + covered.nx / 2, 0, grid.shape.nx - 1);
  const double area = PlaceGrid(PlaceMap(grid.wcs, image.wcs), {y, x, 2, 2}, 1).area_ratio(y, x);
  const auto geometry = grid.wcs.sky_per_pixel(static_cast<double>(x), static_cast<double>(y));
  std::vector<std::string> warnings;
  if (beam && geometry && area > kCoarser) {
    const double minor = ellipse_of(to_pixels(covariance_of(*beam), *geometry)).minor;
    if (minor < kSampled)
      warnings.push_back(
          fmt::format("{}: its beam is {:.2g} pixels of the grid wide, and {:g} are needed: peaks and sums of sources "
                      "depend on where they lie between pixels; smooth it first (reber convolve --to-beam)",
                      printable(image.path), minor, kSampled));
  }
  if (!beam && area > kCoarser)
    warnings.push_back(fmt::format(
        "{}: a pixel of the grid has {:.3g} times the area of one of its own, and no beam is known: a value "
        "is that of a pixel's middle, not its mean; sums may change",
        printable(image.path), area));
  if (image.unit.kind == Unit::Kind::unknown && !image.unit.per_pixel && !image.unit.text.empty() &&
      std::abs(area - 1) > kAlike)
    warnings.push_back(fmt::format(
        "{}: its unit '{}' is not known, and its values are kept as those of a brightness; were they of a pixel, they "
        "would be {:.3g} times as large",
        printable(image.path), printable(image.unit.text), area));
  return warnings;
}

void RegridNode::render(const Rect& where, float* out, const Progress& progress) {
  const auto places = places_->of(where);
  const auto made = backend_->resample(*plane_, *places, *table_, progress);
  backend_->render(MapKind::image, *made, nullptr, {0, 0, where.ny, where.nx}, out, progress);
  if (!header_->unit.per_pixel) return;
  for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y)
    for (std::int64_t x = where.x0; x < where.x0 + where.nx; ++x, ++out)
      *out = static_cast<float>(static_cast<double>(*out) * places->area_ratio(y, x));
}

std::unique_ptr<Plane> RegridNode::plane(const Rect& where, const Progress& progress) {
  return backend_->resample(*plane_, *places_->of(where), *table_, progress);
}

std::shared_ptr<const Plane> plane_of(Backend& backend, std::shared_ptr<const PixelSource> pixels, const Job& job) {
  const BackendInfo info = backend.info();
  MemoryNeeds needs;
  needs.shape = pixels->shape();
  needs.copy = true;
  TilingPlan tiling = plan_tiling(needs, info.device_memory_bytes);
  if (info.streams_sources && (info.device_memory_bytes == 0 || !tiling.resident)) {
    tiling.resident = false;
    tiling.in_source = true;
    if (info.device_memory_bytes == 0) tiling.band_rows = kBandRows;
  }
  return backend.stream(std::move(pixels), tiling, job);
}

BeamOnGrid::BeamOnGrid(const ImageHeader& image, const Beam& beam, BeamIs is, const SkyGrid& grid)
    : image_(image.wcs),
      shape_(image.shape),
      grid_shape_(grid.shape),
      map_(grid.wcs, image.wcs),
      beam_(beam),
      pixels_(to_pixels(covariance_of(beam), geometry_of(image))),
      by_pixels_(is == BeamIs::pixels) {
  const auto of = system_of(image.wcs), into = system_of(grid.wcs);
  if (of && into) turn_ = SkyConverter(*of, *into);
}

std::optional<Beam> BeamOnGrid::at_image(PixelPosition place) const {
  const auto sky = image_.to_sky(place.x, place.y);
  if (!sky) return std::nullopt;
  Beam beam = beam_;
  if (by_pixels_) {
    const auto geometry = image_.sky_per_pixel(place.x, place.y);
    if (!geometry) return std::nullopt;
    const Ellipse ellipse = ellipse_of(to_sky(pixels_, *geometry));
    beam = {ellipse.major, ellipse.minor, ellipse.pa_deg};
  }
  beam.pa_deg = in_half_turn(beam.pa_deg + turn_.turn_deg(*sky));
  return beam;
}

std::optional<Beam> BeamOnGrid::at(PixelPosition pixel) const {
  const PixelPosition place = map_(pixel);
  if (!std::isfinite(place.x) || !std::isfinite(place.y)) return std::nullopt;
  return at_image(place);
}

Beam BeamOnGrid::middle() const {
  const PixelPosition place = map_(middle_of(grid_shape_));
  const bool inside = place.x >= 0 && place.y >= 0 && place.x < static_cast<double>(shape_.nx) &&
                      place.y < static_cast<double>(shape_.ny);
  const auto beam = inside ? at_image(place) : std::nullopt;
  return beam ? *beam : at_image(middle_of(shape_)).value_or(beam_);
}

Regridding::Regridding(const CubeSource& cube, RegridRequest request) : cube_(cube), request_(std::move(request)) {
  const std::int64_t first = request_.plane.value_or(0);
  const auto header = cube.header(first);
  for (std::int64_t plane = first; plane < (request_.plane ? first + 1 : cube.planes()); ++plane)
    planes_.push_back(plane);
  const SkyGrid& grid = request_.grid;
  if (!header->wcs.celestial())
    throw InputError(fmt::format("{}: it has no sky coordinates ({})", printable(header->path), header->wcs.why_not()));
  places_ =
      std::make_shared<PlaceGrids>(PlaceMap(grid.wcs, header->wcs, {}, header->shape, grid.shape), request_.threads);
  const Rect covered = footprint(header->wcs, header->shape, grid);
  Rect& in = facts_.covered;
  in.y0 = std::max<std::int64_t>(covered.y0, 0), in.x0 = std::max<std::int64_t>(covered.x0, 0);
  in.ny = std::min(covered.y0 + covered.ny, grid.shape.ny) - in.y0;
  in.nx = std::min(covered.x0 + covered.nx, grid.shape.nx) - in.x0;
  if (covered.shape().count() == 0 || in.ny < 1 || in.nx < 1)
    throw InputError(fmt::format("{}: no pixel of it lies on the grid", printable(header->path)));
  facts_.planes = static_cast<std::int64_t>(planes_.size());
  facts_.history = request_.history;
  facts_.history.push_back(fmt::format("regrid: {} x {} pixels, {} {}, to {} x {} pixels, {} {}; interpolation {}",
                                       header->shape.nx, header->shape.ny, header->wcs.frame_name(),
                                       header->wcs.projection(), grid.shape.nx, grid.shape.ny, grid.wcs.frame_name(),
                                       grid.wcs.projection(), to_string(request_.how)));
  for (const std::int64_t plane : planes_) {
    const auto beam = beam_of(plane);
    if (!beam) continue;
    const BeamOnGrid on(*cube.header(plane), *beam, beam_is(*header, request_.beam_is), grid);
    facts_.beam = on.middle();
    facts_.noise_gain = noise_gain(resample_table(request_.how, on.pixels()), on.pixels());
    const std::string which = beams_differ() ? fmt::format(" of plane {}", plane) : "";
    facts_.history.push_back(fmt::format("regrid: beam{} {} -> {} in the middle, constant {}", which, beam_words(*beam),
                                         beam_words(*facts_.beam), to_string(beam_is(*header, request_.beam_is))));
    facts_.history.push_back(fmt::format(
        "regrid: noise correlated like the beam has {:.5f} times its rms, and the same correlation on the sky",
        facts_.noise_gain));
    break;
  }
  facts_.history.emplace_back(header->unit.per_pixel ? "regrid: pixels multiplied by the ratio of pixel areas"
                                                     : "regrid: pixels keep their values, as those of a brightness");
  facts_.warnings = warnings_of_sampling(*header, facts_.beam, grid, request_.how);
}

std::optional<Beam> Regridding::beam_of(std::int64_t plane) const {
  return request_.beam ? request_.beam : cube_.header(plane)->beam;
}

bool Regridding::beams_differ() const {
  const auto first = beam_of(planes_.front());
  return std::ranges::any_of(planes_, [&](std::int64_t plane) { return !(beam_of(plane) == first); });
}

std::shared_ptr<const ResampleTable> Regridding::table_of(const std::optional<Beam>& beam) const {
  std::optional<Covariance> pixels;
  if (beam) pixels = to_pixels(covariance_of(*beam), geometry_of(*cube_.header(planes_.front())));
  return std::make_shared<const ResampleTable>(resample_table(request_.how, pixels));
}

Regridding::Beams Regridding::output_beams() const {
  Beams beams;
  const auto on_output = [&](std::int64_t plane) -> std::optional<Beam> {
    const auto header = cube_.header(plane);
    const auto beam = beam_of(plane);
    if (!beam) return std::nullopt;
    return BeamOnGrid(*header, *beam, beam_is(*header, request_.beam_is), request_.grid).middle();
  };
  if (!beams_differ()) {
    beams.one = on_output(planes_.front());
    return beams;
  }
  for (const std::int64_t plane : planes_) beams.table.push_back(on_output(plane));
  return beams;
}

OutputHeader Regridding::header_of(const ImageHeader& like) const {
  OutputHeader header;
  header.like = &like;
  header.unit = like.unit.text;
  header.history = facts_.history;
  return header;
}

OutputHeader Regridding::plane_header(const ImageHeader& like) const {
  OutputHeader header = header_of(like);
  header.beam = output_beams().one;
  header.places = fits::axis_places(*cube_.header(planes_.front()));
  return header;
}

std::shared_ptr<const ImageHeader> Regridding::like() const {
  return std::make_shared<const ImageHeader>(on_grid(*cube_.header(planes_.front()), request_.grid));
}

std::unique_ptr<RegridNode> Regridding::node_of(std::int64_t plane, const std::shared_ptr<Backend>& backend,
                                                std::shared_ptr<const ImageHeader> like,
                                                const Progress& progress) const {
  return std::make_unique<RegridNode>(backend, plane_of(*backend, cube_.pixels(plane, progress), progress),
                                      std::move(like), places_, table_of(beam_of(plane)));
}

std::unique_ptr<RegridNode> Regridding::first(const std::shared_ptr<Backend>& backend, const Progress& progress) const {
  return node_of(planes_.front(), backend, like(), progress);
}

std::string Regridding::cards() const {
  const auto own = like();
  return fits::output_cards(own->shape, -32, plane_header(*own));
}

void Regridding::write(const std::string& path, const std::shared_ptr<Backend>& backend, const FileOptions& how,
                       const Progress& progress) const {
  const auto own = like();
  if (planes_.size() == 1) {
    const auto node = node_of(planes_.front(), backend, own, progress);
    return write_fits(path, node->shape(), plane_header(*own), rows_of(*node, progress), how, progress);
  }
  const Beams beams = output_beams();
  OutputHeader header = header_of(*own);
  header.beam = beams.one;
  CubeWriter writer(path, header, beams.table, how);
  for (const std::int64_t plane : planes_) {
    progress.report("regridding planes", static_cast<double>(plane) / static_cast<double>(planes_.size()));
    const auto node = node_of(plane, backend, own, progress);
    writer.write_plane(plane, rows_of(*node, progress), progress);
  }
  progress.check();
  writer.finish();
  progress.report("regridding planes", 1);
}

void Regridding::write_rms(const std::string& path, const std::string& map, const std::shared_ptr<Backend>& backend,
                           const FileOptions& how, const Progress& progress) const {
  const ImagePlane file = ImagePlane::open(map, {}, progress);
  const auto own = cube_.header(planes_.front());
  const ImageHeader& image = *own;
  if (!(file.header().shape == image.shape))
    throw InputError(
        fmt::format("{}: it has {} x {} pixels and {} has {} x {}: the map of the noise must be on the "
                    "image's own grid",
                    printable(map), file.header().shape.nx, file.header().shape.ny, printable(image.path),
                    image.shape.nx, image.shape.ny));
  const auto like = std::make_shared<const ImageHeader>(on_grid(image, request_.grid));
  RegridNode node(backend, plane_of(*backend, file.pixels(progress), progress), like, places_,
                  std::make_shared<const ResampleTable>(resample_table(Interpolation::bilinear, {})));
  const FloatRows pixels = rows_of(node, progress);
  const FloatRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    pixels(y0, ny, out);
    const auto gain = static_cast<float>(facts_.noise_gain);
    for (std::int64_t i = 0; i < ny * node.shape().nx; ++i) out[i] *= gain;
  };
  OutputHeader header = header_of(*like);
  header.history.push_back("regrid: rms map " + map);
  write_fits(path, node.shape(), header, rows, how, progress);
}

void Regridding::write_psf(const std::string& path, const FileOptions& how, const Progress& progress) const {
  const auto image = cube_.header(planes_.front());
  if (!facts_.beam)
    throw InputError(fmt::format("{}: a map of the beam needs one; {}", printable(image->path), image->beam_note));
  const SkyGrid& grid = request_.grid;
  const auto map_of = [&](std::int64_t map) {
    const std::int64_t plane = planes_[static_cast<std::size_t>(map)];
    const auto beam = beam_of(plane);
    if (!beam) return BeamMapNodes(static_cast<std::size_t>(beam_map_nodes(grid.shape).count()));
    const BeamOnGrid on(*cube_.header(plane), *beam, beam_is(*image, request_.beam_is), grid);
    return beam_map_of(
        grid.shape, [&](PixelPosition pixel) { return on.at(pixel); }, progress);
  };
  // Where planes have beams of their own, so has the map; else one map holds for all of them.
  const std::int64_t maps = beams_differ() ? facts_.planes : 1;
  write_beam_map(path, image->path, grid, maps, map_of, facts_.history, how, progress);
}

}  // namespace reber

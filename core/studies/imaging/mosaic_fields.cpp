// SPDX-License-Identifier: BSD-3-Clause
// Headers of all channels are looked at before any work.
#include "core/studies/imaging/mosaic_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/studies/imaging/channel_match.hpp"
#include "core/studies/imaging/grid_choice.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;
/// Beams that are one for all fields: parts of an axis, degrees.
constexpr double kSameAxis = 1e-3, kSameAngle = 0.5;
/// Bytes of places that a field keeps, for what else is done at them and for the next channel.
constexpr std::int64_t kPlaceBytes = std::int64_t{64} << 20;

/// Where a field points: its reference point, in the frame of the grid.
SkyPosition pointing_of(const ImageHeader& header, const SkyGrid& grid) {
  std::string cards;
  for (const std::string& card : header.cards) cards += card;
  const fits::CardTable table(cards);
  const auto pixel = [&](int axis) { return table.number(fmt::format("CRPIX{}", axis)).value_or(0) - 1; };
  const auto sky = header.wcs.to_sky(pixel(header.x_axis + 1), pixel(header.y_axis + 1));
  if (!sky)
    throw InputError(fmt::format("{}: its reference pixel, where it points, is off the sky", printable(header.path)));
  const auto own = system_of(header.wcs), its = system_of(grid.wcs);
  return own && its ? SkyConverter(*own, *its)(*sky) : *sky;
}

bool same_beam(const Beam& a, const Beam& b) {
  const auto near = [&](double one, double other) { return std::abs(one - other) <= kSameAxis * a.major_deg; };
  const double turn = std::abs(std::remainder(a.pa_deg - b.pa_deg, 180.0));
  // The angle of a beam that is almost round says nothing.
  const bool round = a.major_deg - a.minor_deg <= 20 * kSameAxis * a.major_deg;
  return near(a.major_deg, b.major_deg) && near(a.minor_deg, b.minor_deg) && (round || turn <= kSameAngle);
}

std::string beam_words(const Beam& beam) {
  return fmt::format("{:.5g} x {:.5g} arcsec, PA {:.4g} deg", beam.major_deg * kArcsec, beam.minor_deg * kArcsec,
                     beam.pa_deg);
}

/// Whether a map lies on the pixels of an image.
bool same_grid(const ImageHeader& image, const ImageHeader& map) {
  constexpr double kSamePixel = 0.01;
  if (!(map.shape == image.shape) || !map.wcs.celestial()) return false;
  const PlaceMap there(image.wcs, map.wcs);
  const auto last_x = static_cast<double>(image.shape.nx - 1), last_y = static_cast<double>(image.shape.ny - 1);
  for (const double u : {0.0, 0.5, 1.0})
    for (const double v : {0.0, 0.5, 1.0}) {
      const PixelPosition at{u * last_x, v * last_y}, place = there(at);
      if (std::isfinite(place.x) && !(std::abs(place.x - at.x) < kSamePixel && std::abs(place.y - at.y) < kSamePixel))
        return false;
    }
  return true;
}

}  // namespace

Rect covered_by(const ImageHeader& field, const SkyGrid& grid) {
  const Rect all = footprint(field.wcs, field.shape, grid);
  const std::int64_t y0 = std::max<std::int64_t>(all.y0, 0), x0 = std::max<std::int64_t>(all.x0, 0);
  const std::int64_t y1 = std::min(all.y0 + all.ny, grid.shape.ny), x1 = std::min(all.x0 + all.nx, grid.shape.nx);
  return y1 > y0 && x1 > x0 ? Rect{y0, x0, y1 - y0, x1 - x0} : Rect{};
}

MosaicFields::MosaicFields(const MosaicRequest& request, const Progress& progress) : request_(request) {
  if (request_.inputs.empty()) throw InputError("a mosaic needs at least one image");
  for (const MosaicInput& input : request_.inputs) fields_.push_back(opened(input, progress));
  check_alike();
}

/// The first field says which planes are taken; the others must have them as well.
void MosaicFields::take_planes(const CubeSource& image, const std::string& name) {
  const OpenOptions& open = request_.open;
  if (fields_.empty()) {
    cubes_ = !open.plane && image.planes() > 1;
    planes_.resize(cubes_ ? static_cast<std::size_t>(image.planes()) : 1, open.plane.value_or(0));
    if (cubes_) std::iota(planes_.begin(), planes_.end(), 0);
    return;
  }
  if (open.plane || (!cubes_ && image.planes() == 1)) return;
  if (const std::string why = why_other_channels(image, *fields_.front().image); !why.empty())
    throw InputError(
        fmt::format("{}: its channels are not those of {}: {}", name, printable(request_.inputs.front().name), why));
}

MosaicFields::Opened MosaicFields::opened(const MosaicInput& input, const Progress& progress) {
  progress.check();
  const std::string name = printable(input.name);
  Opened field;
  field.image = std::make_shared<const CubeSource>(input.file ? *input.file
                                                              : CubeSource::open(input.path, request_.open, progress));
  take_planes(*field.image, name);
  const auto header = field.image->header(planes_.front());
  if (!header->wcs.celestial())
    throw InputError(fmt::format("{}: it has no sky coordinates ({})", name, header->wcs.why_not()));
  field.covered = covered_by(*header, request_.grid);
  if (field.covered.shape().count() == 0) throw InputError(fmt::format("{}: no pixel of it lies on the grid", name));
  (void)PlaceMap(request_.grid.wcs, header->wcs);
  field.pointing = pointing_of(*header, request_.grid);
  check_unit(field, *header, name);
  const auto& table = header->plane_beams;
  const bool some = std::ranges::any_of(table, [](const std::optional<Beam>& beam) { return beam.has_value(); });
  for (const std::int64_t plane : planes_) {
    const auto own = field.image->header(plane);
    Stated stated{own->wcs.frequency_hz(), request_.beam ? request_.beam : own->beam, false};
    stated.flagged = cubes_ && some && !stated.beam;
    if (request_.primary.needs_frequency() && !(stated.frequency_hz > 0))
      throw InputError(fmt::format("{}: it states no frequency, which the primary beam needs", name));
    field.channels.push_back(std::move(stated));
  }
  if (request_.primary.kind() == PrimaryBeam::Kind::image)
    field.primary = map_on(request_.primary.image_of(input.name), *header, name, progress);
  check_rms(field, input, *header, progress);
  field.places = std::make_shared<PlaceGrids>(
      PlaceMap(request_.grid.wcs, header->wcs, input.shift, header->shape, request_.grid.shape), request_.threads,
      kPlaceBytes);
  if (fields_.empty()) first_ = header;
  return field;
}

void MosaicFields::check_unit(Opened& field, const ImageHeader& header, const std::string& name) const {
  const Unit& unit = header.unit;
  field.scale = request_.inputs[fields_.size()].scale;
  if (fields_.empty()) return;
  if (!unit.alike(first_->unit) && unit.text != first_->unit.text)
    throw InputError(fmt::format("{}: its unit '{}' is not that of {}, '{}'", name, printable(unit.text),
                                 printable(request_.inputs.front().name), printable(first_->unit.text)));
  if (unit.alike(first_->unit)) field.scale *= unit.factor / first_->unit.factor;
}

std::shared_ptr<const CubeSource> MosaicFields::map_on(const std::string& path, const ImageHeader& header,
                                                       const std::string& name, const Progress& progress) const {
  auto map = std::make_shared<const CubeSource>(CubeSource::open(path, {}, progress));
  if (!same_grid(header, *map->header(0)))
    throw InputError(fmt::format("{}: it is not on the grid of {}", printable(path), name));
  if (map->planes() != 1 && map->planes() != header.planes)
    throw InputError(fmt::format("{}: it has {} planes and {} has {}; one, or as many, were expected", printable(path),
                                 map->planes(), name, header.planes));
  return map;
}

void MosaicFields::check_rms(Opened& field, const MosaicInput& input, const ImageHeader& header,
                             const Progress& progress) const {
  const std::string name = printable(input.name);
  if (!input.rms_map.empty()) {
    field.noise = map_on(input.rms_map, header, name, progress);
    const Unit unit = field.noise->header(0)->unit;
    if (unit.alike(header.unit))
      field.noise_scale = unit.factor / header.unit.factor;
    else if (!unit.text.empty() && unit.text != header.unit.text)
      throw InputError(fmt::format("{}: its unit '{}' is not that of {}, '{}'", printable(input.rms_map),
                                   printable(unit.text), name, printable(header.unit.text)));
    return;
  }
  const std::size_t count = input.rms.size();
  if (count > 1 && count != static_cast<std::size_t>(header.planes))
    throw InputError(fmt::format("{}: {} numbers for its rms, and it has {} channels; one, or as many, were expected",
                                 name, count, header.planes));
  for (const double rms : input.rms)
    if (!(rms > 0) || !std::isfinite(rms))
      throw InputError(fmt::format("{}: its rms must be above 0, not {:g}", name, rms));
}

void MosaicFields::check_alike() {
  const bool per_beam = first_->unit.kind == Unit::Kind::jy_per_beam;
  for (std::int64_t channel = 0; channel < channels(); ++channel) {
    const auto k = static_cast<std::size_t>(channel);
    const std::string where = cubes_ ? fmt::format(" in plane {}", channel) : "";
    std::optional<std::size_t> known;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const Stated& stated = fields_[i].channels[k];
      if (stated.flagged) continue;
      const std::string name = printable(request_.inputs[i].name);
      if (!stated.beam && per_beam)
        throw InputError(fmt::format("{}: its pixels are per beam and it has no beam; {}", name,
                                     fields_[i].image->header(planes_[k])->beam_note));
      if (!stated.beam) continue;
      if (!known) known = i;
      const Beam& first = *fields_[*known].channels[k].beam;
      if (!same_beam(first, *stated.beam))
        throw InputError(fmt::format("{} has a beam of {}{} and {} one of {}: give --common or --to-beam",
                                     printable(request_.inputs[*known].name), beam_words(first), where, name,
                                     beam_words(*stated.beam)));
    }
    beams_.emplace_back();
    if (known)
      beams_.back() = BeamOnGrid(*fields_[*known].image->header(planes_[k]), *fields_[*known].channels[k].beam,
                                 BeamIs::sky, request_.grid)
                          .middle();
  }
  const auto [low, high] =
      std::ranges::minmax_element(fields_, {}, [](const Opened& field) { return field.channels.front().frequency_hz; });
  if (!cubes_ && low->channels.front().frequency_hz < high->channels.front().frequency_hz)
    frequencies_ = fmt::format(
        "fields of {:.7g} to {:.7g} MHz (0: not stated) are added as they are; the header has "
        "that of {}",
        low->channels.front().frequency_hz / 1e6, high->channels.front().frequency_hz / 1e6,
        request_.inputs.front().name);
}

std::vector<std::string> MosaicFields::warnings() const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    ImageHeader header = *fields_[i].image->header(planes_.front());
    header.path = request_.inputs[i].name;
    if (auto found = warnings_of_sampling(header, beams_.front(), request_.grid, request_.how); !found.empty())
      return found;
  }
  return {};
}

std::int64_t MosaicFields::plane_in(const CubeSource& map, std::int64_t channel) const {
  return map.planes() == 1 ? 0 : planes_[static_cast<std::size_t>(channel)];
}

std::optional<MosaicField> MosaicFields::field(std::size_t i, std::int64_t channel, const Progress& progress) const {
  const Opened& open = fields_[i];
  const auto k = static_cast<std::size_t>(channel);
  const Stated& stated = open.channels[k];
  if (stated.flagged) return std::nullopt;
  const MosaicInput& input = request_.inputs[i];
  const std::int64_t plane = planes_[k];
  const auto header = std::make_shared<ImageHeader>(*open.image->header(plane));
  header->path = input.name;
  MosaicField field;
  field.name = input.name, field.header = header;
  field.pixels = open.image->pixels(plane, progress);
  if (open.primary) field.primary = open.primary->pixels(plane_in(*open.primary, channel), progress);
  if (open.noise) field.noise = open.noise->pixels(plane_in(*open.noise, channel), progress);
  field.scale = open.scale, field.noise_scale = open.noise_scale;
  if (!field.noise && !input.rms.empty())
    field.rms = input.rms[input.rms.size() == 1 ? 0 : static_cast<std::size_t>(plane)];
  field.frequency_hz = stated.frequency_hz, field.beam = stated.beam;
  field.pointing = open.pointing, field.covered = open.covered, field.places = open.places;
  return field;
}

}  // namespace reber

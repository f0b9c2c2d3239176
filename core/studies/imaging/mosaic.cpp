// SPDX-License-Identifier: BSD-3-Clause
// Fields, band by band, into sums.
#include "core/studies/imaging/mosaic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/fits/beam_map.hpp"
#include "core/seam/compute/statistics.hpp"
#include "core/sky/mask/moc.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/studies/imaging/grid_choice.hpp"
#include "core/studies/sky_distances.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kArcsec = 3600, kDegree = std::numbers::pi / 180;
/// Pixels of the sums at a time.
constexpr std::int64_t kBandPixels = std::int64_t{1} << 20;
/// The noise of larger fields is measured on every so many pixels, as linmos' callers do.
constexpr std::int64_t kThin = 4, kThinFrom = 1024;
/// Beams that are one for all fields: parts of an axis, degrees.
constexpr double kSameAxis = 1e-3, kSameAngle = 0.5;

Rect common(const Rect& a, const Rect& b) {
  const std::int64_t y0 = std::max(a.y0, b.y0), x0 = std::max(a.x0, b.x0);
  const std::int64_t y1 = std::min(a.y0 + a.ny, b.y0 + b.ny), x1 = std::min(a.x0 + a.nx, b.x0 + b.nx);
  return y1 > y0 && x1 > x0 ? Rect{y0, x0, y1 - y0, x1 - x0} : Rect{};
}

/// Where a field points: its reference point.
SkyPosition pointing_of(const ImageHeader& header) {
  std::string cards;
  for (const std::string& card : header.cards) cards += card;
  const fits::CardTable table(cards);
  const auto pixel = [&](int axis) { return table.number(fmt::format("CRPIX{}", axis)).value_or(0) - 1; };
  const auto sky = header.wcs.to_sky(pixel(header.x_axis + 1), pixel(header.y_axis + 1));
  if (!sky)
    throw InputError(fmt::format("{}: its reference pixel, where it points, is off the sky", printable(header.path)));
  return *sky;
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

/// Sums of a band of rows.
struct Sums {
  Rect band;
  std::vector<double> pixels, weights;
};

/// Weights of interpolation for beams; fields of one beam share them.
class WeightTables {
 public:
  std::shared_ptr<const ResampleTable> of(Interpolation how, const std::optional<Covariance>& beam_px) {
    constexpr double kSame = 1e-6;
    const auto near = [](double a, double b) { return std::abs(a - b) <= kSame * (std::abs(a) + std::abs(b) + 1); };
    for (const auto& [known, table] : made_) {
      if (known.has_value() != beam_px.has_value()) continue;
      if (!known || (near(known->xx, beam_px->xx) && near(known->xy, beam_px->xy) && near(known->yy, beam_px->yy)))
        return table;
    }
    made_.emplace_back(beam_px, std::make_shared<const ResampleTable>(resample_table(how, beam_px)));
    return made_.back().second;
  }

 private:
  std::vector<std::pair<std::optional<Covariance>, std::shared_ptr<const ResampleTable>>> made_;
};

/// One field on its way onto the grid.
class FieldOnGrid {
 public:
  FieldOnGrid(const MosaicField& field, const MosaicRequest& request, const std::shared_ptr<Backend>& backend,
              std::shared_ptr<const Plane> plane, WeightTables& tables, const Progress& progress)
      : field_(field), request_(request), table_(request.primary, field.frequency_hz, request.cutoff) {
    const auto like = std::make_shared<const ImageHeader>(on_grid(*field.header, request.grid));
    places_ = std::make_shared<PlaceGrids>(
        PlaceMap(request.grid.wcs, field.header->wcs, field.shift, field.header->shape, request.grid.shape),
        request.threads, 0);
    std::optional<Covariance> beam_px;
    const auto geometry = field.header->centre_geometry();
    if (field.beam && geometry)
      beam_px = to_pixels(sky_covariance(field.beam->major_deg, field.beam->minor_deg, field.beam->pa_deg), *geometry);
    const auto weights = tables.of(request.how, beam_px);
    image_ = std::make_unique<RegridNode>(backend, std::move(plane), like, places_, weights);
    gain_ = noise_gain(*weights, beam_px);
    if (field.primary) {
      // Of its own unit: not multiplied by areas of pixels.
      auto plain = std::make_shared<ImageHeader>(*like);
      plain->unit = {};
      primary_ = std::make_unique<RegridNode>(
          backend, plane_of(*backend, field.primary, progress), std::move(plain), places_,
          std::make_shared<const ResampleTable>(resample_table(Interpolation::bilinear, {})));
    }
    const auto own = system_of(field.header->wcs), grid = system_of(request.grid.wcs);
    centre_ = pointing_of(*field.header);
    if (own && grid) centre_ = SkyConverter(*own, *grid)(centre_);
  }
  [[nodiscard]] double noise_gain_of() const { return gain_; }

  /// Adds its pixels to a band's sums.
  void add(Sums& sums, ThreadPool& pool, const Progress& progress) {
    const Rect part = common(sums.band, field_.covered);
    if (part.shape().count() == 0) return;
    values_.resize(static_cast<std::size_t>(part.shape().count()));
    image_->render(part, values_.data(), progress);
    if (primary_) {
      beams_.resize(values_.size());
      primary_->render(part, beams_.data(), progress);
    }
    std::optional<SkyDistances> distances;
    if (request_.primary.needs_frequency()) distances.emplace(request_.grid.wcs, centre_, part);
    const double inverse = 1 / (field_.rms * field_.rms * field_.scale * field_.scale);
    pool.for_each(part.ny, [&](std::int64_t row) {
      std::vector<double> beam(static_cast<std::size_t>(part.nx), 1);
      if (distances) {
        distances->row(part.y0 + row, part.x0, part.nx, beam.data());
        for (double& one : beam) one = table_.at(one);
      } else if (primary_) {
        std::copy_n(beams_.begin() + row * part.nx, part.nx, beam.begin());
      }
      const std::int64_t at = (part.y0 + row - sums.band.y0) * sums.band.nx + part.x0 - sums.band.x0;
      add_row(values_.data() + row * part.nx, beam, inverse, sums.pixels.data() + at, sums.weights.data() + at);
    });
  }

 private:
  void add_row(const float* values, const std::vector<double>& beam, double inverse, double* pixels,
               double* weights) const {
    for (std::size_t k = 0; k < beam.size(); ++k) {
      const double p = beam[k], value = static_cast<double>(values[k]) * field_.scale;
      if (!std::isfinite(value) || !(p >= request_.cutoff)) continue;
      pixels[k] += value * (request_.corrected ? p * p : p) * inverse;
      weights[k] += p * p * inverse;
    }
  }

  const MosaicField& field_;
  const MosaicRequest& request_;
  BeamTable table_;
  std::shared_ptr<PlaceGrids> places_;
  std::unique_ptr<RegridNode> image_, primary_;
  SkyPosition centre_;
  double gain_ = 1;
  std::vector<float> values_, beams_;
};

}  // namespace

Mosaic::Mosaic(MosaicRequest request, const Progress& progress) : request_(std::move(request)) {
  if (request_.inputs.empty()) throw InputError("a mosaic needs at least one image");
  for (const MosaicInput& input : request_.inputs) open(input, progress);
  check_alike();
  history_ = request_.history;
}

void Mosaic::open(const MosaicInput& input, const Progress& progress) {
  progress.check();
  const ImagePlane file = ImagePlane::open(input.path, request_.open, progress);
  MosaicField field;
  const auto named = std::make_shared<ImageHeader>(file.header());
  field.name = named->path = input.name, field.header = named, field.pixels = file.pixels(progress);
  field.scale = input.scale, field.shift = input.shift, field.rms = input.rms.value_or(0);
  field.beam = request_.beam ? request_.beam : file.header().beam;
  const ImageHeader& header = *named;
  const std::string name = printable(input.name);
  if (!header.wcs.celestial())
    throw InputError(fmt::format("{}: it has no sky coordinates ({})", name, header.wcs.why_not()));
  field.covered = common(footprint(header.wcs, header.shape, request_.grid),
                         {0, 0, request_.grid.shape.ny, request_.grid.shape.nx});
  if (field.covered.shape().count() == 0) throw InputError(fmt::format("{}: no pixel of it lies on the grid", name));
  (void)PlaceMap(request_.grid.wcs, header.wcs);
  const Unit& unit = header.unit;
  if (!fields_.empty() && !unit.alike(fields_.front().header->unit) && unit.text != fields_.front().header->unit.text)
    throw InputError(fmt::format("{}: its unit '{}' is not that of {}, '{}'", name, printable(unit.text),
                                 printable(fields_.front().name), printable(fields_.front().header->unit.text)));
  if (!fields_.empty() && unit.alike(fields_.front().header->unit))
    field.scale *= unit.factor / fields_.front().header->unit.factor;
  field.frequency_hz = header.wcs.frequency_hz();
  if (request_.primary.needs_frequency() && !(field.frequency_hz > 0))
    throw InputError(fmt::format("{}: it states no frequency, which the primary beam needs", name));
  if (request_.primary.kind() == PrimaryBeam::Kind::image) {
    const std::string path = request_.primary.image_of(input.name);
    const ImagePlane beam = ImagePlane::open(path, {}, progress);
    const PlaceMap map(header.wcs, beam.header().wcs);
    const auto last_x = static_cast<double>(header.shape.nx - 1), last_y = static_cast<double>(header.shape.ny - 1);
    bool same = beam.header().shape == header.shape;
    for (const double u : {0.0, 0.5, 1.0})
      for (const double v : {0.0, 0.5, 1.0}) {
        const PixelPosition at{u * last_x, v * last_y}, there = map(at);
        if (std::isfinite(there.x)) same = same && std::abs(there.x - at.x) < 0.01 && std::abs(there.y - at.y) < 0.01;
      }
    if (!same) throw InputError(fmt::format("{}: it is not on the grid of {}", printable(path), name));
    field.primary = beam.pixels(progress);
  }
  fields_.push_back(std::move(field));
}

void Mosaic::check_alike() {
  const bool per_beam = fields_.front().header->unit.kind == Unit::Kind::jy_per_beam;
  for (const MosaicField& field : fields_) {
    if (!field.beam && per_beam)
      throw InputError(fmt::format("{}: its pixels are per beam and it has no beam; {}", printable(field.name),
                                   field.header->beam_note));
    if (!field.beam || !fields_.front().beam) continue;
    if (!same_beam(*fields_.front().beam, *field.beam))
      throw InputError(fmt::format("{} has a beam of {} and {} one of {}: give --common or --to-beam",
                                   printable(fields_.front().name), beam_words(*fields_.front().beam),
                                   printable(field.name), beam_words(*field.beam)));
  }
  const auto [low, high] = std::ranges::minmax_element(fields_, {}, &MosaicField::frequency_hz);
  if (low->frequency_hz < high->frequency_hz)
    request_.history.push_back(fmt::format(
        "mosaic: fields of {:.7g} to {:.7g} MHz (0: not stated) are added as they are; the header has that of {}",
        low->frequency_hz / 1e6, high->frequency_hz / 1e6, fields_.front().name));
  if (fields_.front().beam)
    beam_ = BeamOnGrid(*fields_.front().header, *fields_.front().beam, BeamIs::sky, request_.grid).middle();
}

std::vector<std::string> Mosaic::warnings() const {
  for (const MosaicField& field : fields_)
    if (auto found = warnings_of_sampling(*field.header, beam_, request_.grid, request_.how); !found.empty())
      return found;
  return {};
}

void Mosaic::measure(Backend& backend, const Progress& progress) {
  for (MosaicField& field : fields_) {
    progress.check();
    if (!(field.rms > 0)) {
      const ClipOptions options;
      auto plane = plane_of(backend, field.pixels, progress);
      if (std::min(plane->shape().nx, plane->shape().ny) >= kThinFrom)
        plane = backend.derive(EveryNth{*plane, kThin}, progress);
      field.rms = backend.clip(*plane, options, progress).std / clip_bias(options.kappa);
    }
    if (!(field.rms > 0)) throw InputError(fmt::format("{}: its noise cannot be measured", printable(field.name)));
    history_.push_back(fmt::format("mosaic: {}, rms {:.6g}, scale {:.6g}, shift {:g}, {:g} arcsec", field.name,
                                   field.rms, field.scale, field.shift.east_arcsec, field.shift.north_arcsec));
  }
}

void Mosaic::make(const std::shared_ptr<Backend>& backend, const std::string& beside, const Progress& progress) {
  history_.resize(request_.history.size());
  measure(*backend, progress);
  const Shape shape = request_.grid.shape;
  store_ = std::make_unique<MosaicStore>(shape, beside);
  std::vector<std::unique_ptr<FieldOnGrid>> fields;
  WeightTables tables;
  double gain = 0;
  for (const MosaicField& field : fields_) {
    fields.push_back(std::make_unique<FieldOnGrid>(field, request_, backend, plane_of(*backend, field.pixels, progress),
                                                   tables, progress));
    gain += fields.back()->noise_gain_of() / static_cast<double>(fields_.size());
  }
  noise_gain_ = gain;
  history_.push_back(fmt::format("mosaic: interpolation {}, noise times {:.5f}; cutoff {:g}, final cutoff {:g}",
                                 to_string(request_.how), gain, request_.cutoff, request_.final_cutoff));
  ThreadPool pool(request_.threads);
  const std::int64_t most = std::max(kBandPixels / shape.nx / kPlaceBlock, std::int64_t{1}) * kPlaceBlock;
  double largest = 0;
  std::vector<float> pairs;
  Sums sums;
  for (std::int64_t y = 0; y < shape.ny; y += most) {
    progress.report("adding fields", static_cast<double>(y) / static_cast<double>(shape.ny));
    sums.band = {y, 0, std::min(most, shape.ny - y), shape.nx};
    const auto count = static_cast<std::size_t>(sums.band.shape().count());
    sums.pixels.assign(count, 0), sums.weights.assign(count, 0);
    for (const auto& field : fields) field->add(sums, pool, progress);
    pairs.resize(2 * count);
    for (std::size_t k = 0; k < count; ++k) {
      largest = std::max(largest, sums.weights[k]);
      pairs[2 * k] = static_cast<float>(sums.pixels[k] / sums.weights[k]);
      pairs[2 * k + 1] = static_cast<float>(sums.weights[k]);
    }
    store_->put(y, sums.band.ny, pairs.data());
  }
  if (!(largest > 0))
    throw InputError("no pixel of the mosaic has a weight: fields are blank where they lie on the grid");
  least_weight_ = request_.final_cutoff * request_.final_cutoff * largest;
}

OutputHeader Mosaic::header_of(const ImageHeader& like, const std::string& unit) const {
  OutputHeader header;
  header.like = &like;
  header.unit = unit;
  header.beam = beam_;
  header.history = history_;
  return header;
}

void Mosaic::write(const std::string& path, const std::string& unit, const FileOptions& how, const Progress& progress,
                   const std::function<float(float image, float weight)>& value) const {
  const ImageHeader like = on_grid(*fields_.front().header, request_.grid);
  const std::int64_t nx = store_->shape().nx;
  const auto least = static_cast<float>(least_weight_);
  std::vector<float> pairs;
  const FloatRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    pairs.resize(static_cast<std::size_t>(2 * ny * nx));
    store_->get(y0, ny, pairs.data());
    for (std::size_t k = 0; k < static_cast<std::size_t>(ny * nx); ++k) {
      const float weight = pairs[2 * k + 1];
      out[k] = weight > 0 && weight >= least ? value(pairs[2 * k], weight) : std::nanf("");
    }
  };
  write_fits(path, store_->shape(), header_of(like, unit), rows, how, progress);
}

void Mosaic::write_image(const std::string& path, const FileOptions& how, const Progress& progress) const {
  write(path, fields_.front().header->unit.text, how, progress, [](float image, float) { return image; });
}

void Mosaic::write_weight(const std::string& path, const FileOptions& how, const Progress& progress) const {
  write(path, "", how, progress, [](float, float weight) { return weight; });
}

void Mosaic::write_rms(const std::string& path, const FileOptions& how, const Progress& progress) const {
  const double gain = noise_gain_;
  write(path, fields_.front().header->unit.text, how, progress,
        [gain](float, float weight) { return static_cast<float>(gain / std::sqrt(static_cast<double>(weight))); });
}

void Mosaic::write_psf(const std::string& path, const FileOptions& how, const Progress& progress) const {
  std::vector<BeamOnGrid> beams;
  std::vector<BeamTable> tables;
  std::vector<SkyPosition> centres;
  const auto grid = system_of(request_.grid.wcs);
  for (const MosaicField& field : fields_) {
    if (!field.beam)
      throw InputError(
          fmt::format("{}: a map of the beam needs one; {}", printable(field.name), field.header->beam_note));
    beams.emplace_back(*field.header, *field.beam, beam_is(*field.header, request_.beam_is), request_.grid);
    tables.emplace_back(request_.primary, field.frequency_hz, request_.cutoff);
    centres.push_back(pointing_of(*field.header));
    if (const auto own = system_of(field.header->wcs); own && grid)
      centres.back() = SkyConverter(*own, *grid)(centres.back());
  }
  const auto at = [&](PixelPosition pixel) -> std::optional<Beam> {
    Covariance sum;
    double weights = 0;
    const auto sky = request_.grid.wcs.to_sky(pixel.x, pixel.y);
    for (std::size_t i = 0; sky && i < fields_.size(); ++i) {
      const Rect& in = fields_[i].covered;
      const bool covered = pixel.x >= static_cast<double>(in.x0) && pixel.y >= static_cast<double>(in.y0) &&
                           pixel.x < static_cast<double>(in.x0 + in.nx) && pixel.y < static_cast<double>(in.y0 + in.ny);
      const auto beam = covered ? beams[i].at(pixel) : std::nullopt;
      if (!beam) continue;
      const double half = std::sin(separation_deg(*sky, centres[i]) * kDegree / 2),
                   p = request_.primary.needs_frequency() ? tables[i].at(half * half) : 1;
      if (!(p >= request_.cutoff)) continue;
      const double weight = p * p / (fields_[i].rms * fields_[i].rms);
      const Covariance one = sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg);
      sum = sum + Covariance{weight * one.xx, weight * one.xy, weight * one.yy};
      weights += weight;
    }
    if (!(weights > 0)) return std::nullopt;
    const Ellipse mean = ellipse_of({sum.xx / weights, sum.xy / weights, sum.yy / weights});
    return Beam{mean.major, mean.minor, mean.pa_deg};
  };
  write_beam_map(path, fields_.front().name, request_.grid, at, history_, how, progress);
}

void Mosaic::write_coverage(const std::string& path, const FileOptions& how, const Progress& progress) const {
  const Shape shape = store_->shape();
  Mask mask(shape);
  std::vector<float> pairs(static_cast<std::size_t>(2 * shape.nx));
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    progress.check();
    store_->get(y, 1, pairs.data());
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      const auto weight = static_cast<double>(pairs[static_cast<std::size_t>(2 * x + 1)]);
      mask.pixels[static_cast<std::size_t>(y * shape.nx + x)] =
          weight > 0 && weight >= static_cast<double>(static_cast<float>(least_weight_)) ? 1 : 0;
    }
  }
  write_moc(moc_of(mask, request_.grid.wcs), path, how);
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Levels, tree, then each structure by its own rectangle of pixels.
#include "core/measure/extended/extended_sources.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/significance.hpp"
#include "core/measure/background/mesh_values.hpp"
#include "core/measure/extended/cutout.hpp"
#include "core/measure/extended/place_index.hpp"
#include "core/measure/extended/segment_levels.hpp"
#include "core/measure/extended/segment_shape.hpp"
#include "core/measure/extended/segment_tree.hpp"
#include "core/measure/fitting/level_errors.hpp"
#include "core/measure/sources/island_rest.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "core/run/pipeline/fit_stage.hpp"
#include "core/run/pipeline/measure_stage.hpp"
#include "core/sky/mask/morphology.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;

class Measurer {
 public:
  Measurer(const Result& result, const Request& request, const Job& job);
  ExtendedSources run();

 private:
  void choose_compact();
  [[nodiscard]] Cutout cut_out(const SegmentNode& node);
  void follow_beam(Cutout& cut) const;
  [[nodiscard]] double area_at(double x, double y) const;
  [[nodiscard]] double per_sum_at(double x, double y) const;
  [[nodiscard]] double reach_around(const SegmentNode& node) const;
  void claim_around(Cutout& cut, const SegmentNode& node, double reach);
  void sum_up(ExtendedSource& made, const Cutout& cut) const;
  void place(ExtendedSource& made, const Cutout& cut) const;
  void look_at(ExtendedSource& made, const Cutout& cut) const;
  void classify(ExtendedSource& made, std::size_t node, const Cutout& cut) const;
  void add(std::size_t node, std::int64_t parent, std::int64_t root);
  [[nodiscard]] ExtendedSource compact_row(std::size_t source, std::int64_t parent, std::int64_t root) const;

  const Result& result_;
  const Request& request_;
  const Job& job_;
  Backend& backend_;
  const ImageHeader& header_;
  const double beam_px_, beam_area_;  ///< of a beam that varies in its middle
  const BeamField beams_;
  const double per_sum_;
  double noise_area_ = 1;
  std::vector<std::size_t> compact_;  ///< rows of result_.sources()
  HeldPlaces held_;                   ///< of these, in nodes_
  SegmentLevels levels_;
  std::optional<MeshValues> background_;  ///< of levels_
  std::vector<SegmentNode> nodes_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<bool> taken_;  ///< pixels of roots and around them
  ExtendedSources made_;
};

double beam_of(const Result& result) {
  const std::optional<double> beam = beam_pixels(result.header(), result.beams().nominal());
  if (!beam) throw InputError("extended sources need the image's beam: give --beam");
  return *beam;
}

Measurer::Measurer(const Result& result, const Request& request, const Job& job)
    : result_(result),
      request_(request),
      job_(job),
      backend_(*result.backend),
      header_(result.header()),
      beam_px_(beam_of(result)),
      beam_area_(std::numbers::pi / (4 * std::numbers::ln2) * beam_px_ * beam_px_),
      beams_(result.beams()),
      per_sum_(flux_per_sum(header_, beams_.nominal())) {
  const Shared<Fitted>& fitted = result.outcomes.positive.fitted;
  noise_area_ = fitted ? area_of_noise(fitted->value.fitter->errors_noise(), beam_area_) : beam_area_;
}

/// Gaussians of about the beam's size; but where most rows of an island were found in what others left, these are
/// pieces of emission that one Gaussian does not describe.
void Measurer::choose_compact() {
  constexpr std::int64_t kPieces = kFlagExtra | kFlagPart,
                         kOther = kFlagRest | kFlagNotFitted | kFlagComplex | kFlagNoise;
  const std::vector<Source>& sources = result_.sources();
  struct Count {
    int rows = 0, pieces = 0;
  };
  std::unordered_map<std::int64_t, Count> of;
  for (const Source& s : sources) ++of[s.island].rows, of[s.island].pieces += (s.flag & kPieces) != 0 ? 1 : 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& s = sources[i];
    if (!s.fitted || s.negative || (s.flag & kOther) != 0) continue;
    const Count& island = of[s.island];
    const bool piece = (s.flag & kFlagExtra) != 0 && island.rows >= kManyRows && 2 * island.pieces > island.rows;
    if (!piece && gaussian_area(s.model.fwhm2) <= kCompactAreas * area_at(s.x, s.y)) compact_.push_back(i);
  }
}

/// The beam's area at a place, pixels.
double Measurer::area_at(double x, double y) const {
  return beams_.varies() ? gaussian_area(beams_.at(x, y).pixels) : beam_area_;
}

double Measurer::per_sum_at(double x, double y) const { return flux_per_sum_at(header_, beams_, per_sum_, x, y); }

void Measurer::follow_beam(Cutout& cut) const {
  cut.noise_area = noise_area_;
  if (!beams_.varies() && !beams_.areas_vary()) return;
  const auto x0 = static_cast<double>(cut.where.x0), y0 = static_cast<double>(cut.where.y0);
  const double x1 = x0 + static_cast<double>(cut.where.nx - 1), y1 = y0 + static_cast<double>(cut.where.ny - 1);
  if (beams_.varies()) cut.noise_area *= area_at(0.5 * (x0 + x1), 0.5 * (y0 + y1)) / beam_area_;
  for (double y = y0; y <= y1; ++y)
    for (double x = x0; x <= x1; ++x) cut.flux.push_back(static_cast<float>(per_sum_at(x, y) / per_sum_));
}

Cutout Measurer::cut_out(const SegmentNode& node) {
  const double reach = node.parent == SegmentNode::kNone ? reach_around(node) : 0;
  const auto margin = static_cast<std::int64_t>(std::ceil(reach));
  const IslandSums& box = node.sums;
  const auto [ny, nx] = header_.shape;
  Cutout cut;
  cut.where.y0 = std::max<std::int64_t>(box.y0 - margin, 0);
  cut.where.x0 = std::max<std::int64_t>(box.x0 - margin, 0);
  cut.where.ny = std::min(box.y1 + margin, ny) - cut.where.y0;
  cut.where.nx = std::min(box.x1 + margin, nx) - cut.where.x0;
  cut.inside = cut.around = Mask(cut.where.shape());
  for (const LabelRuns::Run& run : node.pixels.runs)
    for (std::int64_t x = run.x0; x < run.x1; ++x)
      cut.inside.pixels[static_cast<std::size_t>((run.y - cut.where.y0) * cut.where.nx + x - cut.where.x0)] = 1;
  if (margin > 0) claim_around(cut, node, reach);
  const auto pixels = static_cast<std::size_t>(cut.where.shape().count());
  const BackgroundModel& background = levels_.background;
  const auto fetch = [&](MapKind kind, const Plane& plane) {
    std::vector<float> values(pixels);
    backend_.render(kind, plane, kind == MapKind::image ? nullptr : &background, cut.where, values.data(), job_);
    return values;
  };
  const auto level = [&](MapKind kind, const std::vector<float>& nodes, bool given) {
    if (given) return fetch(kind, *levels_.residual);
    std::vector<float> values(pixels);
    background_->rectangle(nodes, cut.where, values.data());
    return values;
  };
  cut.image = fetch(MapKind::image, *result_.plane());
  cut.residual = fetch(MapKind::image, *levels_.residual);
  cut.rms = level(MapKind::rms, background.rms, background.rms_map != nullptr);
  cut.mean = level(MapKind::mean, background.mean, background.mean_map != nullptr);
  for (std::size_t i = 0; i < pixels; ++i) cut.image[i] -= cut.mean[i], cut.residual[i] -= cut.mean[i];
  follow_beam(cut);
  return cut;
}

/// Wings below the threshold reach as far as the beam does, and half as far as the smoothing at which the root stands
/// out.
double Measurer::reach_around(const SegmentNode& node) const {
  return std::max(beam_px_, 0.5 * std::hypot(beam_px_, levels_.levels[node.level].fwhm_px));
}

/// What is so near to a root, where no other root is or was about.
void Measurer::claim_around(Cutout& cut, const SegmentNode& node, double reach) {
  cut.around = cut.inside;
  dilate(cut.around, reach);
  for (std::int64_t y = 0; y < cut.where.ny; ++y)
    for (std::int64_t x = 0; x < cut.where.nx; ++x) {
      const auto i = static_cast<std::size_t>(y * cut.where.nx + x);
      if (cut.around.pixels[i] == 0) continue;
      const auto pixel = static_cast<std::size_t>((cut.where.y0 + y) * node.pixels.shape.nx + cut.where.x0 + x);
      if (taken_[pixel]) cut.around.pixels[i] = 0;
      taken_[pixel] = true;
    }
}

void Measurer::sum_up(ExtendedSource& made, const Cutout& cut) const {
  double sum = 0, rms = 0, flux = 0;
  std::int64_t pixels = 0;
  float brightest = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < cut.image.size(); ++i) {
    const bool inside = cut.inside.pixels[i] != 0;
    if (!inside && cut.around.pixels[i] == 0) continue;
    if (!std::isfinite(cut.residual[i])) {
      made.flag |= kFlagEdge;
      continue;
    }
    sum += cut.residual[i] * cut.flux_at(i), rms += cut.rms[i], flux += cut.flux_at(i), ++pixels;
    if (inside && cut.image[i] > brightest) {
      brightest = cut.image[i];
      made.peak = cut.image[i] * header_.unit.factor, made.rms = cut.rms[i] * header_.unit.factor;
      made.mean = cut.mean[i] * header_.unit.factor;
    }
  }
  if (pixels == 0) return;
  rms /= static_cast<double>(pixels);
  const auto n = static_cast<double>(pixels);
  const MeshGrid& grid = levels_.background.grid;
  const double side = std::sqrt(static_cast<double>(grid.rows.front().size() * grid.cols.front().size()));
  const double mean_error = kLevelNoise * rms * std::sqrt(2 * cut.noise_area) / side;
  const double window = request_.background->mesh.filter * side;
  const double background = mean_error * n / std::sqrt(std::max(1.0, n / (window * window)));
  made.diffuse = sum * per_sum_;
  made.e_diffuse = std::hypot(error_of_sum(pixels, rms, cut.noise_area), background) * std::abs(per_sum_) * (flux / n);
}

void Measurer::place(ExtendedSource& made, const Cutout& cut) const {
  std::vector<float> flux = cut.image;
  for (std::size_t i = 0; i < flux.size(); ++i) flux[i] = static_cast<float>(flux[i] * cut.flux_at(i));
  const Moments m = moments_of(flux, cut.inside);
  if (!(m.sum > 0)) return;
  made.x = m.x + static_cast<double>(cut.where.x0), made.y = m.y + static_cast<double>(cut.where.y0);
  double xx = 0, yy = 0;
  for (std::int64_t y = 0; y < cut.where.ny; ++y)
    for (std::int64_t x = 0; x < cut.where.nx; ++x)
      if (const auto i = static_cast<std::size_t>(y * cut.where.nx + x);
          cut.inside.pixels[i] != 0 && std::isfinite(cut.rms[i])) {
        const double dx = static_cast<double>(x) - m.x, dy = static_cast<double>(y) - m.y;
        const double r = cut.rms[i] * cut.flux_at(i);
        xx += r * r * dx * dx, yy += r * r * dy * dy;
      }
  made.e_x = std::sqrt(2 * cut.noise_area * xx) / m.sum, made.e_y = std::sqrt(2 * cut.noise_area * yy) / m.sum;
  const auto sky = header_.wcs.to_sky(made.x, made.y);
  const auto geometry = header_.wcs.sky_per_pixel(made.x, made.y);
  if (!sky || !geometry) return;
  made.ra = sky->lon_deg, made.dec = sky->lat_deg;
  made.e_ra = std::hypot(geometry->a * made.e_x, geometry->b * made.e_y);
  made.e_dec = std::hypot(geometry->c * made.e_x, geometry->d * made.e_y);
  const double pixel = std::abs(geometry->determinant());
  made.area_deg2 = static_cast<double>(made.npix) * pixel;
  if (beams_.areas_vary()) {
    made.area_deg2 = 0;
    for (std::int64_t y = 0; y < cut.where.ny; ++y)
      for (std::int64_t x = 0; x < cut.where.nx; ++x)
        if (cut.inside.at(y, x) != 0)
          made.area_deg2 +=
              beams_.pixel_deg2(static_cast<double>(cut.where.x0 + x), static_cast<double>(cut.where.y0 + y));
  }
  made.extent_deg = largest_extent(made.outline) * std::sqrt(pixel);
  if (!m.positive()) return;
  const Ellipse shape = ellipse_of(to_sky(m.fwhm2(), *geometry));
  made.major_deg = shape.major, made.minor_deg = shape.minor, made.pa_deg = shape.pa_deg;
}

void Measurer::look_at(ExtendedSource& made, const Cutout& cut) const {
  made.x0 = cut.where.nx, made.y0 = cut.where.ny;
  for (std::int64_t y = 0; y < cut.where.ny; ++y)
    for (std::int64_t x = 0; x < cut.where.nx; ++x) {
      if (cut.inside.at(y, x) == 0) continue;
      ++made.npix;
      made.x0 = std::min(made.x0, x), made.x1 = std::max(made.x1, x);
      made.y0 = std::min(made.y0, y), made.y1 = std::max(made.y1, y);
    }
  made.x0 += cut.where.x0, made.x1 += cut.where.x0, made.y0 += cut.where.y0, made.y1 += cut.where.y0;
  if (made.x0 == 0 || made.y0 == 0 || made.x1 == header_.shape.nx - 1 || made.y1 == header_.shape.ny - 1)
    made.flag |= kFlagEdge;
  made.outline = outline_of_mask(cut.inside);
  const double extent = largest_extent(made.outline);
  made.length_over_width = extent * extent / static_cast<double>(made.npix);
  for (PixelPosition& corner : made.outline)
    corner.x += static_cast<double>(cut.where.x0), corner.y += static_cast<double>(cut.where.y0);
}

void Measurer::classify(ExtendedSource& made, std::size_t node, const Cutout& cut) const {
  constexpr double kShellCoverage = 0.75, kShellHollow = 0.4, kFilamentRatio = 5;
  const Rim rim = rim_of(cut.residual, cut.inside);
  double rms = 0;
  for (const float value : cut.rms) rms = std::max(rms, static_cast<double>(value));
  const double error = rms * std::sqrt(2 * cut.noise_area / std::max(1.0, rim.inner_pixels));
  const bool resolved = rim.inner_pixels > 2 * area_at(made.x, made.y) && rim.outer > 0;
  if (resolved) made.hollowness = 1 - rim.inner / rim.outer;
  double in_parts = 0;
  for (const std::size_t child : children_[node]) {
    const IslandSums& sums = nodes_[child].sums;
    in_parts += sums.s * per_sum_at(static_cast<double>(sums.peak_x), static_cast<double>(sums.peak_y));
  }
  const std::int64_t direct = made.parts + std::ssize(held_.direct[node]);
  for (const std::size_t i : held_.direct[node]) in_parts += result_.sources()[compact_[i]].total;
  if (direct >= 2 && in_parts > 0.5 * made.total)
    made.kind = SegmentClass::multiple;
  else if (resolved && rim.coverage >= kShellCoverage && made.hollowness > kShellHollow &&
           rim.outer - rim.inner > kSure * error)
    made.kind = SegmentClass::shell;
  else if (made.length_over_width > kFilamentRatio)
    made.kind = SegmentClass::filament;
}

ExtendedSource Measurer::compact_row(std::size_t source, std::int64_t parent, std::int64_t root) const {
  const Source& s = result_.sources()[source];
  ExtendedSource made;
  made.id = static_cast<std::int64_t>(made_.sources.size()) + 1;
  made.parent = parent, made.root = root, made.row = static_cast<std::int64_t>(source);
  made.kind = SegmentClass::compact, made.scale_deg = 0;
  made.ra = s.ra, made.e_ra = s.e_ra, made.dec = s.dec, made.e_dec = s.e_dec;
  made.x = s.x, made.e_x = s.e_x, made.y = s.y, made.e_y = s.e_y;
  made.total = made.compact = s.total, made.e_total = s.e_total;
  made.diffuse = made.e_diffuse = 0;
  made.peak = s.peak_pixel, made.rms = s.rms, made.mean = s.mean;
  made.major_deg = s.major_deg, made.minor_deg = s.minor_deg, made.pa_deg = s.pa_deg;
  made.npix = s.npix, made.x0 = s.x0, made.x1 = s.x1, made.y0 = s.y0, made.y1 = s.y1, made.flag = s.flag;
  return made;
}

void Measurer::add(std::size_t node, std::int64_t parent, std::int64_t root) {
  job_.check();
  ExtendedSource made;
  made.id = static_cast<std::int64_t>(made_.sources.size()) + 1;
  made.parent = parent, made.root = root == 0 ? made.id : root;
  made.parts = static_cast<std::int64_t>(children_[node].size());
  const auto centre = header_.centre_geometry();
  if (centre) made.scale_deg = levels_.levels[nodes_[node].level].fwhm_px * std::sqrt(std::abs(centre->determinant()));
  const Cutout cut = cut_out(nodes_[node]);
  look_at(made, cut);
  sum_up(made, cut);
  double squares = made.e_diffuse * made.e_diffuse;
  for (const std::size_t i : held_.inside[node]) {
    const Source& s = result_.sources()[compact_[i]];
    ++made.compacts, made.compact += s.total, squares += s.e_total * s.e_total;
  }
  made.total = made.diffuse + made.compact, made.e_total = std::sqrt(squares);
  place(made, cut);
  made.brightness = made.total / (made.area_deg2 * kArcsec * kArcsec);
  classify(made, node, cut);
  // With the error of the background, which the tree does not know.
  const std::int64_t id = made.id, top = made.root;
  const bool doubtful = !(made.diffuse > kSure * made.e_diffuse);
  if (root == 0 && doubtful && made.compacts < 2 && children_[node].empty()) return;
  made_.sources.push_back(std::move(made));
  for (const std::size_t child : children_[node]) add(child, id, top);
  for (const std::size_t i : held_.direct[node]) made_.sources.push_back(compact_row(compact_[i], id, top));
}

ExtendedSources Measurer::run() {
  const std::vector<Source>& sources = result_.sources();
  choose_compact();
  std::vector<GaussianComponent> drawn;
  std::vector<CompactSum> sums;
  std::vector<std::pair<double, double>> places;
  for (const std::size_t i : compact_) {
    drawn.push_back(sources[i].model);
    places.emplace_back(sources[i].x, sources[i].y);
    sums.push_back({sources[i].x, sources[i].y, sources[i].model.peak * gaussian_area(sources[i].model.fwhm2)});
  }
  levels_ = make_segment_levels(result_, request_, beam_px_, drawn, job_);
  background_.emplace(levels_.background.grid);
  made_.notes = levels_.notes;
  SegmentRules rules;
  rules.noise_area = noise_area_;
  nodes_ = make_segment_tree(levels_.levels, sums, rules);
  children_.resize(nodes_.size());
  held_ = held_by(nodes_, places);
  taken_.assign(static_cast<std::size_t>(header_.shape.count()), false);
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const SegmentNode& node = nodes_[i];
    (node.parent == SegmentNode::kNone ? roots : children_[node.parent]).push_back(i);
  }
  const auto before = [&](std::size_t a, std::size_t b) {
    const LabelRuns::Run &first = nodes_[a].pixels.runs.front(), &second = nodes_[b].pixels.runs.front();
    return std::pair(first.y, first.x0) < std::pair(second.y, second.x0);
  };
  std::ranges::sort(roots, before);
  for (std::vector<std::size_t>& children : children_) std::ranges::sort(children, before);
  for (const std::size_t root : roots)
    for (const LabelRuns::Run& run : nodes_[root].pixels.runs)
      std::fill_n(taken_.begin() + run.y * header_.shape.nx + run.x0, run.x1 - run.x0, true);
  for (const std::size_t root : roots) add(root, 0, 0);
  return std::move(made_);
}

}  // namespace

void check_extended_request(const Request& request) {
  if (request.scales.any())
    throw InputError("extended sources have scales of their own: leave out --scales, --wavelets");
  if (request.search.any())
    throw InputError(
        "extended sources are looked for in the whole image: no detection image, search mask, region or MOC");
}

ExtendedSources find_extended(const Result& result, const Request& request, const Job& job) {
  if (!result.outcomes.positive.detected) throw InternalError("extended sources of a run that looked for none");
  check_extended_request(request);
  return Measurer(result, request, job).run();
}

}  // namespace reber

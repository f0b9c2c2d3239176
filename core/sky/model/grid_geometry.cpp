// SPDX-License-Identifier: BSD-3-Clause
// Nodes over an image, made closer until the bilinear beam and area between them are those of the projection.
#include "core/sky/model/grid_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Parts of FWHM^2 and of a pixel's area: what counts as varying, and what nodes may err by.
constexpr double kVaries = 1e-3, kNodeError = 3e-4;

/// Of one place.
struct Place {
  Covariance sky, pixels;
  double pixel_deg2 = kNan;
  [[nodiscard]] bool known() const {
    return std::isfinite(pixels.xx) && std::isfinite(pixels.xy) && std::isfinite(pixels.yy) && pixel_deg2 > 0;
  }
};

double difference(const Place& a, const Place& b) {
  const double trace = b.pixels.xx + b.pixels.yy;
  return std::max({std::abs(a.pixels.xx - b.pixels.xx) / trace, std::abs(a.pixels.xy - b.pixels.xy) / trace,
                   std::abs(a.pixels.yy - b.pixels.yy) / trace, std::abs(a.pixel_deg2 / b.pixel_deg2 - 1)});
}

class Grid {
 public:
  Grid(const ImageHeader& header, const Covariance& sky, const Covariance& kernel_px)
      : shape_(header.shape), sky_(sky), kernel_px_(kernel_px), own_(threads(), header.wcs) {}

  [[nodiscard]] Shape shape() const { return shape_; }

  /// Unknown off the sky, and where a beam is longer than the image, as at the pole of a cylinder.
  [[nodiscard]] Place at(double x, double y, int worker = 0) const {
    const Place unknown{{}, {kNan, kNan, kNan}, kNan};
    const auto local = own_[static_cast<std::size_t>(worker)].sky_per_pixel(x, y);
    if (!local || !(std::abs(local->determinant()) > 0)) return unknown;
    const Covariance pixels = to_pixels(sky_, *local) + kernel_px_;
    const auto longest = static_cast<double>(std::max(shape_.nx, shape_.ny));
    if (!(pixels.xx + pixels.yy < longest * longest)) return unknown;
    return {to_sky(pixels, *local), pixels, std::abs(local->determinant())};
  }

  /// most: intervals along the longer side
  [[nodiscard]] std::shared_ptr<BeamNodes> nodes(std::int64_t most) {
    auto made = std::make_shared<BeamNodes>();
    const std::int64_t step = std::max<std::int64_t>(1, (std::max(shape_.ny, shape_.nx) - 1) / most + 1);
    made->step_px = static_cast<double>(step);
    made->shape = {(shape_.ny + step - 2) / step + 1, (shape_.nx + step - 2) / step + 1};
    made->sky.resize(static_cast<std::size_t>(made->shape.count()));
    made->pixels = made->sky;
    made->pixel_deg2.resize(made->sky.size());
    pool_.for_each_worker(made->shape.ny, [&](std::int64_t row, int worker) {
      for (std::int64_t column = 0; column < made->shape.nx; ++column) {
        const Place place = at(static_cast<double>(column * step), static_cast<double>(row * step), worker);
        const auto i = static_cast<std::size_t>(row * made->shape.nx + column);
        made->sky[i] = place.known() ? place.sky : Covariance{kNan, kNan, kNan};
        made->pixels[i] = place.pixels, made->pixel_deg2[i] = place.pixel_deg2;
      }
    });
    return made;
  }

 private:
  [[nodiscard]] std::size_t threads() const { return static_cast<std::size_t>(pool_.threads()); }

  ThreadPool pool_;
  Shape shape_;
  Covariance sky_, kernel_px_;
  std::vector<Wcs> own_;  ///< WCSLIB writes into its structures
};

/// Largest part by which nodes differ from those in the middle.
double variation(const BeamNodes& nodes) {
  const auto place = [&](std::size_t i) { return Place{nodes.sky[i], nodes.pixels[i], nodes.pixel_deg2[i]}; };
  const auto middle = static_cast<std::size_t>((nodes.shape.ny / 2) * nodes.shape.nx + nodes.shape.nx / 2);
  double most = 0;
  for (std::size_t i = 0; i < nodes.sky.size(); ++i) most = std::max(most, difference(place(i), place(middle)));
  return most;
}

/// Whether 98 of 100 places that are known, of a lattice that misses the nodes, are right.
bool close_enough(const Grid& grid, const BeamField& field) {
  constexpr int kPlaces = 24;
  constexpr double kPart = 0.98;
  const Shape shape = grid.shape();
  int known = 0, right = 0;
  for (int j = 0; j < kPlaces; ++j)
    for (int i = 0; i < kPlaces; ++i) {
      const double x = (i + 0.43) / kPlaces * static_cast<double>(shape.nx - 1);
      const double y = (j + 0.57) / kPlaces * static_cast<double>(shape.ny - 1);
      const Place exact = grid.at(x, y);
      if (!exact.known()) continue;
      ++known;
      right += difference({{}, field.at(x, y).pixels, field.pixel_deg2(x, y)}, exact) < kNodeError ? 1 : 0;
    }
  return right >= kPart * known;
}

}  // namespace

BeamIs beam_is(const ImageHeader& header, BeamIs wanted) {
  if (wanted != BeamIs::automatic) return wanted;
  const std::string projection = header.wcs.projection();
  const bool interferometer = projection == "SIN" || projection == "NCP";
  return !header.wcs.celestial() || interferometer ? BeamIs::pixels : BeamIs::sky;
}

bool fill_unknown(BeamNodes& nodes) {
  const auto width = static_cast<std::ptrdiff_t>(nodes.shape.nx), count = static_cast<std::ptrdiff_t>(nodes.sky.size());
  const auto known = [&](std::ptrdiff_t i) {
    const Covariance& c = nodes.sky[static_cast<std::size_t>(i)];
    return std::isfinite(c.xx) && std::isfinite(c.xy) && std::isfinite(c.yy);
  };
  std::deque<std::ptrdiff_t> front;
  for (std::ptrdiff_t i = 0; i < count; ++i)
    if (known(i)) front.push_back(i);
  if (front.empty()) return false;
  while (!front.empty()) {
    const std::ptrdiff_t i = front.front();
    front.pop_front();
    for (const std::ptrdiff_t next : {i - 1, i + 1, i - width, i + width}) {
      const bool wraps = (next == i - 1 && i % width == 0) || (next == i + 1 && next % width == 0);
      if (next < 0 || next >= count || wraps || known(next)) continue;
      const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(next);
      nodes.sky[to] = nodes.sky[from], nodes.pixels[to] = nodes.pixels[from];
      nodes.pixel_deg2[to] = nodes.pixel_deg2[from];
      front.push_back(next);
    }
  }
  return true;
}

BeamField beam_by_place(const ImageHeader& header, const std::optional<Beam>& beam, BeamIs is,
                        const std::optional<Beam>& after) {
  constexpr std::int64_t kFewest = 32, kMost = 512;
  const bool on_sky = beam && is == BeamIs::sky;
  if (!header.wcs.celestial() || (!on_sky && !header.unit.per_solid_angle())) return after;
  const auto of = [](const Beam& one) { return sky_covariance(one.major_deg, one.minor_deg, one.pa_deg); };
  const auto centre = header.centre_geometry();
  Covariance kernel;
  if (on_sky && after && *after != *beam && centre) kernel = to_pixels(of(*after) - of(*beam), *centre);
  // Areas of pixels need no beam: a small round one stands for it.
  const double pixel = centre ? std::sqrt(std::abs(centre->determinant())) : 1.0 / 3600;
  Grid grid(header, on_sky ? of(*beam) : Covariance{pixel * pixel, 0, pixel * pixel}, kernel);
  for (std::int64_t most = kFewest;; most *= 2) {
    const auto nodes = grid.nodes(most);
    if (!fill_unknown(*nodes)) return after;
    if (most == kFewest && !(variation(*nodes) > kVaries)) return after;
    const BeamField field(nodes);
    const bool last = most >= kMost || most >= std::max(header.shape.nx, header.shape.ny);
    if (!last && !close_enough(grid, field)) continue;
    return on_sky && after ? field : BeamField(after, nodes);
  }
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Cells of the finest order first; full sets of four move up.
#include "core/sky/mask/moc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/checksum.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

constexpr int kDeepest = 29;
/// Side of the cell of order 0, the root of its area, degrees.
constexpr double kSideDeg = 58.6323;

/// The bits of x at even places, those of y at odd ones.
std::int64_t interleaved(std::int64_t x, std::int64_t y, int bits) {
  std::int64_t out = 0;
  for (int bit = 0; bit < bits; ++bit) out |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
  return out;
}

int usual_order(const Mask& mask, const Wcs& wcs) {
  constexpr double kCells = 256;
  const auto geometry = wcs.centre_geometry(mask.shape);
  if (!geometry) return 8;
  const double side =
      std::sqrt(std::abs(geometry->determinant())) * static_cast<double>(std::max(mask.shape.ny, mask.shape.nx));
  return std::clamp(static_cast<int>(std::floor(std::log2(kSideDeg * kCells / side))), 0, kDeepest);
}

/// Cells of one order that hold the sky of pixels inside. Pixels are taken a fraction of a cell apart.
std::vector<std::int64_t> cells_of(const Mask& mask, const Wcs& wcs, int order) {
  const auto geometry = wcs.centre_geometry(mask.shape);
  const double pixel = geometry ? std::sqrt(std::abs(geometry->determinant())) : 0;
  const double cell = std::ldexp(kSideDeg, -order);
  const auto step = pixel > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(0.2 * cell / pixel)) : 1;
  const auto system = system_of(wcs);
  if (!system)
    throw InputError(
        fmt::format("a coverage map is in ICRS, and positions of {} cannot be turned into it", wcs.frame_name()));
  const SkyConverter to_icrs(*system, SkySystem{});
  ThreadPool pool;
  const std::vector<Wcs> own(static_cast<std::size_t>(pool.threads()), wcs);  // WCSLIB writes into its structures
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(pool.threads()));
  pool.for_each_worker((mask.shape.ny + step - 1) / step, [&](std::int64_t row, int worker) {
    auto& cells = found[static_cast<std::size_t>(worker)];
    for (std::int64_t y = row * step; y < std::min(mask.shape.ny, (row + 1) * step); ++y)
      for (std::int64_t x0 = 0; x0 < mask.shape.nx; x0 += step) {
        std::int64_t x = x0;
        while (x < std::min(mask.shape.nx, x0 + step) && mask.at(y, x) == 0) ++x;
        if (x == std::min(mask.shape.nx, x0 + step)) continue;
        const auto sky = own[static_cast<std::size_t>(worker)].to_sky(static_cast<double>(x), static_cast<double>(y));
        if (!sky) continue;
        const SkyPosition place = to_icrs(*sky);
        cells.push_back(healpix_cell(place.lon_deg, place.lat_deg, order));
      }
    std::ranges::sort(cells);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  });
  std::vector<std::int64_t> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

std::int64_t healpix_cell(double lon_deg, double lat_deg, int order) {
  const std::int64_t nside = std::int64_t{1} << order;
  const auto side = static_cast<double>(nside);
  const double z = std::sin(lat_deg * std::numbers::pi / 180);
  double turn = std::fmod(lon_deg, 360.0) / 90;  // quarters of a turn
  if (turn < 0) turn += 4;
  std::int64_t face = 0, ix = 0, iy = 0;
  if (std::abs(z) <= 2.0 / 3) {
    const double up = side * (0.5 + turn), slope = side * z * 0.75;
    const auto jp = static_cast<std::int64_t>(std::floor(up - slope)),
               jm = static_cast<std::int64_t>(std::floor(up + slope));
    const std::int64_t of_p = jp / nside, of_m = jm / nside;
    face = of_p == of_m ? (of_p % 4) + 4 : of_p < of_m ? of_p % 4 : of_m % 4 + 8;
    ix = jm & (nside - 1);
    iy = nside - (jp & (nside - 1)) - 1;
  } else {
    const auto quarter = std::min<std::int64_t>(3, static_cast<std::int64_t>(turn));
    const double part = turn - static_cast<double>(quarter);
    // cos(lat) in place of sqrt(1 - z^2), which loses digits at the poles.
    const double away = side * std::cos(lat_deg * std::numbers::pi / 180) * std::sqrt(3 / (1 + std::abs(z)));
    const std::int64_t jp = std::min(nside - 1, static_cast<std::int64_t>(part * away));
    const std::int64_t jm = std::min(nside - 1, static_cast<std::int64_t>((1 - part) * away));
    face = z >= 0 ? quarter : quarter + 8;
    ix = z >= 0 ? nside - jm - 1 : jp;
    iy = z >= 0 ? nside - jp - 1 : jm;
  }
  return face * nside * nside + interleaved(ix, iy, order);
}

Moc moc_of(const Mask& mask, const Wcs& wcs, int order) {
  if (!wcs.celestial()) throw InputError("a coverage map needs sky positions: " + wcs.why_not());
  if (order > kDeepest)
    throw InputError(fmt::format("the order of a coverage map is at most {}, not {}", kDeepest, order));
  Moc moc;
  moc.order = order < 0 ? usual_order(mask, wcs) : order;
  std::vector<std::int64_t> cells = cells_of(mask, wcs, moc.order);
  for (int at = moc.order; !cells.empty(); --at) {
    std::vector<std::int64_t> parents;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool full = at > 0 && cells[i] % 4 == 0 && i + 3 < cells.size() && cells[i + 3] == cells[i] + 3;
      if (full) {
        parents.push_back(cells[i] / 4);
        i += 3;
      } else {
        moc.cells.push_back((std::int64_t{4} << (2 * at)) + cells[i]);
      }
    }
    cells = std::move(parents);
  }
  std::ranges::sort(moc.cells);
  return moc;
}

void write_moc(const Moc& moc, const std::string& path, const FileOptions& how) {
  using fits::make_card;
  using fits::make_text_card;
  const auto blocks = [](std::string text, char fill) {
    text.resize((text.size() + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes, fill);
    return text;
  };
  std::string primary = fits::make_logical_card("SIMPLE", true) + make_card("BITPIX", std::int64_t{8}) +
                        make_card("NAXIS", std::int64_t{0}) + fits::make_logical_card("EXTEND", true);
  std::string end = "END";
  end.resize(fits::kCardBytes, ' ');
  std::string cards =
      make_text_card("XTENSION", "BINTABLE") + make_card("BITPIX", std::int64_t{8}) +
      make_card("NAXIS", std::int64_t{2}) + make_card("NAXIS1", std::int64_t{8}) +
      make_card("NAXIS2", static_cast<std::int64_t>(moc.cells.size())) + make_card("PCOUNT", std::int64_t{0}) +
      make_card("GCOUNT", std::int64_t{1}) + make_card("TFIELDS", std::int64_t{1}) + make_text_card("TTYPE1", "UNIQ") +
      make_text_card("TFORM1", "1K") + make_text_card("MOCVERS", "2.0") + make_text_card("MOCDIM", "SPACE") +
      make_text_card("ORDERING", "NUNIQ") + make_text_card("COORDSYS", "C", "ICRS") +
      make_card("MOCORD_S", std::int64_t{moc.order}) + make_text_card("MOCTOOL", "Reber");
  std::string data;
  for (const std::int64_t cell : moc.cells)
    for (int shift = 56; shift >= 0; shift -= 8)
      data += static_cast<char>(static_cast<std::uint64_t>(cell) >> shift & 0xffU);
  data = blocks(std::move(data), '\0');
  AtomicFile file(path, how);
  file.write(blocks(primary + end, ' '));
  file.write(fits::with_checksums(cards, data));
  file.write(data);
  file.commit();
}

}  // namespace reber

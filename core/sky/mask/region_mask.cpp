// SPDX-License-Identifier: BSD-3-Clause
// Shapes to pixels by their centres; outlines by walking along the sides of pixels with the inside to the left.
#include "core/sky/mask/region_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/sky/regions/region_io.hpp"
#include "core/sky/regions/region_parsers.hpp"
#include "core/sky/regions/region_spans.hpp"

namespace reber {
namespace {

bool is_crtf(const std::string& shapes) { return shapes.find("[[") != std::string::npos; }

std::string text_of(const std::string& file_or_text) {
  std::error_code error;
  if (!std::filesystem::exists(file_or_text, error) && is_region_text(file_or_text)) return file_or_text;
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  return fits::read_text(file_or_text, kMostBytes);
}

/// A corner of pixels: (x, y) is the lower left one of pixel (x, y).
struct Corner {
  std::int64_t x = 0, y = 0;
  auto operator<=>(const Corner&) const = default;
};

/// Sides between inside and outside, each from corner to corner with the inside to the left, by their first corner.
class Sides {
 public:
  explicit Sides(const Mask& mask) : mask_(mask) {
    for (std::int64_t y = 0; y < mask.shape.ny; ++y)
      for (std::int64_t x = 0; x < mask.shape.nx; ++x) {
        const std::int32_t own = mask.at(y, x);
        if (own == 0) continue;
        if (label(y - 1, x) != own) add({x, y}, {x + 1, y});
        if (label(y, x + 1) != own) add({x + 1, y}, {x + 1, y + 1});
        if (label(y + 1, x) != own) add({x + 1, y + 1}, {x, y + 1});
        if (label(y, x - 1) != own) add({x, y + 1}, {x, y});
      }
  }
  [[nodiscard]] bool empty() const { return next_.empty(); }

  /// The closed outline from the first side that is left; sides are used up.
  std::vector<Corner> take() {
    const Corner first = next_.begin()->first;
    std::vector<Corner> outline{first};
    Corner before = first, at = pull(first, first);
    while (at != first) {
      outline.push_back(at);
      const Corner after = pull(at, before);
      before = at, at = after;
    }
    return outline;
  }

 private:
  [[nodiscard]] std::int32_t label(std::int64_t y, std::int64_t x) const {
    const bool inside = y >= 0 && x >= 0 && y < mask_.shape.ny && x < mask_.shape.nx;
    return inside ? mask_.at(y, x) : 0;
  }
  void add(Corner from, Corner to) { next_.emplace(from, to); }
  /// Where pixels touch at a corner alone, the walk turns left, so that it keeps to its own pixel.
  Corner pull(Corner from, Corner before) {
    auto [begin, end] = next_.equal_range(from);
    auto chosen = begin;
    for (auto it = begin; it != end; ++it) {
      const std::int64_t ax = from.x - before.x, ay = from.y - before.y;
      const std::int64_t bx = it->second.x - from.x, by = it->second.y - from.y;
      if (ax * by - ay * bx > 0) chosen = it;
    }
    const Corner to = chosen->second;
    next_.erase(chosen);
    return to;
  }

  const Mask& mask_;
  std::multimap<Corner, Corner> next_;
};

/// Corners where the direction changes, in pixel positions.
Region polygon_of(const std::vector<Corner>& outline) {
  Region region;
  region.kind = Region::Kind::polygon;
  double twice_area = 0;
  const std::size_t count = outline.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Corner &before = outline[(i + count - 1) % count], &at = outline[i], &after = outline[(i + 1) % count];
    twice_area += static_cast<double>(at.x * after.y - after.x * at.y);
    const bool straight = (at.x == before.x) == (after.x == at.x);
    if (!straight) region.points.push_back({static_cast<double>(at.x) - 0.5, static_cast<double>(at.y) - 0.5});
  }
  region.excluded = twice_area < 0;
  return region;
}

}  // namespace

bool is_region_text(const std::string& file_or_text) {
  return file_or_text.find('(') != std::string::npos || is_crtf(file_or_text);
}

std::vector<Region> read_regions(const std::string& file_or_text, const Wcs& wcs,
                                 const std::function<void(const std::string&)>& warn, const Progress& progress) {
  const std::string text = text_of(file_or_text);
  const bool crtf = region_format(file_or_text, text) == RegionFormat::crtf || (text == file_or_text && is_crtf(text));
  ParsedRegions parsed = crtf ? parse_crtf(text, progress) : parse_ds9(text, progress);
  std::vector<std::string> left_out = std::move(parsed.skipped);
  std::vector<Region> regions;
  for (const FileRegion& one : parsed.regions) {
    progress.check();
    Region region = to_region(one, wcs);
    if (one.annotation)
      left_out.push_back(fmt::format("line {}: annotation", one.line));
    else if (!region.has_area())
      left_out.push_back(fmt::format("line {}: {} without an area", one.line, name_of(region.kind)));
    else
      regions.push_back(std::move(region));
  }
  const std::string file = printable(file_or_text);
  if (regions.empty() && !left_out.empty())
    throw InputError(fmt::format("{}: no shape that has an area; {}", file, left_out.front()));
  if (regions.empty()) throw DataError(fmt::format("'{}' holds no region", file));
  if (warn && !left_out.empty())
    warn(fmt::format("{}: {} of {} shapes left out{}{}", file, left_out.size(), regions.size() + left_out.size(),
                     left_out.size() == 1 ? ": " : "; the first: ", left_out.front()));
  return regions;
}

void for_each_row_inside(const std::vector<Region>& regions, Shape shape,
                         const std::function<void(std::int64_t, const PixelRuns&)>& take,
                         const std::function<void(const std::string&)>& warn, const Progress& progress) {
  const std::vector<bool> held = for_each_row(regions, shape, take, progress);
  const auto without = std::ranges::count(held, false);
  if (!warn || without == 0) return;
  const auto first = static_cast<std::size_t>(std::ranges::find(held, false) - held.begin());
  const std::string& name = regions[first].name;
  warn(fmt::format("{} of {} regions {} no pixel of the image{}: region {}{}", without, regions.size(),
                   without == 1 ? "holds" : "hold", without == 1 ? "" : "; the first", first + 1,
                   name.empty() ? "" : fmt::format(" ({})", printable(name))));
}

Mask mask_of(const std::vector<Region>& regions, Shape shape, const std::function<void(const std::string&)>& warn,
             const Progress& progress) {
  Mask mask(shape);
  const auto take = [&](std::int64_t y, const PixelRuns& inside) {
    for (const auto& [first, last] : inside)
      std::fill_n(mask.pixels.begin() + y * shape.nx + static_cast<std::int64_t>(first),
                  static_cast<std::int64_t>(last - first) + 1, 1);
  };
  for_each_row_inside(regions, shape, take, warn, progress);
  return mask;
}

std::vector<Region> outlines_of(const Mask& mask) {
  std::vector<Region> regions;
  Sides sides(mask);
  while (!sides.empty()) regions.push_back(polygon_of(sides.take()));
  return regions;
}

}  // namespace reber

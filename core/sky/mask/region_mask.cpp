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

std::string text_of(const std::string& file_or_text) {
  std::error_code error;
  if (!std::filesystem::exists(file_or_text, error) && file_or_text.find('(') != std::string::npos) return file_or_text;
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

std::vector<Region> read_regions(const std::string& file_or_text, const Wcs& wcs) {
  const std::string text = text_of(file_or_text);
  const bool crtf = region_format(file_or_text, text) == RegionFormat::crtf;
  const ParsedRegions parsed = crtf ? parse_crtf(text) : parse_ds9(text);
  if (!parsed.skipped.empty()) throw InputError(fmt::format("{}: {}", printable(file_or_text), parsed.skipped.front()));
  std::vector<Region> regions;
  for (const FileRegion& one : parsed.regions) {
    regions.push_back(to_region(one, wcs));
    if (!regions.back().has_area())
      throw InputError(fmt::format("{}: a {} has no area; a mask needs shapes that have one", printable(file_or_text),
                                   name_of(regions.back().kind)));
  }
  if (regions.empty()) throw DataError(fmt::format("'{}' holds no region", printable(file_or_text)));
  return regions;
}

Mask mask_of(const std::vector<Region>& regions, Shape shape, const std::function<void(const std::string&)>& warn,
             const Progress& progress) {
  Mask mask(shape);
  if (std::ranges::all_of(regions, &Region::excluded)) std::ranges::fill(mask.pixels, 1);
  std::vector<std::size_t> without;
  for (const bool excluded : {false, true})
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (regions[i].excluded != excluded) continue;
      bool any = false;
      progress.check();
      for_each_span(regions[i], shape, [&](const PixelSpan& span) {
        any = true;
        progress.check();
        std::fill_n(mask.pixels.begin() + span.y * shape.nx + span.x0, span.x1 - span.x0, excluded ? 0 : 1);
      });
      if (!any) without.push_back(i);
    }
  if (warn && !without.empty()) {
    const std::size_t first = std::ranges::min(without);
    const std::string& name = regions[first].name;
    warn(fmt::format("{} of {} regions {} no pixel of the image{}: region {}{}", without.size(), regions.size(),
                     without.size() == 1 ? "holds" : "hold", without.size() == 1 ? "" : "; the first", first + 1,
                     name.empty() ? "" : fmt::format(" ({})", printable(name))));
  }
  return mask;
}

std::vector<Region> outlines_of(const Mask& mask) {
  std::vector<Region> regions;
  Sides sides(mask);
  while (!sides.empty()) regions.push_back(polygon_of(sides.take()));
  return regions;
}

}  // namespace reber

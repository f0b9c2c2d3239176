// SPDX-License-Identifier: BSD-3-Clause
// Reading, projecting and matching catalogues.
#include "gui/model/open_catalogue.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_reader.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::gui {

std::unique_ptr<OpenCatalogue> open_catalogue(const std::string& path) {
  auto opened = std::make_unique<OpenCatalogue>();
  opened->path = path;
  opened->catalogue = std::make_shared<Catalogue>(read_catalogue(path));
  opened->list = sky_list(*opened->catalogue);
  if (opened->list.lon.empty() && opened->list.x.empty())
    throw InputError(
        fmt::format("{}: no columns with positions were recognised among {}", path, opened->catalogue->columns.size()));
  return opened;
}

const std::vector<PixelPosition>& project(OpenCatalogue& catalogue, const std::shared_ptr<const ImageHeader>& header) {
  if (catalogue.projected_on == header) return catalogue.pixels;
  const SkyList& list = catalogue.list;
  catalogue.pixels.assign(static_cast<std::size_t>(list.rows), {NAN, NAN});
  catalogue.projected_on = header;
  const Wcs& wcs = header->wcs;
  const bool sky = !list.lon.empty() && !list.lat.empty() && wcs.celestial();
  SkyConverter convert;
  const auto to = system_of(wcs);
  const bool alike = list.frame_assumed && to && is_usual(*to);
  if (sky && !alike && list.system && to) convert = SkyConverter(*list.system, *to);
  if (sky && !alike && !(list.system && to) && list.frame != wcs.frame_name()) return catalogue.pixels;
  for (std::size_t i = 0; i < catalogue.pixels.size(); ++i) {
    if (sky) {
      if (!std::isfinite(list.lon[i]) || !std::isfinite(list.lat[i])) continue;
      if (const auto pixel = wcs.to_pixel(convert({list.lon[i], list.lat[i]}))) catalogue.pixels[i] = *pixel;
    } else if (!list.x.empty() && !list.y.empty()) {
      catalogue.pixels[i] = {list.x[i], list.y[i]};
    }
  }
  return catalogue.pixels;
}

bool holds_tables_alone(const std::string& path) {
  constexpr std::int64_t kMostInflated = std::int64_t{256} << 20;
  using Kind = fits::Hdu::Kind;
  try {
    const auto bytes = fits::open_bytes(path, kMostInflated);
    bool tables = false;
    for (const fits::Hdu& hdu : fits::scan(*bytes, path).hdus) {
      if (hdu.kind == Kind::image || hdu.kind == Kind::compressed) return false;
      tables = tables || hdu.kind == Kind::binary_table || hdu.kind == Kind::ascii_table;
    }
    return tables;
  } catch (const Error&) {
    return false;
  }
}

bool open_catalogue_file(ViewerState& state, const std::string& path) {
  try {
    auto opened = open_catalogue(path);
    opened->colour = static_cast<int>(state.workbench->catalogues.size());
    state.say(fmt::format("{}: {} rows; {}", std::filesystem::path(path).filename().string(), opened->list.rows,
                          describe_columns(opened->list)));
    state.workbench->catalogues.push_back(std::move(opened));
    state.workbench->match.b = static_cast<int>(state.workbench->catalogues.size()) - 1;
    return true;
  } catch (const Error& error) {
    state.say(error.what(), true);
    return false;
  }
}

void match_into(MatchWork& match, const SkyList& a, const SkyList& b) {
  match.summary.reset();
  match.error.clear();
  match.only_a.clear();
  match.only_b.clear();
  match.list_a = a;
  match.list_b = b;
  try {
    match.list_b = in_frame_of(b, a);
    match.radius = match.radius_arcsec > 0 ? MatchRadius{match.radius_arcsec / 3600, "as given"}
                                           : default_radius(match.list_a, match.list_b);
    match.summary = match_lists(match.list_a, match.list_b, match.radius.deg);
  } catch (const InputError& error) {
    match.error = error.what();
    return;
  }
  std::vector<bool> in_a(static_cast<std::size_t>(a.rows)), in_b(static_cast<std::size_t>(b.rows));
  for (const MatchPair& pair : match.summary->pairs) {
    in_a[static_cast<std::size_t>(pair.a)] = true;
    in_b[static_cast<std::size_t>(pair.b)] = true;
  }
  for (std::int64_t i = 0; i < a.rows; ++i)
    if (!in_a[static_cast<std::size_t>(i)]) match.only_a.push_back(i);
  for (std::int64_t i = 0; i < b.rows; ++i)
    if (!in_b[static_cast<std::size_t>(i)]) match.only_b.push_back(i);
}

}  // namespace reber::gui

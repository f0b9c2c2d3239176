// SPDX-License-Identifier: BSD-3-Clause
// What the viewer remembers between two runs.
#include "gui/model/settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/json_text.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::gui {

using Json = nlohmann::json;

namespace {

Json json_of(const OverlayInks& inks) {
  Json all = Json::object();
  for (const auto& [name, ink] : inks)
    all[name] = {{"colour", colour_text(ink)}, {"width", ink.width}, {"automatic", ink.automatic}};
  return all;
}

/// What is no ink is passed over.
void take_inks(OverlayInks& inks, const Json& all) {
  for (const InkRow& row : ink_rows()) {
    try {
      if (!all.contains(row.name)) continue;
      const Json& one = all.at(row.name);
      OverlayInk ink = row.usual;
      ink.colour = colour_from(one.at("colour").get<std::string>());
      ink.width = one.at("width").get<double>();
      ink.automatic = row.may_be_automatic && one.value("automatic", row.usual.automatic);
      if (ink.width >= 0.5 && ink.width <= 5) inks[row.name] = ink;
    } catch (const std::exception&) {
      // A value of the wrong kind: the usual look stays.
    }
  }
}

}  // namespace

std::string default_settings_path() {
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && *folder != '\0')
    return std::string(folder) + "/reber/viewer.json";
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.config/reber/viewer.json";
}

void load_settings(ViewerState& state, const std::string& path) {
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return;
  Json all;
  try {
    all = parsed_json<Json>(fits::read_text(path, kMostBytes));
  } catch (const DataError&) {
    return;  // the defaults stay
  }
  if (!all.is_object()) return;
  const auto take = [&](const char* name, auto& field) {
    try {
      if (all.contains(name)) all.at(name).get_to(field);
    } catch (const Json::exception&) {
      // A value of the wrong kind: the default stays.
    }
  };
  take("recent", state.recent);
  take("panels", state.panel_open);
  take("overlays", state.overlay_on);
  take("filter_ellipses", state.filter_ellipses);
  if (all.contains("inks")) take_inks(state.inks, all.at("inks"));
  take("light_theme", state.light_theme);
  take("scale", state.user_scale);
  take("ds9_mouse", state.ds9_mouse);
  take("invert_wheel", state.invert_wheel);
  take("pixel_grid", state.pixel_grid);
  take("planes_per_second", state.planes_per_second);
  take("column", state.sizes.column);
  take("strip", state.sizes.strip);
  state.sizes = usable_sizes(state.sizes);
  if (!(state.user_scale >= 0.75 && state.user_scale <= 3)) state.user_scale = 1;
  if (!(state.planes_per_second >= 0.1 && state.planes_per_second <= 60)) state.planes_per_second = 4;
}

void save_settings(const ViewerState& state, const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const Json all{{"recent", state.recent},
                 {"panels", state.panel_open},
                 {"overlays", state.overlay_on},
                 {"filter_ellipses", state.filter_ellipses},
                 {"inks", json_of(state.inks)},
                 {"light_theme", state.light_theme},
                 {"scale", state.user_scale},
                 {"ds9_mouse", state.ds9_mouse},
                 {"invert_wheel", state.invert_wheel},
                 {"pixel_grid", state.pixel_grid},
                 {"planes_per_second", state.planes_per_second},
                 {"column", state.sizes.column},
                 {"strip", state.sizes.strip}};
  AtomicFile file(path, true);
  file.write(all.dump(1, ' ', false, Json::error_handler_t::replace));
  file.commit();
}

}  // namespace reber::gui

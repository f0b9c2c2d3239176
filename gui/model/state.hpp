// SPDX-License-Identifier: BSD-3-Clause
// All that the viewer shows, as plain data: no OpenGL and no ImGui, so that models and tests can read and write it.
// Only the interface's thread touches it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/run/live/live_run.hpp"
#include "core/run/pipeline/product_table.hpp"
#include "core/run/request/request.hpp"
#include "core/sky/model/image_header.hpp"
#include "gui/model/cube/cube_axes.hpp"
#include "gui/model/cube/cube_view.hpp"
#include "gui/model/image/overlay_ink.hpp"
#include "gui/model/image/pyramid.hpp"
#include "gui/model/image/render_settings.hpp"
#include "gui/model/inspect.hpp"
#include "gui/model/sky/view_transform.hpp"
#include "gui/model/tables/source_shapes.hpp"
#include "gui/model/tables/source_view.hpp"

namespace reber::gui {

/// Number of the layer that a row of the table of products has: the input is 0, the others follow in the table's order.
[[nodiscard]] constexpr int layer_index(std::string_view word) {
  int index = 0;
  for (const Product& product : kProducts) {
    if (!product.layer.empty()) ++index;
    if (product.word == word) return index;
  }
  throw "no such product";
}
/// Layers by number; those with names are asked for by one.
enum class LayerKind : int {
  input,
  convolved = layer_index("convolved"),
  background = layer_index("mean-full"),
  rms = layer_index("rms-full"),
  snr = layer_index("snr"),
  islands = layer_index("labels"),
  model = layer_index("model"),
  residual = layer_index("residual"),
};
inline constexpr int kLayerKinds =
    1 + static_cast<int>(std::ranges::count_if(kProducts, [](const Product& p) { return !p.layer.empty(); }));

/// Rows of the table of products, by layer; null for the input.
inline constexpr auto kLayerProducts = [] {
  std::array<const Product*, kLayerKinds> rows{};
  for (const Product& product : kProducts)
    if (!product.layer.empty()) rows[static_cast<std::size_t>(layer_index(product.word))] = &product;
  return rows;
}();
[[nodiscard]] constexpr const Product* product_of(LayerKind kind) {
  return kLayerProducts[static_cast<std::size_t>(kind)];
}
/// How it is first shown.
[[nodiscard]] constexpr Product::Look look_of(LayerKind kind) {
  return product_of(kind) == nullptr ? Product::Look::signal : product_of(kind)->look;
}
/// Titles.
inline constexpr auto kLayerNames = [] {
  std::array<const char*, kLayerKinds> names{"Input"};
  for (std::size_t i = 1; i < names.size(); ++i) names[i] = kLayerProducts[i]->layer.data();
  return names;
}();

/// The layer of that title; the input for a word that is none.
[[nodiscard]] LayerKind layer_named(const std::string& title);

/// One picture of a document. Layers are made when they are first shown.
struct Layer {
  LayerKind kind = LayerKind::input;
  std::shared_ptr<const Pyramid> pixels;  ///< null until there is something to show
  std::uint64_t generation = 0;           ///< of the live run's result that it belongs to; 0 for the input
  std::vector<float> sample;              ///< sorted values of some pixels, for histograms
  double noise = 0;                       ///< robust sigma of the sample
  RenderSettings render;
  bool limits_set = false;  ///< render.low and high have been found or given
};

/// Rows of Document::result->sources.
struct Selection {
  std::set<std::int64_t> rows;
  std::int64_t focus = -1;    ///< the one that details speak of; -1 for none
  std::uint64_t version = 0;  ///< counts up with every change

  void clear();
  void select_only(std::int64_t row);
  void toggle(std::int64_t row);
  /// Sources of a new result that lie where the selected ones of the old result were (nearest within `reach` pixels).
  ///   passed_over: one byte per source of the new result, not 0 where it cannot be chosen; empty: all can
  void follow(const std::vector<Source>& before, const std::vector<Source>& now,
              const std::vector<std::uint8_t>& passed_over = {}, double reach = 3);
};

/// Structures that are looked for behind a run where they are wanted.
struct ExtendedView {
  bool wanted = false;
  ExtendedResult result;       ///< may be of an older run while a newer one is at work
  std::uint64_t asked = 0;     ///< generation that they were last asked for
  std::int64_t selected = -1;  ///< id of a structure; -1: none

  /// Null where there are none to be shown.
  [[nodiscard]] const ExtendedSources* shown() const { return wanted ? result.found.get() : nullptr; }
  /// The row of that id; null where there is none.
  [[nodiscard]] const ExtendedSource* chosen() const;
};

/// A place of an image and how it was looked at.
struct Bookmark {
  std::string name;
  ViewTransform view;
  bool operator==(const Bookmark&) const = default;
};

struct MadeOfCube;

/// An open image: one plane of one HDU of one file.
struct Document {
  std::int64_t id = 0;  ///< never used again for another
  std::string path;
  OpenOptions open;
  /// The interface's own copy: its Wcs must not be used by jobs (they copy it).
  std::shared_ptr<const ImageHeader> header;
  std::shared_ptr<const CubeAxes> cube;   ///< of the header's planes; null for an image of one plane
  std::array<Layer, kLayerKinds> layers;  ///< by kind
  LayerKind shown = LayerKind::input;
  ViewTransform view;
  bool fit_when_drawn = true;  ///< the view is not set yet

  Request request;                    ///< what the pipeline panel edits; input and open are kept in step
  bool live = false;                  ///< a change of the request runs at once
  std::unique_ptr<LiveRun> live_run;  ///< null before the first run
  std::shared_ptr<const LiveResult> result;
  std::vector<SourceShape> shapes;      ///< of result->sources, row by row
  std::vector<std::string> stages_run;  ///< for result
  std::uint64_t submitted = 0;          ///< generation of the newest request; result is stale where it is older
  std::uint64_t first_of_plane = 0;     ///< generation; results of older ones are of another plane
  bool searches = false;                ///< sources were found, or were being searched, in the plane before
  Selection selection;
  DocumentInspect inspect;
  SourceView sources;  ///< table, filter, flags
  ExtendedView extended;
  CubeView cube_view;
  std::shared_ptr<const MadeOfCube> made_of;  ///< of an image that was made of a cube; null of others
  std::vector<Bookmark> bookmarks;
  std::size_t bookmark_next = 0;           ///< that the key goes to
  std::optional<LayerKind> awaited_layer;  ///< from a session file: shown once it can be had
  std::string told_in;                     ///< word of a ToldUnit; empty: values are told in the image's unit
  std::string name;                        ///< shown in place of the file's, where not empty
  bool in_memory = false;                  ///< made of pixels that another document computed: there is no file to read

  bool loading = false;  ///< pixels are still on their way
  double load_fraction = 0;
  std::string error;  ///< why there are no pixels
  bool changed_on_disk = false;

  [[nodiscard]] Layer& layer() { return layers[static_cast<std::size_t>(shown)]; }
  [[nodiscard]] const Layer& layer() const { return layers[static_cast<std::size_t>(shown)]; }
  [[nodiscard]] Layer& layer(LayerKind kind) { return layers[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const Layer& layer(LayerKind kind) const { return layers[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] bool result_stale() const { return result && result->generation != submitted; }
  [[nodiscard]] std::string title() const;  ///< file name, with HDU and plane where there are several
};

/// Where Stokes parameters are what is played, the next plane is one of them and no polarised intensity.
void leave_polarised(Document& document);
/// Why no sources are searched in what is shown: it is no plane of the file. Empty where they are.
[[nodiscard]] std::string why_no_search(const Document& document);
/// Why the live run gives nothing of what was last asked of it; empty while it works, and where it gave it.
[[nodiscard]] std::string failure_of(const Document& document);
/// Whether the document has, or its result can give, a layer of this kind.
[[nodiscard]] bool layer_possible(const Document& document, LayerKind kind);
/// Of a layer's values: the image's, "sigma" for S/N and for differences counted in noise, none for labels.
[[nodiscard]] bool same_unit(const Unit& a, const Unit& b);
[[nodiscard]] Unit layer_unit(const Document& document, LayerKind kind);
/// Of the beam's layer: the image's own for the input, that of the run for what it made.
[[nodiscard]] const std::optional<Beam>& layer_beam(const Document& document, LayerKind kind);
/// The unit in which a layer's values are told: layer_unit(), or the one chosen where the layer's can be made that.
[[nodiscard]] Unit shown_unit(const Document& document, LayerKind kind);
/// Why a layer's values cannot be told in a unit (gui/model/image/told_unit.hpp); empty where they can.
[[nodiscard]] std::string why_not_told_in(const Document& document, LayerKind kind, const std::string& word);

/// What dragging or a click on the image does. Panning is possible in every mode with the middle button.
enum class Mode { browse, region, profile, add, move };

/// Other pictures beside, over or under the first.
struct Compare {
  enum class Kind { off, blink, difference, ratio, split, side_by_side, tiles, rgb } kind = Kind::off;
  std::int64_t other_document = -1;  ///< id; -1: the shown document itself
  LayerKind other_layer = LayerKind::convolved;
  bool other_shown = false;  ///< blink: which of the two is on the screen
  double blink_seconds = 0.5;
  /// How a difference or a ratio is shown: its limits are even about 0, or 1, and are found when it is first seen.
  struct Combined {
    Kind kind = Kind::off;
    std::uint64_t first = 0, other = 0;  ///< Pyramid::id() that the limits were found for; 0: the next ones seen
    RenderSettings render;
  } combined;
  std::array<std::int64_t, 3> rgb{-1, -1, -1};  ///< ids of the images in red, green and blue; -1: none
  int channel = 0;                              ///< of rgb: whose limits and stretch are set
  bool sky_lock = true;   ///< the other document is shown at the same place of the sky, not the same pixel
  bool dragging = false;  ///< the line of the split is being moved
  double split = 0.5;     ///< part of the canvas, from the left, that shows the first
};

inline constexpr std::array<std::pair<const char*, Compare::Kind>, 8> kCompareWords{
    {{"off", Compare::Kind::off},
     {"blink", Compare::Kind::blink},
     {"split", Compare::Kind::split},
     {"side by side", Compare::Kind::side_by_side},
     {"tiles", Compare::Kind::tiles},
     {"difference", Compare::Kind::difference},
     {"ratio", Compare::Kind::ratio},
     {"rgb", Compare::Kind::rgb}}};
inline constexpr std::array<const char*, 3> kChannelNames{"Red", "Green", "Blue"};

struct Cursor {
  bool on_image = false;  ///< the pointer, or the frozen position, is over the image
  PixelPosition at;       ///< 0-based
  bool frozen = false;
  std::optional<PixelPosition> crosshair;
};

/// A line at the bottom of the window that goes away by itself.
struct Notice {
  std::string text;
  bool is_error = false;
  double since = 0, until = 0;  ///< times of the frame clock
};

/// Sizes that splitters change, in units of the interface's scale.
struct LayoutSizes {
  double column = 340, strip = 230;
  bool operator==(const LayoutSizes&) const = default;
};
inline constexpr double kLeastColumn = 220, kLeastStrip = 90, kMostPart = 900;
/// What a size takes of a window that has `part` of the room it was chosen for (1 at most): the same part, but no less
/// than `least` where the size is more than that.
[[nodiscard]] double size_shown(double size, double part, double least);
/// The size that takes this much there.
[[nodiscard]] double size_that_shows(double shown, double part, double least);
/// The default in place of what a splitter cannot reach.
[[nodiscard]] LayoutSizes usable_sizes(const LayoutSizes& sizes);

struct Workbench;

struct ViewerState {
  std::vector<std::unique_ptr<Document>> documents;
  std::int64_t active = -1;  ///< index in documents; -1 for none
  std::int64_t next_document = 1;

  Mode mode = Mode::browse;
  std::int64_t split_parts = 2;  ///< that a source is split into
  Compare compare;
  Cursor cursor;
  Inspect inspect;
  std::map<std::string, bool> panel_open;  ///< by Panel::name; default where absent
  std::string raised_panel;                ///< Panel::name of the tab that the next frame brings to the front; or empty
  std::map<std::string, bool> overlay_on;  ///< by Overlay::name; default where absent
  OverlayInks inks;                        ///< by InkRow::name
  bool filter_ellipses = true;             ///< ellipses that the table's filter hides are not drawn
  LayoutSizes sizes;
  std::optional<bool> strip_folded;  ///< of the strip its tabs alone; none: as a window of this height needs it
  bool hide_interface = false;
  bool light_theme = false;
  double user_scale = 1;   ///< times the screen's own
  bool ds9_mouse = false;  ///< left button crosshair, wheel about the centre, middle pans
  bool invert_wheel = false;
  bool pixel_grid = true;
  bool animate = false;       ///< planes of a cube, one after the other
  double planes_reached = 0;  ///< a second, by the real clock, over the last second; 0: not played
  bool served = false;        ///< to browsers
  double planes_per_second = 4;
  std::vector<std::string> recent;  ///< newest first
  std::string software_renderer;    ///< name of OpenGL's renderer where it runs on the processor; empty else
  bool opened_early = false;        ///< a backend was opened, or tried, before there was work for it
  std::string card_failure;         ///< why the card was left (LiveRun::card_failure); empty while it was not
  bool card_whole = false;          ///< it may be opened again in this process
  bool begin_anew = false;          ///< with quit: the process begins anew, and takes up what is open
  std::string texture_way;          ///< how pixels of maps reach the textures; empty before the first run
  bool exporting = false;           ///< a picture of the view is on its way to its file
  int export_frames = 0;            ///< frames drawn since the newest picture was asked for, while it was made
  Notice notice;
  double now = 0;  ///< frame clock, seconds
  bool quit = false;
  bool focus_filter = false;             ///< the filter of the source table takes the keyboard in the next frame
  std::shared_ptr<Workbench> workbench;  ///< of the panels of proof, comparison and session; never null in the window

  [[nodiscard]] Document* document() {
    return active < 0 ? nullptr : documents[static_cast<std::size_t>(active)].get();
  }
  [[nodiscard]] const Document* document() const {
    return active < 0 ? nullptr : documents[static_cast<std::size_t>(active)].get();
  }
  [[nodiscard]] Document* find(std::int64_t id);
  /// A difference or a ratio is on the screen.
  [[nodiscard]] bool combining() const;
  /// Whose limits and stretch are set: the shown document, or that of the chosen colour of three; there must be a
  /// document.
  [[nodiscard]] Document& adjusted();
  /// What the shown picture is drawn with: the adjusted document's, or that of the difference; there must be a
  /// document.
  [[nodiscard]] RenderSettings& render();
  [[nodiscard]] const RenderSettings& render() const { return const_cast<ViewerState*>(this)->render(); }
  /// Whether the shown image and the one it is compared with are of one unit.
  [[nodiscard]] bool compares_one_unit() const;
  /// Of the shown picture's values; none for a ratio, and for a difference of two units.
  [[nodiscard]] Unit unit() const;
  /// The place of a document among the images that a workspace keeps, which are those with a file; empty for others.
  [[nodiscard]] std::optional<std::int64_t> saved_index(std::int64_t id) const;
  void say(std::string text, bool is_error = false);
  /// An action succeeded: an error that was told in an earlier frame goes.
  void forget_error();
};

}  // namespace reber::gui

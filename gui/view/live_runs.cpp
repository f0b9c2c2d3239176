// SPDX-License-Identifier: BSD-3-Clause
// Runs of the pipeline: submitted, stopped, their results and layers taken.
#include "gui/view/live_runs.hpp"

#include <algorithm>

#include "core/run/live/display_tiles.hpp"
#include "gui/model/first_limits.hpp"
#include "gui/model/hand_edits.hpp"

namespace reber::gui {
namespace {

/// What the next frame would draw of a map, and the whole of it in one tile.
std::vector<TileKey> tiles_in_view(const Document& document, LayerKind kind, const ScreenRect& canvas) {
  const Shape shape = document.header->shape;
  const CanvasTransform transform(document.view, canvas);
  const int levels = levels::level_count(shape), level = drawn_level(0, levels, transform.zoom());
  const Rect seen = transform.visible(shape);
  const Reduction reduction = document.layer(kind).render.reduction;
  std::vector<TileKey> keys;
  const auto add = [&](int at, std::int64_t row, std::int64_t column) {
    keys.push_back(
        {at, at == 0 ? Reduction::mean : reduction, TileCache::rect_of(levels::level_shape(shape, at), row, column)});
  };
  const std::int64_t side = TileCache::kSide << level;
  for (std::int64_t row = seen.y0 / side; row * side < seen.y0 + seen.ny; ++row)
    for (std::int64_t column = seen.x0 / side; column * side < seen.x0 + seen.nx; ++column) add(level, row, column);
  int whole = level;
  for (Shape s = levels::level_shape(shape, whole); std::max(s.ny, s.nx) > TileCache::kSide;)
    s = levels::level_shape(shape, ++whole);
  if (whole > level) add(whole, 0, 0);
  return keys;
}

}  // namespace

LiveRuns::LiveRuns(ViewerState& state, TileCache& tiles, const Overlays& overlays, const ViewerOptions& options,
                   std::shared_ptr<EarlyBackend> early, std::function<void()> wake)
    : state_(state),
      tiles_(tiles),
      overlays_(overlays),
      options_(options),
      early_(std::move(early)),
      wake_(std::move(wake)),
      backend_(options.backend) {}

LiveRuns::Work& LiveRuns::work_of(const Document& document) {
  auto& work = works_[document.id];
  if (!work) work = std::make_unique<Work>(wake_);
  return *work;
}

void LiveRuns::run(Document& document) {
  if (document.in_memory) return;
  if (const std::string why = why_no_search(document); !why.empty()) return state_.say(why, true);
  document.request.input = document.path;
  document.request.open = document.open;
  if (document.header && !document.request.open.plane) document.request.open.plane = document.header->plane;
  if (!document.live_run)
    document.live_run = std::make_unique<LiveRun>([early = early_, name = backend_] { return early->take(name); },
                                                  wake_, backend_ == "cuda" ? LiveRun::TakeOver() : options_.take_over);
  document.live_run->set_hand_fits(document.sources.edits.wanted_fits());
  // A workspace's selection and flags wait for the rows of the fitted sources.
  const auto answer = document.sources.awaited ? LiveRun::Answer::whole : LiveRun::Answer::moments_first;
  document.submitted = document.live_run->submit(document.request, answer);
}

void LiveRuns::cancel(Document& document) {
  Work& work = work_of(document);
  work.layer_slot.cancel();
  work.asked.fill(0);  // what is in view still is asked for again
  document.searches = false;
  if (!document.live_run) return;
  document.live_run->cancel();
  if (document.result) document.submitted = document.result->generation;
}

void LiveRuns::invalidate(Document& document) {
  if (document.live_run) document.live_run->invalidate();
}

void LiveRuns::use_backend(const std::string& name) {
  if (name == backend_) return;
  backend_ = name;
  for (const auto& document : state_.documents) begin_again(*document);
}

/// With a new backend.
void LiveRuns::begin_again(Document& document) {
  document.live_run.reset();
  document.first_of_plane = 0;
  Work& work = work_of(document);
  work.link_run = nullptr;
  // Another run counts its results from the beginning.
  work.layer_slot.cancel();
  work.seen_result = 0;
  work.asked.fill(0);
  document.extended.asked = 0;
  for (Layer& layer : document.layers) layer.generation = 0;
  if (document.result) run(document);
}

void LiveRuns::open_card_again() {
  state_.card_failure.clear();
  for (const auto& document : state_.documents)
    if (document->live_run && document->live_run->card_failure()) begin_again(*document);
}

void LiveRuns::take_card(const Document& document) {
  if (!document.live_run || !state_.card_failure.empty()) return;
  const auto failure = document.live_run->card_failure();
  if (!failure) return;
  state_.card_failure = failure->text;
  state_.card_whole = failure->memory;
  state_.say(backend_ == "cuda" ? "The card failed: " + failure->text
                                : "The card failed, and the processor goes on: " + failure->text,
             true);
}

std::string LiveRuns::activity(const Document& document, double& fraction) const {
  if (document.live_run) {
    const LiveStatus status = document.live_run->status();
    if (status.busy) {
      fraction = status.fraction;
      return status.stage.empty() ? "waiting" : status.stage;
    }
  }
  const auto found = works_.find(document.id);
  if (found == works_.end() || !found->second->layer_slot.busy()) return "";
  fraction = found->second->layer_slot.fraction();
  return "making levels";
}

void LiveRuns::take_news(const ScreenRect& canvas) {
  for (const auto& document : state_.documents) {
    Work& work = work_of(*document);
    take_result(*document, work);
    take_extended(*document);
    take_card(*document);
    take_link(*document, work);
    take_layers(*document, work, canvas);
  }
}

void LiveRuns::take_result(Document& document, Work& work) {
  if (!document.live_run) return;
  document.live_run->set_hand_fits(document.sources.edits.wanted_fits());
  const bool busy = document.live_run->status().busy;  // before its result is taken
  const auto result = document.live_run->result();
  if (!result || result->edition == work.seen_result) {
    if (!busy && document.sources.edits.asked()) {  // it was stopped, or failed
      document.sources.edits.drop_asked();
      state_.say("The fit by hand was not done", true);
    }
    return;
  }
  work.seen_result = result->edition;
  if (result->generation < document.first_of_plane) return;
  document.searches = false;
  if (document.result)
    document.selection.follow(document.result->sources, result->sources,
                              result->hand ? result->hand->replaced : std::vector<std::uint8_t>());
  // Other rows by hand: maps of sources are made anew.
  if (document.result && document.result->generation == result->generation)
    for (const LayerKind kind : {LayerKind::model, LayerKind::residual}) {
      document.layer(kind).generation = 0;
      work.asked[static_cast<std::size_t>(kind)] = 0;
    }
  document.result = result;
  document.shapes = source_shapes(result->sources);
  document.stages_run = result->stages_run;
  if (std::string text = settle_hand_fit(document); !text.empty()) state_.say(text, true);
}

/// Asks for the structures of the newest whole result where they are wanted, and takes them.
void LiveRuns::take_extended(Document& document) {
  ExtendedView& view = document.extended;
  if (!view.wanted || !document.live_run || !document.result || document.result_stale()) return;
  const std::uint64_t now = document.result->generation;
  if (view.asked != now) {
    view.asked = now;
    document.live_run->request_extended();
  }
  if (view.result.generation == now) return;
  ExtendedResult brought = document.live_run->extended();
  if (brought.generation != now) return;
  view.result = std::move(brought);
  view.selected = -1;
}

void LiveRuns::put_layer(Document& document, LayerKind kind, std::shared_ptr<const Pyramid> pixels,
                         std::uint64_t generation) {
  Layer& layer = document.layer(kind);
  if (layer.pixels) tiles_.drop(layer.pixels->id());
  put_pixels(layer, std::move(pixels), generation);
}

/// The readout tells sigmas of the run's own maps. Those of large images are brought only where they are looked at:
/// each run would make their levels anew.
bool LiveRuns::readout_needs(const Document& document, LayerKind kind) const {
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 22;
  const bool of_signal = document.shown == LayerKind::input || document.shown == LayerKind::convolved;
  return (kind == LayerKind::background || kind == LayerKind::rms) && of_signal && &document == state_.document() &&
         !document.result_stale() && document.header && document.header->shape.count() <= kMostPixels &&
         (state_.cursor.on_image || state_.cursor.crosshair);
}

void LiveRuns::take_layers(Document& document, Work& work, const ScreenRect& canvas) {
  if (!document.live_run || !document.result) return;
  if (auto made = work.layer_slot.take()) put_layer(document, made->kind, made->pixels, made->generation);
  const Compare& compare = state_.compare;
  const Document* const other = compare.other_document < 0 ? state_.document() : state_.find(compare.other_document);
  const bool compared = compare.kind != Compare::Kind::off && other == &document;
  for (int index = 1; index < kLayerKinds; ++index) {
    const auto kind = static_cast<LayerKind>(index);
    const bool seen = document.shown == kind || (compared && compare.other_layer == kind) ||
                      overlay_needs(document, kind) || readout_needs(document, kind);
    const std::uint64_t now = document.result->generation;
    if (!seen || document.layer(kind).generation == now || !layer_possible(document, kind)) continue;
    if (kind == LayerKind::islands) {
      const auto& labels = document.result->labels;
      Layer& layer = document.layer(kind);
      if (work.drawn_labels != labels) put_layer(document, kind, Pyramid::of_labels(labels), now);
      work.drawn_labels = labels;
      layer.generation = now;
      continue;
    }
    take_map(document, work, kind, canvas);
  }
}

/// Of the live run: by its tiles, or whole.
void LiveRuns::take_map(Document& document, Work& work, LayerKind kind, const ScreenRect& canvas) {
  LiveRun& live_run = *document.live_run;
  const auto map = static_cast<ProductId>(product_of(kind) - kProducts.data());
  const std::uint64_t now = document.result->generation;
  if (std::uint64_t& asked = work.asked[static_cast<std::size_t>(kind)]; asked != now) {
    asked = now;
    live_run.request_shown(map, tiles_in_view(document, kind, canvas), options_.show_maps);
  }
  const ShownMap shown = live_run.shown(map);
  if (shown.generation != now) return;
  if (shown.tiles) {
    Layer& layer = document.layer(kind);
    if (layer.pixels && layer.pixels->tiles() == shown.tiles)
      layer.generation = now;
    else
      put_layer(document, kind, Pyramid::of_tiles(shown.tiles), now);
  } else if (shown.image && work.layer_slot.free()) {
    live_run.forget_shown(map);
    work.layer_slot.start([kind, shown](const Progress& progress) {
      return MadeLayer{kind, shown.generation, Pyramid::make(shown.image, progress)};
    });
  }
}

/// Tries once whether the backend's tiles can reach OpenGL without the host, and tells the live runs.
void LiveRuns::take_link(Document& document, Work& work) {
  if (!document.live_run) {
    work.link_run = nullptr;
    return;
  }
  SharedTiles& sharing = tiles_.sharing();
  const auto link = document.live_run->graphics_link();
  if (!link) {
    const std::string name = document.live_run->backend().name;
    if (!name.empty()) state_.texture_way = "through host memory: backend " + name + " computes there";
    return;
  }
  if (!link_tried_) {
    link_tried_ = true;
    if (!options_.share)
      link_why_ = "as asked for (--share off)";
    else if (!state_.software_renderer.empty())
      link_why_ = "OpenGL renders on " + state_.software_renderer;
    else
      link_why_ = sharing.open(link);
  }
  const bool shared = sharing.is_open();
  state_.texture_way = shared ? "shared with OpenGL on " + link->device()
                              : "through host memory: " + (sharing.why().empty() ? link_why_ : sharing.why());
  if (work.link_run == document.live_run.get() && work.link_shared == shared) return;
  work.link_run = document.live_run.get();
  work.link_shared = shared;
  document.live_run->use_device_tiles(shared);
}

bool LiveRuns::overlay_needs(const Document& document, LayerKind kind) const {
  return document.header && std::ranges::any_of(overlays_.all(), [&](const Overlays::Entry& each) {
           return each.overlay->needs(kind) && is_on(state_, each.row);
         });
}

}  // namespace reber::gui

// SPDX-License-Identifier: BSD-3-Clause
// Layers of documents: what is asked of sessions and jobs, and how it arrives.
#include <algorithm>

#include "core/live/display_tiles.hpp"
#include "core/sources/model_map.hpp"
#include "gui/app/app.hpp"
#include "gui/model/first_limits.hpp"
#include "gui/panels/panels.hpp"

namespace reber::gui {
namespace {

SessionMap map_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::background:
      return SessionMap::mean;
    case LayerKind::rms:
      return SessionMap::rms;
    case LayerKind::snr:
      return SessionMap::snr;
    default:
      return SessionMap::plane;
  }
}

/// The sources' Gaussians, or what they leave of the plane they were found in.
void start_model(DocumentJobs& jobs, const std::shared_ptr<const LiveResult>& result, LayerKind kind,
                 const std::shared_ptr<const Image>& plane) {
  jobs.layer_slot.start([result, kind, plane](const Progress& progress) {
    constexpr std::int64_t kRows = 256;
    const Shape shape = result->header->shape;
    const ModelMap model(result->sources, shape);
    auto image = std::make_shared<Image>(shape);
    for (std::int64_t y0 = 0; y0 < shape.ny; y0 += kRows) {
      const std::int64_t ny = std::min(kRows, shape.ny - y0);
      progress.report("model", static_cast<double>(y0) / static_cast<double>(shape.ny));
      float* rows = image->data() + y0 * shape.nx;
      model.rows(y0, ny, rows);
      if (!plane) continue;
      const float* from = plane->data() + y0 * shape.nx;
      for (std::int64_t i = 0; i < ny * shape.nx; ++i) rows[i] = from[i] - rows[i];
    }
    return DocumentJobs::MadeLayer{kind, result->generation, Pyramid::make(std::move(image), progress)};
  });
}

}  // namespace

void App::layer_arrived(Document& document, LayerKind kind, std::shared_ptr<const Pyramid> pixels,
                        std::uint64_t generation) {
  Layer& layer = document.layer(kind);
  if (layer.pixels) renderer_->tiles().drop(layer.pixels->id());
  layer.pixels = std::move(pixels);
  layer.generation = generation;
  DocumentJobs& jobs = jobs_of(document);
  jobs.samples[kind] = sorted_sample(*layer.pixels);
  if (!layer.limits_set) {
    set_first_limits(layer.render, kind, jobs.samples[kind]);
    layer.limits_set = true;
  }
}

void App::take_layers(Document& document, DocumentJobs& jobs) {
  if (!document.session || !document.result) return;
  if (auto made = jobs.layer_slot.take()) layer_arrived(document, made->kind, made->pixels, made->generation);
  const bool compared = state_.compare.kind != Compare::Kind::off;
  for (int index = 1; index < kLayerKinds; ++index) {
    const auto kind = static_cast<LayerKind>(index);
    const bool seen = document.shown == kind || (compared && state_.compare.other_layer == kind) ||
                      (kind == LayerKind::islands && outlines_wanted(document));
    const std::uint64_t now = document.result->generation;
    if (!seen || document.layer(kind).generation == now || !layer_possible(document, kind)) continue;
    if (kind == LayerKind::islands) {
      const auto& labels = document.result->labels;
      Layer& layer = document.layer(kind);
      if (jobs.drawn_labels != labels) layer_arrived(document, kind, Pyramid::of_labels(labels), now);
      jobs.drawn_labels = labels;
      layer.generation = now;
      continue;
    }
    if (kind == LayerKind::model) {
      if (!jobs.layer_slot.busy()) start_model(jobs, document.result, kind, nullptr);
      continue;
    }
    take_map(document, jobs, kind);
  }
}

/// What the next frame would draw of a map, and the whole of it in one tile.
std::vector<TileKey> App::tiles_in_view(const Document& document, LayerKind kind) const {
  const Shape shape = document.header->shape;
  const CanvasTransform transform(document.view, canvas_);
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

/// Of the session: by its tiles, or whole.
void App::take_map(Document& document, DocumentJobs& jobs, LayerKind kind) {
  LiveRun& session = *document.session;
  const SessionMap map = map_of(kind);
  const std::uint64_t now = document.result->generation;
  const bool residual = kind == LayerKind::residual;
  if (std::uint64_t& asked = jobs.asked[static_cast<std::size_t>(kind)]; asked != now) {
    asked = now;
    if (residual)
      session.request_map(map);
    else
      session.request_shown(map, tiles_in_view(document, kind), options_.show_maps);
  }
  if (residual) {
    const MapResult brought = session.map(map);
    if (!brought.image || brought.generation != now || jobs.layer_slot.busy()) return;
    session.forget_map(map);
    start_model(jobs, document.result, kind, brought.image);
    return;
  }
  const ShownMap shown = session.shown(map);
  if (shown.generation != now) return;
  if (shown.tiles) {
    Layer& layer = document.layer(kind);
    if (layer.pixels && layer.pixels->tiles() == shown.tiles)
      layer.generation = now;
    else
      layer_arrived(document, kind, Pyramid::of_tiles(shown.tiles), now);
  } else if (shown.image && !jobs.layer_slot.busy()) {
    session.forget_shown(map);
    jobs.layer_slot.start([kind, shown](const Progress& progress) {
      return DocumentJobs::MadeLayer{kind, shown.generation, Pyramid::make(shown.image, progress)};
    });
  }
}

/// Tries once whether the backend's tiles can reach OpenGL without the host, and tells the sessions.
void App::take_link(Document& document, DocumentJobs& jobs) {
  if (!document.session) {
    jobs.told_session = nullptr;
    return;
  }
  SharedTiles& sharing = renderer_->tiles().sharing();
  const auto link = document.session->graphics_link();
  if (!link) {
    const std::string name = document.session->backend().name;
    if (!name.empty()) state_.texture_way = "through host memory: backend " + name + " computes there";
    return;
  }
  if (!link_tried_) {
    link_tried_ = true;
    if (!options_.share)
      link_why_ = "as asked for (--share off)";
    else if (window_->software())
      link_why_ = "OpenGL renders on " + window_->renderer();
    else
      link_why_ = sharing.open(link);
  }
  const bool shared = sharing.is_open();
  state_.texture_way = shared ? "shared with OpenGL on " + link->device()
                              : "through host memory: " + (sharing.why().empty() ? link_why_ : sharing.why());
  if (jobs.told_session == document.session.get() && jobs.told_shared == shared) return;
  jobs.told_session = document.session.get();
  jobs.told_shared = shared;
  document.session->use_device_tiles(shared);
}

bool App::outlines_wanted(const Document& document) const {
  const auto row = std::ranges::find_if(overlays(), [](const Overlay& o) { return o.name == std::string("islands"); });
  return row != overlays().end() && is_on(state_, *row) && document.header;
}

}  // namespace reber::gui

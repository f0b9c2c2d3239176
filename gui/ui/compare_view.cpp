// SPDX-License-Identifier: BSD-3-Clause
// Locks the two images of a comparison.
#include "gui/ui/compare_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// The corners and the middle fall on the same pixels to 1/20.
bool same_grid(const SkyLock& lock, const ImageHeader& a, const ImageHeader& b) {
  if (!(a.shape == b.shape)) return false;
  if (!lock.why_not().empty()) return true;
  const auto nx = static_cast<double>(a.shape.nx - 1), ny = static_cast<double>(a.shape.ny - 1);
  for (const PixelPosition at : {PixelPosition{0, 0}, {nx, 0}, {0, ny}, {nx, ny}, {0.5 * nx, 0.5 * ny}}) {
    const auto there = lock(at);
    // Corners off the sky say nothing.
    if (there && !(std::hypot(there->x - at.x, there->y - at.y) < 0.05)) return false;
  }
  return true;
}

}  // namespace

const SkyLock& lock_between(Workbench& workbench, const Document& from, const Document& to) {
  for (const KnownLock& known : workbench.locks)
    if (known.from == from.header && known.to == to.header) return *known.lock;
  constexpr std::size_t kMostLocks = 2 * kMostTiles + 4;  // there and back for every tile
  if (workbench.locks.size() >= kMostLocks) workbench.locks.erase(workbench.locks.begin());
  workbench.locks.push_back({from.header, to.header, std::make_unique<SkyLock>(from.header->wcs, to.header->wcs)});
  return *workbench.locks.back().lock;
}

ViewTransform matching_view(ViewerState& state, const Document& from, const Document& to) {
  if (!state.compare.sky_lock || !from.header || !to.header) return from.view;
  const SkyLock& lock = lock_between(*state.workbench, from, to);
  if (same_grid(lock, *from.header, *to.header)) return from.view;
  const auto map = lock.affine(from.view.centre);
  return map ? locked_view(from.view, *map) : from.view;
}

std::optional<PixelPosition> matching_place(ViewerState& state, const Document& from, const Document& to,
                                            PixelPosition at) {
  if (&from == &to || !state.compare.sky_lock || !from.header || !to.header) return at;
  const SkyLock& lock = lock_between(*state.workbench, from, to);
  if (same_grid(lock, *from.header, *to.header) || !lock.why_not().empty()) return at;
  return lock(at);
}

bool share_sky(ViewerState& state, const Document& a, const Document& b) {
  if (!a.header || !b.header) return true;
  constexpr int kSteps = 16;
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const SkyLock& lock = lock_between(*state.workbench, *from, *to);
    if (!lock.why_not().empty()) return true;
    const Shape shape = from->header->shape, there = to->header->shape;
    for (int i = 0; i <= kSteps; ++i)
      for (int j = 0; j <= kSteps; ++j) {
        const auto at =
            lock({static_cast<double>(shape.nx - 1) * i / kSteps, static_cast<double>(shape.ny - 1) * j / kSteps});
        if (at && at->x >= -0.5 && at->y >= -0.5 && at->x <= static_cast<double>(there.nx) - 0.5 &&
            at->y <= static_cast<double>(there.ny) - 0.5)
          return true;
      }
  }
  return false;
}

void choose_possible_layer(Compare& compare, const Document& other) {
  if (layer_possible(other, compare.other_layer)) return;
  compare.other_layer = layer_possible(other, LayerKind::background) ? LayerKind::background : other.shown;
}

const Pyramid* pixels_on_grid(Context& context, const Document& shown, const Document& other, LayerKind layer,
                              std::size_t work) {
  const auto& pixels = other.layer(layer).pixels;
  if (!pixels || !shown.header || !other.header) return nullptr;
  Workbench& workbench = *context.state.workbench;
  const SkyLock& lock = lock_between(workbench, shown, other);
  if (!context.state.compare.sky_lock || same_grid(lock, *shown.header, *other.header))
    return pixels->shape() == shown.header->shape ? pixels.get() : nullptr;
  if (!lock.why_not().empty() || !pixels->at_hand() || pixels->pixels().pixels == nullptr) return nullptr;
  RegridWork& regrid = workbench.regrids.at(work);
  if (!regrid.job) regrid.job = std::make_unique<JobSlot<std::shared_ptr<const Pyramid>>>(context.shell.wake());
  if (regrid.from != pixels->id() || regrid.to != shown.header) {
    regrid.from = pixels->id();
    regrid.to = shown.header;
    regrid.pixels.reset();
    regrid.job->start([pixels, shape = shown.header->shape, a = shown.header->wcs,
                       b = other.header->wcs](const Progress& progress) {
      const SkyLock own(a, b);
      auto image = std::make_shared<Image>(shape);
      constexpr std::int64_t kBand = 256;
      for (std::int64_t y = 0; y < shape.ny; y += kBand) {
        progress.report("laying one image on the other's grid", static_cast<double>(y) / static_cast<double>(shape.ny));
        const std::int64_t rows = std::min(kBand, shape.ny - y);
        resample_rows(own, pixels->pixels(), y, {&image->at(y, 0), {rows, shape.nx}, shape.nx});
      }
      return Pyramid::make(image, progress);
    });
  }
  if (auto made = regrid.job->take()) regrid.pixels = std::move(*made);
  return regrid.pixels.get();
}

bool laying_on_grid(const ViewerState& state) {
  return std::ranges::any_of(state.workbench->regrids,
                             [](const RegridWork& work) { return work.job && work.job->busy(); });
}

void choose_channels(ViewerState& state) {
  auto& rgb = state.compare.rgb;
  for (std::int64_t& id : rgb)
    if (state.find(id) == nullptr) id = -1;
  if (std::ranges::any_of(rgb, [](std::int64_t id) { return id >= 0; })) return;
  // Those of the shown one's sky first.
  const auto count = static_cast<std::int64_t>(state.documents.size());
  const Document& shown = *state.document();
  std::vector<std::int64_t> here, elsewhere;
  for (std::int64_t i = 0; i < count; ++i) {
    const Document& each = *state.documents[static_cast<std::size_t>((state.active + i) % count)];
    if (!each.error.empty()) continue;
    const bool apart = &each != &shown && shown.header && each.header && !share_sky(state, shown, each);
    (apart ? elsewhere : here).push_back(each.id);
  }
  here.insert(here.end(), elsewhere.begin(), elsewhere.end());
  std::copy_n(here.begin(), std::min<std::size_t>(here.size(), rgb.size()), rgb.begin());
}

std::vector<Document*> tiled_documents(ViewerState& state) {
  std::vector<Document*> tiles;
  std::size_t shown = 0;
  for (const auto& each : state.documents) {
    if (!each->header) continue;
    if (each.get() == state.document()) shown = tiles.size();
    tiles.push_back(each.get());
  }
  if (tiles.size() <= kMostTiles) return tiles;
  const std::size_t first = std::min(shown - std::min(shown, kMostTiles / 2), tiles.size() - kMostTiles);
  return {tiles.begin() + static_cast<std::ptrdiff_t>(first),
          tiles.begin() + static_cast<std::ptrdiff_t>(first + kMostTiles)};
}

}  // namespace reber::gui

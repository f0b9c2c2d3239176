// SPDX-License-Identifier: BSD-3-Clause
// Locks the two images of a comparison.
#include "gui/ui/compare_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/model/image/laid_pixels.hpp"
#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/workbench.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

KnownLock& known_lock(Workbench& workbench, const Document& from, const Document& to) {
  for (KnownLock& known : workbench.locks)
    if (known.from == from.header && known.to == to.header) return known;
  constexpr std::size_t kMostLocks = 2 * kMostTiles + 4;  // there and back for every tile
  if (workbench.locks.size() >= kMostLocks) workbench.locks.erase(workbench.locks.begin());
  const ImageHeader &a = *from.header, &b = *to.header;
  workbench.locks.push_back(
      {from.header, to.header, std::make_unique<SkyLock>(a.wcs, b.wcs, a.shape, b.shape), std::nullopt});
  return workbench.locks.back();
}

/// Every pixel falls on the same one; so it does where the sky is not known and shapes are the same.
bool same_grid(Workbench& workbench, const Document& from, const Document& to) {
  if (!(from.header->shape == to.header->shape)) return false;
  return !lock_between(workbench, from, to).why_not().empty() || fit_between(workbench, from, to).same;
}

/// Level 0 can be read by a job: all of it is there, or in a file.
bool readable(const Pyramid& pixels) {
  return pixels.first_level() == 0 && pixels.row_step() == 1 && (pixels.tiles() == nullptr || pixels.at_hand());
}

}  // namespace

const SkyLock& lock_between(Workbench& workbench, const Document& from, const Document& to) {
  return *known_lock(workbench, from, to).lock;
}

const GridFit& fit_between(Workbench& workbench, const Document& from, const Document& to) {
  KnownLock& known = known_lock(workbench, from, to);
  const ImageHeader &a = *from.header, &b = *to.header;
  if (!known.fit) known.fit = fit_of(*known.lock, SkyLock(b.wcs, a.wcs, b.shape, a.shape), a.shape, b.shape);
  return *known.fit;
}

bool needs_laying(const ViewerState& state, const Document& shown, const Document& other) {
  constexpr double kOffPx = 0.1;
  constexpr double kFiner = 3;  // a beam of 3 pixels would fall between the samples of a coarser grid
  if (&shown == &other || !state.compare.sky_lock || !shown.header || !other.header) return false;
  if (!lock_between(*state.workbench, shown, other).why_not().empty()) return false;
  const GridFit& fit = fit_between(*state.workbench, shown, other);
  return !(fit.off_px < kOffPx) && !(fit.scale > kFiner);
}

ViewTransform matching_view(ViewerState& state, const Document& from, const Document& to) {
  if (!state.compare.sky_lock || !from.header || !to.header) return from.view;
  if (same_grid(*state.workbench, from, to)) return from.view;
  const auto map = lock_between(*state.workbench, from, to).affine(from.view.centre);
  return map ? locked_view(from.view, *map) : from.view;
}

std::optional<PixelPosition> matching_place(ViewerState& state, const Document& from, const Document& to,
                                            PixelPosition at) {
  if (&from == &to || !state.compare.sky_lock || !from.header || !to.header) return at;
  if (same_grid(*state.workbench, from, to)) return at;
  const SkyLock& lock = lock_between(*state.workbench, from, to);
  return lock.why_not().empty() ? lock(at) : at;
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
  if (!context.state.compare.sky_lock || same_grid(workbench, shown, other))
    return pixels->shape() == shown.header->shape ? pixels.get() : nullptr;
  if (!lock_between(workbench, shown, other).why_not().empty() || !readable(*pixels)) return nullptr;
  RegridWork& regrid = workbench.regrids.at(work);
  if (!regrid.job) regrid.job = std::make_unique<JobSlot<std::shared_ptr<const Pyramid>>>(context.shell.wake());
  const bool again = regrid.stopped && regrid.stopped_in != context.state.compare.kind;
  if (regrid.from != pixels->id() || regrid.to != shown.header || again) {
    regrid.from = pixels->id();
    regrid.to = shown.header;
    regrid.pixels.reset();
    regrid.stopped = false;
    constexpr std::int64_t kMostBytes = std::int64_t{2} << 30;  // beyond, rows are made when they are looked at
    const Interpolation how = layer == LayerKind::islands ? Interpolation::nearest : Interpolation::fitted;
    const auto source = std::make_shared<const LaidPixels>(pixels, *other.header, *shown.header, how);
    regrid.job->start([source](const Progress& progress) { return Pyramid::load(source, kMostBytes, progress); });
  }
  if (auto made = regrid.job->take()) regrid.pixels = std::move(*made);
  return regrid.pixels.get();
}

bool laying_on_grid(const ViewerState& state, double* fraction) {
  bool any = false;
  for (const RegridWork& work : state.workbench->regrids) {
    if (!work.job || !work.job->busy()) continue;
    if (fraction != nullptr) *fraction = any ? std::min(*fraction, work.job->fraction()) : work.job->fraction();
    any = true;
  }
  return any;
}

void stop_laying(ViewerState& state) {
  for (RegridWork& work : state.workbench->regrids) {
    if (!work.job || !work.job->busy()) continue;
    work.job->cancel();
    work.stopped = true;
    work.stopped_in = state.compare.kind;
  }
}

void forget_stops(ViewerState& state) {
  for (RegridWork& work : state.workbench->regrids) work.stopped_in = Compare::Kind::off;
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

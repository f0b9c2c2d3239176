// SPDX-License-Identifier: BSD-3-Clause
// Rows of planes on members: held, made, or brought from others by way of the host.
#include "kernels/banded/plane.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/seam/compute/card_error.hpp"
#include "core/sky/model/rectangle_source.hpp"

namespace reber::banded {
namespace {

class Window final : public PixelSource, private RectangleSource {
 public:
  Window(std::shared_ptr<const PixelSource> kept, const PixelSource& source, Rows rows)
      : kept_(std::move(kept)), source_(source), rows_(rows) {}
  [[nodiscard]] Shape shape() const override { return {rows_.size(), source_.shape().nx}; }
  [[nodiscard]] PixelFormat format() const override { return source_.format(); }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    source_.read_rows(rows_.begin + y0, ny, out);
  }
  void will_need(std::int64_t y0, std::int64_t ny) const override { source_.will_need(rows_.begin + y0, ny); }
  [[nodiscard]] const RectangleSource* rectangle_source() const override {
    return source_.rectangle_source() != nullptr ? this : nullptr;
  }

 private:
  void read_rectangle(const Rect& where, std::byte* out) const override {
    source_.rectangle_source()->read_rectangle({rows_.begin + where.y0, where.x0, where.ny, where.nx}, out);
  }

  std::shared_ptr<const PixelSource> kept_;
  const PixelSource& source_;
  Rows rows_;
};

/// Floats of this machine.
class HostRows final : public PixelSource {
 public:
  explicit HostRows(Shape shape) : shape_(shape), pixels_(static_cast<std::size_t>(shape.count())) {}
  [[nodiscard]] float* row(std::int64_t y) { return pixels_.data() + y * shape_.nx; }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override {
    PixelFormat format;
    format.big_endian = std::endian::native == std::endian::big;
    return format;
  }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    std::memcpy(out, pixels_.data() + y0 * shape_.nx, static_cast<std::size_t>(ny * shape_.nx) * sizeof(float));
  }

 private:
  Shape shape_;
  std::vector<float> pixels_;
};

}  // namespace

std::shared_ptr<const PixelSource> window_of(std::shared_ptr<const PixelSource> source, Rows rows) {
  const PixelSource& of = *source;
  return std::make_shared<const Window>(std::move(source), of, rows);
}
std::unique_ptr<PixelSource> window_of(const PixelSource& source, Rows rows) {
  return std::make_unique<Window>(nullptr, source, rows);
}

std::shared_ptr<const Plane> plane_of(Backend& by, std::shared_ptr<const PixelSource> source, const TilingPlan& tiling,
                                      const Job& job) {
  constexpr std::int64_t kFewBands = 4, kBandBytes = std::int64_t{32} << 20;
  const Shape shape = source->shape();
  const std::int64_t row_bytes = std::max<std::int64_t>(shape.nx * static_cast<std::int64_t>(sizeof(float)), 1);
  const bool whole = tiling.resident && !tiling.in_source;
  const std::int64_t band = whole ? std::max<std::int64_t>(kBandBytes / row_bytes, 1) : tiling.band_rows;
  TilingPlan own = tiling;
  own.resident = shape.ny <= kFewBands * band;
  own.in_source = !own.resident;
  own.band_rows = own.resident ? shape.ny : band;
  return own.resident ? by.load(*source, own, job) : by.stream(std::move(source), own, job);
}

BandedPlane::BandedPlane(std::shared_ptr<Members> members, Shape shape, std::vector<Rows> bands, std::int64_t margin,
                         std::shared_ptr<const RowsOnMember> maker)
    : state_(std::make_shared<State>()) {
  state_->members = std::move(members);
  state_->shape = shape;
  state_->bands = std::move(bands);
  state_->margin = state_->bands.size() > 1 ? margin : 0;
  state_->maker = std::move(maker);
}

BandedPlane::BandedPlane(std::shared_ptr<Members> members, Shape shape, std::vector<Rows> bands,
                         std::vector<std::shared_ptr<const Plane>> kept, const TilingPlan& tiling)
    : BandedPlane(std::move(members), shape, std::move(bands), 0, nullptr) {
  state_->tiling = tiling;
  for (std::size_t k = 0; k < kept.size(); ++k)
    state_->held.push_back({state_->bands[k], &state_->members->of(k), std::move(kept[k])});
}

std::vector<Rows> BandedPlane::valid_bands() const {
  std::vector<Rows> valid;
  for (const Rows& band : bands()) valid.push_back(inside(band, margin(), shape().ny));
  return valid;
}

bool BandedPlane::is_band(Rows rows) const { return std::ranges::find(bands(), rows) != bands().end(); }

std::shared_ptr<const Plane> BandedPlane::held(const Backend& by, Rows wanted) const {
  const std::lock_guard lock(state_->mutex);
  for (const auto* list : {&state_->held, &state_->others})
    for (const Held& one : *list)
      if (one.rows == wanted && one.by == &by) return one.plane;
  return nullptr;
}

void BandedPlane::make_bands(const Job& job) const {
  prepare(asked_bands(), job);
  std::vector<Members::Task> tasks;
  for (std::size_t k = 0; k < bands().size(); ++k)
    tasks.push_back({k, [this, band = bands()[k]](Backend& by, const Job& own) { (void)rows(by, band, own); }});
  state_->members->run(tasks, job);
}

std::vector<Asked> BandedPlane::asked_bands() const {
  std::vector<Asked> asked;
  for (std::size_t k = 0; k < bands().size(); ++k) asked.push_back({bands()[k], k});
  return asked;
}

void BandedPlane::prepare(const std::vector<Asked>& wanted, const Job& job) const {
  if (state_->maker) return state_->maker->prepare(wanted, job);
  constexpr std::size_t kHeldOnHost = 16;
  // Bands stay; other rows that are held now may be let go while members are at work.
  const auto stays = [this](const Backend& by, Rows rows) {
    return std::ranges::any_of(state_->held, [&](const Held& one) { return one.rows == rows && one.by == &by; });
  };
  for (std::size_t k = 0; k < bands().size(); ++k)
    if (!stays(state_->members->of(k), bands()[k]))
      throw CardError(CardError::Kind::broken, "a part of the image was on a card that failed");
  for (const auto& [rows, part] : wanted) {
    const auto is_it = [&rows = rows](const auto& one) { return one.first == rows; };
    if (stays(state_->members->of(part), rows) || std::ranges::any_of(state_->on_host, is_it)) continue;
    const auto pixels = std::make_shared<HostRows>(Shape{rows.size(), shape().nx});
    render({rows.begin, 0, rows.size(), shape().nx}, pixels->row(0), job);
    const auto unwanted = std::ranges::find_if(state_->on_host, [&](const auto& one) {
      return std::ranges::find(wanted, one.first, &Asked::rows) == wanted.end();
    });
    if (state_->on_host.size() >= kHeldOnHost && unwanted != state_->on_host.end()) state_->on_host.erase(unwanted);
    state_->on_host.emplace_back(rows, pixels);
  }
}

std::shared_ptr<const Plane> BandedPlane::rows(Backend& by, Rows wanted, const Job& job) const {
  if (auto found = held(by, wanted)) return found;
  const bool band = is_band(wanted);
  std::shared_ptr<const Plane> made;
  if (state_->maker) {
    made = state_->maker->make(by, wanted, job);
  } else {
    const auto it = std::ranges::find(state_->on_host, wanted, [](const auto& one) { return one.first; });
    if (it == state_->on_host.end())
      throw CardError(CardError::Kind::broken, "a part of the image was on a card that failed");
    made = plane_of(by, it->second, state_->tiling, job);
  }
  const std::lock_guard lock(state_->mutex);
  auto& list = band && state_->maker ? state_->held : state_->others;
  if (&list == &state_->others && list.size() >= 2 * state_->members->count()) list.erase(list.begin());
  list.push_back({wanted, &by, made});
  return made;
}

BandedPlane::Counts BandedPlane::counts() const {
  if (state_->counts) return *state_->counts;
  Counts all;
  if (margin() > 0) {
    const std::int64_t step =
        std::max<std::int64_t>((std::int64_t{1} << 24) / std::max<std::int64_t>(shape().nx, 1), 1);
    std::vector<float> pixels;
    for (std::int64_t y = 0; y < shape().ny; y += step) {
      const std::int64_t ny = std::min(step, shape().ny - y);
      pixels.resize(static_cast<std::size_t>(ny * shape().nx));
      render({y, 0, ny, shape().nx}, pixels.data(), {});
      all.blank += std::ranges::count_if(pixels, [](float pixel) { return !std::isfinite(pixel); });
    }
  } else {
    all = counts_of_bands(false, {});
  }
  state_->counts = all;
  return all;
}

BandedPlane::Counts BandedPlane::counts_of_bands(bool shared, const Job& job) const {
  std::vector<Counts> each(bands().size());
  std::vector<Members::Task> tasks;
  for (std::size_t k = 0; k < each.size(); ++k)
    tasks.push_back({k, [&, k](Backend& by, const Job& own) {
                       const auto plane = rows(by, bands()[k], own);
                       each[k] = {plane->blank(), plane->infinite()};
                     }});
  if (shared)
    state_->members->share(
        tasks, [&](std::size_t k, Packed& to) { to.add(&each[k], 1); },
        [&](std::size_t k, Unpacked& from) { each[k] = from.next<Counts>().at(0); }, job);
  else
    state_->members->run(tasks, job);
  Counts all;
  for (const Counts& one : each) {
    all.blank += one.blank;
    all.infinite += one.infinite;
  }
  return all;
}

void BandedPlane::share_counts(const Job& job) const {
  if (state_->members->others() == nullptr || !state_->maker || state_->told || margin() > 0) return;
  state_->told = true;
  state_->counts = counts_of_bands(true, job);
}

void BandedPlane::render(const Rect& where, float* out, const Job& job) const {
  render_banded(*state_->members, MapKind::image, *this, nullptr, where, out, job);
}

namespace {

const BandedPlane* banded(const std::shared_ptr<const Plane>& map) {
  return static_cast<const BandedPlane*>(map.get());  // the caller knows it for its own
}

}  // namespace

BackgroundModel model_for(const BackgroundModel& model, Rows rows, Backend& by, const Job& job,
                          std::optional<Rows> cells) {
  BackgroundModel part = cut(model, cells ? *cells : cells_about(model.grid, rows), rows);
  if (model.mean_map) part.mean_map = banded(model.mean_map)->rows(by, rows, job);
  if (model.rms_map) part.rms_map = banded(model.rms_map)->rows(by, rows, job);
  return part;
}

void prepare_maps(const BackgroundModel& model, const std::vector<Asked>& wanted, const Job& job) {
  if (model.mean_map) banded(model.mean_map)->prepare(wanted, job);
  if (model.rms_map) banded(model.rms_map)->prepare(wanted, job);
}

void render_banded(Members& members, MapKind kind, const BandedPlane& plane, const BackgroundModel* background,
                   const Rect& where, float* out, const Job& job) {
  const std::int64_t ny = plane.shape().ny;
  const Rows wanted{where.y0, where.y0 + where.ny};
  std::vector<Rows> of;  // of which plane each piece is
  std::vector<Rows> right = plane.valid_bands();
  for (const Rows& band : plane.bands()) of.push_back(band);
  for (const Rows& gap : gaps_between(right, ny)) {
    right.push_back(gap);
    of.push_back(about(gap, plane.margin(), ny));
  }
  std::vector<Asked> asked;
  std::vector<Members::Task> tasks;
  for (std::size_t k = 0; k < of.size(); ++k) {
    const Rows piece = right[k].with(wanted);
    if (piece.size() == 0 || where.nx == 0) continue;
    asked.push_back({of[k], k});
    tasks.push_back({k, [&, piece, rows = of[k]](Backend& by, const Job& own) {
                       const auto from = plane.rows(by, rows, own);
                       std::optional<BackgroundModel> model;
                       if (background != nullptr) model = model_for(*background, rows, by, own);
                       by.render(kind, *from, model ? &*model : nullptr,
                                 {piece.begin - rows.begin, where.x0, piece.size(), where.nx},
                                 out + (piece.begin - wanted.begin) * where.nx, own);
                     }});
  }
  plane.prepare(asked, job);
  if (background != nullptr) prepare_maps(*background, asked, job);
  members.run(tasks, job);
}

}  // namespace reber::banded

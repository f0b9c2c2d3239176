// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes, a row at a time: at once where those are in memory, else when rows are asked for.
#include "kernels/cpu/derived.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>

#include "kernels/cpu/background_rows.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kRowsATask = 16;

/// Calls fill(y, row, worker) for rows [y0, y0 + ny); their blank pixels are counted while they are in the cache.
template <typename Fill>
std::int64_t fill_rows(std::int64_t y0, std::int64_t ny, std::int64_t nx, float* out, const JobThreads& threads,
                       const Fill& fill) {
  std::atomic<std::int64_t> blank{0};
  threads.for_each_worker((ny + kRowsATask - 1) / kRowsATask, [&](std::int64_t task, int worker) {
    std::int64_t count = 0;
    for (std::int64_t k = task * kRowsATask; k < std::min((task + 1) * kRowsATask, ny); ++k) {
      float* row = out + k * nx;
      fill(y0 + k, row, worker);
      for (std::int64_t x = 0; x < nx; ++x) count += std::isfinite(row[x]) ? 0 : 1;
    }
    blank += count;
  });
  return blank;
}

/// Rows at a time of a plane that is made of this one.
std::int64_t band_of(const CpuPlane& plane) { return plane.resident() ? plane.shape().ny : plane.maker()->band_rows(); }

class SnrRows final : public RowMaker {
 public:
  SnrRows(const CpuPlane& plane, const CpuBackground& background, const RowTools& tools)
      : RowMaker(plane.shape(), band_of(plane), tools), plane_(plane), model_(background.model) {
    if (background.mean_map != nullptr) mean_map_.emplace(*background.mean_map);
    if (background.rms_map != nullptr) rms_map_.emplace(*background.rms_map);
  }

 private:
  BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const override {
    BackgroundRows rows(CpuBackground{model_, mean_map_ ? &*mean_map_ : nullptr, rms_map_ ? &*rms_map_ : nullptr});
    rows.hold(y0, ny, threads);
    const HeldRows held = hold_rows(plane_, y0, ny, threads);
    std::vector<BackgroundRows::Scratch> scratch(static_cast<std::size_t>(threads.threads()));
    const std::int64_t nx = shape().nx;
    return {fill_rows(y0, ny, nx, out, threads,
                      [&](std::int64_t y, float* to, int worker) {
                        BackgroundRows::Scratch& own = scratch[static_cast<std::size_t>(worker)];
                        const float* mean = rows.mean_row(y, own);
                        const float* rms = rows.rms_row(y, own);
                        const float* pixel = held.row(y);
                        snr_row(pixel, mean, rms, nx, to);
                      }),
            0};
  }

  CpuPlane plane_;
  BackgroundModel model_;
  std::optional<CpuPlane> mean_map_, rms_map_;
};

class CombinedRows final : public RowMaker {
 public:
  CombinedRows(PlaneRule rule, const CpuPlane& a, const CpuPlane& b, const RowTools& tools)
      : RowMaker(a.shape(), std::min(band_of(a), band_of(b)), tools), rule_(rule), a_(a), b_(b) {}

 private:
  BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const override {
    const HeldRows a = hold_rows(a_, y0, ny, threads), b = hold_rows(b_, y0, ny, threads);
    const std::int64_t nx = shape().nx;
    return {fill_rows(y0, ny, nx, out, threads,
                      [&](std::int64_t y, float* to, int) {
                        const float *from = a.row(y), *other = b.row(y);
                        for (std::int64_t x = 0; x < nx; ++x) to[x] = rules::combined(rule_, from[x], other[x]);
                      }),
            0};
  }

  PlaneRule rule_;
  CpuPlane a_, b_;
};

class MagnitudeRows final : public RowMaker {
 public:
  MagnitudeRows(const CpuPlane& plane, const RowTools& tools)
      : RowMaker(plane.shape(), band_of(plane), tools), plane_(plane) {}

 private:
  BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const override {
    const HeldRows held = hold_rows(plane_, y0, ny, threads);
    const std::int64_t nx = shape().nx;
    const auto fill = [&](std::int64_t y, float* to, int) {
      const float* from = held.row(y);
      for (std::int64_t x = 0; x < nx; ++x) to[x] = std::isfinite(from[x]) ? -std::abs(from[x]) : rules::blank_value();
    };
    return {fill_rows(y0, ny, nx, out, threads, fill), 0};
  }

  CpuPlane plane_;
};

/// Of spans whose ends never fall, those [first, last) that hold a pixel of [begin, end).
std::pair<std::int64_t, std::int64_t> spans_about(const std::vector<PixelSpan>& spans, std::int64_t begin,
                                                  std::int64_t end) {
  const auto first = std::ranges::upper_bound(spans, begin, {}, &PixelSpan::end);
  const auto last = std::ranges::lower_bound(spans, end, {}, &PixelSpan::begin);
  return {first - spans.begin(), std::max(first, last) - spans.begin()};
}

/// Keeps the runs of the islands, not the islands.
class RowsWithoutIslands final : public RowMaker, public ChangedRows {
 public:
  RowsWithoutIslands(const CpuPlane& plane, const CpuIslands& islands, std::int64_t grow, const RowTools& tools)
      : RowMaker(plane.shape(), band_of(plane), tools),
        plane_(plane),
        runs_(islands.by_row),
        row_begin_(islands.row_begin),
        grow_(grow) {}

  [[nodiscard]] const ChangedRows* changed_rows() const override { return this; }
  [[nodiscard]] const CpuPlane& base() const override { return plane_; }
  void change(std::int64_t y0, std::int64_t ny, const float* from, float* to,
              const JobThreads& threads) const override {
    const std::int64_t nx = shape().nx;
    (void)mask_rows(y0, ny, to, threads,
                    [&](std::int64_t y, float* row) { std::copy_n(from + (y - y0) * nx, nx, row); });
  }
  [[nodiscard]] std::int64_t left_out() const override {
    return std::accumulate(runs_.begin(), runs_.end(), std::int64_t{0},
                           [](std::int64_t sum, const rules::Run& run) { return sum + run.x1 - run.x0; });
  }
  [[nodiscard]] std::vector<char> changed_cells(const MeshGrid& grid) const override {
    std::vector<char> changed(static_cast<std::size_t>(grid.ny() * grid.nx()), 0);
    for (const rules::Run& run : runs_) {
      const auto [j0, j1] = spans_about(grid.rows, run.y - grow_, run.y + grow_ + 1);
      const auto [i0, i1] = spans_about(grid.cols, run.x0 - grow_, run.x1 + grow_);
      for (std::int64_t j = j0; j < j1; ++j) std::fill_n(changed.begin() + j * grid.nx() + i0, i1 - i0, char{1});
    }
    return changed;
  }
  bool make_rectangle(const Rect& where, float* out) const override {
    if (plane_.resident()) {
      for (std::int64_t k = 0; k < where.ny; ++k)
        std::copy_n(plane_.row(where.y0 + k) + where.x0, where.nx, out + k * where.nx);
    } else if (!plane_.maker()->make_rectangle(where, out)) {
      return false;
    }
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y, out += where.nx)
      mask_row(y, where.x0, where.x0 + where.nx, out);
    return true;
  }

 private:
  BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const override {
    if (plane_.resident()) {
      const std::int64_t blank = mask_rows(
          y0, ny, out, threads, [&](std::int64_t y, float* to) { std::copy_n(plane_.row(y), shape().nx, to); });
      return {blank, y0 == 0 && ny == shape().ny ? plane_.infinite() : 0};
    }
    plane_.maker()->make(y0, ny, out, threads);  // in place: no second copy of the band
    return {mask_rows(y0, ny, out, threads, [](std::int64_t, float*) {}), 0};
  }

  template <typename Copy>
  std::int64_t mask_rows(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads,
                         const Copy& copy) const {
    return fill_rows(y0, ny, shape().nx, out, threads, [&](std::int64_t y, float* to, int) {
      copy(y, to);
      mask_row(y, 0, shape().nx, to);
    });
  }

  /// Columns [begin, end) of a row, which `row` holds.
  void mask_row(std::int64_t y, std::int64_t begin, std::int64_t end, float* row) const {
    if (runs_.empty()) return;
    const std::int64_t first = std::max<std::int64_t>(y - grow_, 0), last = std::min(y + grow_ + 1, shape().ny);
    for (std::int64_t v = first; v < last; ++v) {
      const auto behind = runs_.begin() + row_begin_[v + 1];
      auto run = std::partition_point(runs_.begin() + row_begin_[v], behind,
                                      [&](const rules::Run& one) { return one.x1 + grow_ <= begin; });
      for (; run != behind && run->x0 - grow_ < end; ++run)
        std::fill(row + std::max(run->x0 - grow_, begin) - begin, row + std::min(run->x1 + grow_, end) - begin,
                  rules::blank_value());
    }
  }

  CpuPlane plane_;
  std::vector<rules::Run> runs_;
  std::vector<std::int64_t> row_begin_;
  std::int64_t grow_;
};

class EveryNthRows final : public RowMaker {
 public:
  EveryNthRows(const CpuPlane& plane, std::int64_t n, Shape made, const RowTools& tools)
      : RowMaker(made, band_of(plane) / n, tools), plane_(plane), n_(n) {}

 private:
  BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const override {
    const std::int64_t nx = shape().nx, first = (n_ - 1) / 2;
    std::int64_t blank = 0;
    for (std::int64_t done = 0; done < ny; done += band_rows()) {  // no more rows are held than a band has
      const std::int64_t rows = std::min(band_rows(), ny - done);
      const HeldRows held = hold_rows(plane_, (y0 + done) * n_ + first, (rows - 1) * n_ + 1, threads);
      blank += fill_rows(y0 + done, rows, nx, out + done * nx, threads, [&](std::int64_t y, float* to, int) {
        const float* from = held.row(y * n_ + first) + first;
        for (std::int64_t x = 0; x < nx; ++x) to[x] = from[x * n_];
      });
    }
    return {blank, 0};
  }

  CpuPlane plane_;
  std::int64_t n_;
};

/// The plane of a maker: in memory, or left to be made.
std::unique_ptr<CpuPlane> plane_of(std::shared_ptr<const RowMaker> maker, bool resident, const JobThreads& threads) {
  if (!resident) return std::make_unique<CpuPlane>(std::move(maker));
  const Shape shape = maker->shape();
  auto plane = std::make_unique<CpuPlane>(shape, maker->tools().memory->take(shape.count()));
  maker->make(0, shape.ny, plane->data(), threads);
  plane->set_counts(maker->counts());
  return plane;
}

std::unique_ptr<CpuPlane> made(const OwnSnr<CpuPlane>& of, const RowTools& tools, const JobThreads& threads) {
  return plane_of(std::make_shared<const SnrRows>(of.plane, of.background, tools), of.plane.resident(), threads);
}

std::unique_ptr<CpuPlane> made(const OwnCombined<CpuPlane>& of, const RowTools& tools, const JobThreads& threads) {
  return plane_of(std::make_shared<const CombinedRows>(of.rule, of.a, of.b, tools), of.a.resident() && of.b.resident(),
                  threads);
}

std::unique_ptr<CpuPlane> made(const OwnWithoutIslands<CpuPlane, CpuIslands>& of, const RowTools& tools,
                               const JobThreads& /*threads*/) {
  auto rows = std::make_shared<const RowsWithoutIslands>(of.plane, of.islands, of.grow, tools);
  auto plane = std::make_unique<CpuPlane>(rows);
  if (of.plane.resident()) plane->set_origin(std::move(rows));
  return plane;
}

std::unique_ptr<CpuPlane> made(const OwnEveryNth<CpuPlane>& of, const RowTools& tools, const JobThreads& threads) {
  const bool small = of.shape.count() <= band_of(of.plane) * of.plane.shape().nx;
  return plane_of(std::make_shared<const EveryNthRows>(of.plane, of.n, of.shape, tools), of.plane.resident() || small,
                  threads);
}

std::unique_ptr<CpuPlane> made(const OwnMinusMagnitude<CpuPlane>& of, const RowTools& tools,
                               const JobThreads& threads) {
  return plane_of(std::make_shared<const MagnitudeRows>(of.plane, tools), of.plane.resident(), threads);
}

}  // namespace

std::unique_ptr<CpuPlane> derive(const OwnExpression<CpuPlane, CpuIslands>& what, const RowTools& tools,
                                 const JobThreads& threads) {
  return std::visit([&](const auto& of) { return made(of, tools, threads); }, what);
}

}  // namespace reber::cpu

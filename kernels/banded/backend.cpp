// SPDX-License-Identifier: BSD-3-Clause
// The backend: each operation handed to what divides it, or to one member for all.
#include "kernels/banded/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/banded/derived.hpp"
#include "kernels/banded/fit.hpp"
#include "kernels/banded/islands.hpp"
#include "kernels/banded/label.hpp"
#include "kernels/banded/mesh.hpp"
#include "kernels/banded/plane.hpp"
#include "kernels/shared/typed_backend.hpp"

namespace reber::banded {
namespace {

/// Rows of a source on members.
class SourceRows final : public RowsOnMember {
 public:
  SourceRows(std::shared_ptr<const PixelSource> source, std::vector<Rows> bands, const TilingPlan& tiling)
      : source_(std::move(source)), bands_(std::move(bands)), tiling_(tiling) {}
  [[nodiscard]] std::shared_ptr<const Plane> make(Backend& by, Rows rows, const Job& job) const override {
    auto window = window_of(source_, rows);
    if (std::ranges::find(bands_, rows) != bands_.end()) return by.stream(std::move(window), tiling_, job);
    return plane_of(by, std::move(window), tiling_, job);
  }
  void prepare(const std::vector<Asked>&, const Job&) const override {}

 private:
  std::shared_ptr<const PixelSource> source_;
  std::vector<Rows> bands_;
  TilingPlan tiling_;
};

class BandedBackend final : public TypedBackend<BandedPlane, BandedIslands, BandedConvolution>, private FitEngine {
 public:
  BandedBackend(const std::shared_ptr<Members>& members)
      : TypedBackend("banded", members.get()), members_(members), info_(joined_info()) {}

  [[nodiscard]] BackendInfo info() const override { return info_; }
  [[nodiscard]] std::vector<ConvolutionQuote> quote(const ConvolutionSpec& spec, Shape shape) const override {
    return members_->of(0).quote(spec, shape);
  }
  FitEngine& fits() override { return *this; }

 private:
  [[nodiscard]] BackendInfo joined_info() const {
    BackendInfo all = members_->of(0).info();
    const std::string first = all.device;
    bool alike = true;
    std::string devices = first;
    all.processes = members_->others() != nullptr ? members_->others()->count() : 1;
    if (all.processes > 1) return all;
    for (std::size_t k = 1; k < members_->count(); ++k) {
      const BackendInfo one = members_->of(k).info();
      alike = alike && one.device == first;
      devices += fmt::format("; {}", one.device);
      all.threads += one.threads;
      all.streams_sources = all.streams_sources && one.streams_sources;
      all.device_memory_bytes += one.device_memory_bytes;
    }
    all.device = alike ? first : devices;
    return all;
  }

  /// Of what was planned for all memory, a member's part: in bands as tall as the smallest memory holds.
  [[nodiscard]] TilingPlan of_member(const TilingPlan& tiling, std::int64_t band) const {
    const double least = members_->others() != nullptr ? 1 : least_memory(members_->abilities());
    TilingPlan own = tiling;
    if (tiling.resident && !tiling.in_source) own.band_rows = band;
    if (static_cast<double>(tiling.device_bytes) <= least * static_cast<double>(info_.device_memory_bytes)) return own;
    own.device_bytes = static_cast<std::int64_t>(least * static_cast<double>(tiling.device_bytes));
    if (!tiling.resident || tiling.in_source)
      own.band_rows =
          std::max<std::int64_t>(static_cast<std::int64_t>(least * static_cast<double>(tiling.band_rows)), 1);
    return own;
  }
  /// The bands of an image. Where pixels stay in their source, masks and tables are what members keep.
  [[nodiscard]] std::vector<Rows> divided(Shape image, const TilingPlan& tiling) {
    constexpr double kKeptBytes = 0.35;  // for each pixel
    const bool stays = !tiling.resident || tiling.in_source;
    members_->divide(stays ? static_cast<std::int64_t>(kKeptBytes * static_cast<double>(image.count()))
                           : tiling.device_bytes);
    return bands_of(image, members_->shares());
  }

  std::unique_ptr<Plane> do_load(const PixelSource& source, const TilingPlan& tiling, const Job& job) override {
    const std::vector<Rows> bands = divided(source.shape(), tiling);
    std::vector<std::shared_ptr<const Plane>> kept(bands.size());
    std::vector<Members::Task> tasks;
    for (std::size_t k = 0; k < bands.size(); ++k)
      tasks.push_back({k, [&, k](Backend& by, const Job& own) {
                         const bool alone = bands.size() == 1;
                         const auto window = alone ? nullptr : window_of(source, bands[k]);
                         kept[k] = by.load(alone ? source : *window, of_member(tiling, bands[k].size()), own);
                       }});
    members_->run(tasks, job);
    return std::make_unique<BandedPlane>(members_, source.shape(), bands, std::move(kept),
                                         of_member(tiling, bands[0].size()));
  }
  std::unique_ptr<Plane> do_stream(std::shared_ptr<const PixelSource> source, const TilingPlan& tiling,
                                   const Job& job) override {
    const Shape shape = source->shape();
    const std::vector<Rows> bands = divided(shape, tiling);
    auto plane = std::make_unique<BandedPlane>(
        members_, shape, bands, 0,
        std::make_shared<const SourceRows>(std::move(source), bands, of_member(tiling, bands[0].size())));
    plane->make_bands(job);
    return plane;
  }

  std::unique_ptr<ConvolutionPlan> do_plan_convolution(const ConvolutionSpec& spec, Shape shape, Algorithm algorithm,
                                                       const Job& job) override {
    std::shared_ptr<const ConvolutionPlan> whole;
    on_first(job, [&](Backend& by, const Job& own) { whole = by.plan_convolution(spec, shape, algorithm, own); });
    return std::make_unique<BandedConvolution>(members_, std::move(whole));
  }
  Planes do_convolve(const BandedPlane& plane, std::span<const BandedConvolution* const> plans,
                     const Job& job) override {
    Planes results;
    for (const BandedConvolution* plan : plans) results.push_back(banded::convolve(members_, plane, *plan, job));
    return results;
  }
  std::unique_ptr<Plane> do_convolve_later(const BandedPlane& plane, const BandedConvolution& plan,
                                           const Job& job) override {
    return banded::convolve_later(members_, plane, plan, job);
  }
  [[nodiscard]] std::int64_t do_rows_together(const BandedPlane& plane) const override {
    return members_->of(0).rows_together(*plane.rows(members_->of(0), plane.bands()[0], {}));
  }

  PlaneStatistics do_statistics(const BandedPlane& plane, StatisticsParts parts, const Job& job) override {
    PlaneStatistics found;
    on_whole(plane, job,
             [&](Backend& by, const Plane& whole, const Job& own) { found = by.statistics(whole, parts, own); });
    return found;
  }
  ClipStatistics do_clip(const BandedPlane& plane, const ClipOptions& options, const Job& job) override {
    ClipStatistics found;
    on_whole(plane, job,
             [&](Backend& by, const Plane& whole, const Job& own) { found = by.clip(whole, options, own); });
    return found;
  }
  std::optional<float> do_largest(const BandedPlane& plane, const Job& job) override {
    if (plane.margin() > 0) return {};
    std::vector<std::optional<float>> each(plane.bands().size());
    std::vector<Members::Task> tasks;
    for (std::size_t k = 0; k < each.size(); ++k)
      tasks.push_back({k, [&, k](Backend& by, const Job& own) {
                         each[k] = by.largest(*plane.rows(by, plane.bands()[k], own), own);
                       }});
    members_->run(tasks, job);
    float largest = 0;
    for (const std::optional<float>& one : each) {
      if (!one) return {};
      largest = std::max(largest, *one);
    }
    return largest;
  }

  MeshCells do_mesh(const BandedPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                    const Job& job) override {
    MeshCells cells = measure_mesh(*members_, plane, grid, options, std::exchange(hint_, std::nullopt), job);
    plane.share_counts(job);
    return cells;
  }
  std::optional<MeshCells> do_mesh_each(const BandedPlane& plane, std::span<const MeshGrid> grids,
                                        const MeshOptions& options, const Job& job) override {
    return measure_meshes(*members_, plane, grids, options, job);
  }
  void do_will_label(const BandedPlane& plane, const DetectOptions& options) override {
    hint_ = LabelHint{plane, options};
  }
  std::unique_ptr<IslandMap> do_label(const BandedPlane& plane, const BandedBackground& background,
                                      const DetectOptions& options, const Job& job) override {
    return find_islands(members_, plane, background.model, options, job);
  }
  std::vector<IslandSums> do_measure(const BandedPlane& plane, const BandedBackground& background,
                                     const BandedIslands& islands, const Job& job) override {
    return measure_islands(members_, plane, background.model, islands, job);
  }
  IslandPixels do_island_pixels(const BandedPlane& plane, const BandedBackground& background,
                                const BandedIslands& islands, std::int64_t min_pixels, const Job& job) override {
    return gather_pixels(members_, plane, background.model, islands, min_pixels, job);
  }
  LabelRuns do_label_runs(const BandedIslands& islands, const Job&) override { return *islands.runs(); }
  std::unique_ptr<IslandMap> do_islands_of(const LabelRuns& runs, std::int64_t count, const DetectOptions& options,
                                           const Job&) override {
    return islands_of_runs(members_, runs, count, options, 0);
  }

  std::unique_ptr<Plane> do_derive(const Expression& what, const Job& job) override {
    return banded::derive(members_, what, job);
  }
  void do_render_pixels(const BandedPlane& plane, const Rect& where, float* out, const Job& job) override {
    plane.render(where, out, job);
  }
  void do_render(MapKind kind, const BandedPlane& plane, const BandedBackground& background, const Rect& where,
                 float* out, const Job& job) override {
    render_banded(*members_, kind, plane, &background.model, where, out, job);
  }
  bool do_render_each(MapKind kind, const BandedPlane& plane, const BandedBackground& background,
                      std::span<const Rect> where, float* out, const Job& job) override;
  std::optional<std::vector<float>> do_block_peaks(const BandedPlane& plane, std::int64_t block,
                                                   const Job& job) override;
  void do_draw_labels(const BandedIslands& islands, const Rect& where, std::int32_t* out, const Job&) override {
    banded::draw_labels(*islands.runs(), where, out);
  }

  FitResults fit(const FitBatch& batch, const Job& job) override {
    job.check();
    return banded::fit(*members_, batch, job);
  }

  template <class Work>
  void on_first(const Job& job, const Work& work) {
    members_->run({{0, work}}, job);
  }
  /// Hands all rows of a plane to one member.
  template <class Work>
  void on_whole(const BandedPlane& plane, const Job& job, const Work& work) {
    plane.prepare({{plane.all(), 0}}, job);
    on_first(job, [&](Backend& by, const Job& own) { work(by, *plane.rows(by, plane.all(), own), own); });
  }

  std::shared_ptr<Members> members_;
  const BackendInfo info_;
  std::optional<LabelHint> hint_;
};

bool BandedBackend::do_render_each(MapKind kind, const BandedPlane& plane, const BandedBackground& background,
                                   std::span<const Rect> where, float* out, const Job& job) {
  const std::vector<Rows> valid = plane.valid_bands();
  std::vector<std::vector<std::size_t>> of_band(valid.size());
  std::vector<std::int64_t> begin{0};
  for (std::size_t k = 0; k < where.size(); ++k) {
    begin.push_back(begin.back() + where[k].shape().count());
    const Rows rows{where[k].y0, where[k].y0 + where[k].ny};
    const auto band = std::ranges::find_if(valid, [&](Rows one) { return one.holds(rows); });
    if (band != valid.end())
      of_band[static_cast<std::size_t>(band - valid.begin())].push_back(k);
    else
      render_banded(*members_, kind, plane, &background.model, where[k], out + begin[k], job);
  }
  prepare_maps(background.model, plane.asked_bands(), job);
  std::vector<Members::Task> tasks;
  for (std::size_t b = 0; b < of_band.size(); ++b) {
    if (of_band[b].empty()) continue;
    tasks.push_back({b, [&, b, band = plane.bands()[b]](Backend& by, const Job& own) {
                       std::vector<Rect> here;
                       std::int64_t pixels = 0;
                       for (const std::size_t k : of_band[b]) {
                         here.push_back({where[k].y0 - band.begin, where[k].x0, where[k].ny, where[k].nx});
                         pixels += here.back().shape().count();
                       }
                       std::vector<float> values(static_cast<std::size_t>(pixels));
                       const BackgroundModel model = model_for(background.model, band, by, own);
                       by.render_each(kind, *plane.rows(by, band, own), &model, here, values.data(), own);
                       const float* from = values.data();
                       for (const std::size_t k : of_band[b]) {
                         std::copy_n(from, where[k].shape().count(), out + begin[k]);
                         from += where[k].shape().count();
                       }
                     }});
  }
  members_->run(tasks, job);
  return true;
}

std::optional<std::vector<float>> BandedBackend::do_block_peaks(const BandedPlane& plane, std::int64_t block,
                                                                const Job& job) {
  const std::vector<Rows>& bands = plane.bands();
  if (plane.margin() > 0 || std::ranges::any_of(bands, [&](Rows band) { return band.begin % block != 0; })) return {};
  std::vector<std::optional<std::vector<float>>> each(bands.size());
  std::vector<Members::Task> tasks;
  for (std::size_t k = 0; k < bands.size(); ++k)
    tasks.push_back({k, [&, k](Backend& by, const Job& own) {
                       each[k] = by.block_peaks(*plane.rows(by, bands[k], own), block, own);
                     }});
  members_->run(tasks, job);
  std::vector<float> all;
  for (const auto& one : each) {
    if (!one) return {};
    all.insert(all.end(), one->begin(), one->end());
  }
  return all;
}

}  // namespace

std::unique_ptr<Backend> make(std::vector<std::unique_ptr<Backend>> members, std::vector<Ability> abilities,
                              LogSink log) {
  return std::make_unique<BandedBackend>(
      std::make_shared<Members>(std::move(members), std::move(abilities), std::move(log)));
}

std::unique_ptr<Backend> make_shared(std::unique_ptr<Backend> own, std::shared_ptr<Exchange> others, LogSink log) {
  return std::make_unique<BandedBackend>(std::make_shared<Members>(std::move(own), std::move(others), std::move(log)));
}

}  // namespace reber::banded

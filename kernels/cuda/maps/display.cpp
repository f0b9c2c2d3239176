// SPDX-License-Identifier: BSD-3-Clause
// Levels of a resident plane's maps: made once, drawn tile by tile.
#include "kernels/cuda/maps/display.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/large_vectors.hpp"
#include "kernels/cuda/maps/render.hpp"

namespace reber::cuda {
namespace {

// Device memory for rows of a map on their way into level 1; they stay in the L2 cache.
constexpr std::int64_t kChunkBytes = std::int64_t{24} << 20;

struct Level {
  DeviceBuffer<float> mean, peak;
  DeviceBuffer<levels::Noise> cells;
  LevelRows rows;
};

class CudaLevels final : public DisplayLevels {
 public:
  CudaLevels(std::shared_ptr<Context> context, MapKind kind, std::shared_ptr<const CudaPlane> plane,
             const CudaBackground* background, const Job& job)
      : context_(std::move(context)), kind_(kind), kept_(std::move(plane)), plane_(*kept_), shape_(plane_.shape()) {
    if (background != nullptr) {
      model_ = background->model;
      background_.emplace(CudaBackground{*model_, background->mean_map, background->rms_map});
    }
    OpScope scope(*context_, "reber display levels", job);
    make_levels(job);
    make_blends();
    scope.finish();
  }
  ~CudaLevels() override { cudaSetDevice(context_->device().device); }
  CudaLevels(const CudaLevels&) = delete;
  CudaLevels& operator=(const CudaLevels&) = delete;

  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::vector<float> sample() override { return sample_; }

  void read(int level, Reduction reduction, const Rect& where, float* out) override {
    OpScope scope(*context_, "reber display read", {});
    if (level == 0 && kind_ == MapKind::image) {
      fetch_pixels(plane_, where, out);
    } else if (level == 0) {
      render_map(kind_, plane_, *background_, where, out, {});
    } else {
      const DeviceBuffer<float> drawn(where.shape().count(), stream());
      draw_to(level, reduction, where, drawn.data());
      context_->stager().down_rows(stream(), drawn.data(), where.nx, where.nx, where.ny, out);
      context_->stager().drain();
    }
    scope.finish();
  }

  std::shared_ptr<const DeviceTile> draw(int level, Reduction reduction, const Rect& where) override {
    OpScope scope(*context_, "reber display draw", {});
    auto tile = std::make_shared<CudaTile>(context_, where.shape().count());
    draw_to(level, reduction, where, tile->data());
    scope.finish();
    return tile;
  }

 private:
  /// Rows of level 0 for as long as this lives.
  struct MapRows {
    LevelRows rows;
    DeviceBuffer<float> memory;
  };

  [[nodiscard]] cudaStream_t stream() const { return context_->stream(); }
  [[nodiscard]] MapRows map_rows(const DeviceBackground* levels, std::int64_t y0, std::int64_t ny) const;
  void make_levels(const Job& job);
  void make_blends();
  void draw_to(int level, Reduction reduction, const Rect& where, float* out) const;

  std::shared_ptr<Context> context_;
  MapKind kind_;
  std::shared_ptr<const CudaPlane> kept_;
  const CudaPlane& plane_;
  Shape shape_;
  std::optional<BackgroundModel> model_;  ///< keeps the maps that background_ names
  std::optional<CudaBackground> background_;
  std::vector<Level> levels_;  ///< [k - 1] is level k
  std::vector<float> sample_;
};

CudaLevels::MapRows CudaLevels::map_rows(const DeviceBackground* levels, std::int64_t y0, std::int64_t ny) const {
  const std::int64_t pitch = plane_.pitch();
  const float* pixels = plane_.device_pixels() + y0 * pitch;
  MapRows made;
  if (kind_ != MapKind::image) {
    made.memory = DeviceBuffer<float>(ny * pitch, stream());
    pixels = made.memory.data();
    RowWindow window = plane_.window();
    const DeviceBackground::Rows held = levels->hold(y0, ny, stream());
    render_rows(stream(), kind_, window, held.view, y0, ny, made.memory.data(), pitch, nullptr);
  }
  made.rows = {pixels, pixels, pitch, ny, shape_.nx};
  return made;
}

void CudaLevels::make_levels(const Job& job) {
  const int count = levels::level_count(shape_);
  for (int k = 1; k < count; ++k) {
    const Shape shape = levels::level_shape(shape_, k);
    Level& level = levels_.emplace_back();
    level.mean = DeviceBuffer<float>(shape.count(), stream());
    level.peak = DeviceBuffer<float>(shape.count(), stream());
    level.rows = {level.mean.data(), level.peak.data(), shape.nx, shape.ny, shape.nx};
  }
  const LevelSample places = LevelSample::of(shape_);
  const std::int64_t columns = (shape_.nx + places.step - 1) / places.step;
  const std::int64_t lines =
      shape_.ny > places.first_row() ? (shape_.ny - places.first_row() + places.step - 1) / places.step : 0;
  const DeviceBuffer<float> sample(lines * columns, stream());
  std::optional<DeviceBackground> background;
  if (background_) background.emplace(*context_, *background_);
  const std::int64_t row_bytes = plane_.pitch() * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t chunk =
      kind_ == MapKind::image ? shape_.ny : std::max<std::int64_t>(2, kChunkBytes / row_bytes / 2 * 2);
  for (std::int64_t y0 = 0; y0 < shape_.ny; y0 += chunk) {
    job.report("map", static_cast<double>(y0) / static_cast<double>(shape_.ny));
    const std::int64_t ny = std::min(chunk, shape_.ny - y0);
    const MapRows map = map_rows(background ? &*background : nullptr, y0, ny);
    gather_sample(stream(), map.rows, y0, places, columns, sample.data());
    if (levels_.empty()) continue;
    const Level& first = levels_.front();
    const std::int64_t at = y0 / 2 * first.rows.nx;
    halve(stream(), map.rows, first.mean.data() + at, first.peak.data() + at);
  }
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k)
    halve(stream(), levels_[k].rows, levels_[k + 1].mean.data(), levels_[k + 1].peak.data());
  sample_.resize(static_cast<std::size_t>(sample.size()));
  if (!sample_.empty()) context_->down(sample_.data(), sample.data(), sample.bytes(), stream());
}

/// Heights come down, medians are found on the host, cells go up.
void CudaLevels::make_blends() {
  struct Room {
    std::int64_t y = 0, x = 0, at = 0;
  };
  std::vector<Room> rooms;
  std::int64_t total = 0;
  for (const Level& level : levels_) {
    const Shape shape{level.rows.ny, level.rows.nx};
    const std::int64_t cells_y = PeakBlend::cells_along(shape.ny), cells_x = PeakBlend::cells_along(shape.nx);
    Room room{0, 0, total};
    for (std::int64_t j = 0; j < cells_y; ++j) room.y = std::max(room.y, PeakBlend::samples(shape, j, 0).rows());
    for (std::int64_t i = 0; i < cells_x; ++i) room.x = std::max(room.x, PeakBlend::samples(shape, 0, i).columns());
    total += cells_y * cells_x * room.y * room.x;
    rooms.push_back(room);
  }
  if (total == 0) return;
  const DeviceBuffer<float> gathered(total, stream());
  for (std::size_t k = 0; k < levels_.size(); ++k)
    gather_heights(stream(), levels_[k].rows, rooms[k].y, rooms[k].x, gathered.data() + rooms[k].at);
  std::vector<float> heights(static_cast<std::size_t>(total));
  context_->stager().down_copy(stream(), gathered.data(), gathered.bytes(), heights.data());
  context_->stager().drain();
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const Room& room = rooms[k];
    const std::int64_t cells_x = PeakBlend::cells_along(levels_[k].rows.nx), size = room.y * room.x;
    const PeakBlend blend(
        {levels_[k].rows.ny, levels_[k].rows.nx},
        [&](std::int64_t j, std::int64_t i, std::vector<float>& out) {
          const float* from = heights.data() + room.at + (j * cells_x + i) * size;
          out.assign(from, from + size);
        },
        &context_->threads());
    levels_[k].cells = upload_vector(*context_, blend.cells(), stream());
  }
}

void CudaLevels::draw_to(int level, Reduction reduction, const Rect& where, float* out) const {
  if (where.shape().count() == 0) return;
  if (level > 0) {
    const Level& from = levels_[static_cast<std::size_t>(level - 1)];
    return draw_level(stream(), from.rows, reduction, from.cells.data(), where, out);
  }
  std::optional<DeviceBackground> background;
  if (background_) background.emplace(*context_, *background_);
  const MapRows map = map_rows(background ? &*background : nullptr, where.y0, where.ny);
  draw_level(stream(), map.rows, Reduction::mean, nullptr, {0, where.x0, where.ny, where.nx}, out);
}

}  // namespace

std::optional<std::vector<float>> block_peaks_of(const CudaPlane& plane, std::int64_t block, const Job& job) {
  job.check();
  const Shape shape = plane.shape();
  constexpr std::int64_t kMostBlock = 4096;  // a warp's work, and its pixels as an int
  if (!plane.resident() || block < 1 || block > kMostBlock) return std::nullopt;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const std::int64_t count = (shape.ny + block - 1) / block * ((shape.nx + block - 1) / block);
  const DeviceBuffer<float> peaks(count, stream);
  find_block_peaks(stream, {plane.device_pixels(), plane.device_pixels(), plane.pitch(), shape.ny, shape.nx}, block,
                   peaks.data());
  std::vector<float> out;
  reserve_large(out, static_cast<std::size_t>(count));
  out.resize(static_cast<std::size_t>(count));
  context.stager().down_copy(stream, peaks.data(), peaks.bytes(), out.data());
  context.stager().drain();
  return out;
}

std::unique_ptr<DisplayLevels> make_display_levels(const std::shared_ptr<Context>& context, MapKind kind,
                                                   std::shared_ptr<const CudaPlane> plane,
                                                   const CudaBackground* background, const Job& job) {
  if (!plane->resident() || plane->shape().count() == 0) return nullptr;
  context->use();
  const std::int64_t wanted = plane->shape().count() * static_cast<std::int64_t>(sizeof(float)) / 3 * 2;
  if (wanted > context->usable_bytes() / 4) return nullptr;
  return std::make_unique<CudaLevels>(context, kind, std::move(plane), background, job);
}

CudaTile::CudaTile(std::shared_ptr<Context> context, std::int64_t count)
    : context_(std::move(context)), pixels_(count, context_->stream()) {}

std::vector<float> CudaTile::on_host() const {
  context_->use();
  std::vector<float> values(static_cast<std::size_t>(pixels_.size()));
  if (!values.empty()) context_->down(values.data(), pixels_.data(), pixels_.bytes(), context_->stream());
  return values;
}

CudaTile::~CudaTile() { cudaSetDevice(context_->device().device); }

}  // namespace reber::cuda

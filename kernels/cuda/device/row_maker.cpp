// SPDX-License-Identifier: BSD-3-Clause
// The counting of rows that are made, and the maker that decodes what it reads.
#include "kernels/cuda/device/row_maker.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/sky/model/rectangle_source.hpp"
#include "kernels/cuda/device/block_reader.hpp"
#include "kernels/cuda/device/load.hpp"
#include "kernels/cuda/device/row_roles.hpp"

namespace reber::cuda {
namespace {

constexpr std::int64_t kCounts = 3;

/// Most that a walk is given to hold rows back in: plan_tiling leaves as much.
constexpr std::int64_t kLagBands = 4;

/// Bytes of all cards that hold blocks of sources for longer than they are used, or are kept for rows held back.
std::atomic<std::int64_t> staying_of_all{0};

/// What the plan leaves of the card beside the bands.
struct SpareRoom {
  std::int64_t lag;      ///< for rows that a walk holds back
  std::int64_t staying;  ///< for blocks of the source that stay
};

/// Where all of the source can stay, nothing needs to be held back. Of several planes the first takes the room.
SpareRoom spare_room(const PixelSource& source, const TilingPlan& tiling, const Context& context) {
  constexpr std::int64_t kFloat = 4;
  if (tiling.device_bytes <= 0) return {std::numeric_limits<std::int64_t>::max(), 0};  // no plan: nobody set a limit
  const Shape shape = source.shape();
  const std::int64_t spare = std::max<std::int64_t>(context.usable_bytes() - tiling.device_bytes - staying_of_all, 0);
  if (spare >= shape.count() * bytes_of(source.format().type)) return {0, spare};
  const std::int64_t lag = std::min(spare, kLagBands * tiling.band_rows * shape.nx * kFloat);
  return {lag, spare - lag};
}

/// Rows of a file, read each time.
class SourceRows final : public RowMaker, public ReadRows, public MakesRectangles {
 public:
  SourceRows(const std::shared_ptr<Context>& context, std::shared_ptr<const PixelSource> source,
             const TilingPlan& tiling)
      : RowMaker(context, source->shape(), tiling),
        source_(std::move(source)),
        rectangles_(source_->rectangle_source()),
        rule_(decode_rule(source_->format())),
        spare_(spare_room(*source_, tiling, *context)),
        reader_(*context, source_, room_of(source_->shape(), tiling, spare_.staying)),
        taken_(reader_.staying_bytes() + (tiling.device_bytes > 0 ? spare_.lag : 0)),
        nobody_(kCounts, context->stream()) {
    check(cudaMemsetAsync(nobody_.data(), 0, static_cast<std::size_t>(nobody_.bytes()), context->stream()),
          "cudaMemsetAsync");
    context->wait();  // rows may be made on any stream
    staying_of_all += taken_;
  }
  ~SourceRows() override { staying_of_all -= taken_; }

  [[nodiscard]] bool knows_largest() const override { return true; }

  [[nodiscard]] MakesRectangles* rectangles() override { return rectangles_ != nullptr ? this : nullptr; }
  [[nodiscard]] ReadRows* read_rows() override { return this; }
  void make_rectangles(std::span<const Rect> where, std::span<float* const> out, cudaStream_t stream) override {
    const std::int64_t bytes = bytes_of(rule_.type);
    std::vector<std::int64_t> begin{0};
    for (const Rect& one : where) begin.push_back(begin.back() + one.shape().count() * bytes);
    std::vector<std::byte> stored(static_cast<std::size_t>(begin.back()));
    context()->threads().for_each(static_cast<std::int64_t>(where.size()), [&](std::int64_t k) {
      const auto at = static_cast<std::size_t>(k);
      rectangles_->read_rectangle(where[at], stored.data() + begin[at]);
    });
    const DeviceBuffer<std::byte> raw = upload_vector(*context(), stored, stream);
    for (std::size_t k = 0; k < where.size(); ++k)
      decode_rows(stream, {raw.data() + begin[k], where[k].nx * bytes, bytes}, rule_, where[k].ny, where[k].nx, out[k],
                  pitch_of(where[k].nx), nobody_.data());
  }
  void make_runs(std::span<const RunWindow> windows, const std::vector<rules::Run>& runs, float* out,
                 std::int64_t pixels, cudaStream_t stream) override {
    constexpr std::int64_t kRow = 4096;  // so many pixels are decoded as if they were a row
    const std::int64_t bytes = bytes_of(rule_.type);
    const std::vector<std::byte> stored = read_runs(windows, runs, pixels);
    const DeviceBuffer<std::byte> raw = upload_vector(*context(), stored, stream);
    const std::int64_t rows = pixels / kRow, rest = pixels % kRow, done = rows * kRow;
    if (rows > 0) decode_rows(stream, {raw.data(), kRow * bytes, bytes}, rule_, rows, kRow, out, kRow, nobody_.data());
    if (rest > 0)
      decode_rows(stream, {raw.data() + done * bytes, rest * bytes, bytes}, rule_, 1, rest, out + done, rest,
                  nobody_.data());
  }
  [[nodiscard]] std::int64_t stored_pixel_bytes() const override { return bytes_of(rule_.type); }
  [[nodiscard]] std::int64_t lag_bytes() const override { return spare_.lag; }

 private:
  /// Stored pixels of the windows' runs, one behind the other.
  [[nodiscard]] std::vector<std::byte> read_runs(std::span<const RunWindow> windows,
                                                 const std::vector<rules::Run>& runs, std::int64_t pixels) const {
    constexpr std::int64_t kWindowsATask = 32;
    const auto bytes = static_cast<std::size_t>(bytes_of(rule_.type)), count = windows.size();
    std::vector<std::size_t> begin;  // of each window's first run
    std::size_t next = 0;
    for (const RunWindow& window : windows) {
      begin.push_back(next);
      for (std::size_t k = window.first; k < window.last; ++k)
        next += static_cast<std::size_t>(runs[k].x1 - runs[k].x0) * bytes;
    }
    std::vector<std::byte> stored(static_cast<std::size_t>(pixels) * bytes);
    context()->threads().for_each((static_cast<std::int64_t>(count) + kWindowsATask - 1) / kWindowsATask,
                                  [&](std::int64_t task) {
                                    std::vector<std::byte> row;
                                    const auto first = static_cast<std::size_t>(task * kWindowsATask);
                                    for (std::size_t w = first; w < std::min(first + kWindowsATask, count); ++w) {
                                      row.resize(static_cast<std::size_t>(windows[w].where.nx) * bytes);
                                      rectangles_->read_rectangle(windows[w].where, row.data());
                                      copy_runs(windows[w], runs, row.data(), stored.data() + begin[w]);
                                    }
                                  });
    return stored;
  }
  void copy_runs(const RunWindow& window, const std::vector<rules::Run>& runs, const std::byte* row,
                 std::byte* out) const {
    const std::int64_t bytes = bytes_of(rule_.type);
    for (std::size_t k = window.first; k < window.last; ++k)
      out = std::copy_n(row + (runs[k].x0 - window.where.x0) * bytes, (runs[k].x1 - runs[k].x0) * bytes, out);
  }

  /// What plan_tiling has for the stored rows of two bands.
  static ReaderRoom room_of(Shape shape, const TilingPlan& tiling, std::int64_t staying) {
    constexpr std::int64_t kStoredBytes = 8, kBands = 2, kBlocksABand = 4;
    const std::int64_t rows = std::clamp<std::int64_t>(tiling.band_rows, 1, std::max<std::int64_t>(shape.ny, 1));
    return {kBands * kStoredBytes * rows * shape.nx, (rows + kBlocksABand - 1) / kBlocksABand, 2 * tiling.halo_rows,
            staying};
  }

  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    const std::int64_t nx = shape().nx, pitch = pitch_of(nx), bytes = bytes_of(rule_.type);
    reader_.read(y0, ny, stream, [&](std::int64_t first, std::int64_t rows, const std::byte* stored) {
      decode_rows(stream, {stored, nx * bytes, bytes}, rule_, rows, nx, out + (first - y0) * pitch, pitch, counts);
    });
  }

  std::shared_ptr<const PixelSource> source_;
  const RectangleSource* rectangles_;  ///< the same; null where it reads whole rows alone
  DecodeRule rule_;
  SpareRoom spare_;
  BlockReader reader_;
  std::int64_t taken_;                       ///< of the spare room
  DeviceBuffer<unsigned long long> nobody_;  ///< counts that are not asked for
};

}  // namespace

RowMaker::RowMaker(std::shared_ptr<Context> context, Shape shape, TilingPlan tiling)
    : context_(std::move(context)), shape_(shape), tiling_(std::move(tiling)) {
  tiling_.resident = false;
  tiling_.in_source = true;
  tiling_.band_rows = std::clamp<std::int64_t>(tiling_.band_rows, 1, std::max<std::int64_t>(shape_.ny, 1));
  context_->use();
  totals_ = DeviceBuffer<unsigned long long>(2 * kCounts, context_->stream());
  forget_counts();
}

void RowMaker::forget_counts() {
  check(cudaMemsetAsync(totals_.data(), 0, static_cast<std::size_t>(totals_.bytes()), context_->stream()),
        "cudaMemsetAsync");
  context_->wait();  // rows may be made on any stream
  counted_rows_ = 0;
  spoiled_ = false;
}

void RowMaker::make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream) {
  unsigned long long* const nobody = totals_.data() + kCounts;
  const std::int64_t known = std::clamp<std::int64_t>(counted_rows_ - y0, 0, ny);
  if (known > 0) do_make(y0, known, out, stream, nobody);
  if (known == ny) return;
  const bool counts = y0 + known == counted_rows_;
  try {
    do_make(y0 + known, ny - known, out + known * pitch_of(shape_.nx), stream, counts ? totals_.data() : nobody);
  } catch (...) {
    spoiled_ = spoiled_ || counts;
    throw;
  }
  if (counts) counted_rows_ = y0 + ny;
}

void RowMaker::count(const Job& job) {
  if (known_) return;
  context_->use();
  if (spoiled_) forget_counts();
  if (counted_rows_ < shape_.ny && shape_.nx > 0) {
    const std::int64_t band = std::min(tiling_.band_rows, shape_.ny);
    const cudaStream_t stream = context_->stream();
    const DeviceBuffer<float> rows(band * pitch_of(shape_.nx), stream);
    while (counted_rows_ < shape_.ny) {
      job.report("read", static_cast<double>(counted_rows_) / static_cast<double>(shape_.ny));
      make(counted_rows_, std::min(band, shape_.ny - counted_rows_), rows.data(), stream);
    }
  }
  unsigned long long found[kCounts] = {0, 0, 0};
  context_->down(found, totals_.data(), sizeof(found), context_->stream());
  known_ = {static_cast<std::int64_t>(found[0]), infinite(static_cast<std::int64_t>(found[1])),
            float_of(static_cast<std::uint32_t>(found[2]))};
}

PlaneCounts RowMaker::counts() {
  count({});
  return *known_;
}

std::shared_ptr<RowMaker> source_rows(const std::shared_ptr<Context>& context,
                                      std::shared_ptr<const PixelSource> source, const TilingPlan& tiling) {
  return std::make_shared<SourceRows>(context, std::move(source), tiling);
}

}  // namespace reber::cuda

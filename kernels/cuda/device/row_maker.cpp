// SPDX-License-Identifier: BSD-3-Clause
// The counting of rows that are made, and the maker that decodes what it reads.
#include "kernels/cuda/device/row_maker.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "kernels/cuda/device/block_reader.hpp"
#include "kernels/cuda/device/load.hpp"

namespace reber::cuda {
namespace {

constexpr std::int64_t kCounts = 3;

/// Bytes of all cards that hold blocks of sources for longer than they are used.
std::atomic<std::int64_t> staying_of_all{0};

/// Rows of a file, read each time.
class SourceRows final : public RowMaker {
 public:
  SourceRows(const std::shared_ptr<Context>& context, const std::shared_ptr<const PixelSource>& source,
             const TilingPlan& tiling)
      : RowMaker(context, source->shape(), tiling),
        rule_(decode_rule(source->format())),
        reader_(*context, source, room_of(source->shape(), tiling, *context)) {
    staying_of_all += reader_.staying_bytes();
  }
  ~SourceRows() override { staying_of_all -= reader_.staying_bytes(); }

  [[nodiscard]] bool knows_largest() const override { return true; }

 private:
  /// What plan_tiling has for the stored rows of two bands.
  static ReaderRoom room_of(Shape shape, const TilingPlan& tiling, const Context& context) {
    constexpr std::int64_t kStoredBytes = 8, kBands = 2, kBlocksABand = 4;
    const std::int64_t rows = std::clamp<std::int64_t>(tiling.band_rows, 1, std::max<std::int64_t>(shape.ny, 1));
    ReaderRoom room{kBands * kStoredBytes * rows * shape.nx, (rows + kBlocksABand - 1) / kBlocksABand,
                    2 * tiling.halo_rows, 0};
    // What the plan leaves of the card. Of several planes the first takes it.
    if (tiling.device_bytes > 0) room.spare_bytes = context.usable_bytes() - tiling.device_bytes - staying_of_all;
    return room;
  }

  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    const std::int64_t nx = shape().nx, pitch = pitch_of(nx), bytes = bytes_of(rule_.type);
    reader_.read(y0, ny, stream, [&](std::int64_t first, std::int64_t rows, const std::byte* stored) {
      decode_rows(stream, {stored, nx * bytes, bytes}, rule_, rows, nx, out + (first - y0) * pitch, pitch, counts);
    });
  }

  DecodeRule rule_;
  BlockReader reader_;
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
  return std::make_shared<SourceRows>(context, source, tiling);
}

}  // namespace reber::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Whole stripes of tiles go straight to the caller's rows; parts of one come from a stripe that is kept a while.
#include "core/files/fits/rice_tiles.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/fits/rice_plane.hpp"
#include "core/files/tiles/coded_tiles.hpp"

namespace reber::fits {
namespace {

/// A stripe above this is dear where a band needs a part of it: readers take bands of 1 MiB and more.
constexpr std::int64_t kFlatBytes = std::int64_t{1} << 20;

/// Stripes that were decoded for a part of them. Readers that go on from there find the rest.
class KeptStripes {
 public:
  using Stripe = std::shared_ptr<const std::vector<std::byte>>;
  [[nodiscard]] Stripe find(std::int64_t stripe) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [index, rows] : kept_)
      if (index == stripe && rows) return rows;
    return nullptr;
  }
  void keep(std::int64_t stripe, Stripe rows) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_[next_++ % kept_.size()] = {stripe, std::move(rows)};
  }

 private:
  mutable std::mutex mutex_;
  std::array<std::pair<std::int64_t, Stripe>, 16> kept_;
  std::size_t next_ = 0;
};

class RiceSource final : public PixelSource, public CodedTiles {
 public:
  explicit RiceSource(RicePlane plane) : plane_(std::move(plane)) {}
  [[nodiscard]] Shape shape() const override { return plane_.shape(); }
  [[nodiscard]] PixelFormat format() const override { return plane_.header().format; }
  [[nodiscard]] const CodedTiles* coded_tiles() const override { return this; }

  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    if (y0 < 0 || ny < 0 || y0 > shape().ny - ny) throw InternalError("read_rows: rows outside the plane");
    const std::int64_t height = plane_.tile().ny, row_bytes = shape().nx * bytes_of(format().type);
    RiceScratch scratch;
    for (std::int64_t y = y0; y < y0 + ny;) {
      const std::int64_t stripe = y / height, first = stripe * height;
      // Whole stripes from here on.
      std::int64_t last = stripe;
      while (first == y && last < plane_.stripes() && last * height + plane_.stripe_rows(last) <= y0 + ny) ++last;
      std::byte* const to = out + (y - y0) * row_bytes;
      if (last > stripe) {
        plane_.decode_stripes(stripe, last, to, scratch);
        y = std::min(last * height, shape().ny);
        continue;
      }
      const std::int64_t rows = std::min(first + plane_.stripe_rows(stripe), y0 + ny) - y;
      const KeptStripes::Stripe kept = whole(stripe, scratch);
      std::memcpy(to, kept->data() + (y - first) * row_bytes, static_cast<std::size_t>(rows * row_bytes));
      y += rows;
    }
  }

  void will_need(std::int64_t y0, std::int64_t ny) const override {
    if (ny > 0) plane_.will_need(y0 / plane_.tile().ny, (y0 + ny - 1) / plane_.tile().ny + 1);
  }

  [[nodiscard]] std::optional<CodedPlane> coded() const override { return plane_.coded(); }
  void read_streams(std::int64_t offset, std::int64_t count, std::byte* out) const override {
    plane_.read_streams(offset, count, out);
  }
  void read_tile(std::int64_t index, std::byte* out) const override {
    RiceScratch scratch;
    plane_.decode_alone(index, out, scratch);
  }

 private:
  [[nodiscard]] KeptStripes::Stripe whole(std::int64_t stripe, RiceScratch& scratch) const {
    if (auto kept = stripes_.find(stripe)) return kept;
    auto made = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(plane_.stripe_rows(stripe) * shape().nx * bytes_of(format().type)));
    plane_.decode_stripes(stripe, stripe + 1, made->data(), scratch);
    stripes_.keep(stripe, made);
    return made;
  }

  RicePlane plane_;
  mutable KeptStripes stripes_;
};

class OwnMemory final : public PixelMemory {
 public:
  explicit OwnMemory(std::int64_t bytes)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes))) {}
  [[nodiscard]] const std::byte* data() const override { return bytes_.get(); }
  [[nodiscard]] std::byte* pixels() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace

bool decodes_rows(const Hdu& hdu, const RiceHeader& rice) {
  const std::int64_t height = hdu.layout.tile[1];
  return height == 1 || height * hdu.axes[0] <= kFlatBytes / bytes_of(rice.format.type);
}

std::unique_ptr<PixelSource> rice_source(const ByteSource& bytes, const Hdu& hdu, const RiceHeader& rice,
                                         std::int64_t plane, const std::string& name) {
  RicePlane made(bytes, hdu, rice, plane, name);
  return made.complete() ? std::make_unique<RiceSource>(std::move(made)) : nullptr;
}

std::shared_ptr<const DecodedPlane> decode_rice(const ByteSource& bytes, const Hdu& hdu, const RiceHeader& rice,
                                                std::int64_t plane, const std::string& name, const Progress& progress) {
  const RicePlane tiles(bytes, hdu, rice, plane, name);
  if (!tiles.complete()) return nullptr;
  auto memory = std::make_shared<OwnMemory>(tiles.shape().count() * bytes_of(rice.format.type));
  const std::int64_t count = tiles.across() * tiles.stripes();
  ThreadPool pool(static_cast<int>(std::min<std::int64_t>(count, usable_threads())));
  std::vector<RiceScratch> scratch(static_cast<std::size_t>(pool.threads()));
  pool.for_each_worker(count, [&](std::int64_t tile, int worker) {
    progress.check();
    tiles.decode_tile(tile, memory->pixels(), scratch[static_cast<std::size_t>(worker)]);
  });
  auto out = std::make_shared<DecodedPlane>();
  out->shape = tiles.shape();
  out->format = rice.format;
  out->pixels = std::move(memory);
  return out;
}

}  // namespace reber::fits

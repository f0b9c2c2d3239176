// SPDX-License-Identifier: BSD-3-Clause
// Decodes big-endian floats in place, eight at a time; every other pixel type through a buffer.
#include "kernels/cpu/load.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/sky/model/rectangle_source.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {
namespace {

/// Bytes of one read: large enough for the file system, small enough for the caches.
constexpr std::int64_t kChunkBytes = 1 << 20;

template <std::size_t Size>
struct Word;
template <>
struct Word<1> {
  using Type = std::uint8_t;
};
template <>
struct Word<2> {
  using Type = std::uint16_t;
};
template <>
struct Word<4> {
  using Type = std::uint32_t;
};
template <>
struct Word<8> {
  using Type = std::uint64_t;
};

std::uint8_t swapped(std::uint8_t word) { return word; }
std::uint16_t swapped(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t swapped(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t swapped(std::uint64_t word) { return __builtin_bswap64(word); }

template <typename Stored>
BlankCounts decode_rows(const std::byte* raw, std::int64_t n, const PixelFormat& format, float* out) {
  using Bits = typename Word<sizeof(Stored)>::Type;
  BlankCounts counts;
  const bool swap = format.big_endian != (std::endian::native == std::endian::big);
  for (std::int64_t k = 0; k < n; ++k) {
    Bits bits;
    std::memcpy(&bits, raw + k * static_cast<std::int64_t>(sizeof(bits)), sizeof(bits));
    const auto stored = std::bit_cast<Stored>(swap ? swapped(bits) : bits);
    float value = rules::decode(static_cast<double>(stored), format.scale, format.zero);
    if constexpr (std::integral<Stored>) {
      if (format.blank && static_cast<std::int64_t>(stored) == *format.blank) value = rules::blank_value();
    } else {
      counts.infinite += std::isinf(stored) ? 1 : 0;
    }
    counts.blank += std::isnan(value) ? 1 : 0;
    out[k] = value;
  }
  return counts;
}

BlankCounts decode_rows(const std::byte* raw, std::int64_t n, const PixelFormat& format, float* out) {
  switch (format.type) {
    case PixelType::u8:
      return decode_rows<std::uint8_t>(raw, n, format, out);
    case PixelType::i16:
      return decode_rows<std::int16_t>(raw, n, format, out);
    case PixelType::i32:
      return decode_rows<std::int32_t>(raw, n, format, out);
    case PixelType::i64:
      return decode_rows<std::int64_t>(raw, n, format, out);
    case PixelType::f32:
      return decode_rows<float>(raw, n, format, out);
    case PixelType::f64:
      return decode_rows<double>(raw, n, format, out);
  }
  throw InternalError("cpu backend: unknown pixel type");
}

/// Unscaled floats that already lie where they are wanted: swap, then blank what is not finite. Adding zero gives -0
/// the sign that rules::decode gives it.
template <bool swap>
BlankCounts decode_in_place(float* pixels, std::int64_t n) {
  BlankCounts counts;
  const Floats blank = all(rules::blank_value());
  const auto decode = [&](Floats stored) {
    Ints bits;
    std::memcpy(&bits, &stored, sizeof(bits));
    if constexpr (swap) {
      typedef std::uint8_t Bytes __attribute__((vector_size(32)));
      Bytes bytes;
      std::memcpy(&bytes, &bits, sizeof(bytes));
      bytes = __builtin_shufflevector(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 19, 18, 17,
                                      16, 23, 22, 21, 20, 27, 26, 25, 24, 31, 30, 29, 28);
      std::memcpy(&bits, &bytes, sizeof(bits));
    }
    Floats value;
    std::memcpy(&value, &bits, sizeof(value));
    const Ints good = finite(value);
    const unsigned bad = ~bits_of(good) & 0xffu;
    if (bad != 0) {
      counts.blank += __builtin_popcount(bad);
      counts.infinite += __builtin_popcount(bits_of((bits & 0x7fffffff) == 0x7f800000));
    }
    return where(good, value + 0.0f, blank);
  };
  std::int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) store(pixels + k, decode(load(pixels + k)));
  if (k < n) {
    Floats rest{};
    std::memcpy(&rest, pixels + k, static_cast<std::size_t>(n - k) * sizeof(float));
    rest = decode(rest);
    std::memcpy(pixels + k, &rest, static_cast<std::size_t>(n - k) * sizeof(float));
  }
  return counts;
}

/// Decodes rows by chunks on all threads.   tell: is told which part is done
template <typename Tell>
BlankCounts read_decoded(const PixelSource& source, std::int64_t first, std::int64_t rows, float* pixels,
                         const JobThreads& threads, const Tell& tell) {
  const Shape shape = source.shape();
  const PixelFormat format = source.format();
  const std::int64_t row_bytes = std::max<std::int64_t>(shape.nx * bytes_of(format.type), 1);
  const std::int64_t chunk_rows = std::clamp<std::int64_t>(kChunkBytes / row_bytes, 1, std::max<std::int64_t>(rows, 1));
  const std::int64_t chunks = (rows + chunk_rows - 1) / chunk_rows;
  const bool in_place = format.type == PixelType::f32 && format.scale == 1 && format.zero == 0;
  const bool swap = format.big_endian != (std::endian::native == std::endian::big);

  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads.threads()));
  std::atomic<std::int64_t> blank{0}, infinite{0}, done{0};
  threads.for_each_worker(chunks, [&](std::int64_t chunk, int worker) {
    const std::int64_t y = chunk * chunk_rows, ny = std::min(chunk_rows, rows - y);
    float* out = pixels + y * shape.nx;
    BlankCounts counts;
    if (in_place) {
      source.read_rows(first + y, ny, reinterpret_cast<std::byte*>(out));  // floats are read as the bytes they are
      counts = swap ? decode_in_place<true>(out, ny * shape.nx) : decode_in_place<false>(out, ny * shape.nx);
    } else {
      auto& buffer = buffers[static_cast<std::size_t>(worker)];
      buffer.resize(static_cast<std::size_t>(chunk_rows * row_bytes));
      source.read_rows(first + y, ny, buffer.data());
      counts = decode_rows(buffer.data(), ny * shape.nx, format, out);
    }
    blank += counts.blank;
    infinite += counts.infinite;
    ++done;
    if (worker == 0) tell(static_cast<double>(done.load()) / static_cast<double>(chunks));
  });
  return {blank, infinite};
}

/// Rows of a file, read each time.
class SourceRows final : public RowMaker {
 public:
  SourceRows(std::shared_ptr<const PixelSource> source, std::int64_t band_rows, RowTools tools)
      : RowMaker(source->shape(), band_rows, std::move(tools)), source_(std::move(source)) {}
  [[nodiscard]] bool reads() const override { return true; }
  bool make_rectangle(const Rect& where, float* out) const override {
    const RectangleSource* const rectangles = source_->rectangle_source();
    if (rectangles == nullptr) return false;
    const PixelFormat format = source_->format();
    const std::int64_t pixels = where.shape().count();
    std::vector<std::byte> raw(static_cast<std::size_t>(pixels * bytes_of(format.type)));
    rectangles->read_rectangle(where, raw.data());
    (void)decode_rows(raw.data(), pixels, format, out);
    return true;
  }

 private:
  BlankCounts do_make(std::int64_t y0, std::int64_t ny, float* out, const JobThreads& threads) const override {
    const std::int64_t after = y0 + ny;
    source_->will_need(after, std::min(ny, shape().ny - after));
    return read_decoded(*source_, y0, ny, out, threads, [](double) {});
  }

  std::shared_ptr<const PixelSource> source_;
};

}  // namespace

std::unique_ptr<CpuPlane> load_plane(const PixelSource& source, PixelMemory& memory, const JobThreads& threads) {
  const Shape shape = source.shape();
  auto plane = std::make_unique<CpuPlane>(shape, memory.take(shape.count()));
  plane->set_counts(read_decoded(source, 0, shape.ny, plane->data(), threads,
                                 [&](double part) { threads.job().report("read", part); }));
  return plane;
}

std::unique_ptr<CpuPlane> stream_plane(std::shared_ptr<const PixelSource> source, std::int64_t band_rows,
                                       RowTools tools) {
  return std::make_unique<CpuPlane>(std::make_shared<const SourceRows>(std::move(source), band_rows, std::move(tools)));
}

}  // namespace reber::cpu

// SPDX-License-Identifier: BSD-3-Clause
// The table of backends: what is forced really runs, what cannot run says why; pixels load alike everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/error.hpp"
#include "kernels/backends.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

TEST(Backends, the_one_asked_for_is_the_one_that_runs) {
  for (const BackendEntry& entry : backend_table()) {
    if (!entry.unavailable({}).empty()) continue;
    EXPECT_EQ(make_backend(entry.name, {}, LogSink{})->info().name, entry.name);
  }
}

TEST(Backends, a_card_is_there_where_the_environment_demands_one) {
  if (std::getenv("REBER_REQUIRE_CUDA") == nullptr) GTEST_SKIP() << "REBER_REQUIRE_CUDA is not set";
  const auto names = tested_backends();
  EXPECT_NE(std::find(names.begin(), names.end(), "cuda"), names.end());
}

TEST(Backends, an_unknown_name_is_refused_with_the_known_ones) {
  try {
    (void)make_backend("abacus", {}, LogSink{});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("reference"), std::string::npos);
  }
}

TEST(Backends, auto_never_takes_the_reference_where_a_faster_one_runs) {
  EXPECT_NE(make_backend("auto", {}, LogSink{})->info().name, "reference");
}

/// Stored pixels of any type and byte order.
class StoredPixels final : public PixelSource {
 public:
  StoredPixels(Shape shape, PixelFormat format, std::vector<std::byte> bytes)
      : shape_(shape), format_(format), bytes_(std::move(bytes)) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return format_; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    const std::int64_t row = shape_.nx * bytes_of(format_.type);
    std::memcpy(out, bytes_.data() + y0 * row, static_cast<std::size_t>(ny * row));
  }

 private:
  Shape shape_;
  PixelFormat format_;
  std::vector<std::byte> bytes_;
};

/// Random bits, so that every value, NaN and infinity turns up.
StoredPixels random_pixels(PixelType type, bool big_endian, bool scaled) {
  const Shape shape{67, 131};
  Random random(static_cast<std::uint64_t>(type) + 10);
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.count() * bytes_of(type)));
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next() & 0xff);
  PixelFormat format{type, big_endian, scaled ? 2.5e-3 : 1.0, scaled ? 32768.0 : 0.0, {}};
  if (type != PixelType::f32 && type != PixelType::f64) {
    std::int64_t stored = 0;
    for (std::int64_t i = 0; i < bytes_of(type); ++i) {
      const auto at = static_cast<std::size_t>(big_endian ? bytes_of(type) - 1 - i : i);
      stored |= static_cast<std::int64_t>(bytes[at]) << (8 * i);
    }
    if (type == PixelType::i16) stored = static_cast<std::int16_t>(stored);
    if (type == PixelType::i32) stored = static_cast<std::int32_t>(stored);
    format.blank = stored;
  }
  return {shape, format, std::move(bytes)};
}

TEST(Load, every_stored_type_and_byte_order_reads_to_the_same_bits) {
  Backend& reference = backend("reference");
  for (const PixelType type :
       {PixelType::u8, PixelType::i16, PixelType::i32, PixelType::i64, PixelType::f32, PixelType::f64})
    for (const bool big_endian : {false, true})
      for (const bool scaled : {false, true}) {
        const StoredPixels source = random_pixels(type, big_endian, scaled);
        TilingPlan whole;
        whole.band_rows = source.shape().ny;
        const auto expected = reference.load(source, whole, {});
        for (const std::string& name : tested_backends())
          for (const auto& [band, left] : {std::pair{0, false}, {16, false}, {16, true}}) {
            SCOPED_TRACE(fmt::format("{} type {} big-endian {} scaled {} band {} left in the source {}", name,
                                     static_cast<int>(type), big_endian, scaled, band, left));
            TilingPlan tiling = whole;
            if (band > 0)
              tiling = {.resident = false, .in_source = left, .band_rows = band, .streams = 2, .reason = "test"};
            const auto got = left ? backend(name).stream(std::make_shared<StoredPixels>(source), tiling)
                                  : backend(name).load(source, tiling, {});
            EXPECT_EQ(got->blank(), expected->blank());
            EXPECT_EQ(got->infinite(), expected->infinite());
            EXPECT_TRUE(same_bits(store(backend(name), *got), store(reference, *expected)));
          }
      }
}

class BrokenSource final : public PixelSource {
 public:
  [[nodiscard]] Shape shape() const override { return {300, 100}; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    if (y0 + ny > 150) throw DataError("the disk is gone");
    std::memset(out, 0, static_cast<std::size_t>(ny * 100 * 4));
  }
};

TEST(Load, a_failing_read_comes_out_as_it_was_thrown) {
  for (const std::string& name : tested_backends()) {
    TilingPlan tiling;
    tiling.band_rows = 300;
    EXPECT_THROW((void)backend(name).load(BrokenSource{}, tiling, {}), DataError) << name;
  }
}

TEST(Load, a_failing_read_of_a_source_that_keeps_the_pixels_comes_out_in_the_operation) {
  for (const std::string& name : tested_backends()) {
    if (!backend(name).info().streams_sources) continue;
    TilingPlan tiling;
    tiling.resident = false;
    tiling.in_source = true;
    tiling.band_rows = 64;
    const auto plane = backend(name).stream(std::make_shared<BrokenSource>(), tiling);
    for (int turn = 0; turn < 2; ++turn) EXPECT_THROW((void)backend(name).statistics(*plane), DataError) << name;
    float first = 1;
    backend(name).render(MapKind::image, *plane, nullptr, {0, 0, 1, 1}, &first);
    EXPECT_EQ(first, 0) << name;
  }
}

TEST(Load, a_stop_flag_ends_it) {
  const std::atomic<bool> stop{true};
  for (const std::string& name : tested_backends()) {
    TilingPlan tiling;
    tiling.band_rows = 300;
    EXPECT_THROW((void)backend(name).load(BrokenSource{}, tiling, Progress({}, &stop)), Cancelled) << name;
  }
}

}  // namespace
}  // namespace reber::testing

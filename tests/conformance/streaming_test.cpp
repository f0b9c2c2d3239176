// SPDX-License-Identifier: BSD-3-Clause
// A plane whose pixels stay in their source gives the bits of a resident one, in every operation, for any height of the
// bands.
#include <fmt/format.h>

#include <atomic>
#include <functional>

#include "core/base/error.hpp"
#include "tests/conformance/streamed_planes.hpp"

namespace reber::testing {
namespace {

/// Calls body with a resident and a streamed plane of the same image, for every backend and height.
void for_each_height(const Image& image, const std::function<void(Backend&, const Plane&, const Plane&)>& body) {
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const auto whole = load(tested, image);
    for (const std::int64_t height : kHeights) {
      SCOPED_TRACE(fmt::format("{}, bands of {} rows", name, height));
      body(tested, *whole, *streamed(tested, std::make_shared<CountedSource>(image), height));
    }
  }
}

TEST(Streaming, counts_statistics_and_clip_are_those_of_a_resident_plane) {
  for_each_height(tall_image(), [](Backend& tested, const Plane& whole, const Plane& bands) {
    EXPECT_EQ(whole.blank(), bands.blank());
    const PlaneStatistics a = tested.statistics(whole), b = tested.statistics(bands);
    EXPECT_EQ(a.finite, b.finite);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.std, b.std);
    EXPECT_EQ(a.median, b.median);
    EXPECT_EQ(tested.clip(whole, {}).std, tested.clip(bands, {}).std);
    EXPECT_TRUE(same_bits(store(tested, bands), store(tested, whole)));
  });
}

TEST(Streaming, cells_of_a_mesh_and_sliding_boxes_are_those_of_a_resident_plane) {
  for_each_height(tall_image(), [](Backend& tested, const Plane& whole, const Plane& bands) {
    for (const MeshGrid& grid :
         {MeshGrid::make(kShape, 64), MeshGrid::sliding(kShape, 70, 30), MeshGrid::make(kShape, 5000)}) {
      const MeshCells a = tested.mesh(whole, grid, {}), b = tested.mesh(bands, grid, {});
      EXPECT_TRUE(same_values(a.mean, b.mean));
      EXPECT_TRUE(same_values(a.rms, b.rms));
    }
  });
}

TEST(Streaming, islands_are_those_of_a_resident_plane) {
  for_each_height(tall_image(), [](Backend& tested, const Plane& whole, const Plane& bands) {
    const BackgroundModel model = sloping(kShape);
    expect_same_islands(tested, whole, bands, model, model);
  });
}

TEST(Streaming, full_size_maps_stream_as_well) {
  const Image image = tall_image();
  const BackgroundModel model = sloping(kShape);
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const auto whole = load(tested, image);
    const Image mean = render(tested, MapKind::mean, *whole, model), rms = render(tested, MapKind::rms, *whole, model);
    for (const std::int64_t height : kHeights) {
      SCOPED_TRACE(fmt::format("{}, bands of {} rows", name, height));
      const auto bands = streamed(tested, std::make_shared<CountedSource>(image), height);
      BackgroundModel here = model, there = model;
      here.mean_map = load(tested, mean);
      here.rms_map = load(tested, rms);
      there.mean_map = streamed(tested, std::make_shared<CountedSource>(mean), height);
      there.rms_map = streamed(tested, std::make_shared<CountedSource>(rms), height);
      expect_same_islands(tested, *whole, *bands, here, there);
      for (const MapKind kind : {MapKind::mean, MapKind::rms, MapKind::snr})
        EXPECT_TRUE(same_bits(render(tested, kind, *bands, there), render(tested, kind, *whole, here)));
      EXPECT_TRUE(same_bits(store(tested, *tested.derive(SnrPlane{*bands, there})),
                            store(tested, *tested.derive(SnrPlane{*whole, here}))));
    }
  }
}

TEST(Streaming, planes_made_of_a_streamed_one_outlive_it_with_the_same_bits) {
  const Image image = tall_image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const auto whole = load(tested, image);
    const BackgroundModel model = sloping(kShape);
    const auto snr = tested.derive(SnrPlane{*whole, model});
    const auto islands = tested.label(*whole, model, {4, 3, 1, Connectivity::eight, false});
    const auto without = tested.derive(WithoutIslands{*whole, *islands, 3});
    const auto less = tested.derive(CombinedPlane{PlaneRule::difference, *snr, *without});
    const Image fewer = store(tested, *tested.derive(EveryNth{*snr, 3}));
    const Image below = store(tested, *tested.derive(MinusMagnitude{*whole}));
    for (const std::int64_t height : kHeights) {
      SCOPED_TRACE(fmt::format("{}, bands of {} rows", name, height));
      std::unique_ptr<Plane> made, mixed, thinned, magnitudes;
      {
        const auto bands = streamed(tested, std::make_shared<CountedSource>(image), height);
        const auto its = tested.label(*bands, model, {4, 3, 1, Connectivity::eight, false});
        const auto its_snr = tested.derive(SnrPlane{*bands, model});
        const auto its_without = tested.derive(WithoutIslands{*bands, *its, 3});
        EXPECT_TRUE(same_bits(store(tested, *its_without), store(tested, *without)));
        thinned = tested.derive(EveryNth{*its_snr, 3});
        magnitudes = tested.derive(MinusMagnitude{*bands});
        made = tested.derive(CombinedPlane{PlaneRule::difference, *its_snr, *its_without});
        mixed = tested.derive(CombinedPlane{PlaneRule::difference, *snr, *its_without});
      }
      EXPECT_TRUE(same_bits(store(tested, *thinned), fewer));
      EXPECT_TRUE(same_bits(store(tested, *magnitudes), below));
      EXPECT_EQ(made->blank(), less->blank());
      EXPECT_TRUE(same_bits(store(tested, *made), store(tested, *less)));
      EXPECT_TRUE(same_bits(store(tested, *mixed), store(tested, *less)));
      EXPECT_EQ(tested.clip(*made, {}).median, tested.clip(*less, {}).median);
    }
  }
}

TEST(Streaming, convolutions_are_those_of_a_resident_plane_and_outlive_their_plan) {
  for (const bool with_blanks : {false, true}) {
    const Image image = with_blanks ? tall_image() : random_image(kShape, 0, 7);
    for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::wrap, Boundary::blank}) {
      for (const Kernel& kernel :
           {gaussian_kernel({20, 6, 12}, Normalise::sum), gaussian_kernel({160, 0, 120}, Normalise::sum)}) {
        ConvolutionSpec spec{kernel, boundary};
        spec.keep_blanks = boundary == Boundary::reflect;
        for_each_height(image, [&](Backend& tested, const Plane& whole, const Plane& bands) {
          for (const ConvolutionQuote& quote : tested.quote(spec, kShape)) {
            if (!quote.possible) continue;
            SCOPED_TRACE(fmt::format("{} {}", to_string(quote.algorithm), to_string(boundary)));
            std::unique_ptr<Plane> here, there;
            {
              const auto plan = tested.plan_convolution(spec, kShape, quote.algorithm);
              here = tested.convolve(whole, *plan);
              there = tested.convolve(bands, *plan);
            }
            EXPECT_TRUE(same_bits(store(tested, *there), store(tested, *here)));
            EXPECT_EQ(there->blank(), here->blank());
            const MeshGrid grid = MeshGrid::make(kShape, 50);
            EXPECT_TRUE(same_values(tested.mesh(*there, grid, {}).rms, tested.mesh(*here, grid, {}).rms));
          }
        });
      }
    }
  }
}

TEST(Streaming, each_walk_reads_once_and_measuring_what_was_labelled_reads_nothing) {
  const Image image = tall_image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    SCOPED_TRACE(name);
    const auto source = std::make_shared<CountedSource>(image);
    const auto bands = streamed(tested, source, 100);
    (void)tested.mesh(*bands, MeshGrid::make(kShape, 64), {});
    const std::int64_t walked = source->rows;
    EXPECT_GE(walked, kShape.ny);
    EXPECT_LE(walked, walk_of(name, kShape.ny));
    EXPECT_GT(bands->blank(), 0);
    EXPECT_EQ(source->rows, walked);
    const BackgroundModel model = sloping(kShape);
    const auto islands = tested.label(*bands, model, {9, 8, 1, Connectivity::eight, false});
    EXPECT_GT(islands->count(), 0);
    const std::int64_t read = source->rows;
    EXPECT_LE(read, walked + walk_of(name, kShape.ny));  // the last blocks may still be there
    (void)tested.measure(*bands, model, *islands);
    (void)tested.island_pixels(*bands, model, *islands, 1);
    EXPECT_EQ(source->rows, read);
  }
}

TEST(Streaming, every_operation_stops_when_it_is_asked_between_bands) {
  const Image image = tall_image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const std::atomic<bool> stop{true};
    const Job stopped{Progress({}, &stop)};
    const auto bands = streamed(tested, std::make_shared<CountedSource>(image), 64);
    EXPECT_THROW((void)tested.mesh(*bands, MeshGrid::make(kShape, 64), {}, stopped), Cancelled);
    EXPECT_THROW((void)tested.label(*bands, sloping(kShape), {}, stopped), Cancelled);
    EXPECT_THROW((void)tested.statistics(*bands, StatisticsParts::all, stopped), Cancelled);
  }
}

}  // namespace
}  // namespace reber::testing

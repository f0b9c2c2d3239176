// SPDX-License-Identifier: BSD-3-Clause
// Cells of a mesh that are clipped by counts of their values have the bits of cells that are sorted.
#include "core/seam/compute/counted_cells.hpp"

#include <fmt/format.h>

#include "kernels/shared/cell_clip.hpp"
#include "tests/conformance/streamed_planes.hpp"
#ifdef REBER_HAVE_CUDA
#include "kernels/cuda/mesh/mesh_counted.hpp"
#endif

namespace reber::testing {
namespace {

TEST(CountedCells, are_those_of_more_pixels_than_a_card_sorts) {
  EXPECT_FALSE(has_counted_cells(MeshGrid::make({1 << 14, 1 << 14}, 20000)));
  EXPECT_TRUE(has_counted_cells(MeshGrid::make({(1 << 14) + 1, 1 << 14}, 20000)));
  EXPECT_TRUE(has_counted_cells(MeshGrid::make({100000, 100000}, 70000)));
  EXPECT_FALSE(has_counted_cells(MeshGrid::make({100000, 100000}, 64)));
}

/// The clip of a plane is solved by counts on the processor, its cells are sorted.
TEST(CountedCells, the_clip_of_a_whole_plane_makes_the_value_of_its_only_cell) {
  const MeshOptions options;
  for (const Shape shape : {Shape{300, 401}, kShape, Shape{4200, 4100}}) {
    Image image = random_image(shape, 0.01, 3);
    for (std::int64_t k = 0; k < shape.count(); k += 91) image.data()[k] *= 30;
    for (const std::string& name : tested_backends()) {
      if (name == "reference") continue;
      Backend& tested = backend(name);
      const auto plane = load(tested, image);
      const MeshCells cells = tested.mesh(*plane, MeshGrid::make(shape, shape.ny + shape.nx), options);
      const ClipStatistics clip = tested.clip(*plane, options.clip);
      const rules::CellValue value =
          rules::cell_value(clip.median, clip.mean, clip.std, clip_bias(options.clip.kappa), options.centre);
      EXPECT_TRUE(same_values(cells.mean, {value.mean})) << name;
      EXPECT_TRUE(same_values(cells.rms, {value.rms})) << name;
    }
  }
}

#ifdef REBER_HAVE_CUDA
const cuda::CudaPlane& of_card(const Plane& plane) { return dynamic_cast<const cuda::CudaPlane&>(plane); }

TEST(CountedCells, have_the_bits_of_sorted_ones_on_a_card) {
  if (std::ranges::count(tested_backends(), "cuda") == 0) GTEST_SKIP() << "no card";
  Backend& card = backend("cuda");
  const Image image = tall_image();
  const auto whole = load(card, image);
  const MeshOptions half, all{{}, 0.999};
  for (const MeshGrid& grid : {MeshGrid::make(kShape, 37), MeshGrid::sliding(kShape, 90, 61),
                               MeshGrid::make(kShape, 5000), MeshGrid::make({kShape.ny, kShape.nx}, 101)})
    for (const MeshOptions& options : {half, all}) {
      const MeshCells expected = card.mesh(*whole, grid, options);
      const MeshCells resident = cuda::count_cells(of_card(*whole), grid, options, {});
      EXPECT_TRUE(same_values(resident.mean, expected.mean));
      EXPECT_TRUE(same_values(resident.rms, expected.rms));
      const auto bands = streamed(card, std::make_shared<CountedSource>(image), 100);
      const MeshCells counted = cuda::count_cells(of_card(*bands), grid, options, {});
      EXPECT_TRUE(same_values(counted.mean, expected.mean));
      EXPECT_TRUE(same_values(counted.rms, expected.rms));
    }
}
#endif

}  // namespace
}  // namespace reber::testing

// SPDX-License-Identifier: BSD-3-Clause
// Rows know which refinement changed them, and what they were before.
#include "core/measure/fitting/refinements.hpp"

#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

/// Rows of an image whose first island has this Gaussian for a fit; the others keep their moments.
std::vector<SourceRow> refined(const Image& image, const GaussianComponent& wrong) {
  Backend& cpu = backend("cpu");
  const DetectOptions options;
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const auto plane = load(cpu, image);
  const auto islands = cpu.label(*plane, background, options);
  const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
  DeblendOptions whole;
  whole.on = false;
  std::vector<SourceRow> rows = deblend(cpu.measure(*plane, background, *islands), pixels, options, whole, {});
  rows.front().fit.gaussian.emplace().component = wrong;
  const SourceFitter fitter({FitRequest::Method::gaussian, false, 1}, header_of(), kBeam);
  const KnownPixels known = known_pixels(cpu, *plane, {});
  const BeamField beams(kBeam);
  ThreadPool pool;
  const Job job;
  Refining in{cpu,  *plane, background, pixels, options, fitter, beams, known, nullptr, Refining::Islands::image,
              pool, job};
  refine_rows(rows, in);
  return rows;
}

TEST(Refinements, are_kept_by_the_rows_that_they_change) {
  const Covariance beam = beam_px();
  const GaussianComponent wide{60, 40, 40, {6 * beam.xx, 6 * beam.xy, 6 * beam.yy}}, point{40, 80, 80, beam};
  GaussianComponent wrong = wide;
  wrong.peak *= 1.2;
  const std::vector<SourceRow> rows = refined(sky_of({wide, point}, 5), wrong);
  ASSERT_GE(rows.size(), 2u);
  const auto& changes = rows.front().story.changes;
  ASSERT_FALSE(changes.empty());
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const Refinement& one = refinements()[changes[k].refinement];
    EXPECT_NE(one.looks, Refinement::Looks::at_rows) << one.name;
    if (k > 0) {
      EXPECT_GT(changes[k].refinement, changes[k - 1].refinement) << "in the order of the table";
    }
  }
  const auto& before = changes.front().before->fit.gaussian;
  ASSERT_TRUE(before);
  EXPECT_EQ(before->component.peak, wrong.peak);
  EXPECT_TRUE(changes.front().before->story.changes.empty());
  EXPECT_TRUE(rows.back().story.changes.empty()) << "a point";
}

}  // namespace
}  // namespace reber::testing

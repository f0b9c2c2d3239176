// SPDX-License-Identifier: BSD-3-Clause
// Which Gaussians become one source, and what that source is, on Gaussians whose sums are known in closed form.
#include "core/measure/sources/source_list.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "core/measure/sources/column_sets.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/measure/sources/source_groups.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

constexpr double kFwhm = 6;

GaussianComponent round_at(double x, double y, double peak, double fwhm = kFwhm) {
  return {peak, x, y, {fwhm * fwhm, 0, fwhm * fwhm}};
}

using Groups = std::vector<std::int64_t>;

TEST(SourceGroups, a_pair_closer_than_its_width_has_no_dip_and_is_one_source) {
  const std::vector pair{round_at(20, 20, 1), round_at(20 + 0.8 * kFwhm, 20, 1)};
  EXPECT_EQ(group_gaussians(pair, 1e-6, {}), (Groups{0, 0})) << "rule C needs no tolerance";
}

TEST(SourceGroups, a_shoulder_on_a_bright_source_belongs_to_it) {
  const std::vector pair{round_at(20, 20, 10), round_at(20 + 1.2 * kFwhm, 20, 0.2)};
  EXPECT_EQ(group_gaussians(pair, 1e-6, {}), (Groups{0, 0}));
}

TEST(SourceGroups, a_dip_parts_two_unless_it_is_shallow_and_they_are_close) {
  // 1.3 FWHM apart: the saddle is 2 x 2^-(1.3^2) = 0.62 of a peak.
  const std::vector pair{round_at(20, 20, 1), round_at(20 + 1.3 * kFwhm, 20, 1)};
  EXPECT_EQ(group_gaussians(pair, 0.01, {}), (Groups{0, 1})) << "a dip of 0.38 above 1 x 0.01";
  EXPECT_EQ(group_gaussians(pair, 0.5, {}), (Groups{0, 1})) << "shallow, but 1.3 FWHM apart";
  EXPECT_EQ(group_gaussians(pair, 0.3, {1.31, false}), (Groups{0, 0})) << "0.38 <= 1.31 x 0.3, 1.3 <= 1.31";
  EXPECT_EQ(group_gaussians(pair, 0.2, {1.31, false}), (Groups{0, 1})) << "0.38 > 1.31 x 0.2";
}

TEST(SourceGroups, the_width_that_counts_is_along_the_line_between) {
  // Ellipses of 12 x 4 px, 7 px apart: along their long axes half the sum is 12, across them 4.
  const auto lying = [](double x, double y) { return GaussianComponent{1, x, y, {144, 0, 16}}; };
  const std::vector along{lying(30, 30), lying(45, 30)}, across{lying(30, 30), lying(30, 37)};
  EXPECT_EQ(group_gaussians(along, 1, {1.3, false}), (Groups{0, 0}));
  EXPECT_EQ(group_gaussians(across, 1, {1.3, false}), (Groups{0, 1}));
}

TEST(SourceGroups, links_are_transitive_and_numbered_by_the_first) {
  const std::vector four{round_at(20, 20, 1), round_at(60, 20, 1), round_at(20 + kFwhm, 20, 1),
                         round_at(20 + 2 * kFwhm, 20, 1)};
  EXPECT_EQ(group_gaussians(four, 0.1, {}), (Groups{0, 1, 0, 0}));
  EXPECT_EQ(group_gaussians(four, 0.1, {1, true}), (Groups{0, 0, 0, 0}));
  EXPECT_TRUE(group_gaussians({}, 0.1, {}).empty());
}

Source source_of(const GaussianComponent& g, std::int64_t island) {
  Source s;
  s.island = island;
  s.model = g;
  s.x = g.x, s.y = g.y, s.peak = g.peak;
  s.total = gaussian_area(g.fwhm2) * g.peak;
  s.e_total = 0.3;
  s.fitted = true;
  return s;
}

/// Island 1: the sum of `gaussians` on 64 x 64 pixels above a background of 5, rms 0.01. Island 2: one pixel.
IslandPixels pixels_of(const std::vector<GaussianComponent>& gaussians) {
  IslandPixels pixels;
  pixels.label = {1, 2};
  const auto add = [&](std::int32_t y, std::int32_t x, double value) {
    pixels.y.push_back(y), pixels.x.push_back(x);
    pixels.pixel.push_back(static_cast<float>(5 + value));
    pixels.mean.push_back(5), pixels.rms.push_back(0.01f);
  };
  std::array<double, 6> unused{};
  for (std::int32_t y = 0; y < 64; ++y)
    for (std::int32_t x = 0; x < 64; ++x) {
      double sum = 0;
      for (const GaussianComponent& g : gaussians) sum += g.evaluate(x, y, unused);
      add(y, x, sum);
    }
  pixels.first.push_back(static_cast<std::int64_t>(pixels.y.size()));
  add(70, 70, 1);
  pixels.first.push_back(static_cast<std::int64_t>(pixels.y.size()));
  return pixels;
}

SourceList list_of(const std::vector<GaussianComponent>& gaussians, const GroupOptions& options) {
  std::vector<Source> sources{source_of(round_at(70, 70, 1), 2)};
  for (const GaussianComponent& g : gaussians) sources.push_back(source_of(g, 1));
  ImageHeader header;
  header.unit = Unit::parse("Jy/pixel");
  const std::optional<Beam> beam;
  const IslandPixels pixels = pixels_of(gaussians);
  return make_source_list({sources, header, beam, 3, pixels, nullptr, 2}, options);
}

TEST(SourceList, several_gaussians_have_the_sum_of_fluxes_and_the_moments_of_their_sum) {
  const std::vector pair{round_at(28, 32, 2), round_at(33, 32, 1)};
  const SourceList list = list_of(pair, {});
  ASSERT_EQ(list.sources.size(), 2U);
  EXPECT_EQ(list.source_of, (Groups{0, 0, 1})) << "islands by label";
  const GroupedSource& both = list.sources[0];
  EXPECT_EQ(both.code, 'M');
  EXPECT_EQ(list.sources[1].code, 'S');
  const double area = gaussian_area(pair[0].fwhm2);
  EXPECT_NEAR(both.values.total, 3 * area, 1e-9);
  EXPECT_NEAR(both.values.e_total, 0.3 * std::numbers::sqrt2, 1e-12);
  // Weights 2 : 1 at 28 and 33: mean 29.667, variance of the places 2/9 x 25.
  EXPECT_NEAR(both.values.x, 28 + 5.0 / 3, 1e-4);
  EXPECT_NEAR(both.values.y, 32, 1e-4);
  EXPECT_NEAR(both.values.model.fwhm2.xx, kFwhm * kFwhm + 8 * std::numbers::ln2 * 50.0 / 9, 1e-2);
  EXPECT_NEAR(both.values.model.fwhm2.yy, kFwhm * kFwhm, 1e-2);
  EXPECT_NEAR(both.values.e_peak, 0.01, 1e-7) << "the island's noise";
  EXPECT_GT(both.values.peak, 2) << "the maximum of the sum is above the brighter peak";
}

/// 400 islands of one pixel of 1 each, in rows of 20.
SourceList many_of(const ImageHeader& header, const BeamField& beams) {
  IslandPixels pixels;
  std::vector<Source> sources;
  for (std::int32_t k = 0; k < 400; ++k) {
    const std::int32_t y = k / 20 * 4, x = k % 20 * 4;
    pixels.label.push_back(k + 1);
    pixels.y.push_back(y), pixels.x.push_back(x);
    pixels.pixel.push_back(1), pixels.mean.push_back(0), pixels.rms.push_back(0.01f);
    pixels.first.push_back(k + 1);
    sources.push_back(source_of(round_at(x, y, 1), k + 1));
  }
  return make_source_list({sources, header, beams, 3, pixels, nullptr, 400}, {});
}

TEST(SourceList, a_beam_that_varies_is_that_of_the_place_whichever_threads_ask) {
  ImageHeader header;
  header.shape = {80, 80};
  header.unit = Unit::parse("Jy/beam");
  std::string cards;
  for (std::string card : testing_files::sky_cards()) card.resize(80, ' '), cards += card;
  header.wcs = Wcs::parse(cards + std::string("END").append(77, ' '), 0, 1, {1, 1}, 2, 80, 80);
  ASSERT_TRUE(header.wcs.celestial()) << header.wcs.why_not();
  const auto beam_at = [](double fwhm) { return Covariance{fwhm * fwhm, 0, fwhm * fwhm}; };
  auto nodes = std::make_shared<BeamNodes>();
  nodes->shape = {2, 2}, nodes->step_px = 79;
  nodes->pixels = {beam_at(4), beam_at(6), beam_at(4), beam_at(6)};
  for (const Covariance& c : nodes->pixels) nodes->sky.push_back({c.xx * 7.7e-6, 0, c.yy * 7.7e-6});
  const BeamField beams(std::move(nodes));
  for (int round = 0; round < 20; ++round) {
    const SourceList list = many_of(header, beams);
    ASSERT_EQ(list.islands.size(), 400U);
    for (std::size_t k = 0; k < 400; ++k)
      EXPECT_NEAR(list.islands[k].total * gaussian_area(beam_at(4)) * (1 + 1.25 * static_cast<double>(k % 20 * 4) / 79),
                  1, 1e-9)
          << k;
  }
}

TEST(SourceList, one_of_several_in_an_island_is_c_and_an_islands_values_are_its_pixels) {
  const std::vector pair{round_at(16, 32, 2), round_at(48, 32, 1)};
  const SourceList list = list_of(pair, {});
  ASSERT_EQ(list.sources.size(), 3U);
  EXPECT_EQ(list.sources[0].code, 'C');
  EXPECT_EQ(list.sources[1].code, 'C');
  const IslandValues& island = list.islands[0];
  EXPECT_EQ(island.npix, 64 * 64);
  EXPECT_EQ(island.components, 2);
  EXPECT_NEAR(island.total, 3 * gaussian_area(pair[0].fwhm2), 1e-3);
  EXPECT_NEAR(island.rms, 0.01, 1e-8);
  EXPECT_NEAR(island.mean, 5, 1e-12);
  EXPECT_NEAR(island.e_total, 0.01 * 64, 1e-6) << "root of the pixels, as one pixel is one beam here";
  EXPECT_NEAR(island.residual_spread, 0, 1e-6) << "its Gaussians leave nothing";
  EXPECT_EQ(island.peak_x, 16);
  EXPECT_NEAR(island.length_px, 63 * std::numbers::sqrt2, 0.1);
  EXPECT_EQ(list_of(pair, {1, true}).sources.size(), 2U);
}

TEST(SourceList, tables_have_pybdsfs_columns_in_their_order) {
  const std::vector pair{round_at(28, 32, 2), round_at(33, 32, 1)};
  const SourceList list = list_of(pair, {});
  ImageHeader header;
  header.unit = Unit::parse("Jy/beam");
  const Catalogue own = make_catalogue(list.gaussians, header, {});
  const ListedSources listed{list, header};
  const Catalogue srl = in_columns(own, list.gaussians, ColumnSet::srl, {}, &listed);
  const Catalogue gaul = in_columns(own, list.gaussians, ColumnSet::gaul, {}, &listed);
  ASSERT_EQ(srl.columns.size(), 45U);
  ASSERT_EQ(gaul.columns.size(), 49U);
  EXPECT_EQ(srl.rows(), 2);
  EXPECT_EQ(gaul.rows(), 3);
  EXPECT_EQ(srl.columns[0].info.name, "Source_id");
  EXPECT_EQ(srl.columns[44].info.name, "S_Code");
  EXPECT_EQ(gaul.columns[3].info.name, "Wave_id");
  EXPECT_TRUE(srl.short_integers);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(gaul.find("Source_id")->values), (Groups{0, 0, 1}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(gaul.find("Isl_id")->values), (Groups{0, 0, 1}));
  EXPECT_EQ(std::get<std::vector<std::string>>(srl.find("S_Code")->values), (std::vector<std::string>{"M", "S"}));
  const Catalogue islands = in_columns(own, list.gaussians, ColumnSet::casda_islands, {}, &listed);
  EXPECT_EQ(islands.rows(), 2);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(islands.find("n_components")->values), (Groups{2, 1}));
  EXPECT_THROW((void)in_columns(own, list.gaussians, ColumnSet::srl, {}), InternalError);
}

}  // namespace
}  // namespace reber

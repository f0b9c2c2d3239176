// SPDX-License-Identifier: BSD-3-Clause
// Real images against results of NumPy and SciPy in float64, and against the catalogues of PyBDSF and Aegean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files/image/image_file.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "core/studies/verification.hpp"
#include "tests/golden/lists.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

const char* const kImages[] = {"sumss/1904-66_SIN", "sumss/synthetic_test", "askap/ScorpioS17Field",
                               "ami/GRB120422A-120429"};

class GoldenImages : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!have_data()) GTEST_SKIP() << no_data();
  }
};

std::string path_of(const std::string& image) { return data_folder() + "/images/" + image; }

/// Sums of the ten brightest islands, brightest first.
std::vector<double> brightest(std::vector<IslandSums> sums) {
  std::ranges::sort(sums, std::greater{}, &IslandSums::s);
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min<std::size_t>(10, sums.size()); ++i) values.push_back(sums[i].s);
  return values;
}

TEST_P(GoldenImages, clip_components_and_brightest_sums_are_numpys) {
  for (const char* name : kImages) {
    std::ifstream file(path_of(name) + ".json");
    const auto expected = nlohmann::json::parse(file);
    const ImagePlane image = ImagePlane::open(path_of(name) + ".fits");
    Backend& tested = backend(GetParam());
    TilingPlan whole;
    whole.band_rows = image.header().shape.ny;
    const auto pixels = image.pixels();
    const auto plane = tested.load(*pixels, whole, {});
    SCOPED_TRACE(name);

    const PlaneStatistics plain = tested.statistics(*plane);
    EXPECT_EQ(plain.blank, expected["nan"].get<std::int64_t>());
    for (const auto& [key, value] : {std::pair{"min", plain.min},
                                     {"max", plain.max},
                                     {"mean", plain.mean},
                                     {"median", plain.median},
                                     {"std", plain.std}})
      EXPECT_NEAR(value, expected[key].get<double>(),
                  1e-9 * std::abs(expected["std"].get<double>()) + 1e-12 * std::abs(expected[key].get<double>()))
          << key;

    const ClipStatistics clip = tested.clip(*plane, {});
    EXPECT_EQ(clip.kept, expected["clip_n"].get<std::int64_t>());
    EXPECT_EQ(clip.rounds, expected["clip_iter"].get<int>());
    for (const auto& [key, value] :
         {std::pair{"clip_median", clip.median}, {"clip_mean", clip.mean}, {"clip_std", clip.std}})
      EXPECT_LE(std::abs(value - expected[key].get<double>()), 1e-6 * std::abs(expected[key].get<double>())) << key;

    // The reference counts above median + 5 std of the clip as it stands, without the bias correction.
    const auto flat =
        BackgroundModel::constant(image.header().shape, static_cast<float>(clip.median), static_cast<float>(clip.std));
    for (const auto& [key, connectivity] :
         {std::pair{"n5sig_conn4", Connectivity::four}, {"n5sig_conn8", Connectivity::eight}}) {
      const auto islands = tested.label(*plane, flat, {5, 5, 1, connectivity, false}, {});
      EXPECT_EQ(islands->count(), expected[key].get<std::int64_t>()) << key;
      if (connectivity == Connectivity::four) continue;
      const auto sums = brightest(tested.measure(*plane, flat, *islands));
      ASSERT_EQ(sums.size(), expected["top10"].size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        EXPECT_NEAR(sums[i], expected["top10"][i]["sum"].get<double>(),
                    1e-5 * std::abs(expected["top10"][i]["sum"].get<double>()));
    }
  }
}

Request finding(const std::string& path, double seed, double flood) {
  Request request;
  request.input = path;
  request.background = BackgroundRequest{};
  request.detect = DetectOptions{seed, flood, 1, Connectivity::eight, false};
  request.fit.method = FitRequest::Method::moments;
  request.program = "reber test";
  return request;
}

/// A list of another finder: fraction of its sources found, and the median ratio of our flux to theirs.
struct PeerCase {
  const char* image;
  const char* list;
  const char* finder;
  double seed, flood;
  double least_matched;        ///< what is reached now, less one source: it must not fall
  double flux_low, flux_high;  ///< bounds of the median Total_flux ratio, around what is reached now
};

TEST_P(GoldenImages, sources_of_other_finders_are_found_with_their_fluxes) {
  const PeerCase cases[] = {
      {"lofar_sim/pybdsf_ch0_I.fits", "lofar_sim/pybdsf_srl.fits", "PyBDSF", 5, 3, 36.0 / 43, 0.96, 1.03},
      {"sumss/1904-66_SIN.fits", "sumss/1904_comp.fits", "Aegean", 5, 4, 44.0 / 51, 0.98, 1.06},
      {"askap/ScorpioS17Field.fits", "askap/ScorpioS17Field_aegean_comp.csv", "Aegean", 5, 4, 26.0 / 48, 1.05, 1.2},
      {"ami/GRB120422A-120429.fits", "ami/GRB120422A-120429_aegean_comp.csv", "Aegean", 5, 4, 0.99, 0.94,
       1.05},  // one source, its error .4
  };
  for (const PeerCase& one : cases) {
    SCOPED_TRACE(one.image);
    Request request = finding(path_of(one.image), one.seed, one.flood);
    request.open.unit = "Jy/beam";  // PyBDSF's detection image has no BUNIT
    const Result result = run_once(shared_backend(GetParam()), request);
    const auto theirs = read_list(path_of(one.list));
    const ListMatch match = match_list(theirs, result.sources(), *result.beam());
    fmt::print(
        "{} on {}: {} of {} {} sources matched ({:.3f}), median flux ratio {:.3f}, offset {:.2f} arcsec; {} found\n",
        GetParam(), one.image, match.matched, theirs.size(), one.finder, match.fraction, match.flux_ratio,
        match.offset_arcsec, result.sources().size());
    EXPECT_GE(match.fraction, one.least_matched);
    EXPECT_GE(match.flux_ratio, one.flux_low);
    EXPECT_LE(match.flux_ratio, one.flux_high);
  }
}

TEST_P(GoldenImages, verification_holds_on_every_image) {
  for (const char* name : kImages) {
    const Request request = finding(path_of(name) + ".fits", 5, 3);
    const VerificationReport report = verify(request, backend(GetParam()), backend("reference"), {});
    EXPECT_TRUE(report.passed()) << to_text(report);
    EXPECT_GT(report.checks.size(), 15u);
  }
}

INSTANTIATE_TEST_SUITE_P(backends, GoldenImages, ::testing::ValuesIn(tested_backends()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace reber::testing

// SPDX-License-Identifier: BSD-3-Clause
// Extended sources of a sky whose truth is known, on every backend: flux, class, tree, and files that read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/base/error.hpp"
#include "core/measure/extended/extended_catalogue.hpp"
#include "core/measure/extended/extended_sources.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/run/pipeline/pipeline.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kSide = 360;
constexpr double kBeam = 5;  // pixels
constexpr double kPixel = 1.0 / 3600;

/// Rows, then columns, by a Gaussian of the beam's FWHM; unit peak of a point.
Image smoothed(const Image& in) {
  const double area = std::numbers::pi / (4 * std::numbers::ln2) * kBeam * kBeam;
  constexpr std::int64_t kReach = 14;
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t d = -kReach; d <= kReach; ++d) {
    weights.push_back(std::exp(-4 * std::numbers::ln2 * static_cast<double>(d * d) / (kBeam * kBeam)));
    sum += weights.back();
  }
  Image rows(in.shape()), out(in.shape());
  for (Image* step : {&rows, &out}) {
    const Image& from = step == &rows ? in : rows;
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x) {
        double value = 0;
        for (std::int64_t d = -kReach; d <= kReach; ++d) {
          const std::int64_t yy = step == &rows ? y : y + d, xx = step == &rows ? x + d : x;
          if (yy >= 0 && yy < kSide && xx >= 0 && xx < kSide)
            value += weights[static_cast<std::size_t>(d + kReach)] / sum * from.at(yy, xx);
        }
        step->at(y, x) = static_cast<float>(value * (step == &out ? area : 1));
      }
  }
  return out;
}

/// A disc, a shell, a filament, a core in a halo, two lobes, and points; noise of unit rms smoothed by the beam.
struct Scene {
  Image image{{kSide, kSide}};
  struct Object {
    const char* name;
    double x, y, total;  ///< Jy: sum of the model before the beam
  };
  std::vector<Object> objects;
  Image model{{kSide, kSide}};

  Scene() { std::fill_n(model.data(), kSide * kSide, 0.0F); }
  void add(const char* name, double x, double y, const std::function<double(double, double)>& brightness,
           const std::vector<std::array<double, 3>>& points = {}) {
    double total = 0;
    for (std::int64_t v = 0; v < kSide; ++v)
      for (std::int64_t u = 0; u < kSide; ++u) {
        const double value = brightness(static_cast<double>(u) - x, static_cast<double>(v) - y);
        model.at(v, u) += static_cast<float>(value);
        total += value;
      }
    for (const auto& [dx, dy, flux] : points) {
      model.at(std::llround(y + dy), std::llround(x + dx)) += static_cast<float>(flux);
      total += flux;
    }
    if (name != nullptr) objects.push_back({name, x, y, total});
  }
};

Scene make_scene() {
  Scene scene;
  const double area = std::numbers::pi / (4 * std::numbers::ln2) * kBeam * kBeam;
  const auto level = [&](double snr) { return snr / area; };
  scene.add("disc", 60, 60, [&](double x, double y) { return std::hypot(x, y) < 18 ? level(6) : 0; });
  scene.add("shell", 180, 62, [&](double x, double y) {
    const double r = std::hypot(x, y);
    return r < 28 && r > 20 ? level(10) : 0;
  });
  scene.add("filament", 285, 70,
            [&](double x, double y) { return std::abs(x - y) < 50 && std::abs(x + y) < 4 ? level(9) : 0; });
  scene.add(
      "halo", 70, 200,
      [&](double x, double y) { return level(7) * std::exp(-4 * std::numbers::ln2 * (x * x + y * y) / (24.0 * 24)); },
      {{0, 0, 80}});
  scene.add("lobes", 200, 210,
            [&](double x, double y) {
              const double a = std::hypot((x - 13) / 1.6, y), b = std::hypot((x + 13) / 1.6, y);
              return (a < 9 ? level(8) : 0) + (b < 9 ? level(8) : 0);
            },
            {{25, 0, 60}, {-25, 0, 60}});
  for (const auto& [x, y] : std::vector<std::pair<int, int>>{{300, 200}, {60, 310}, {180, 320}, {320, 320}})
    scene.add(nullptr, x, y, [](double, double) { return 0.0; }, {{0, 0, 40}});
  Image white({kSide, kSide});
  Random random(5);
  for (std::int64_t i = 0; i < kSide * kSide; ++i) white.data()[i] = static_cast<float>(random.normal());
  const Image noise = smoothed(white), sky = smoothed(scene.model);
  double squares = 0;
  for (std::int64_t i = 0; i < kSide * kSide; ++i) squares += std::pow(static_cast<double>(noise.data()[i]), 2);
  const double rms = std::sqrt(squares / static_cast<double>(kSide * kSide));
  for (std::int64_t i = 0; i < kSide * kSide; ++i)
    scene.image.data()[i] = sky.data()[i] + static_cast<float>(noise.data()[i] / rms);
  return scene;
}

std::shared_ptr<ImageHeader> header_of() {
  auto header = std::make_shared<ImageHeader>();
  header->shape = {kSide, kSide};
  header->bitpix = -32;
  header->unit = Unit::parse("Jy/beam");
  header->beam = Beam{kBeam * kPixel, kBeam * kPixel, 0};
  std::string text;
  for (const char* card :
       {"NAXIS   =                    2", "NAXIS1  =                  360", "NAXIS2  =                  360",
        "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  =                 60.0",
        "CRVAL2  =                -30.0", "CRPIX1  =                180.5", "CRPIX2  =                180.5",
        "CDELT1  = -2.77777777777778E-4", "CDELT2  =  2.77777777777778E-4", "END"})
    text += std::string(card) + std::string(80 - std::string(card).size(), ' ');
  header->wcs = Wcs::parse(text, 0, 1, {}, 2, static_cast<double>(kSide), static_cast<double>(kSide));
  return header;
}

Request request_of() {
  Request request;
  request.input = "scene";
  request.program = "reber test";
  request.background.emplace();
  request.detect.emplace();
  return request;
}

const Scene& scene() {
  static const Scene made = make_scene();
  return made;
}

Result search(const std::string& name) {
  const Input input{"scene", {}, memory_source(scene().image.data(), scene().image.shape()), header_of()};
  return Pipeline(shared_backend(name), input).run(request_of());
}

/// The root about a place; null without one.
const ExtendedSource* root_at(const ExtendedSources& found, double x, double y) {
  for (const ExtendedSource& one : found.sources)
    if (one.parent == 0 && std::hypot(one.x - x, one.y - y) < 8) return &one;
  return nullptr;
}

TEST(Extended, FluxesOfEveryObjectAreTheTruthOnEveryBackend) {
  for (const std::string& name : tested_backends()) {
    const Result result = search(name);
    const ExtendedSources found = find_extended(result, request_of());
    for (const Scene::Object& object : scene().objects) {
      const ExtendedSource* const root = root_at(found, object.x, object.y);
      ASSERT_NE(root, nullptr) << name << ": " << object.name;
      EXPECT_LT(std::abs(root->total - object.total), 2.5 * root->e_total) << name << ": " << object.name;
      EXPECT_NEAR(root->total / object.total, 1, 0.1) << name << ": " << object.name;
      EXPECT_GT(root->total, 8 * root->e_total) << name << ": " << object.name << ", the error is no larger";
    }
    const auto roots = std::ranges::count(found.sources, 0, &ExtendedSource::parent);
    EXPECT_EQ(roots, std::ssize(scene().objects)) << name << ": points are no structures";
  }
}

TEST(Extended, ClassesAndPartsAreWhatWasPutIn) {
  const Result result = search("cpu");
  const ExtendedSources found = find_extended(result, request_of());
  const auto kind = [&](std::size_t k) {
    const ExtendedSource* const root = root_at(found, scene().objects[k].x, scene().objects[k].y);
    return root == nullptr ? std::string("none") : std::string(to_string(root->kind));
  };
  EXPECT_EQ(kind(0), "extended");
  EXPECT_EQ(kind(1), "shell");
  EXPECT_EQ(kind(2), "filament");
  EXPECT_EQ(kind(3), "extended");
  const ExtendedSource* const halo = root_at(found, 70, 200);
  ASSERT_NE(halo, nullptr);
  EXPECT_EQ(halo->compacts, 1);
  const auto core = std::ranges::find_if(found.sources, [&](const ExtendedSource& one) {
    return one.kind == SegmentClass::compact && one.root == halo->id;
  });
  ASSERT_NE(core, found.sources.end());
  EXPECT_NEAR(core->total, 80, 5 * core->e_total);
  EXPECT_EQ(core->total, result.sources()[static_cast<std::size_t>(core->row)].total);
  EXPECT_NEAR(halo->total, halo->diffuse + halo->compact, 1e-9 * halo->total);
  for (std::size_t i = 0; i < found.sources.size(); ++i) {
    EXPECT_EQ(found.sources[i].id, static_cast<std::int64_t>(i) + 1);
    EXPECT_LT(found.sources[i].parent, found.sources[i].id);
  }
}

TEST(Extended, AreTheSameOnEveryBackend) {
  const Result cpu = search("cpu");
  const Catalogue expected = extended_catalogue(find_extended(cpu, request_of()), cpu.header(), {});
  for (const std::string& name : tested_backends()) {
    const Result other = search(name);
    const Catalogue got = extended_catalogue(find_extended(other, request_of()), other.header(), {});
    ASSERT_EQ(got.rows(), expected.rows()) << name;
    for (std::size_t k = 0; k < expected.columns.size(); ++k)
      if (const auto* values = std::get_if<std::vector<double>>(&expected.columns[k].values)) {
        const auto& others = std::get<std::vector<double>>(got.columns[k].values);
        for (std::size_t i = 0; i < values->size(); ++i)
          EXPECT_TRUE((std::isnan((*values)[i]) && std::isnan(others[i])) || (*values)[i] == others[i])
              << name << ": " << expected.columns[k].info.name << " of row " << i;
      } else {
        EXPECT_EQ(got.columns[k].values, expected.columns[k].values) << name << ": " << expected.columns[k].info.name;
      }
  }
}

TEST(Extended, ASearchInScalesOrWithoutABeamIsRefused) {
  Request request = request_of();
  request.scales.wavelets = 3;
  EXPECT_THROW(check_extended_request(request), InputError);
  request = request_of();
  request.search.mask = "mask.fits";
  EXPECT_THROW(check_extended_request(request), InputError);
  auto header = header_of();
  header->beam.reset();
  header->unit = Unit::parse("K");
  request = request_of();
  request.fit.method = FitRequest::Method::moments;
  request.input = "white";
  const Image white = random_image({96, 96}, 0, 3);
  header->shape = white.shape();
  const Input input{"white", {}, memory_source(white.data(), white.shape()), header};
  const Result result = Pipeline(shared_backend("cpu"), input).run(request);
  ASSERT_FALSE(result.beam()) << result.beam()->major_deg / kPixel;
  EXPECT_THROW((void)find_extended(result, request), InputError);
}

}  // namespace
}  // namespace reber::testing

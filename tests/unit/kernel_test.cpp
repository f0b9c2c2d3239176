// SPDX-License-Identifier: BSD-3-Clause
// Kernel names, and the weights they become.
#include "core/sky/model/kernel.hpp"
#include "core/seam/compute/boundary_index.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/sky/model/kernel_least_squares.hpp"
#include "tests/support/convolution_cases.hpp"

namespace reber {
namespace {

constexpr int kSide = 128;

Covariance pixel_covariance(const nlohmann::json& beam, double pixel_arcsec) {
  return to_pixels(sky_covariance(beam[0], beam[1], beam[2]), {-pixel_arcsec, 0, 0, pixel_arcsec});
}

double gaussian(const Covariance& c, double y, double x) {
  const double determinant = c.xx * c.yy - c.xy * c.xy;
  return std::exp(-4 * std::numbers::ln2 * (c.yy * x * x - 2 * c.xy * x * y + c.xx * y * y) / determinant);
}

/// Largest difference between a unit source of beam `source` convolved with the kernel (times the ratio of the beam
/// areas) and the exact Gaussian of beam source + kernel.
double error_on_unit_source(const Kernel& kernel, const Covariance& source, const Covariance& target) {
  const double ratio =
      std::sqrt((target.xx * target.yy - target.xy * target.xy) / (source.xx * source.yy - source.xy * source.xy));
  const std::int64_t half = kernel.shape.ny / 2;
  double worst = 0;
  for (int y = -kSide / 2; y < kSide / 2; ++y) {
    for (int x = -kSide / 2; x < kSide / 2; ++x) {
      double sum = 0;
      for (std::int64_t j = 0; j < kernel.shape.ny; ++j) {
        for (std::int64_t i = 0; i < kernel.shape.nx; ++i) {
          const double weight = kernel.weights[static_cast<std::size_t>(j * kernel.shape.nx + i)];
          sum += weight * gaussian(source, static_cast<double>(y - (j - half)), static_cast<double>(x - (i - half)));
        }
      }
      worst = std::max(worst, std::abs(ratio * sum - gaussian(target, y, x)));
    }
  }
  return worst;
}

std::string message_of(const std::string& text) {
  try {
    (void)parse_kernel(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Kernel, names_survive_a_round_trip) {
  for (const char* text : {"gaussian:4", "gaussian:6.5,3.25,120", "beam:20,10,30", "box:7", "tophat:2.5",
                           "mexican-hat:1.5", "file:a kernel,1:2.fits"}) {
    EXPECT_EQ(to_string(parse_kernel(text)), text);
  }
  const auto beam = std::get<TargetBeam>(parse_kernel("beam:20,10,-30")).beam;
  EXPECT_DOUBLE_EQ(beam.major_deg, 20.0 / 3600);
  EXPECT_EQ(beam.pa_deg, -30);
}

TEST(Kernel, wrong_names_say_what_was_expected) {
  for (const char* text : {"", "gaussian", "gaussian:", "gaussian:x", "gaussian:1,2", "gaussian:2,4,0", "gaussian:-3",
                           "gaussian:nan", "gaussian:inf", "gaussian:3,", "box:2.5", "box:0", "box:1e12", "tophat:0",
                           "mexican-hat:1,2", "beam:10,12,0", "beam:10,0,0", "moffat:3", "gaussian:3px"}) {
    const std::string message = message_of(text);
    EXPECT_FALSE(message.empty()) << text;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
  // A kernel may be 16385 pixels wide.
  EXPECT_NO_THROW((void)parse_kernel("box:16385"));
  EXPECT_NE(message_of("box:16386").find("16385"), std::string::npos);
  EXPECT_THROW((void)tophat_kernel(8193, Normalise::sum), InputError);
  EXPECT_THROW((void)mexican_hat_kernel(1638.6, Normalise::peak), InputError);
  EXPECT_THROW((void)gaussian_kernel({3860.0 * 3860, 0, 9}, Normalise::sum), InputError);
  EXPECT_NE(message_of("moffat:3").find("'moffat' is not known"), std::string::npos);
  EXPECT_NE(message_of("gaussian:3px").find("'3px' is not a number"), std::string::npos);
  EXPECT_NE(message_of("gaussian:2,4,0").find("major axis >= minor axis"), std::string::npos);
}

TEST(Kernel, gaussians_have_the_documented_number_of_taps_and_unit_sum) {
  for (const double fwhm : {0.4, 1.0, 2.3, 7.0, 14.6, 29.7}) {
    const Kernel kernel = gaussian_kernel({fwhm * fwhm, 0, fwhm * fwhm}, Normalise::sum);
    EXPECT_EQ(kernel.shape.nx, 2 * static_cast<std::int64_t>(std::ceil(2.123 * fwhm)) + 1);
    EXPECT_EQ(kernel.shape.ny, kernel.shape.nx);
    EXPECT_TRUE(kernel.separable());
    EXPECT_NEAR(kernel.sum(), 1, 1e-14);
  }
}

TEST(Kernel, factors_multiply_to_the_weights_to_the_bit) {
  const Kernel kernels[] = {gaussian_kernel({25, 0, 9}, Normalise::sum), box_kernel(4, Normalise::sum),
                            custom_kernel({2, 3}, {1, 2, 3, 2, 4, 6}, Normalise::sum, "outer product")};
  for (const Kernel& kernel : kernels) {
    ASSERT_TRUE(kernel.separable()) << kernel.text;
    for (std::int64_t y = 0; y < kernel.shape.ny; ++y) {
      for (std::int64_t x = 0; x < kernel.shape.nx; ++x) {
        EXPECT_EQ(kernel.weights[static_cast<std::size_t>(y * kernel.shape.nx + x)],
                  kernel.column[static_cast<std::size_t>(y)] * kernel.row[static_cast<std::size_t>(x)]);
      }
    }
    EXPECT_NEAR(kernel.sum(), 1, 1e-14);
  }
}

TEST(Kernel, rotated_gaussians_are_point_symmetric_and_carry_their_covariance) {
  const Covariance wanted{43.75, -32.47595264191644, 81.25};
  const Kernel kernel = gaussian_kernel(wanted, Normalise::sum);
  EXPECT_FALSE(kernel.separable());
  EXPECT_EQ(kernel.weights.front(), kernel.weights.back());
  const std::int64_t hy = kernel.shape.ny / 2, hx = kernel.shape.nx / 2;
  double xx = 0, xy = 0, yy = 0;
  for (std::int64_t y = -hy; y <= hy; ++y) {
    for (std::int64_t x = -hx; x <= hx; ++x) {
      const double weight = kernel.weights[static_cast<std::size_t>((y + hy) * kernel.shape.nx + x + hx)];
      xx += weight * static_cast<double>(x * x);
      xy += weight * static_cast<double>(x * y);
      yy += weight * static_cast<double>(y * y);
    }
  }
  // The cut at 5 sigma loses 1.1e-6 of the weight and about 2e-5 of the second moments.
  const double fwhm2 = 8 * std::numbers::ln2;
  EXPECT_NEAR(xx * fwhm2, wanted.xx, 1e-4 * wanted.yy);
  EXPECT_NEAR(xy * fwhm2, wanted.xy, 1e-4 * wanted.yy);
  EXPECT_NEAR(yy * fwhm2, wanted.yy, 1e-4 * wanted.yy);
}

TEST(Kernel, sampled_sums_of_the_data_folder) {
  REBER_CASES_OR_SKIP(cases);
  for (const auto& c : (*cases)["B_flux_scale"]["cases"]) {
    const Kernel kernel = gaussian_kernel(pixel_covariance(c["kernel"], c["pixel_arcsec"]), Normalise::peak);
    const double wanted = c["sum_sampled_peak1_kernel_px"];
    EXPECT_NEAR(kernel.sum(), wanted, 2e-6 * wanted);  // the 5 sigma cut loses 1.1e-6
  }
}

TEST(Kernel, peak_and_none) {
  EXPECT_EQ(gaussian_kernel({9, 0, 9}, Normalise::peak).weights[15 * 15 / 2], 1);
  EXPECT_EQ(box_kernel(3, Normalise::none).sum(), 9);
  EXPECT_EQ(custom_kernel({1, 2}, {4, -8}, Normalise::peak, "pair").weights[1], -1);
  EXPECT_EQ(custom_kernel({1, 2}, {4, -8}, Normalise::none, "pair").weights[0], 4);
}

TEST(Kernel, tophat_counts_the_pixels_of_the_disc) {
  const Kernel disc = tophat_kernel(2, Normalise::none);
  EXPECT_EQ(disc.shape, (Shape{5, 5}));
  EXPECT_EQ(disc.sum(), 13);
  EXPECT_FALSE(disc.separable());
  EXPECT_EQ(tophat_kernel(0.5, Normalise::sum).weights, std::vector<double>{1});
}

TEST(Kernel, mexican_hat_has_no_sum_and_so_cannot_have_unit_sum) {
  const Kernel hat = mexican_hat_kernel(2, Normalise::peak);
  EXPECT_NEAR(hat.sum(), 0, 1e-12);
  EXPECT_EQ(hat.weights[hat.weights.size() / 2], 1);
  EXPECT_THROW((void)mexican_hat_kernel(2, Normalise::sum), InputError);
}

TEST(Kernel, custom_kernels_find_exact_factors_only) {
  EXPECT_FALSE(custom_kernel({2, 2}, {1, 2, 3, 4}, Normalise::none, "full rank").separable());
  EXPECT_FALSE(custom_kernel({2, 2}, {1, 2, 2, 4.001}, Normalise::none, "nearly").separable());
  EXPECT_THROW((void)custom_kernel({2, 2}, {1, 2, 3}, Normalise::none, "short"), InputError);
  EXPECT_THROW((void)custom_kernel({1, 2}, {0, 0}, Normalise::none, "zeros"), InputError);
  EXPECT_THROW((void)custom_kernel({1, 2}, {0, NAN}, Normalise::none, "blank"), InputError);
}

TEST(Kernel, least_squares_kernels_are_right_to_the_printed_error) {
  // Kernel FWHM 0.4, 1.28 and 1.83 pixels behind a 4 pixel beam. The errors follow from the definition: of a 7 x 7
  // kernel of unit sum, symmetric about its centre, 24 weights are free. The normal equations of sum_f W(f)^2 (Khat(f)
  // - T(f))^2 on 48 x 48 frequencies, T(f) = exp(-pi^2 K f^2 / (4 ln 2)), K the kernel's squared FWHM, W the same of
  // the source's and at least 1e-7, solved by Gaussian elimination in double, give weights that are 4.44e-6, 1.24e-5
  // and 3.56e-6 off the target's Gaussian at the worst pixel of a source of unit peak.
  const Covariance source{16, 0, 16};
  const struct {
    double target_px, error;
  } printed[] = {{10.05 / 2.5, 4.4e-6}, {10.5 / 2.5, 1.2e-5}, {11 / 2.5, 3.6e-6}};
  for (const auto& c : printed) {
    const Covariance target{c.target_px * c.target_px, 0, c.target_px * c.target_px};
    const Kernel kernel = least_squares_kernel(target - source, source, 7);
    EXPECT_NEAR(kernel.sum(), 1, 1e-14);
    EXPECT_NEAR(error_on_unit_source(kernel, source, target), c.error, 0.05 * c.error);
  }
}

TEST(Kernel, least_squares_kernels_of_the_data_folder) {
  REBER_CASES_OR_SKIP(cases);
  for (const auto& c : (*cases)["F2_short_kernel_for_beam_limited_images"]["cases"]) {
    const Covariance source = pixel_covariance(c["source"], 2.5);
    const Covariance target = pixel_covariance(c["target"], 2.5);
    const Kernel seven = least_squares_kernel(target - source, source, 7);
    for (std::size_t i = 0; i < 49; ++i) {
      EXPECT_NEAR(seven.weights[i], c["kernel_7x7"][i / 7][i % 7].get<double>(), 1e-6) << c["target"] << " " << i;
    }
    for (const int size : {3, 5, 7, 9, 11}) {
      const double wanted = c["max_abs_error_on_unit_source"][std::to_string(size) + "x" + std::to_string(size)];
      const Kernel kernel = least_squares_kernel(target - source, source, size);
      EXPECT_NEAR(error_on_unit_source(kernel, source, target), wanted, 0.01 * wanted) << c["target"] << " " << size;
      // What is told to the user: relative to the peak, and for a source between pixels as well.
      const double told = unresolved_source_error(kernel, target - source, source);
      EXPECT_GE(told, 0.99 * wanted) << c["target"] << " " << size;
      EXPECT_LE(told, 4 * wanted) << c["target"] << " " << size;
    }
  }
}

TEST(Kernel, line_and_point_kernels) {
  const Kernel point = gaussian_kernel({0, 0, 0}, Normalise::sum);
  EXPECT_EQ(point.weights, std::vector<double>{1});
  EXPECT_TRUE(point.separable());

  // A line of FWHM 12 pixels at 45 degrees: 53 taps, right to 1e-4 for an image of a 5 pixel beam.
  const Covariance line{72, 72, 72};
  const Covariance source{25, 0, 25};
  const Kernel kernel = gaussian_kernel(line, Normalise::sum);
  EXPECT_EQ(kernel.shape, (Shape{53, 53}));
  EXPECT_NEAR(kernel.sum(), 1, 1e-13);
  EXPECT_LE(error_on_unit_source(kernel, source, source + line), 1e-4);
  EXPECT_THROW((void)least_squares_kernel(line, source, 8), InputError);
}

/// out(y) of the kernel about a pixel of an image of n x n, by definition, with the outside as the boundary has it.
double output_at(const Kernel& kernel, Boundary boundary, std::int64_t n, std::int64_t y, std::int64_t x) {
  double sum = 0;
  for (std::int64_t i = 0; i < kernel.shape.ny; ++i)
    for (std::int64_t j = 0; j < kernel.shape.nx; ++j) {
      const std::int64_t from_y = boundary_index(y - (i - kernel.shape.ny / 2), n, boundary);
      const std::int64_t from_x = boundary_index(x - (j - kernel.shape.nx / 2), n, boundary);
      if (from_y < 0 || from_x < 0) continue;
      sum += kernel.weights[static_cast<std::size_t>(i * kernel.shape.nx + j)] *
             std::cos(static_cast<double>(1 + 3 * from_y * n + from_x));
    }
  return sum;
}

TEST(Kernel, what_lies_beyond_the_image_is_not_made_and_changes_nothing) {
  std::vector<double> uneven(30 * 23);
  for (std::size_t i = 0; i < uneven.size(); ++i) uneven[i] = 1 + std::sin(static_cast<double>(i * i));
  const Kernel line = gaussian_kernel({72, 72, 72}, Normalise::sum);
  const auto made = [&](int which, const KernelReach& reach) {
    if (which == 0) return gaussian_kernel({40, 0, 90}, Normalise::sum, reach);
    if (which == 1) return gaussian_kernel({40, 25, 90}, Normalise::sum, reach);
    if (which == 2) return gaussian_kernel({40, 25, 90}, Normalise::none, reach);
    if (which == 3) return box_kernel(26, Normalise::sum, reach);
    if (which == 4) return tophat_kernel(17.3, Normalise::sum, reach);
    if (which == 5) return mexican_hat_kernel(4, Normalise::peak, reach);
    if (which == 6) return within_reach(custom_kernel({30, 23}, uneven, Normalise::sum, "uneven"), reach);
    return within_reach(line, reach);
  };
  for (const std::int64_t n : {1, 2, 6})
    for (const auto& [word, boundary, shown, alias] : words<Boundary>)
      for (int which = 0; which < 8; ++which) {
        const AxisReach axis = reach_along(n, boundary);
        const Kernel whole = made(which, {}), part = made(which, {axis, axis});
        EXPECT_EQ(part.shape, (Shape{2 * n + 1, 2 * n + 1})) << which;
        EXPECT_NEAR(part.sum(), whole.sum(), 1e-12 * (1 + std::abs(whole.sum())));
        for (std::int64_t y = 0; y < n; ++y)
          for (std::int64_t x = 0; x < n; ++x)
            EXPECT_NEAR(output_at(part, boundary, n, y, x), output_at(whole, boundary, n, y, x), 1e-12)
                << word << " " << which << " " << n;
      }
}

}  // namespace
}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Polynomials through the channels without lines.
#include "core/run/cube/continuum_step.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/cube/plane_list.hpp"

namespace reber {
namespace {

constexpr std::int64_t kW = Strip::kPixels;
constexpr std::size_t kMostOrder = 5;
constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

/// Least squares in polynomials that are orthonormal over the channels of the fit.
class Continuum final : public SpectrumStep {
 public:
  Continuum(std::size_t order, std::string channels) : order_(order), list_(std::move(channels)) {}

  void plan(SpectralGrid& grid) override {
    const auto planes = static_cast<std::int64_t>(grid.at.size());
    channels_ = parse_planes(list_, planes, "step contsub, channels=");
    if (channels_.size() <= order_)
      throw InputError(fmt::format("step contsub:poly{}: {} channels cannot fix {} coefficients; give more channels",
                                   order_, channels_.size(), order_ + 1));
    make_basis(planes);
  }

  void apply(Strip& strip, Strip& /*spare*/) const override {
    std::array<std::array<double, kW>, kMostOrder + 1> sums{};
    std::array<int, kW> blanks{};
    for (const std::int64_t k : channels_) {
      const float* const row = strip.plane(k);
      for (std::size_t p = 0; p <= order_; ++p) {
        const double f = basis_[p][static_cast<std::size_t>(k)];
        auto& sum = sums[p];
        for (std::int64_t x = 0; x < kW; ++x) sum[static_cast<std::size_t>(x)] += f * static_cast<double>(row[x]);
      }
      for (std::int64_t x = 0; x < kW; ++x) blanks[static_cast<std::size_t>(x)] |= static_cast<int>(row[x] != row[x]);
    }
    for (std::int64_t x = 0; x < strip.pixels; ++x)
      if (blanks[static_cast<std::size_t>(x)] != 0) fit_finite(strip, x, sums);
    for (std::int64_t k = 0; k < strip.planes; ++k) {
      float* const row = strip.plane(k);
      for (std::int64_t x = 0; x < kW; ++x) {
        double model = 0;
        for (std::size_t p = 0; p <= order_; ++p)
          model += sums[p][static_cast<std::size_t>(x)] * basis_[p][static_cast<std::size_t>(k)];
        row[x] = static_cast<float>(static_cast<double>(row[x]) - model);
      }
    }
  }

  [[nodiscard]] std::string told() const override {
    return fmt::format("contsub: polynomial of order {} through {} channels ({})", order_, channels_.size(), list_);
  }

 private:
  using Sums = std::array<std::array<double, kW>, kMostOrder + 1>;

  /// Gram and Schmidt, twice, on powers of the channel's number between -1 and 1.
  void make_basis(std::int64_t planes) {
    for (std::size_t p = 0; p <= order_; ++p) {
      std::vector<double> f;
      for (std::int64_t k = 0; k < planes; ++k)
        f.push_back(
            std::pow(2 * static_cast<double>(k) / static_cast<double>(std::max<std::int64_t>(planes - 1, 1)) - 1, p));
      for (int round = 0; round < 2; ++round)
        for (const auto& g : basis_) {
          const double share = product(f, g);
          for (std::size_t k = 0; k < f.size(); ++k) f[k] -= share * g[k];
        }
      const double length = std::sqrt(product(f, f));
      for (double& v : f) v /= length;
      basis_.push_back(f);
    }
  }
  [[nodiscard]] double product(const std::vector<double>& f, const std::vector<double>& g) const {
    double sum = 0;
    for (const std::int64_t k : channels_) sum += f[static_cast<std::size_t>(k)] * g[static_cast<std::size_t>(k)];
    return sum;
  }

  /// Where channels of the fit are blank: normal equations of the others, solved by Cholesky's method.
  void fit_finite(const Strip& strip, std::int64_t x, Sums& sums) const {
    const std::size_t n = order_ + 1;
    std::array<std::array<double, kMostOrder + 1>, kMostOrder + 1> a{};
    std::array<double, kMostOrder + 1> b{};
    std::size_t finite = 0;
    for (const std::int64_t k : channels_) {
      const auto v = static_cast<double>(strip.plane(k)[x]);
      if (!std::isfinite(v)) continue;
      ++finite;
      for (std::size_t p = 0; p < n; ++p) {
        const double f = basis_[p][static_cast<std::size_t>(k)];
        b[p] += f * v;
        for (std::size_t q = 0; q <= p; ++q) a[p][q] += f * basis_[q][static_cast<std::size_t>(k)];
      }
    }
    bool solved = finite >= n;
    for (std::size_t p = 0; p < n && solved; ++p)
      for (std::size_t q = 0; q <= p; ++q) {
        for (std::size_t r = 0; r < q; ++r) a[p][q] -= a[p][r] * a[q][r];
        if (p == q) solved = a[p][p] > 1e-12;
        a[p][q] = p == q ? std::sqrt(std::max(a[p][p], 0.0)) : a[p][q] / a[q][q];
      }
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t r = 0; r < p; ++r) b[p] -= a[p][r] * b[r];
      b[p] /= a[p][p];
    }
    for (std::size_t p = n; p-- > 0;) {
      for (std::size_t r = p + 1; r < n; ++r) b[p] -= a[r][p] * b[r];
      b[p] /= a[p][p];
    }
    for (std::size_t p = 0; p < n; ++p)
      sums[p][static_cast<std::size_t>(x)] = solved ? b[p] : static_cast<double>(kBlank);
  }

  std::size_t order_;
  std::string list_;
  std::vector<std::int64_t> channels_;
  std::vector<std::vector<double>> basis_;
};

}  // namespace

std::unique_ptr<SpectrumStep> continuum_step(const std::string& text) {
  const std::string mark = ",channels=";
  const std::size_t at = text.find(mark);
  const std::string poly = text.substr(0, at);
  const bool known = poly.size() == 5 && poly.starts_with("poly") && poly[4] >= '0' &&
                     poly[4] <= static_cast<char>('0' + static_cast<int>(kMostOrder));
  if (!known || at == std::string::npos)
    throw InputError(
        fmt::format("step 'contsub:{}': expected poly0 to poly{} and the channels without lines, such as "
                    "contsub:poly1,channels=0:20,80:100",
                    printable(text), kMostOrder));
  return std::make_unique<Continuum>(static_cast<std::size_t>(poly[4] - '0'), text.substr(at + mark.size()));
}

}  // namespace reber

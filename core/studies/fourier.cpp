// SPDX-License-Identifier: BSD-3-Clause
// Rows two at a time, as real and imaginary part; then columns.
#include "core/studies/fourier.hpp"

#include <bit>
#include <numbers>
#include <utility>

namespace reber {
namespace {

using Complex = std::complex<double>;

/// Without the checks for infinities that the standard's product makes.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-i pi part / whole).
Complex turn(std::int64_t part, std::int64_t whole) {
  return std::polar(1.0, -std::numbers::pi * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

FourierLine::FourierLine(std::int64_t n) : n_(n), m_(n) {
  const bool by_two_alone = std::has_single_bit(static_cast<std::uint64_t>(n));
  if (!by_two_alone) m_ = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  for (std::int64_t k = 0; k < m_ / 2; ++k) turns_.push_back(turn(2 * k, m_));
  mirrored_.assign(static_cast<std::size_t>(m_), 0);
  for (std::int64_t k = 1; k < m_; ++k)
    mirrored_[static_cast<std::size_t>(k)] = mirrored_[static_cast<std::size_t>(k / 2)] / 2 + (k % 2 != 0 ? m_ / 2 : 0);
  if (by_two_alone) return;
  for (std::int64_t k = 0; k < n; ++k) chirp_.push_back(turn(k * k % (2 * n), n));  // k^2 alone would lose digits
  chirp_spectrum_.assign(static_cast<std::size_t>(m_), 0);
  for (std::int64_t k = 0; k < n; ++k) {
    const Complex value = std::conj(chirp_[static_cast<std::size_t>(k)]);
    chirp_spectrum_[static_cast<std::size_t>(k)] = value;
    chirp_spectrum_[static_cast<std::size_t>((m_ - k) % m_)] = value;
  }
  by_two(chirp_spectrum_.data());
}

void FourierLine::by_two(Complex* values) const {
  for (std::int64_t k = 0; k < m_; ++k)
    if (const std::int64_t other = mirrored_[static_cast<std::size_t>(k)]; other > k)
      std::swap(values[k], values[other]);
  for (std::int64_t half = 1; half < m_; half *= 2)
    for (std::int64_t first = 0; first < m_; first += 2 * half)
      for (std::int64_t k = 0; k < half; ++k) {
        Complex &a = values[first + k], &b = values[first + k + half];
        const Complex turned = product(b, turns_[static_cast<std::size_t>(k * (m_ / 2 / half))]);
        b = a - turned;
        a += turned;
      }
}

void FourierLine::transform(Complex* values, std::vector<Complex>& spare) const {
  if (m_ == n_) return by_two(values);
  spare.assign(static_cast<std::size_t>(m_), 0);
  for (std::size_t k = 0; k < chirp_.size(); ++k) spare[k] = product(values[k], chirp_[k]);
  by_two(spare.data());
  // Conjugated before and after, the same steps transform back.
  for (std::size_t k = 0; k < spare.size(); ++k) spare[k] = std::conj(product(spare[k], chirp_spectrum_[k]));
  by_two(spare.data());
  for (std::size_t k = 0; k < chirp_.size(); ++k)
    values[k] = product(std::conj(spare[k]), chirp_[k]) / static_cast<double>(m_);
}

std::vector<Complex> fourier_image(const std::vector<double>& values, Shape shape, ThreadPool& pool,
                                   const Progress& progress) {
  const auto [ny, nx] = shape;
  const std::int64_t columns = nx / 2 + 1;
  std::vector<Complex> spectrum(static_cast<std::size_t>(ny * columns));
  struct Work {
    std::vector<Complex> line, spare;
  };
  std::vector<Work> workers(static_cast<std::size_t>(pool.threads()));
  progress.report("transform rows", 0);
  const FourierLine along_x(nx), along_y(ny);
  pool.for_each_worker((ny + 1) / 2, [&, ny = ny, nx = nx](std::int64_t pair, int worker) {
    progress.check();
    auto& [line, spare] = workers[static_cast<std::size_t>(worker)];
    const std::int64_t y = 2 * pair;
    const bool both = y + 1 < ny;
    line.resize(static_cast<std::size_t>(nx));
    for (std::int64_t x = 0; x < nx; ++x)
      line[static_cast<std::size_t>(x)] = {values[static_cast<std::size_t>(y * nx + x)],
                                           both ? values[static_cast<std::size_t>((y + 1) * nx + x)] : 0.0};
    along_x.transform(line.data(), spare);
    for (std::int64_t k = 0; k < columns; ++k) {
      const Complex here = line[static_cast<std::size_t>(k)];
      const Complex there = std::conj(line[static_cast<std::size_t>((nx - k) % nx)]);
      spectrum[static_cast<std::size_t>(y * columns + k)] = 0.5 * (here + there);
      if (both) spectrum[static_cast<std::size_t>((y + 1) * columns + k)] = product({0, -0.5}, here - there);
    }
  });
  progress.report("transform columns", 0.5);
  pool.for_each_worker(columns, [&, ny = ny](std::int64_t k, int worker) {
    progress.check();
    auto& [line, spare] = workers[static_cast<std::size_t>(worker)];
    line.resize(static_cast<std::size_t>(ny));
    for (std::int64_t y = 0; y < ny; ++y)
      line[static_cast<std::size_t>(y)] = spectrum[static_cast<std::size_t>(y * columns + k)];
    along_y.transform(line.data(), spare);
    for (std::int64_t y = 0; y < ny; ++y)
      spectrum[static_cast<std::size_t>(y * columns + k)] = line[static_cast<std::size_t>(y)];
  });
  return spectrum;
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The cpu backend beside what users have today (OpenCV, bare FFTW) in one run: a table of medians and spreads.
#include <fftw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/sky/model/image.hpp"
#include "kernels/backends.hpp"

namespace reber {
namespace {

constexpr int kRepeats = 9;

struct Timing {
  double median_ms = 0, least_ms = 0, most_ms = 0;
  double cpu_ms = 0;  ///< of all threads together: what the work costs, however busy the machine is
};

double cpu_now_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

Timing timed(const std::function<void()>& work) {
  work();
  std::vector<double> ms, cpu_ms;
  for (int k = 0; k < kRepeats; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = cpu_now_ms();
    work();
    cpu_ms.push_back(cpu_now_ms() - cpu_start);
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(ms);
  std::ranges::sort(cpu_ms);
  return {ms[ms.size() / 2], ms.front(), ms.back(), cpu_ms[cpu_ms.size() / 2]};
}

void print_row(const std::string& work, const std::string& who, const Timing& t) {
  fmt::print("{:<38} {:<26} {:8.2f} ms  ({:.2f} to {:.2f}), cpu {:.2f}\n", work, who, t.median_ms, t.least_ms,
             t.most_ms, t.cpu_ms);
  std::fflush(stdout);
}

/// Noise, and one source of 3 pixels FWHM for every 3000 pixels.
Image sky(Shape shape) {
  Image image(shape);
  std::mt19937_64 random(7);
  std::normal_distribution<float> noise(0.0f, 1.0f);
  for (std::int64_t k = 0; k < shape.count(); ++k) image.data()[k] = noise(random);
  std::uniform_real_distribution<double> part(0, 1);
  for (std::int64_t k = 0; k < shape.count() / 3000; ++k) {
    const double y = part(random) * static_cast<double>(shape.ny), x = part(random) * static_cast<double>(shape.nx);
    const double peak = 3 / (part(random) + 1e-3);
    for (std::int64_t j = -5; j <= 5; ++j)
      for (std::int64_t i = -5; i <= 5; ++i) {
        const auto row = static_cast<std::int64_t>(y) + j, column = static_cast<std::int64_t>(x) + i;
        if (row < 0 || column < 0 || row >= shape.ny || column >= shape.nx) continue;
        const double r2 = std::pow(static_cast<double>(row) - y, 2) + std::pow(static_cast<double>(column) - x, 2);
        image.at(row, column) += static_cast<float>(peak * std::exp(-2.77 * r2 / 9));
      }
  }
  return image;
}

Kernel rough_kernel(int side) {  // not separable
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> part(0.1, 1);
  std::vector<double> weights(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (double& weight : weights) weight = part(random);
  return custom_kernel({side, side}, weights, Normalise::sum, "rough");
}

/// Forward and backward transforms of as many tiles as the image has, on all threads: the floor of an FFT convolution.
Timing bare_fftw(Shape shape, int side, int taps, int threads) {
  const auto floats = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  const std::size_t pairs = static_cast<std::size_t>(side) * (static_cast<std::size_t>(side) / 2 + 1);
  std::vector<float*> real;
  std::vector<fftwf_complex*> complex;
  for (int k = 0; k < threads; ++k) {
    real.push_back(fftwf_alloc_real(floats));
    complex.push_back(fftwf_alloc_complex(pairs));
    std::fill_n(real.back(), floats, 1.0f);
  }
  const fftwf_plan forward = fftwf_plan_dft_r2c_2d(side, side, real[0], complex[0], FFTW_ESTIMATE);
  const fftwf_plan backward = fftwf_plan_dft_c2r_2d(side, side, complex[0], real[0], FFTW_ESTIMATE);
  const std::int64_t valid = side - taps + 1;
  const std::int64_t tiles = ((shape.ny + valid - 1) / valid) * ((shape.nx + valid - 1) / valid);
  const Timing timing = timed([&] {
    std::vector<std::thread> workers;
    for (int k = 0; k < threads; ++k)
      workers.emplace_back([&, k] {
        for (std::int64_t tile = k; tile < tiles; tile += threads) {
          fftwf_execute_dft_r2c(forward, real[k], complex[k]);
          std::memset(complex[k], 0, sizeof(fftwf_complex));  // keeps the values from growing
          fftwf_execute_dft_c2r(backward, complex[k], real[k]);
          real[k][0] = 1;
        }
      });
    for (auto& worker : workers) worker.join();
  });
  for (int k = 0; k < threads; ++k) {
    fftwf_free(real[k]);
    fftwf_free(complex[k]);
  }
  return timing;
}

class Bench {
 public:
  Bench(Shape shape, int threads) : shape_(shape), image_(sky(shape)) {
    BackendOptions options;
    options.threads = threads;
    backend_ = make_backend("cpu", options, LogSink{});
    cv::setNumThreads(threads);
    load();
  }

  void run(const std::string& filter) {
    filter_ = filter;
    const BackendInfo info = backend_->info();
    fmt::print("{} x {} float32 on {}, {} threads; median of {} (least to most)\n", shape_.nx, shape_.ny, info.device,
               info.threads, kRepeats);
    copy();
    section("load", [&] { print_row("load big-endian float32", "reber", timed([&] { load(); })); });
    for (const int side : {3, 5, 7, 15, 31}) section(fmt::format("direct {}", side), [&] { direct(side); });
    for (const int taps : {9, 15, 31, 63, 129}) section(fmt::format("separable {}", taps), [&] { separable(taps); });
    for (const int side : {31, 101, 255}) section(fmt::format("fft {}", side), [&] { fft(side); });
    section("blanks", [&] { blanks(); });
    section("find", [&] { find(); });
  }

 private:
  template <typename Body>
  void section(const std::string& name, Body body) {
    if (filter_.empty() || name.find(filter_) != std::string::npos) body();
  }

  void load() {
    TilingPlan tiling;
    tiling.band_rows = shape_.ny;
    plane_ = backend_->load(*memory_source(image_.data(), shape_), tiling, {});
  }
  void copy() {
    Image to(shape_);
    const int threads = backend_->info().threads;
    print_row("copy", "memcpy", timed([&] {
                std::vector<std::thread> workers;
                const std::int64_t part = shape_.count() / threads;
                for (int k = 0; k < threads; ++k)
                  workers.emplace_back([&, k] {
                    std::memcpy(to.data() + k * part, image_.data() + k * part, static_cast<std::size_t>(part) * 4);
                  });
                for (auto& worker : workers) worker.join();
              }));
  }
  void ours(const std::string& work, const Kernel& kernel, Algorithm algorithm) {
    const ConvolutionSpec spec{kernel, Boundary::reflect, NanRule::interpolate, 0.5, false};
    double predicted = 0;
    for (const auto& quote : backend_->quote(spec, shape_))
      if (quote.algorithm == algorithm) predicted = quote.cost_ms;
    const auto plan = backend_->plan_convolution(spec, shape_, algorithm);
    const Timing timing = timed([&] { (void)backend_->convolve(*plane_, *plan, {}); });
    print_row(work, fmt::format("reber {} (quote {:.0f})", to_string(algorithm), predicted), timing);
  }
  void direct(int side) {
    const Kernel kernel = rough_kernel(side);
    const std::string work = fmt::format("direct {0}x{0}", side);
    ours(work, kernel, Algorithm::direct);
    const cv::Mat in(static_cast<int>(shape_.ny), static_cast<int>(shape_.nx), CV_32F, image_.data());
    cv::Mat weights(side, side, CV_32F), out;
    for (int k = 0; k < side * side; ++k) weights.at<float>(k / side, k % side) = static_cast<float>(kernel.weights[k]);
    print_row(work, "OpenCV filter2D", timed([&] { cv::filter2D(in, out, -1, weights); }));
  }
  void separable(int taps) {
    Kernel kernel = box_kernel(taps, Normalise::sum);
    const std::string work = fmt::format("separable {} taps", taps);
    ours(work, kernel, Algorithm::separable);
    const cv::Mat in(static_cast<int>(shape_.ny), static_cast<int>(shape_.nx), CV_32F, image_.data());
    cv::Mat out;
    print_row(work, "OpenCV GaussianBlur", timed([&] { cv::GaussianBlur(in, out, {taps, taps}, taps / 6.0); }));
  }
  void fft(int side) {
    const std::string work = fmt::format("FFT, kernel {0}x{0}", side);
    ours(work, rough_kernel(side), Algorithm::fft);
    for (const int tile : {256, 320, 512, 1024})
      if (tile > 2 * side || tile == 1024)
        print_row(work, fmt::format("bare FFTW tiles of {}", tile),
                  bare_fftw(shape_, tile, side, backend_->info().threads));
  }
  void blanks() {
    Image with_blanks = image_.clone();
    std::mt19937_64 random(5);
    for (std::int64_t k = 0; k < shape_.count() / 1000; ++k)
      with_blanks.data()[random() % static_cast<std::uint64_t>(shape_.count())] = std::nanf("");
    TilingPlan tiling;
    tiling.band_rows = shape_.ny;
    auto whole = std::move(plane_);
    plane_ = backend_->load(*memory_source(with_blanks.data(), shape_), tiling, {});
    ours("direct 7x7, 0.1 % blank", rough_kernel(7), Algorithm::direct);
    ours("separable 31 taps, 0.1 % blank", box_kernel(31, Normalise::sum), Algorithm::separable);
    ours("FFT, kernel 31x31, 0.1 % blank", rough_kernel(31), Algorithm::fft);
    plane_ = std::move(whole);
  }
  void find() {
    print_row("statistics", "reber", timed([&] { (void)backend_->statistics(*plane_); }));
    ClipStatistics clip;
    print_row("clip", "reber", timed([&] { clip = backend_->clip(*plane_, {}); }));
    MeshOptions options;
    for (const std::int64_t box : {32, 64, 256}) {
      const MeshGrid grid = MeshGrid::make(shape_, box);
      print_row(fmt::format("mesh, {} px", box), "reber",
                timed([&] { (void)backend_->mesh(*plane_, grid, options, {}); }));
    }
    const MeshGrid grid = MeshGrid::make(shape_, 64);
    const BackgroundModel model = finish_mesh(grid, backend_->mesh(*plane_, grid, options, {}), options);
    for (const double seed : {5.0, 0.0}) {
      DetectOptions detect;
      detect.seed = seed;
      detect.flood = std::min(seed, 3.0);
      std::unique_ptr<IslandMap> islands;
      const Timing label = timed([&] { islands = backend_->label(*plane_, model, detect, {}); });
      print_row(fmt::format("label {}/{} sigma: {} islands", seed, detect.flood, islands->count()), "reber", label);
      print_row("  measure", "reber", timed([&] { (void)backend_->measure(*plane_, model, *islands); }));
    }
  }

  Shape shape_;
  Image image_;
  std::string filter_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Plane> plane_;
};

}  // namespace
}  // namespace reber

/// reber_bench_cpu_peers [side of the image] [threads, 0 for all] [only sections whose name holds this]
int main(int count, char** arguments) {
  const std::int64_t side = count > 1 ? std::atoll(arguments[1]) : 4096;
  const int threads = count > 2 ? std::atoi(arguments[2]) : 0;
  reber::Bench({side, side}, threads).run(count > 3 ? arguments[3] : "");
}

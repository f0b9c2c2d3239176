// SPDX-License-Identifier: BSD-3-Clause
// Overlap-save convolution by kernels of rows and of columns: the choice of tiles, and the loop over batches of them.
#include "kernels/cuda/convolve/fft/fft_lines_convolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/common/rows_together.hpp"
#include "kernels/cuda/convolve/fft/fft.hpp"
#include "kernels/cuda/convolve/fft/fft_common.hpp"
#include "kernels/cuda/convolve/fft/fft_lines.hpp"
#include "kernels/cuda/convolve/fft/fft_offset.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {
namespace {

constexpr std::int64_t kBatchBytes = 1 << 30;

struct LineChoice {
  const LinePolicy *column = nullptr, *row = nullptr;
  std::int64_t pairs = 0, batch = 0;  ///< pairs of tiles of the whole image; at once
  std::int64_t most = 0;              ///< at once in the memory of a batch
  double cost_ms = 0;

  [[nodiscard]] std::int64_t ny() const { return column->line.length; }
  [[nodiscard]] std::int64_t nx() const { return row->line.length; }
  [[nodiscard]] std::int64_t pair_bytes() const { return ny() * nx() * static_cast<std::int64_t>(sizeof(float2)); }
};

/// Tiles of these lengths; none where the kernel does not fit, or the card's shared memory.
std::optional<LineChoice> choice_of(const DeviceInfo& device, const LinePolicy& column, const LinePolicy& row,
                                    Shape kernel, Shape image) {
  LineChoice choice{&column, &row};
  if (std::max(row.line.shared_bytes, column.line.shared_bytes) > device.shared_bytes) return {};
  if (choice.ny() < kernel.ny || choice.nx() < kernel.nx) return {};
  const std::int64_t tiles =
      tiles_along(image.ny, choice.ny() - kernel.ny + 1) * tiles_along(image.nx, choice.nx() - kernel.nx + 1);
  choice.pairs = (tiles + 1) / 2;
  const std::int64_t held = std::min(kBatchBytes, device.total_bytes / 16);
  choice.most = std::max<std::int64_t>(held / choice.pair_bytes(), 1);
  choice.batch = std::clamp<std::int64_t>(choice.pairs, 1, choice.most);
  const double batches = static_cast<double>(tiles_along(choice.pairs, choice.batch));
  const double points = static_cast<double>(choice.pairs) * static_cast<double>(choice.ny() * choice.nx());
  const double outputs = static_cast<double>(choice.ny() - kernel.ny + 1) / static_cast<double>(choice.ny());
  const double ps = row.ps_rows + outputs * row.ps_rows_back + column.ps_columns;
  // Three launches a batch leave the card half empty twice each.
  choice.cost_ms =
      0.01 + batches * 0.006 + points * ps * 1e-9 * slower_than_h200(device) * 132 / device.multiprocessors;
  return choice;
}

/// The cheapest tiles; none where the kernel is longer than every transform.
std::optional<LineChoice> choose_lines(const DeviceInfo& device, Shape kernel, Shape image) {
  std::optional<LineChoice> best;
  for (const LinePolicy& column : line_policies()) {
    for (const LinePolicy& row : line_policies()) {
      const std::optional<LineChoice> choice = choice_of(device, column, row, kernel, image);
      if (choice && (!best || choice->cost_ms < best->cost_ms)) best = choice;
    }
  }
  return best;
}

class LinesConvolver final : public Convolver {
 public:
  LinesConvolver(Context& context, const Kernel& kernel, const LineChoice& choice)
      : kernel_(kernel.shape),
        column_(choice.column->line),
        row_(choice.row->line),
        batch_(choice.batch),
        most_(choice.most),
        sum_(static_cast<float>(std::accumulate(kernel.weights.begin(), kernel.weights.end(), 0.0))),
        weight_noise_(weight_noise_of(kernel)),
        row_roots_(upload_vector(context, row_.row_roots(), context.stream())),
        column_roots_(upload_vector(context, column_.column_roots(), context.stream())),
        spectrum_(std::int64_t{column_.length} * row_.length, context.stream()) {
    make_spectrum(context, kernel);
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    const ConvolvePart part{this, job};
    run_each(stream, {&part, 1});
  }

  /// Tiles of one geometry: the forward transform is the same.
  [[nodiscard]] bool shares_with(const Convolver& other) const override {
    const auto* lines = dynamic_cast<const LinesConvolver*>(&other);
    return lines != nullptr && lines->kernel_ == kernel_ && lines->row_.length == row_.length &&
           lines->column_.length == column_.length;
  }

  void run_each(cudaStream_t stream, std::span<const ConvolvePart> parts) const override {
    const ConvolveJob& job = parts.front().job;
    LineArguments arguments = arguments_of(job);
    const DeviceBuffer<float> offsets(arguments.tiles, stream);
    const TileGrid grid{arguments.kernel_ny, arguments.kernel_nx, column_.length,    row_.length,
                        arguments.valid_y,   arguments.valid_x,   arguments.tiles_x, arguments.tiles};
    find_offsets(stream, job, grid, offsets.data());
    arguments.offsets = offsets.data();
    std::vector<Product> products;
    for (const ConvolvePart& part : parts)
      products.push_back({static_cast<const LinesConvolver*>(part.convolver), part.job, part.job.out,
                          part.job.out_pitch, !part.job.interpolate});
    for (std::size_t done = 0; done < products.size(); done += LineFan::kMost)
      convolve(stream, arguments,
               std::span(products).subspan(done, std::min<std::size_t>(LineFan::kMost, products.size() - done)));
    for (const ConvolvePart& part : parts)
      if (part.job.interpolate) static_cast<const LinesConvolver*>(part.convolver)->divide(stream, part.job);
  }

  [[nodiscard]] std::int64_t rows_together(Shape image) const override {
    return rows_of_pairs(column_.length - kernel_.ny + 1, tiles_along(image.nx, row_.length - kernel_.nx + 1));
  }

  [[nodiscard]] std::string description() const override {
    return fmt::format("FFT, rows and columns of tiles of {} x {} pixels, {} at once, {} x {} weights", row_.length,
                       column_.length, 2 * batch_, kernel_.nx, kernel_.ny);
  }

 private:
  [[nodiscard]] LineArguments common(float2* memory) const {
    LineArguments arguments;
    arguments.memory = memory;
    arguments.spectrum = spectrum_.data();
    arguments.row_roots = row_roots_.data();
    arguments.column_roots = column_roots_.data();
    return arguments;
  }

  /// The kernel in the corner of a tile, as an image of its own shape, scaled by the transforms' 1/N.
  void make_spectrum(Context& context, const Kernel& kernel) {
    const std::int32_t ny = column_.length, nx = row_.length;
    const std::int64_t pitch = pitch_of(kernel_.nx);
    const DeviceBuffer<float> weights = upload_kernel(context, kernel, 1.0 / (static_cast<double>(ny) * nx), pitch);
    const DeviceBuffer<float2> memory(spectrum_.size(), context.stream());
    LineArguments arguments = common(memory.data());
    arguments.job.in = {weights.data(), pitch, 0, kernel_.ny, kernel_.ny, kernel_.nx, false};
    arguments.job.ny = kernel_.ny;
    arguments.job.all_finite = true;
    arguments.kernel_ny = arguments.kernel_nx = 1;
    arguments.valid_y = ny;
    arguments.valid_x = nx;
    arguments.tiles_x = arguments.tiles = arguments.pairs = 1;
    row_.rows(context.stream(), arguments, ny);
    column_.columns(context.stream(), arguments, nx, spectrum_.data());
    context.wait();
  }

  /// One kernel's share of a fan.
  struct Product {
    const LinesConvolver* convolver = nullptr;
    ConvolveJob job;
    float* out = nullptr;  ///< the job's, or weights of finite pixels
    std::int64_t out_pitch = 0;
    bool count_blank = false;
  };

  /// Everything but offsets and what belongs to one kernel.
  [[nodiscard]] LineArguments arguments_of(const ConvolveJob& job) const {
    LineArguments arguments = common(nullptr);
    arguments.job = job;
    arguments.kernel_ny = static_cast<std::int32_t>(kernel_.ny);
    arguments.kernel_nx = static_cast<std::int32_t>(kernel_.nx);
    arguments.valid_y = column_.length - arguments.kernel_ny + 1;
    arguments.valid_x = row_.length - arguments.kernel_nx + 1;
    arguments.tiles_x = static_cast<std::int32_t>(tiles_along(job.in.nx, arguments.valid_x));
    arguments.tiles = static_cast<std::int32_t>(arguments.tiles_x * tiles_along(job.ny, arguments.valid_y));
    return arguments;
  }

  /// The output holds sums: divides them by the weights of finite pixels, made by a convolution of their own.
  void divide(cudaStream_t stream, const ConvolveJob& job) const {
    const std::int64_t pitch = pitch_of(job.in.nx);
    const DeviceBuffer<float> weights(job.ny * pitch, stream);
    LineArguments arguments = arguments_of(job);
    arguments.mask = true;
    const Product product{this, job, weights.data(), pitch, false};
    convolve(stream, arguments, {&product, 1});
    divide_by_weights(stream, job, weights.data(), pitch, weight_noise_);
  }

  /// Forward rows and columns of each batch, product, columns and rows back.
  void convolve(cudaStream_t stream, LineArguments arguments, std::span<const Product> products) const {
    if (products.size() > 1) return convolve_each(stream, arguments, products);
    const DeviceBuffer<float2> memory(batch_ * spectrum_.size(), stream);
    arguments.memory = memory.data();
    arguments.spectrum = products.front().convolver->spectrum_.data();
    for_each_batch(arguments, batch_, [&] {
      row_.rows(stream, arguments, column_.length);
      column_.columns(stream, arguments, row_.length, nullptr);
      rows_back(stream, arguments, products.front(), memory.data());
    });
  }

  /// The same with rows and columns forward once for all kernels. These have twice the memory of one between them: with
  /// as much as one, batches of long lines are single pairs (10 % more at 257 and 1025); with four times, 3 % less.
  void convolve_each(cudaStream_t stream, LineArguments arguments, std::span<const Product> products) const {
    const auto count = static_cast<std::int64_t>(products.size());
    const std::int64_t batch = std::clamp<std::int64_t>(2 * most_ / (count + 2), 1, batch_);
    const std::int64_t size = spectrum_.size(), ordered = std::int64_t{column_.kept} * row_.length;
    const DeviceBuffer<float2> memory((count + 1) * batch * size + (count + batch) * ordered, stream);
    LineFan fan;
    fan.kept = memory.data() + (count + 1) * batch * size;
    float2* spectra = fan.kept + batch * ordered;
    for (const Product& product : products) {
      column_.order(stream, product.convolver->spectrum_.data(), row_.length, spectra);
      fan.spectra[fan.count++] = spectra;
      fan.memory[fan.count - 1] = memory.data() + fan.count * batch * size;
      spectra += ordered;
    }
    arguments.memory = memory.data();
    for_each_batch(arguments, batch, [&] {
      row_.rows(stream, arguments, column_.length);
      column_.columns_each(stream, arguments, row_.length, fan);
      for (std::int32_t k = 0; k < fan.count; ++k) rows_back(stream, arguments, products[k], fan.memory[k]);
    });
  }

  template <typename Body>
  static void for_each_batch(LineArguments& arguments, std::int64_t batch, Body body) {
    const std::int32_t pairs = (arguments.tiles + 1) / 2, some = static_cast<std::int32_t>(batch);
    for (arguments.first = 0; arguments.first < pairs; arguments.first += some) {
      arguments.pairs = std::min(some, pairs - arguments.first);
      body();
    }
  }

  void rows_back(cudaStream_t stream, LineArguments arguments, const Product& product, float2* memory) const {
    arguments.job = product.job;
    arguments.sum = product.convolver->sum_;
    arguments.out = product.out;
    arguments.out_pitch = product.out_pitch;
    arguments.count_blank = product.count_blank;
    arguments.memory = memory;
    row_.rows_back(stream, arguments, column_.length);
  }

  Shape kernel_;
  LineVariant column_, row_;
  std::int64_t batch_ = 1, most_ = 1;
  float sum_ = 0, weight_noise_ = 0;
  DeviceBuffer<float2> row_roots_, column_roots_, spectrum_;
};

}  // namespace

VariantQuote quote_fft_lines(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  VariantQuote quote;
  const std::optional<LineChoice> choice = choose_lines(device, kernel, image);
  if (!choice) {
    quote.reason = fmt::format("a kernel of {} x {} is longer than the longest line", kernel.nx, kernel.ny);
    return quote;
  }
  const std::int64_t bytes = (choice->batch + 1) * choice->pair_bytes();
  if (choice->pairs > INT32_MAX / 4 || bytes > device.total_bytes) {
    quote.reason = fmt::format("{} pairs of tiles and {} bytes for a batch are too many", choice->pairs, bytes);
    return quote;
  }
  quote.possible = true;
  quote.cost_ms = choice->cost_ms;
  const std::int64_t rows =
      rows_of_pairs(choice->ny() - kernel.ny + 1, tiles_along(image.nx, choice->nx() - kernel.nx + 1));
  quote.workspace_bytes = bytes + together_bytes(rows, kernel, image);
  quote.reason = fmt::format("{} tiles of {} x {} pixels, {} at once", 2 * choice->pairs, choice->nx(), choice->ny(),
                             2 * choice->batch);
  return quote;
}

std::unique_ptr<Convolver> make_fft_lines(Context& context, const ConvolutionSpec& spec, Shape image) {
  const std::optional<LineChoice> choice = choose_lines(context.device(), spec.kernel.shape, image);
  if (!choice) throw InternalError("a kernel was given to lines that are shorter");
  return std::make_unique<LinesConvolver>(context, spec.kernel, *choice);
}

}  // namespace reber::cuda

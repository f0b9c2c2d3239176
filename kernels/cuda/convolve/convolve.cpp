// SPDX-License-Identifier: BSD-3-Clause
// Plans, and the walk of a convolution over a plane's bands.
#include "kernels/cuda/convolve/convolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/common/blanks.hpp"
#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/statistics/statistics.hpp"
#include "kernels/shared/fft_range.hpp"

namespace reber::cuda {
namespace {

/// How blank pixels are treated in one call.
struct BlankTreatment {
  bool interpolate = false;  ///< divide by the weight of finite pixels
  bool footprint = false;    ///< blank what a blank pixel reaches
  bool keep = false;         ///< blank stays blank
};

BlankTreatment treatment_of(const CudaPlan& plan, const CudaPlane& plane) {
  const ConvolutionSpec& spec = plan.spec();
  const bool missing = plane.blank() > 0 || spec.boundary == Boundary::blank;
  return {missing && spec.nan == NanRule::interpolate && plan.total() != 0.0f,
          missing && spec.nan == NanRule::propagate, spec.keep_blanks && plane.blank() > 0};
}

/// What an FFT's pixels are to be multiplied by.
float scale_of(const CudaPlan& plan, const CudaPlane& plane) {
  constexpr int kOrdinary = 90;  // with fewer than 2^34 pixels, halos and all, in the largest tile
  if (plan.algorithm() != Algorithm::fft || plane.shape().count() == 0) return 1;
  std::optional<float> largest = plane.largest();
  if (!largest) {
    const PlaneStatistics all = plane_statistics(plane, StatisticsParts::all, {});
    largest = static_cast<float>(all.finite > 0 ? std::max(std::abs(all.min), std::abs(all.max)) : 0);
  }
  return rules::fft_scale(*largest, plan.absolute(), kOrdinary);
}

/// One plan of a call and what becomes of it.
struct Task {
  const CudaPlan* plan = nullptr;
  bool all_finite = false;  ///< as ConvolveJob has it
  const Convolver* convolver = nullptr;
  BlankTreatment blanks;
  float scale = 1;  ///< of the pixels that the convolver gets
  std::unique_ptr<CudaPlane> result;
  DeviceBuffer<unsigned long long> blank_counts;  ///< one a band: bands on different streams fill their own
};

ConvolveJob job_of(const CudaPlane& plane, const Task& task, const Band& band, const RowWindow& in, float* out,
                   unsigned long long* blank_count) {
  const ConvolutionSpec& spec = task.plan->spec();
  ConvolveJob job;
  job.in = in;
  job.out = out;
  job.out_pitch = plane.pitch();
  job.y0 = band.y0;
  job.ny = band.ny;
  job.boundary = spec.boundary;
  job.all_finite = task.all_finite;
  job.interpolate = task.blanks.interpolate;
  job.min_weight = static_cast<float>(spec.min_weight);
  job.total = task.plan->total();
  job.blank = blank_count;
  return job;
}

void blank_band(const CudaPlane& plane, const Task& task, const Band& band, const ConvolveJob& job) {
  if (!task.blanks.footprint && !task.blanks.keep) return;
  const Range range("blanks");
  DeviceBuffer<std::uint8_t> footprint(task.blanks.footprint ? band.ny * plane.pitch() : 0, band.stream);
  if (task.blanks.footprint)
    find_footprint(band.stream, job, task.plan->spec().kernel.shape, footprint.data(), plane.pitch());
  blank_output(band.stream, job, footprint.data(), plane.pitch(), task.blanks.keep);
}

/// Tasks of one boundary and scale: their rows are held once, with the halo of the largest kernel.
void convolve_band(const CudaPlane& plane, std::span<Task* const> tasks, const Band& band, std::int64_t number) {
  std::int64_t above = 0, below = 0;
  for (const Task* task : tasks) {
    const Shape kernel = task->plan->spec().kernel.shape;
    above = std::max(above, kernel.ny - 1 - kernel.ny / 2);
    below = std::max(below, kernel.ny / 2);
  }
  const Boundary boundary = tasks.front()->plan->spec().boundary;
  const HeldRows in = hold_rows_extended(plane, band.y0, band.ny, above, below, boundary, band.stream);
  RowWindow window = in.window;
  DeviceBuffer<float> scaled;
  const float scale = tasks.front()->scale;
  if (scale != 1) {  // an extreme image
    scaled = DeviceBuffer<float>(window.rows * window.pitch, band.stream);
    scale_rows(band.stream, window, scale, scaled.data());
    window.pixels = scaled.data();
  }
  std::vector<DeviceBuffer<float>> band_out;
  std::vector<ConvolvePart> parts;
  for (const Task* task : tasks) {
    float* out = task->result->device_pixels();
    if (!plane.resident()) out = band_out.emplace_back(band.ny * plane.pitch(), band.stream).data();
    parts.push_back({task->convolver, job_of(plane, *task, band, window, out, task->blank_counts.data() + number)});
  }
  parts.front().convolver->run_each(band.stream, parts);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    parts[k].job.in = in.window;
    if (scale != 1) scale_output(band.stream, parts[k].job, 1 / scale);
    blank_band(plane, *tasks[k], band, parts[k].job);
    if (!plane.resident())
      plane.context()->stager().down_rows(band.stream, band_out[k].data(), plane.pitch(), plane.shape().nx, band.ny,
                                          tasks[k]->result->host_row(band.y0));
  }
}

/// Direct convolution by a large kernel takes minutes on a small card.
double direct_ms(const Context& context, const CudaPlane& plane, std::span<const CudaPlan* const> plans) {
  double terms = 0;
  for (const CudaPlan* plan : plans)
    if (plan->algorithm() == Algorithm::direct) terms += static_cast<double>(plan->spec().kernel.shape.count());
  return terms * static_cast<double>(plane.shape().count()) / context.device().fma_per_ms;
}

Task make_task(const CudaPlane& plane, const CudaPlan& plan, std::size_t bands) {
  Context& context = *plane.context();
  const bool all_finite = plane.blank() == 0 && plan.spec().boundary != Boundary::blank;
  Task task{&plan,
            all_finite,
            &plan.convolver(all_finite),
            treatment_of(plan, plane),
            scale_of(plan, plane),
            std::make_unique<CudaPlane>(plane.context(), plane.shape(), plane.tiling()),
            DeviceBuffer<unsigned long long>(static_cast<std::int64_t>(bands), context.stream())};
  if (bands > 0)
    check(cudaMemsetAsync(task.blank_counts.data(), 0, static_cast<std::size_t>(task.blank_counts.bytes()),
                          context.stream()),
          "cudaMemsetAsync");
  return task;
}

/// Takes the first task that is left, and those that its convolver shares work with.
std::vector<Task*> next_group(std::vector<Task*>& left) {
  std::vector<Task*> group{left.front()};
  const CudaPlan& first = *left.front()->plan;
  left.erase(left.begin());
  for (auto it = left.begin(); it != left.end();) {
    const CudaPlan& plan = *(*it)->plan;
    if (plan.spec().boundary == first.spec().boundary && (*it)->scale == group.front()->scale &&
        group.front()->convolver->shares_with(*(*it)->convolver)) {
      group.push_back(*it);
      it = left.erase(it);
    } else {
      ++it;
    }
  }
  return group;
}

}  // namespace

std::unique_ptr<ConvolutionPlan> make_plan(const std::shared_ptr<Context>& context, const ConvolutionSpec& spec,
                                           Shape shape, Algorithm algorithm) {
  if (spec.kernel.shape.count() <= 0 ||
      static_cast<std::int64_t>(spec.kernel.weights.size()) != spec.kernel.shape.count())
    throw InputError(fmt::format("a convolution kernel of {} x {} has {} weights; each element needs one",
                                 spec.kernel.shape.nx, spec.kernel.shape.ny, spec.kernel.weights.size()));
  return std::make_unique<CudaPlan>(context, spec, shape, choose_variants(context->device(), spec, shape, algorithm));
}

std::vector<std::unique_ptr<Plane>> convolve_plane(const CudaPlane& plane, std::span<const CudaPlan* const> plans,
                                                   const Job& job) {
  Context& context = *plane.context();
  const LongWork patience(direct_ms(context, plane, plans));
  const bool empty = plane.shape().count() == 0;
  const std::vector<std::int64_t> edges = empty ? std::vector<std::int64_t>{0} : band_edges(plane);
  std::vector<Task> tasks;
  for (const CudaPlan* plan : plans) tasks.push_back(make_task(plane, *plan, edges.size() - 1));
  std::vector<Task*> left;
  for (Task& task : tasks) left.push_back(&task);
  while (!left.empty() && !empty) {
    const std::vector<Task*> group = next_group(left);
    std::int64_t number = 0;
    for_each_band(context, edges, plane.resident() ? 1 : plane.tiling().streams, job, "convolve",
                  [&](const Band& band) { convolve_band(plane, group, band, number++); });
  }
  if (!plane.resident()) context.stager().drain();
  std::vector<std::unique_ptr<Plane>> results;
  for (Task& task : tasks) {
    std::vector<unsigned long long> found(edges.size() - 1);
    if (!empty) context.down(found.data(), task.blank_counts.data(), task.blank_counts.bytes(), context.stream());
    std::int64_t blank = 0;
    for (const unsigned long long count : found) blank += static_cast<std::int64_t>(count);
    task.result->set_blank(blank, 0);
    results.push_back(std::move(task.result));
  }
  return results;
}

}  // namespace reber::cuda

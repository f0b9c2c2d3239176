// SPDX-License-Identifier: BSD-3-Clause
// Plans, and the walk of a convolution over a plane's bands.
#include "kernels/cuda/convolve/convolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/common/blanks.hpp"
#include "kernels/cuda/device/load.hpp"
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
  return {missing && spec.nan == NanRule::interpolate && plan.total().total != 0.0f,
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

/// Tasks of one boundary and scale: their rows are held once, with the halo of the largest kernel. outs: where row
/// band.y0 of each task's result goes; blanks: where its blank pixels are counted.
void convolve_rows(const CudaPlane& plane, std::span<Task* const> tasks, const Band& band, std::span<float* const> outs,
                   std::span<unsigned long long* const> blanks) {
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
  std::vector<ConvolvePart> parts;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    parts.push_back({tasks[k]->convolver, job_of(plane, *tasks[k], band, window, outs[k], blanks[k])});
  parts.front().convolver->run_each(band.stream, parts);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    parts[k].job.in = in.window;
    if (scale != 1) scale_output(band.stream, parts[k].job, 1 / scale);
    blank_band(plane, *tasks[k], band, parts[k].job);
  }
}

/// The same for a plane that is kept: results go where it is. number: of the band.
void convolve_band(const CudaPlane& plane, std::span<Task* const> tasks, const Band& band, std::int64_t number) {
  std::vector<DeviceBuffer<float>> band_out;
  std::vector<float*> outs;
  std::vector<unsigned long long*> blanks;
  for (Task* task : tasks) {
    float* out = plane.resident() ? task->result->device_pixels() : nullptr;
    if (!plane.resident()) out = band_out.emplace_back(band.ny * plane.pitch(), band.stream).data();
    outs.push_back(out);
    blanks.push_back(task->blank_counts.data() + number);
  }
  convolve_rows(plane, tasks, band, outs, blanks);
  if (plane.resident()) return;
  for (std::size_t k = 0; k < tasks.size(); ++k)
    plane.context()->stager().down_rows(band.stream, outs[k], plane.pitch(), plane.shape().nx, band.ny,
                                        tasks[k]->result->host_row(band.y0));
}

/// Direct convolution by a large kernel takes minutes on a small card.
double direct_ms(const Context& context, const CudaPlane& plane, std::span<const CudaPlan* const> plans) {
  double terms = 0;
  for (const CudaPlan* plan : plans)
    if (plan->algorithm() == Algorithm::direct) terms += static_cast<double>(plan->spec().kernel.shape.count());
  return terms * static_cast<double>(plane.shape().count()) / context.device().fma_per_ms;
}

/// result: of a plane that is kept
Task make_task(const CudaPlane& plane, const CudaPlan& plan, std::size_t bands, std::unique_ptr<CudaPlane> result) {
  Context& context = *plane.context();
  const bool all_finite = plane.blank() == 0 && plan.spec().boundary != Boundary::blank;
  Task task{&plan,
            all_finite,
            &plan.convolver(all_finite),
            treatment_of(plan, plane),
            scale_of(plan, plane),
            std::move(result),
            DeviceBuffer<unsigned long long>(static_cast<std::int64_t>(bands), context.stream())};
  if (bands > 0)
    check(cudaMemsetAsync(task.blank_counts.data(), 0, static_cast<std::size_t>(task.blank_counts.bytes()),
                          context.stream()),
          "cudaMemsetAsync");
  return task;
}

/// Rows of a plane that is convolved when they are asked for. Rows whose bits depend on where a job begins are made
/// in groups that stand where they stand in the whole image, the last one of which is kept.
class ConvolvedRows final : public RowMaker {
 public:
  ConvolvedRows(const CudaPlane& plane, const CudaPlan& plan)
      : RowMaker(plane.context(), plane.shape(), plane.tiling()),
        plane_(plane),
        plan_(plan),
        task_(make_task(plane_, plan_, 1, nullptr)),
        together_(task_.convolver->rows_together(plane.shape())) {}

 private:
  void do_make(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream, unsigned long long* counts) override {
    if (together_ == 1) {
      convolve(y0, ny, out, stream);
    } else {
      copy_groups(y0, ny, out, stream);
    }
    count_blank(stream, out, ny, shape().nx, plane_.pitch(), counts);
  }

  void convolve(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream) {
    Task* const task = &task_;
    unsigned long long* const nobody = task_.blank_counts.data();
    convolve_rows(plane_, {&task, 1}, {y0, ny, stream}, {&out, 1}, {&nobody, 1});
  }

  /// One stream after the other: each may read the group that another one's rows were made into.
  void copy_groups(std::int64_t y0, std::int64_t ny, float* out, cudaStream_t stream) {
    const std::int64_t pitch = plane_.pitch(), end = y0 + ny;
    if (group_.size() == 0) {
      group_ = DeviceBuffer<float>(std::min(together_, shape().ny) * pitch, context()->stream());
      last_.record(context()->stream());
    }
    check(cudaStreamWaitEvent(stream, last_.get(), 0), "cudaStreamWaitEvent");
    for (std::int64_t y = y0; y < end;) {
      const std::int64_t first = y / together_ * together_, last = std::min(first + together_, shape().ny);
      if (first != held_) {
        held_ = -1;
        convolve(first, last - first, group_.data(), stream);
        held_ = first;
      }
      const std::int64_t rows = std::min(last, end) - y;
      const auto row_bytes = static_cast<std::size_t>(pitch) * sizeof(float);
      check(cudaMemcpy2DAsync(out + (y - y0) * pitch, row_bytes, group_.data() + (y - first) * pitch, row_bytes,
                              static_cast<std::size_t>(shape().nx) * sizeof(float), static_cast<std::size_t>(rows),
                              cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpy2DAsync");
      y += rows;
    }
    last_.record(stream);
  }

  CudaPlane plane_;
  CudaPlan plan_;
  Task task_;
  std::int64_t together_, held_ = -1;  ///< held_: first row of the group that is there
  DeviceBuffer<float> group_;
  Event last_;
};

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

/// Of a plane whose rows are made when they are asked for; how its blank pixels are treated must be known now.
std::vector<std::unique_ptr<Plane>> convolve_later(const CudaPlane& plane, std::span<const CudaPlan* const> plans,
                                                   const Job& job) {
  plane.maker()->count(job);
  std::vector<std::unique_ptr<Plane>> results;
  for (const CudaPlan* plan : plans)
    results.push_back(std::make_unique<CudaPlane>(std::make_shared<ConvolvedRows>(plane, *plan)));
  return results;
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
  if (plane.maker()) return convolve_later(plane, plans, job);
  Context& context = *plane.context();
  const LongWork patience(direct_ms(context, plane, plans));
  const bool empty = plane.shape().count() == 0;
  const std::vector<std::int64_t> edges = empty ? std::vector<std::int64_t>{0} : band_edges(plane);
  std::vector<Task> tasks;
  for (const CudaPlan* plan : plans)
    tasks.push_back(make_task(plane, *plan, edges.size() - 1,
                              std::make_unique<CudaPlane>(plane.context(), plane.shape(), plane.tiling())));
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

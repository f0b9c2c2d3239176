// SPDX-License-Identifier: BSD-3-Clause
// Uploads a background model.
#include "kernels/cuda/device/background.hpp"

#include <cstring>
#include <vector>

namespace reber::cuda {

/// A model's nodes and axis tables on the device, end to end, and what they were made from.
struct UploadedBackground {
  MeshGrid grid;
  std::vector<float> mean, rms;
  DeviceBuffer<std::uint32_t> words;

  [[nodiscard]] bool holds(const BackgroundModel& model) const {
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    };
    return grid.image == model.grid.image && grid.rows == model.grid.rows && grid.cols == model.grid.cols &&
           same(mean, model.mean) && same(rms, model.rms);
  }
};

namespace {

template <class T>
void append(std::vector<std::uint32_t>& words, const std::vector<T>& values) {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  const std::size_t at = words.size();
  words.resize(at + values.size());
  std::memcpy(words.data() + at, values.data(), values.size() * sizeof(T));
}

std::shared_ptr<const UploadedBackground> upload(Context& context, const BackgroundModel& model) {
  const Shape image = model.grid.image;
  const MeshAxis rows = mesh_axis(model.grid.rows, image.ny), cols = mesh_axis(model.grid.cols, image.nx);
  std::vector<std::uint32_t> words;
  append(words, model.mean);
  append(words, model.rms);
  append(words, rows.node);
  append(words, rows.weight);
  append(words, cols.node);
  append(words, cols.weight);
  return std::make_shared<UploadedBackground>(
      UploadedBackground{model.grid, model.mean, model.rms, upload_vector(context, words, context.stream())});
}

/// Nodes stand at the centres of the spans.
bool are_wide(const std::vector<PixelSpan>& spans) {
  for (std::size_t k = 1; k < spans.size(); ++k)
    if (spans[k].begin + spans[k].end - spans[k - 1].begin - spans[k - 1].end < 2 * kWideCell) return false;
  return true;
}

}  // namespace

DeviceBackground::DeviceBackground(Context& context, const CudaBackground& background)
    : mean_map_(background.mean_map), rms_map_(background.rms_map) {
  const BackgroundModel& model = background.model;
  const Shape image = background.image();
  // Operations that follow each other mostly use the same background.
  const auto uploaded = context.background.get(model, [&] { return upload(context, model); });
  const std::uint32_t* next = uploaded->words.data();
  const auto take = [&next]<class T>(const T*& pointer, std::int64_t count) {
    pointer = reinterpret_cast<const T*>(next);
    next += count;
  };
  const auto cells = static_cast<std::int64_t>(model.mean.size());
  take(view_.mean_nodes, cells);
  take(view_.rms_nodes, cells);
  take(view_.row_node, image.ny);
  take(view_.row_weight, image.ny);
  take(view_.col_node, image.nx);
  take(view_.col_weight, image.nx);
  view_.gny = static_cast<std::int32_t>(model.grid.ny());
  view_.gnx = static_cast<std::int32_t>(model.grid.nx());
  view_.constant = cells == 1 && !model.mean_map && !model.rms_map;
  if (view_.constant) {
    view_.constant_mean = model.mean.front();
    view_.constant_rms = model.rms.front();
  }
  view_.wide_cells = !model.mean_map && !model.rms_map && are_wide(model.grid.cols);
  nodes_ = uploaded;
}

DeviceBackground::Rows DeviceBackground::hold(std::int64_t y0, std::int64_t ny, cudaStream_t stream) const {
  Rows rows{view_, {}, {}};
  if (mean_map_ != nullptr) {
    rows.mean_map = hold_rows(*mean_map_, y0, ny, stream);
    rows.view.mean_map = rows.mean_map.window;
  }
  if (rms_map_ != nullptr) {
    rows.rms_map = hold_rows(*rms_map_, y0, ny, stream);
    rows.view.rms_map = rows.rms_map.window;
  }
  return rows;
}

}  // namespace reber::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Uploads a background model.
#include "kernels/cuda/device/device_background.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace reber::cuda {

namespace {

/// Bytes that one thread copies or compares at a time.
constexpr std::int64_t kChunk = 1 << 20;

/// Calls body(begin, count) for chunks of bytes, by all threads.
template <class Body>
void for_chunks(Context& context, std::int64_t bytes, const Body& body) {
  const std::int64_t chunks = (bytes + kChunk - 1) / kChunk;
  const auto one = [&](std::int64_t k) { body(k * kChunk, std::min(kChunk, bytes - k * kChunk)); };
  if (chunks > 1) return context.threads().for_each(chunks, one);
  for (std::int64_t k = 0; k < chunks; ++k) one(k);
}

/// The values of nodes as they were. Large models have millions: all threads copy them and compare.
class NodeCopy {
 public:
  NodeCopy(Context& context, const std::vector<float>& values)
      : bytes_(bytes_of(values)), memory_(std::make_unique_for_overwrite<std::byte[]>(values.size() * sizeof(float))) {
    const auto* const from = reinterpret_cast<const std::byte*>(values.data());
    for_chunks(context, bytes_, [&](std::int64_t begin, std::int64_t count) {
      std::memcpy(memory_.get() + begin, from + begin, static_cast<std::size_t>(count));
    });
  }

  [[nodiscard]] bool equals(Context& context, const std::vector<float>& values) const {
    if (bytes_of(values) != bytes_) return false;
    const auto* const other = reinterpret_cast<const std::byte*>(values.data());
    std::atomic<bool> same = true;
    for_chunks(context, bytes_, [&](std::int64_t begin, std::int64_t count) {
      if (same && std::memcmp(memory_.get() + begin, other + begin, static_cast<std::size_t>(count)) != 0) same = false;
    });
    return same;
  }

 private:
  static std::int64_t bytes_of(const std::vector<float>& values) {
    return std::ssize(values) * static_cast<std::int64_t>(sizeof(float));
  }

  std::int64_t bytes_;
  std::unique_ptr<std::byte[]> memory_;
};

struct Key {
  Context& context;
  const BackgroundModel& model;
};

}  // namespace

/// A model's nodes and axis tables on the device, end to end, and what they were made from.
struct UploadedBackground {
  MeshGrid grid;
  NodeCopy mean, rms;
  DeviceBuffer<std::uint32_t> words;

  [[nodiscard]] bool holds(const Key& key) const {
    const MeshGrid& other = key.model.grid;
    return grid.image == other.image && grid.rows == other.rows && grid.cols == other.cols &&
           mean.equals(key.context, key.model.mean) && rms.equals(key.context, key.model.rms);
  }
  [[nodiscard]] std::int64_t bytes() const { return words.bytes(); }
};

namespace {

std::shared_ptr<const UploadedBackground> upload(const Key& key) {
  Context& context = key.context;
  const BackgroundModel& model = key.model;
  const Shape image = model.grid.image;
  const MeshAxis rows = mesh_axis(model.grid.rows, image.ny), cols = mesh_axis(model.grid.cols, image.nx);
  DeviceBuffer<std::uint32_t> words(2 * std::ssize(model.mean) + 2 * (image.ny + image.nx), context.stream());
  const auto for_parts = [&](const auto& body) {
    body(model.mean);
    body(model.rms);
    body(rows.node);
    body(rows.weight);
    body(cols.node);
    body(cols.weight);
  };
  std::int64_t at = 0;
  if (words.bytes() <= kChunk) {  // few: one copy
    std::vector<std::uint32_t> together(static_cast<std::size_t>(words.size()));
    for_parts([&](const auto& values) {
      std::memcpy(together.data() + at, values.data(), values.size() * sizeof(std::uint32_t));
      at += std::ssize(values);
    });
    context.up(words.data(), together.data(), words.bytes(), context.stream());
  } else {
    for_parts([&](const auto& values) {
      context.up(words.data() + at, values.data(), std::ssize(values) * std::int64_t{sizeof(std::uint32_t)},
                 context.stream());
      at += std::ssize(values);
    });
  }
  return std::make_shared<UploadedBackground>(
      UploadedBackground{model.grid, NodeCopy(context, model.mean), NodeCopy(context, model.rms), std::move(words)});
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
  // Operations that follow each other mostly use the same backgrounds.
  const Key key{context, model};
  const auto uploaded = context.background.get(key, [&] { return upload(key); });
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

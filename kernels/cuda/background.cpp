// SPDX-License-Identifier: BSD-3-Clause
// Uploads a background model.
#include "kernels/cuda/background.hpp"

#include "core/base/error.hpp"

namespace reber::cuda {
namespace {

const CudaPlane* map_of(const std::shared_ptr<const Plane>& map, const Context& context, Shape image) {
  if (!map) return nullptr;
  const CudaPlane& own = own_plane(*map, context);
  if (!(own.shape() == image)) throw InternalError("cuda backend: a background map is not of the image's size");
  return &own;
}

}  // namespace

DeviceBackground::DeviceBackground(Context& context, const BackgroundModel& model, Shape image)
    : mean_map_(map_of(model.mean_map, context, image)), rms_map_(map_of(model.rms_map, context, image)) {
  if (!(model.grid.image == image)) throw InternalError("cuda backend: the background is not of the image's size");
  const MeshAxis rows = mesh_axis(model.grid.rows, image.ny), cols = mesh_axis(model.grid.cols, image.nx);
  const cudaStream_t stream = context.stream();
  mean_nodes_ = upload_vector(context, model.mean, stream);
  rms_nodes_ = upload_vector(context, model.rms, stream);
  row_node_ = upload_vector(context, rows.node, stream);
  row_weight_ = upload_vector(context, rows.weight, stream);
  col_node_ = upload_vector(context, cols.node, stream);
  col_weight_ = upload_vector(context, cols.weight, stream);
  view_.mean_nodes = mean_nodes_.data();
  view_.rms_nodes = rms_nodes_.data();
  view_.gny = static_cast<std::int32_t>(model.grid.ny());
  view_.gnx = static_cast<std::int32_t>(model.grid.nx());
  view_.row_node = row_node_.data();
  view_.row_weight = row_weight_.data();
  view_.col_node = col_node_.data();
  view_.col_weight = col_weight_.data();
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

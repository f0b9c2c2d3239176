// SPDX-License-Identifier: BSD-3-Clause
// Images that are made a rectangle at a time, of others that are made so, and what is written of them.
#pragma once

#include <functional>
#include <memory>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// An operation: it knows the shape and the header of what it makes, and makes any rectangle of it. What it reads for
/// that is its own business: a rectangle of each input, never the whole of one.
class FlowNode {
 public:
  virtual ~FlowNode() = default;
  [[nodiscard]] virtual const ImageHeader& header() const = 0;
  [[nodiscard]] Shape shape() const { return header().shape; }
  /// Fills out with a rectangle of the image, its rows without gaps, NaN where it is blank. The same bits however the
  /// image is divided. Called by one thread at a time; a node works with threads of its own.
  ///   throws what reading and computing throw; Cancelled
  virtual void render(const Rect& where, float* out, const Progress& progress) = 0;
};

/// The node's rows for a writer, which walks over them in bands: memory holds two bands.
[[nodiscard]] inline FloatRows rows_of(FlowNode& node, const Progress& progress) {
  return [&node, progress](std::int64_t y0, std::int64_t ny, float* out) {
    node.render({y0, 0, ny, node.shape().nx}, out, progress);
  };
}

}  // namespace reber

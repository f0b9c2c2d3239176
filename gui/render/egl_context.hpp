// SPDX-License-Identifier: BSD-3-Clause
// OpenGL without a display.
#pragma once

namespace reber::gui {

/// A current context of OpenGL that has no window: of a graphics card whose driver offers EGL, else of Mesa on the
/// processor. Nothing can be drawn into but targets of one's own.
class EglContext {
 public:
  /// throws DeviceError where there is neither
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace reber::gui

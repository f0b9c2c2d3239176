// SPDX-License-Identifier: BSD-3-Clause
// What the module offers to whoever opens it.
#pragma once

#include "core/show/picture/canvas.hpp"

extern "C" const reber::Drawing* reber_drawing();

// SPDX-License-Identifier: BSD-3-Clause
// What the module offers to whoever opens it.
#pragma once

#include "core/studies/judge.hpp"

extern "C" const reber::Judge* reber_judge();

// SPDX-License-Identifier: BSD-3-Clause
// What the module offers to whoever opens it.
#pragma once

#include "core/files/foreign/foreign_reader.hpp"

extern "C" const reber::ForeignReader* reber_reader();

// SPDX-License-Identifier: BSD-3-Clause
// The cpu backend, with others.
#include "kernels/shared_backend.hpp"

#include <utility>

#include "kernels/cpu/backend.hpp"

namespace reber {

std::unique_ptr<Backend> make_shared_backend(const BackendOptions& options, std::shared_ptr<Exchange> others) {
  return cpu::make_shared(options, std::move(others));
}

}  // namespace reber

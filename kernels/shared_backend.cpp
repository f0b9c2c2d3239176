// SPDX-License-Identifier: BSD-3-Clause
// Bands of an image, of which other processes do some.
#include "kernels/shared_backend.hpp"

#include <utility>

#include "kernels/backends.hpp"
#include "kernels/banded/backend.hpp"

namespace reber {

std::unique_ptr<Backend> make_shared_backend(const std::string& name, const BackendOptions& options,
                                             std::shared_ptr<Exchange> others, const LogSink& log) {
  return banded::make_shared(make_backend(name, options, log), std::move(others), log);
}

}  // namespace reber

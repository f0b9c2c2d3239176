// SPDX-License-Identifier: BSD-3-Clause
// A list of backends of cards, each given to one run at a time.
#include "python/module/kept_backends.hpp"

#include <mutex>
#include <tuple>
#include <vector>

#include "kernels/backends.hpp"

namespace reber::python {
namespace {

constexpr std::size_t kMostKept = 4;

struct Kept {
  BackendOptions with;
  std::shared_ptr<Backend> backend;
};

struct Shelf {
  std::mutex mutex;
  std::vector<Kept> kept;
};

// Never destroyed: the card's driver may be gone by then.
Shelf& shelf() {
  static auto* const all = new Shelf;
  return *all;
}

auto key(const BackendOptions& with) {
  return std::tie(with.device, with.threads, with.device_memory_bytes, with.in_place_of);
}

}  // namespace

std::shared_ptr<Backend> kept_backend(const std::string& name, const BackendOptions& with) {
  if (name == "auto" || name == "cuda") {
    const std::lock_guard lock(shelf().mutex);
    for (const Kept& one : shelf().kept)
      if (one.backend.use_count() == 1 && key(one.with) == key(with)) return one.backend;
  }
  std::shared_ptr<Backend> backend = make_backend(name, with, LogSink());
  if (backend->info().name == "cuda") {
    const std::lock_guard lock(shelf().mutex);
    if (shelf().kept.size() < kMostKept) shelf().kept.push_back({with, backend});
  }
  return backend;
}

void forget_backend(const std::shared_ptr<Backend>& backend) {
  const std::lock_guard lock(shelf().mutex);
  std::erase_if(shelf().kept, [&](const Kept& one) { return one.backend == backend; });
}

}  // namespace reber::python

// SPDX-License-Identifier: BSD-3-Clause
// The table itself, and the choice by name. Explicit: a linker drops self-registering objects of a static library.
#include "kernels/backends.hpp"

#include <fmt/format.h>
#ifndef REBER_HAVE_CUDA
#include <unistd.h>
#endif

#include <array>

#include "core/base/trace.hpp"
#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/fit.hpp"
#include "kernels/cpu/machine_probe.hpp"
#include "kernels/reference/backend.hpp"
#ifdef REBER_HAVE_CUDA
#include "kernels/cuda/availability.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/machine_probe.hpp"
#endif

namespace reber {
namespace {

/// The reference computes on one thread.
std::unique_ptr<MachineProbe> make_reference_probe(const BackendOptions& options) {
  BackendOptions one = options;
  one.threads = 1;
  return cpu::make_probe(one);
}

#ifdef REBER_HAVE_CUDA
/// The card's fits are shared with the host where its processor has what they need.
std::unique_ptr<Backend> make_cuda(const BackendOptions& options) {
  return cuda::make(options, cpu::unavailable(options).empty() ? cpu::fit_some : nullptr);
}
#endif

const std::array kTable{
#ifdef REBER_HAVE_CUDA
    BackendEntry{"cuda", "one NVIDIA GPU", cuda::unavailable, make_cuda, cuda::make_probe, cuda::describe},
#endif
    BackendEntry{"cpu", "threads and SIMD on the host", cpu::unavailable, cpu::make, cpu::make_probe, nullptr},
    BackendEntry{"reference", "double precision, plain and slow: the oracle", reference::unavailable, reference::make,
                 make_reference_probe, nullptr},
};

}  // namespace

std::span<const BackendEntry> backend_table() { return kTable; }

std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options, const LogSink& log) {
  const trace::Span span("host", "open a backend");
#ifndef REBER_HAVE_CUDA
  if (name == "auto" && access("/dev/nvidiactl", F_OK) == 0)
    log.warning("there is a card here, but this build has no CUDA; configure with REBER_CUDA=ON (./dev build --cuda)");
#endif
  std::string names = "auto";
  for (const BackendEntry& entry : kTable) {
    names += fmt::format(", {}", entry.name);
    if (name != "auto" && name != entry.name) continue;
    const std::string reason = entry.unavailable(options);
    if (reason.empty()) {
      auto backend = entry.make(options);
      log.detail(fmt::format("computing on {}: {}", entry.name, backend->info().device));
      return backend;
    }
    if (name != "auto") throw DeviceError(fmt::format("backend '{}' cannot run here: {}", name, reason));
    log.detail(fmt::format("not computing on {}: {}", entry.name, reason));
  }
#ifndef REBER_HAVE_CUDA
  if (name == "cuda")
    throw DeviceError("backend 'cuda' is not in this build; configure with REBER_CUDA=ON on a machine with nvcc");
#endif
  throw InputError(fmt::format("unknown backend '{}'; expected one of {}", name, names));
}

}  // namespace reber

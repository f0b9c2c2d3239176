// SPDX-License-Identifier: BSD-3-Clause
// The table itself, and the choice by name. Explicit: a linker drops self-registering objects of a static library.
#include "kernels/backends.hpp"

#include <fmt/format.h>
#ifndef REBER_HAVE_CUDA
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <future>
#include <string_view>
#include <utility>

#include "core/base/environment.hpp"
#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
#include "kernels/banded/backend.hpp"
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

/// One of a kind for each of these, which share the threads.
std::vector<BackendOptions> shares_of(const BackendOptions& options, const std::vector<CardNumber>& cards) {
  const int threads = options.threads > 0 ? options.threads : usable_threads();
  std::vector<BackendOptions> shares;
  for (const CardNumber& card : cards) {
    shares.push_back(options);
    shares.back().device = card.device;
    shares.back().hidden_cards = card.hidden;
    shares.back().cards.clear();
    shares.back().threads = std::max(threads / static_cast<int>(cards.size()), 1);
  }
  return shares;
}

/// The cards that are to share every image; fewer than two: one backend by itself.
std::vector<CardNumber> cards_of(const BackendEntry& entry, const BackendOptions& options) {
  if (std::string_view(entry.name) == "cuda") return options.cards;
  const char* const parts = environment(Variable::cpu_parts);
  if (std::string_view(entry.name) != "cpu" || parts == nullptr) return {};
  return std::vector<CardNumber>(static_cast<std::size_t>(std::max(std::atoi(parts), 0)));
}

/// Of a row of the table; several that share every image where the options name them.
std::unique_ptr<Backend> make_one(const BackendEntry& entry, const BackendOptions& options, const LogSink& log) {
  const std::vector<CardNumber> cards = cards_of(entry, options);
  if (cards.size() < 2) return entry.make(options);
  std::vector<std::future<std::unique_ptr<Backend>>> coming;  // while one card starts the host gets ready for others
  for (const BackendOptions& share : shares_of(options, cards))
    coming.push_back(run_beside([&entry, share] {
      if (const std::string reason = entry.unavailable(share); !reason.empty()) throw DeviceError(reason);
      return entry.make(share);
    }));
  std::vector<std::unique_ptr<Backend>> members;
  for (auto& one : coming) {
    try {
      members.push_back(one.get());
    } catch (const DeviceError& error) {
      log.warning(fmt::format("the other cards do without one: {}", error.what()));
    }
  }
  if (members.empty()) return entry.make(options);
  if (members.size() == 1) return std::move(members.front());
  std::vector<banded::Ability> abilities = banded::abilities_of(members);
  return banded::make(std::move(members), std::move(abilities), log);
}

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
      auto backend = make_one(entry, options, log);
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

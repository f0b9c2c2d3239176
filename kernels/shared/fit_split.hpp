// SPDX-License-Identifier: BSD-3-Clause
// Which problems of a batch a card solves and which the host's threads solve meanwhile: a thread of a processor is the
// sooner done with one problem, a card with many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/seam/compute/gaussian_fit.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// Problems of a batch solved on the host's threads, with the bits that a card gives. results.problems[k] is that of
/// which[k], and components follow each other. They are of another backend's kernels: whoever makes the backend of a
/// card hands them to it.   batch: as check_batch() lets pass;   throws Cancelled
using HostFits = FitResults (*)(const FitBatch& batch, std::span<const std::int32_t> which, ThreadPool& threads,
                                const Job& job);

/// Who solves: as the costs say; the card alone; the host alone; every second problem each. All but the first are for
/// tests.
enum class FitPlaces { by_cost, card, host, both };

/// What the costs are of.
struct FitMachine {
  int threads = 1;                       ///< of the host
  int multiprocessors = 1;               ///< of the card
  std::int64_t shared_bytes_per_sm = 1;  ///< of a multiprocessor
  double card_start_ms = 0;              ///< before the card begins and after it ends
};

/// Predicted time of a problem, of one thread of a processor and of one block of a card; and the part of a
/// multiprocessor that the block takes.
struct FitCost {
  double host_ms, card_ms, part;
};
[[nodiscard]] FitCost fit_cost(const FitBatch& batch, const FitProblem& problem, const FitMachine& machine);

/// Numbers of problems: the host's from the longest to the shortest, the card's in order.
struct FitShares {
  std::vector<std::int32_t> host, card;
};

/// The host takes the longest problems, as many as make the later of both ends the earliest.
///   pool: by which the costs are told
[[nodiscard]] FitShares share_fits(const FitBatch& batch, const FitMachine& machine, FitPlaces places,
                                   ThreadPool& pool);

/// Puts the results of the host's share in their places among those of the whole batch.
void put_results(const FitBatch& batch, std::span<const std::int32_t> which, const FitResults& from, FitResults& to);

}  // namespace reber

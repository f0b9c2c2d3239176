// SPDX-License-Identifier: BSD-3-Clause
// From the card to less of it, and to the processor.
#include "app/options/backend_choice.hpp"

#include <fmt/format.h>

#include "app/options/lost_card.hpp"
#include "kernels/backends.hpp"

namespace reber::app {

BackendChoice::BackendChoice(const CommonOptions& options, Terminal& terminal)
    : options_(options), terminal_(terminal), wanted_(backend_options(options)) {
  try {
    if (const char* const words = card_lost_before();
        words != nullptr && (options.backend == "auto" || options.backend == "cuda"))
      throw CardError(CardError::Kind::broken, words);
    take(reber::make_backend(options.backend, wanted_, terminal_.log()));
    memory_bytes_ = info_.device_memory_bytes;
  } catch (const CardError& failure) {
    if (!next(failure)) throw;
  }
}

void BackendChoice::take(std::unique_ptr<Backend> backend) {
  info_ = backend->info();
  backend_ = std::move(backend);
}

bool BackendChoice::next(const CardError& failure) {
  if (options_.backend != "auto") return false;
  terminal_.clear_progress();
  backend_.reset();
  if (failure.kind == CardError::Kind::memory && memory_bytes_ > 1 && !halved_) {
    halved_ = true;
    wanted_.device_memory_bytes = memory_bytes_ / 2;
    terminal_.log().warning(
        fmt::format("the card lacked memory and works again in {} bytes: {}", memory_bytes_ / 2, failure.what()));
    try {
      take(reber::make_backend("cuda", wanted_, terminal_.log()));
      return true;
    } catch (const DeviceError&) {
      // The processor is left.
    }
  }
  terminal_.log().warning(fmt::format("the card failed, and the processor takes its place: {}", failure.what()));
  wanted_.in_place_of = fmt::format("the card, which failed: {}", failure.what());
  take(reber::make_backend("cpu", wanted_, terminal_.log()));
  return true;
}

}  // namespace reber::app

// SPDX-License-Identifier: BSD-3-Clause
// From the card to less of it, and to the processor.
#include "app/options/backend_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/options/lost_card.hpp"
#include "app/options/spread.hpp"
#include "core/base/thread_budget.hpp"
#include "kernels/backends.hpp"

namespace reber::app {
namespace {

constexpr std::uintmax_t kUnknownBytes = std::uintmax_t{1} << 40;
constexpr std::uintmax_t kMostPacked = 4;  // pixels' bytes over those of a compressed file

bool is_packed(const std::filesystem::path& path) {
  const auto ending = path.extension();
  return ending == ".fz" || ending == ".gz" || ending == ".bz2";
}

}  // namespace

std::uintmax_t pixel_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? kUnknownBytes : is_packed(path) ? kMostPacked * bytes : bytes;
}

CommonOptions for_images(CommonOptions options, std::uintmax_t bytes) {
  if (options.backend != "auto" || options.device_named || !options.devices.empty() || !options.device_memory.empty())
    return options;
  const int threads = options.threads > 0 ? options.threads : usable_threads();
  if (bytes <= bytes_of_processor(threads)) options.backend = "cpu";
  return options;
}

BackendChoice::BackendChoice(const CommonOptions& options, Terminal& terminal)
    : BackendChoice(options, terminal, reber::make_backend) {}

BackendChoice::BackendChoice(const CommonOptions& options, Terminal& terminal, BackendOpener open)
    : options_(options), terminal_(terminal), open_(std::move(open)), wanted_(backend_options(options)) {
  try {
    if (const char* const words = card_lost_before();
        words != nullptr && (options.backend == "auto" || options.backend == "cuda"))
      throw CardError(CardError::Kind::broken, words);
    take(open_(options.backend, wanted_, terminal_.log()));
    memory_bytes_ = info_.device_memory_bytes;
  } catch (const CardError& failure) {
    if (!next(failure)) throw;
  }
}

void BackendChoice::take(std::unique_ptr<Backend> backend) {
  info_ = backend->info();
  backend_ = std::move(backend);
}

bool BackendChoice::without_the_card(const CardError& failure) {
  if (failure.kind == CardError::Kind::memory || wanted_.cards.size() < 2 || fewer_) return false;
  fewer_ = true;
  terminal_.clear_progress();
  backend_.reset();
  terminal_.log().warning(fmt::format("a card failed, and the work begins again on the others: {}", failure.what()));
  try {
    take(open_("cuda", wanted_, terminal_.log()));
    return true;
  } catch (const DeviceError&) {
    return false;  // none is left
  }
}

bool BackendChoice::next(const CardError& failure) {
  if (without_the_card(failure)) return true;
  if (options_.backend != "auto") return false;
  terminal_.clear_progress();
  backend_.reset();
  if (failure.kind == CardError::Kind::memory && memory_bytes_ > 1 && !halved_) {
    halved_ = true;
    wanted_.device_memory_bytes =
        memory_bytes_ / 2 / static_cast<std::int64_t>(std::max<std::size_t>(wanted_.cards.size(), 1));
    terminal_.log().warning(
        fmt::format("the card lacked memory and works again in {} bytes: {}", memory_bytes_ / 2, failure.what()));
    try {
      take(open_("cuda", wanted_, terminal_.log()));
      return true;
    } catch (const DeviceError&) {
      // The processor is left.
    }
  }
  terminal_.log().warning(fmt::format("the card failed, and the processor takes its place: {}", failure.what()));
  wanted_.in_place_of = fmt::format("the card, which failed: {}", failure.what());
  take(open_("cpu", wanted_, terminal_.log()));
  return true;
}

}  // namespace reber::app

// SPDX-License-Identifier: BSD-3-Clause
// The backend that a command computes on, and what follows where its card fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/options/common_options.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/backend_options.hpp"
#include "core/seam/compute/card_error.hpp"

namespace reber::app {

/// Bytes of the pixels of an image's file, about; more than any where it cannot be looked at.
[[nodiscard]] std::uintmax_t pixel_bytes(const std::string& path);

/// Of these options those for images of so many bytes altogether: where --backend is auto and neither --device nor
/// --device-memory asks for a card, the processor, if they are done there before a card has started
/// (docs/performance.md).
[[nodiscard]] CommonOptions for_images(CommonOptions options, std::uintmax_t bytes);

/// Opens a backend, as make_backend() does (kernels/backends.hpp).   throws InputError, DeviceError
using BackendOpener =
    std::function<std::unique_ptr<Backend>(const std::string& name, const BackendOptions& options, const LogSink& log)>;

/// The backend asked for; after a failure of the card the next one that may do the same work.
class BackendChoice {
 public:
  ///   throws InputError, DeviceError
  BackendChoice(const CommonOptions& options, Terminal& terminal);
  /// The same of backends that are opened otherwise.
  BackendChoice(const CommonOptions& options, Terminal& terminal, BackendOpener open);

  [[nodiscard]] const std::shared_ptr<Backend>& backend() const { return backend_; }
  /// Of the backend, as it was when it was made: asks no card, which may fail by now.
  [[nodiscard]] const BackendInfo& info() const { return info_; }

  /// After a card's failure: the others, where several cards share the image. Else, and only where --backend is auto,
  /// the card in half of its memory where it lacked some, or the processor. Says so in a warning, and on the processor
  /// in every header (the backend's words). False: no other backend may take over.   throws as the constructor
  [[nodiscard]] bool next(const CardError& failure);
  /// The backend after next(); null where none may take over.
  [[nodiscard]] std::shared_ptr<Backend> in_place(const CardError& failure) {
    return next(failure) ? backend_ : nullptr;
  }

 private:
  void take(std::unique_ptr<Backend> backend);
  /// Of several cards those that still run, once, under --backend cuda as well.
  [[nodiscard]] bool without_the_card(const CardError& failure);

  const CommonOptions& options_;
  Terminal& terminal_;
  BackendOpener open_;
  BackendOptions wanted_;
  std::shared_ptr<Backend> backend_;
  BackendInfo info_;
  std::int64_t memory_bytes_ = 0;  ///< of the card, before anything lay in it
  bool halved_ = false, fewer_ = false;
};

/// What work(backend) gives. It is called again on the next backend where a card fails, so it must begin anew.
template <class Work>
auto on_backend(BackendChoice& choice, Work work) {
  while (true) {
    try {
      return work(choice.backend());
    } catch (const CardError& failure) {
      if (!choice.next(failure)) throw;
    }
  }
}
template <class Work>
auto on_backend(const CommonOptions& options, Terminal& terminal, Work work) {
  BackendChoice choice(options, terminal);
  return on_backend(choice, std::move(work));
}

}  // namespace reber::app

// SPDX-License-Identifier: BSD-3-Clause
// Backends whose operations without a Progress take long enough to be stopped.
#pragma once

#include "core/base/progress.hpp"
#include "core/compute/backend.hpp"

namespace reber {

/// Implemented beside Backend where it pays: on a card each operation takes milliseconds, on processors up to seconds.
class Stoppable {
 public:
  virtual ~Stoppable() = default;
  /// From here on every operation asks this one whether to stop, and throws Cancelled then; a default-made one ends
  /// that.
  virtual void heed(const Progress& progress) = 0;
};

/// Lets a backend heed a Progress as long as this object lives; one that is not Stoppable goes on as it is.
class Heeding {
 public:
  Heeding(Backend& backend, const Progress& progress) : backend_(dynamic_cast<Stoppable*>(&backend)) {
    if (backend_ != nullptr) backend_->heed(progress);
  }
  ~Heeding() {
    if (backend_ != nullptr) backend_->heed({});
  }
  Heeding(const Heeding&) = delete;
  Heeding& operator=(const Heeding&) = delete;

 private:
  Stoppable* backend_;
};

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// The backends that one is made of: who does what, side by side, and what follows where one is lost.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/exchange.hpp"
#include "core/base/log.hpp"
#include "core/seam/compute/backend.hpp"
#include "kernels/banded/shares.hpp"
#include "kernels/shared/packed.hpp"

namespace reber::banded {

/// Backends of one kind. Part k of a work is member k's; a member whose card fails is lost, and its parts are done by
/// the others from then on. Called by one thread at a time, but for of().
class Members {
 public:
  Members(std::vector<std::unique_ptr<Backend>> backends, std::vector<Ability> abilities, LogSink log);
  /// Of processes that share the image: one part for each, and one backend here.
  Members(std::unique_ptr<Backend> own, std::shared_ptr<Exchange> others, LogSink log);

  /// Parts that an image is divided into.
  [[nodiscard]] std::size_t count() const { return owner_.size(); }
  /// Null where no other process has any of them.
  [[nodiscard]] const Exchange* others() const { return others_.get(); }
  [[nodiscard]] bool is_own(std::size_t part) const {
    return !others_ || part % count() == static_cast<std::size_t>(others_->index());
  }
  [[nodiscard]] const std::vector<Ability>& abilities() const { return abilities_; }
  /// The part of each in the images that are divided from now on, which take so many bytes of all memory.
  void divide(std::int64_t bytes) { shares_ = shares_of(abilities_, bytes); }
  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }
  /// Who does part k now.
  [[nodiscard]] Backend& of(std::size_t part) const { return *backends_[owner_[part % count()]]; }

  /// One piece of a work: done by whoever has `part`, and once more by another where that one's card fails.
  using Piece = std::function<void(Backend& by, const Job& job)>;
  struct Task {
    std::size_t part;
    Piece piece;
  };
  /// Does all, those of one member one after the other.   throws what a piece throws, the first of them; CardError
  /// where no member is left
  void run(const std::vector<Task>& tasks, const Job& job);

  /// Of a task, what it made as bytes, and as it was.
  using Pack = std::function<void(std::size_t task, Packed& to)>;
  using Unpack = std::function<void(std::size_t task, Unpacked& from)>;
  /// The same; each of several processes does the tasks of its own part, and has what the others' made.
  void share(const std::vector<Task>& tasks, const Pack& pack, const Unpack& unpack, const Job& job);

 private:
  /// returns the tasks that a failed card left
  std::vector<Task> run_once(const std::vector<Task>& tasks, const Job& job);
  void lose(std::size_t member, const std::string& why);

  std::vector<std::unique_ptr<Backend>> backends_;
  std::vector<Ability> abilities_;
  std::vector<double> shares_;
  std::vector<std::size_t> owner_;  ///< of each part
  std::vector<bool> lost_;
  std::shared_ptr<Exchange> others_;
  LogSink log_;
};

}  // namespace reber::banded

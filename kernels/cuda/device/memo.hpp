// SPDX-License-Identifier: BSD-3-Clause
// The last of several things that cost something to make.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace reber::cuda {

/// Keeps the values used last. Value: has `bool holds(key) const`, true where the value is what `key` would give, and
/// `std::int64_t bytes() const`.
template <class Value>
class Memo {
 public:
  /// most_bytes: of all values kept but one, which is kept whatever its size
  explicit Memo(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The kept value that holds `key`; else what make() returns, a shared_ptr, which is kept.
  template <class Key, class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    auto found = std::ranges::find_if(kept_, [&](const auto& one) { return one->holds(key); });
    if (found == kept_.end()) found = kept_.insert(found, make());
    std::rotate(kept_.begin(), found, found + 1);
    std::int64_t bytes = 0;
    const auto surplus = std::find_if(kept_.begin() + 1, kept_.end(), [&](const auto& one) {
      bytes += one->bytes();
      return bytes > most_bytes_;
    });
    kept_.erase(std::ssize(kept_) > kMost ? std::min(surplus, kept_.begin() + kMost) : surplus, kept_.end());
    return kept_.front();
  }
  void forget() { kept_.clear(); }

 private:
  static constexpr std::ptrdiff_t kMost = 4;
  std::vector<std::shared_ptr<const Value>> kept_;  ///< the one used last in front
  std::int64_t most_bytes_;
};

}  // namespace reber::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The last of several things that cost something to make.
#pragma once

#include <memory>

namespace reber::cuda {

/// Keeps one value. Value: has `bool holds(key) const`, true where the value is what `key` would give.
template <class Value>
class Memo {
 public:
  /// The kept value where it holds `key`; else what make() returns, a shared_ptr, which takes its place.
  template <class Key, class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    if (!kept_ || !kept_->holds(key)) kept_ = make();
    return kept_;
  }
  void forget() { kept_.reset(); }

 private:
  std::shared_ptr<const Value> kept_;
};

}  // namespace reber::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Values that are kept until what they were made of changes.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace reber::gui {

/// A value and the key that it was made of. Key: a struct with ==, which holds all that the value depends on.
template <class Key, class Value>
class Memo {
 public:
  /// The value for `key`: the kept one where the key is the same, else that of make(), which is kept.
  template <class Make>
  const Value& of(const Key& key, Make&& make) {
    if (!knows(key)) {
      kept_.reset();
      kept_ = std::make_unique<const std::pair<Key, Value>>(key, std::forward<Make>(make)());
    }
    return kept_->second;
  }
  [[nodiscard]] bool knows(const Key& key) const { return kept_ != nullptr && kept_->first == key; }
  void forget() { kept_.reset(); }

 private:
  std::unique_ptr<const std::pair<Key, Value>> kept_;
};

/// The last key that was asked for, where its value is made elsewhere: by a job, or on the card.
template <class Key>
class Asked {
 public:
  /// True where `key` is another one than at the last call: now is the time to ask.
  bool anew(const Key& key) {
    if (last_ && *last_ == key) return false;
    last_ = key;
    return true;
  }
  void forget() { last_.reset(); }

 private:
  std::optional<Key> last_;
};

}  // namespace reber::gui

// SPDX-License-Identifier: BSD-3-Clause
// Owners of what WCSLIB allocates: a parsed header, and one coordinate system.
#pragma once

#include <wcslib/wcs.h>

#include <mutex>
#include <span>
#include <string>

namespace reber::wcslib {

/// To be held while headers are parsed and systems are set up: wcspih is re-entrant, but not all that lies below wcsset
/// and the fixes is documented to be.
[[nodiscard]] std::unique_lock<std::mutex> parsing_lock();

/// Owns one wcsprm; a copy is a deep one, so that each object can be used in a thread of its own.
class System {
 public:
  System();
  /// throws InternalError where WCSLIB cannot copy; std::bad_alloc
  System(const System& other);
  System& operator=(const System&) = delete;
  ~System();

  /// Copies and sets up these axes (1-based) in this order, or all of them where none is named.
  ///   returns WCSLIB's status   throws std::bad_alloc
  int copy_axes(const wcsprm& from, std::span<const int> axes);
  wcsprm& prm() { return prm_; }

 private:
  wcsprm prm_{};
};

/// A header as wcspih reads it.
class ParsedHeader {
 public:
  /// cards: as cards_for_wcslib() writes them
  explicit ParsedHeader(std::string cards);
  ParsedHeader(const ParsedHeader&) = delete;
  ParsedHeader& operator=(const ParsedHeader&) = delete;
  ~ParsedHeader();
  /// The primary description, or null.
  [[nodiscard]] wcsprm* primary() const;

 private:
  int count_ = 0;
  wcsprm* systems_ = nullptr;
};

}  // namespace reber::wcslib

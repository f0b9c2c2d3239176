// SPDX-License-Identifier: BSD-3-Clause
// A piece of the file at a time.
#include "core/files/io/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber {

LineReader::LineReader(const std::string& path) : path_(path), file_(fits::open_plain(path, true)) {}

bool LineReader::next(std::string& line) {
  constexpr std::int64_t kPiece = 1 << 18;
  constexpr std::size_t kLongest = std::size_t{64} << 20;
  line.clear();
  for (;;) {
    if (used_ == piece_.size()) {
      piece_.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(file_->size() - at_, 0, kPiece)));
      used_ = 0;
      if (piece_.empty()) return !line.empty();
      file_->read(at_, piece_.data(), static_cast<std::int64_t>(piece_.size()));
      at_ += static_cast<std::int64_t>(piece_.size());
    }
    const std::size_t end = piece_.find('\n', used_);
    line.append(piece_, used_, std::min(end, piece_.size()) - used_);
    used_ = std::min(end, piece_.size() - 1) + 1;
    if (end != std::string::npos) return true;
    if (line.size() > kLongest) throw DataError(fmt::format("'{}' is no text: a line has no end", printable(path_)));
  }
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// Pieces that come in any order, of which the next one is waited for by none.
#include "core/files/catalogue/row_text.hpp"

#include <algorithm>
#include <utility>

#include "core/base/thread_pool.hpp"

namespace reber {

void RowText::write_rows(std::int64_t rows, const std::function<Text(std::int64_t first, std::int64_t last)>& lines) {
  constexpr std::int64_t kPiece = 256;
  const std::int64_t pieces = (rows + kPiece - 1) / kPiece;
  ThreadPool pool(pieces > 1 ? 0 : 1);
  const std::int64_t held = 32 * static_cast<std::int64_t>(pool.threads());
  for (std::int64_t done = 0; done < pieces; done += held) {
    const std::int64_t now = std::min(held, pieces - done);
    pieces_.clear();
    pieces_.resize(static_cast<std::size_t>(now));
    next_ = 0;
    pool.for_each(now, [&](std::int64_t i) {
      const std::int64_t first = (done + i) * kPiece;
      add(static_cast<std::size_t>(i), lines(first, std::min(first + kPiece, rows)));
    });
  }
}

void RowText::add(std::size_t at, Text text) {
  std::unique_lock lock(mutex_);
  pieces_[at] = {std::move(text), true};
  if (writing_) return;
  writing_ = true;
  while (next_ < pieces_.size() && pieces_[next_].made) {
    const Text part = std::move(pieces_[next_++].text);
    lock.unlock();
    write({part.data(), part.size()});
    lock.lock();
  }
  writing_ = false;
}

void RowText::write(std::string_view part) {
  constexpr std::int64_t kSent = std::int64_t{4} << 20;
  file_.write(part.data(), part.size());
  written_ += static_cast<std::int64_t>(part.size());
  if (written_ - sent_ < kSent) return;
  file_.send(sent_, written_ - sent_);
  sent_ = written_;
}

}  // namespace reber

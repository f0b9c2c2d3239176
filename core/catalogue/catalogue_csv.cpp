// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as comma-separated values: one header line, then the rows, and no comments, so that every reader takes it.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/printable.hpp"
#include "core/base/thread_pool.hpp"
#include "core/catalogue/catalogue_writers.hpp"
#include "core/io/atomic_file.hpp"

namespace reber {
namespace {

using Text = fmt::memory_buffer;

void add(std::string_view part, Text& text) { text.append(part.data(), part.data() + part.size()); }

/// A text cell in quotes. A spreadsheet would run a cell that begins with = + - or @: an apostrophe stops that. Numbers
/// and sexagesimal angles are nothing to run.
void add_cell(const std::string& value, Text& text) {
  text.push_back('"');
  const std::string safe = printable(value);
  const bool numeric = safe.find_first_not_of("+-:.0123456789") == std::string::npos;
  if (!safe.empty() && !numeric && std::string("=+-@").find(safe.front()) != std::string::npos) text.push_back('\'');
  for (const char c : safe) {
    if (c == '"') text.push_back('"');
    text.push_back(c);
  }
  text.push_back('"');
}

void add_cell(double value, Text& text) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
  else
    add(number_text(value), text);
}
void add_cell(std::int64_t value, Text& text) { fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value); }

Text lines(const Catalogue& catalogue, std::int64_t first, std::int64_t last) {
  Text text;
  for (std::int64_t row = first; row < last; ++row) {
    for (const Column& column : catalogue.columns)
      std::visit(
          [&](const auto& values) {
            add_cell(values[static_cast<std::size_t>(row)], text);
            text.push_back(',');
          },
          column.values);
    text[text.size() - 1] = '\n';
  }
  return text;
}

/// Pieces of a file that several threads make in any order: whoever has the next one writes it, and what has come
/// meanwhile. The disk is given work before all is there.
class InOrder {
 public:
  explicit InOrder(AtomicFile& file) : file_(file) {}

  void begin(std::size_t pieces) {
    pieces_.clear();
    pieces_.resize(pieces);
    next_ = 0;
  }
  void add(std::size_t at, Text text) {
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
  void write(std::string_view part) {
    constexpr std::int64_t kSent = std::int64_t{4} << 20;
    file_.write(part.data(), part.size());
    written_ += static_cast<std::int64_t>(part.size());
    if (written_ - sent_ < kSent) return;
    file_.send(sent_, written_ - sent_);
    sent_ = written_;
  }
  [[nodiscard]] std::int64_t written() const { return written_; }

 private:
  struct Piece {
    Text text;
    bool made = false;
  };
  AtomicFile& file_;
  std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
  bool writing_ = false;
  std::int64_t written_ = 0, sent_ = 0;
};

}  // namespace

void write_catalogue_csv(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  AtomicFile file(path, how);
  std::string names;
  for (const Column& column : catalogue.columns) {
    names += (names.empty() ? "" : ",") + column.info.name;
  }
  names += '\n';
  InOrder text(file);
  text.write(names);
  // Text of numbers takes longer than the writing: pieces of rows are made side by side, so many that little is held.
  constexpr std::int64_t kPiece = 256;
  const std::int64_t pieces = (catalogue.rows() + kPiece - 1) / kPiece;
  ThreadPool pool(pieces > 1 ? 0 : 1);
  const std::int64_t held = 32 * static_cast<std::int64_t>(pool.threads());
  for (std::int64_t done = 0; done < pieces; done += held) {
    const std::int64_t now = std::min(held, pieces - done);
    text.begin(static_cast<std::size_t>(now));
    pool.for_each(now, [&](std::int64_t i) {
      const std::int64_t first = (done + i) * kPiece;
      text.add(static_cast<std::size_t>(i), lines(catalogue, first, std::min(first + kPiece, catalogue.rows())));
    });
  }
  file.commit(text.written());
}

}  // namespace reber

// SPDX-License-Identifier: BSD-3-Clause
// A band is turned to big-endian, summed up and written in pieces, by all threads.
#include "core/files/fits/band_writer.hpp"

#include <algorithm>
#include <vector>

#include "core/base/thread_budget.hpp"
#include "core/base/trace.hpp"

namespace reber::fits {
namespace {

/// The file system takes one write to a file at a time, and turning is a small part: more threads only wait for each
/// other, and take processors from those who make the rows.
int threads_of_writer() { return std::clamp(usable_threads() / 2, 1, 4); }

}  // namespace

BandWriter::BandWriter(AtomicFile& file, std::int64_t band_bytes)
    : file_(file), band_bytes_(band_bytes), pool_(threads_of_writer()) {}

void* BandWriter::Room::ask(std::int64_t pixels) {
  if (pixels > pixels_) {
    bytes_.reset();
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(4 * pixels));
    pixels_ = pixels;
  }
  return bytes_.get();
}

void BandWriter::turn_and_write(void* words, std::int64_t count, std::int64_t offset) {
  const trace::Span span("write", "turn and write a band");
  constexpr std::int64_t kPiece = std::int64_t{256} << 10;  // words: fits a core's cache
  const std::int64_t pieces = (count + kPiece - 1) / kPiece;
  std::vector<Checksum> sums(static_cast<std::size_t>(pieces));
  pool_.for_each(pieces, [&](std::int64_t i) {
    auto* const from = static_cast<char*>(words) + 4 * i * kPiece;
    const auto here = static_cast<std::size_t>(std::min(kPiece, count - i * kPiece));
    sums[static_cast<std::size_t>(i)].add_turned(from, here);
    file_.write_at(offset + 4 * i * kPiece, from, 4 * here);
  });
  file_.send(offset, 4 * count);
  for (const Checksum& sum : sums) sum_.add(sum);
}

}  // namespace reber::fits

// SPDX-License-Identifier: BSD-3-Clause
// Planes at their places, then the table of beams, then the header with its checksum.
#include "core/files/fits/cube_writer.hpp"

#include <mutex>

#include "core/base/error.hpp"
#include "core/files/fits/band_writer.hpp"
#include "core/files/fits/beam_table.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/checksum.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

std::int64_t whole_blocks(std::int64_t bytes) {
  return (bytes + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes;
}

}  // namespace

struct CubeWriter::State {
  State(const std::string& path, const OutputHeader& out, std::vector<std::optional<Beam>> table,
        const FileOptions& how)
      : like(*out.like), header(out), beams(std::move(table)), file(path, how, out.like->path) {
    cards = fits::cube_cards(out, !beams.empty());
    header_bytes = static_cast<std::int64_t>(fits::header_blocks(cards, 0).size());
    file.reserve(header_bytes + 4 * like.planes * like.shape.count());
  }

  const ImageHeader& like;
  OutputHeader header;
  std::vector<std::optional<Beam>> beams;
  AtomicFile file;
  std::string cards;
  std::int64_t header_bytes = 0;
  fits::BandWriter bands{file, std::int64_t{8} << 20};
  std::mutex mutex;
  fits::Checksum sum;  ///< of rows that came by write_rows
};

CubeWriter::CubeWriter(const std::string& path, const OutputHeader& header, std::vector<std::optional<Beam>> beams,
                       const FileOptions& how)
    : state_(std::make_unique<State>(path, header, std::move(beams), how)) {}
CubeWriter::~CubeWriter() = default;

void CubeWriter::write_plane(std::int64_t plane, const FloatRows& rows, const Progress& progress,
                             std::int64_t band_rows) {
  const Shape shape = state_->like.shape;
  state_->bands.write<float>(
      shape, state_->header_bytes + 4 * plane * shape.count(), rows, [&](std::int64_t) { progress.check(); },
      band_rows);
}

void CubeWriter::write_rows(std::int64_t plane, std::int64_t y0, std::int64_t ny, float* rows) {
  State& s = *state_;
  const Shape shape = s.like.shape;
  fits::Checksum sum;
  sum.add_turned(rows, static_cast<std::size_t>(ny * shape.nx));
  s.file.write_at(s.header_bytes + 4 * (plane * shape.count() + y0 * shape.nx), rows,
                  static_cast<std::size_t>(4 * ny * shape.nx));
  const std::lock_guard lock(s.mutex);
  s.sum.add(sum);
}

void CubeWriter::tell(const std::vector<std::string>& history) {
  State& s = *state_;
  s.header.history = history;
  std::string cards = fits::cube_cards(s.header, !s.beams.empty());
  if (cards.size() != s.cards.size()) throw InternalError("HISTORY of a cube grew after its header was laid out");
  s.cards = std::move(cards);
}

void CubeWriter::finish() {
  State& s = *state_;
  s.bands.wait();
  const std::int64_t end = s.header_bytes + 4 * s.like.planes * s.like.shape.count();
  const std::int64_t padded = s.header_bytes + whole_blocks(end - s.header_bytes);
  const std::vector<char> padding(static_cast<std::size_t>(padded - end), 0);
  s.file.write_at(end, padding.data(), padding.size());
  std::string extension;
  if (!s.beams.empty()) {
    std::string own;
    for (const std::string& card : s.like.cards) own += card;
    extension = fits::beam_table_blocks(s.beams, fits::CardTable(own), s.like.axes, s.like.x_axis, s.like.y_axis);
    s.file.write_at(padded, extension.data(), extension.size());
  }
  s.sum.add(s.bands.all());
  const std::string blocks = fits::header_blocks(s.cards, s.sum.sum());
  s.file.write_at(0, blocks.data(), blocks.size());
  s.file.commit(padded + static_cast<std::int64_t>(extension.size()));
}

}  // namespace reber
